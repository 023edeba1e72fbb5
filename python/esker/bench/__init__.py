"""`esker bench`: runs esker-bench and its relatives, and computes what their times say.

jobs.py           the programs: where they are, what they are called with, the machine they run on
launching.py      programs with their ranks, which end with the command
summary.py        rates and ratios, from the times that the ranks measured
figures.py        one picture of them
scaling.py        runs on several numbers of ranks
peers.py          other libraries, timed in turn with Esker
python_peers.py   those of Python: which can run, and how they are started
zarr_cases.py     what zarr-python and TensorStore write and read
zarr_program.py   the program that does it, one process per rank
parts.py          which part of each field each rank holds
amr.py            ways to write the patches of an AMR code
"""
