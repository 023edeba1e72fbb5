"""Reads what the others wrote: python read.py"""

import esker

# [README
ds = esker.open("run.idx")
thk = ds["thk"]
full = thk.read(step=-1)  # every sample, as (y, x)
coarse = thk.read(level=thk.max_level - 4)  # the whole map at low resolution, from a few blocks
corner = thk.read(box=((0, 0), (50, 20)))  # half open, x first
# README]

y, x = coarse.shape
print(
    f"thk: {x} x {y} samples, first {coarse[0, 0]:g}, last {coarse[-1, -1]:g}; {full.shape}, {corner.shape}"
)
