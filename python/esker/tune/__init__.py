"""What a step costs on a machine: statistics of a plan, and a closed form over them and the machine's parameters.

machine.py      parameters of a machine, with source and range; reads and writes machine files
loads.py        what a step asks of nodes and files, from the planner
statistics.py   the same per storage target, reduced to what the closed form needs
cost.py         the closed form: pure, for one or thousands of parameter sets
simulation.py   esker.simulate(): all of these in order
calibration.py  measures a machine file where it runs
characterize/   measures how settings change the time of a step
fit/            models that learn from these measurements
explain/        what bounds a run, and what could be changed
extras.py       optional packages
"""
