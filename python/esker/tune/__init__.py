"""What a step costs on a machine: statistics of a plan, and a closed form over them and the machine's parameters.

machine.py         parameters of a machine, with source and range; reads and writes machine files
machines/          the machine files that Esker comes with
parameters.py      the parameters that a machine file sets
loads.py           what a step asks of nodes and files, from the planner
baselines.py       the same of ways to write without Esker's exchange
statistics.py      the same per storage target, reduced to what the closed form needs
cost.py            the closed form: pure, for one or thousands of parameter sets
simulation.py      esker.simulate(): all of these in order
calibration.py     measures a machine file where it runs
message_times.py   costs of messages between two ranks
characterize/      measures how settings change the time of a step
fit/               models that learn from these measurements
explain/           what bounds a run, and what could be changed
dataset_search.py  options that change the bytes of the files, measured before a dataset is created
extras.py          optional packages
json_file.py       JSON files that others may have written
toml_lines.py      lines of keys in TOML text
"""
