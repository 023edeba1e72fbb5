"""All ranks write one step of one field together: mpiexec -n 4 python write.py"""

import numpy as np
from mpi4py import MPI

import esker

# [README
comm = MPI.COMM_WORLD
with esker.Writer("run.idx", comm, dims={"x": 300, "y": 100 * comm.size}) as writer:
    thk = writer.field("thk", "f4", units="m")
    thickness = np.full((100, 300), 1 + comm.rank, "f4")  # (y, x)
    with writer.step(time=0.0) as step:
        step.put(thk, thickness, offset=(0, 100 * comm.rank))  # any strides; kept until the step ends
# README]
