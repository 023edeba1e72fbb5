"""
An ice sheet: one field at three levels
=======================================

The ice-sheet miniapp runs on Greenland's measured bed and ice. Each map reads another level of the same files.
"""

# sphinx_gallery_alt = "Three maps of the speed of Greenland's ice, from a few hundred samples to all of them."
import subprocess

import matplotlib.pyplot as plt
import numpy as np

import esker

options = "--quiet --input data/greenland_5km.nc --levels 11 --output-steps 2 --output greenland"
subprocess.run(f"mpiexec -n 4 esker-pism {options}".split(), check=True, capture_output=True)
ds = esker.open("greenland")
print(ds)

# %%
# Level 19 is the finest of a map of 301 × 561 samples. Four levels less are every fourth sample along both axes.
speed = ds["velsurf_mag"]
fig, axes = plt.subplots(1, 3, figsize=(9, 5.2), layout="constrained")
for ax, level in zip(axes, (11, 15, 19), strict=True):
    cost = esker.ReadStatistics()
    values = speed.read(step=-1, level=level, statistics=cost)
    image = ax.imshow(np.log10(np.maximum(values, 1)), origin="lower", cmap="magma", vmin=0, vmax=3)
    ax.set(xticks=[], yticks=[], title=f"level {level}: {cost.bytes / 1e3:.0f} kB read")
fig.colorbar(image, ax=axes, label="log10 of the speed [m/a]", shrink=0.7)
plt.show()
