"""
An ocean: snapshots in time
===========================

The ocean miniapp, written in Fortran, starts from the measured temperature of January, and writes what the ocean model POP
writes: snapshots, a movie of the surface, a restart file and an average.
"""

# sphinx_gallery_alt = "The sea level of an ocean basin at three times; waves spread from a hill of water."
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt

import esker

Path("pop_in").write_text(
    '&pop nx=180 ny=120 nz=10 num_steps=24 directory="pop"\n temperature_from="data/ocean_temperature_january.be32" /\n'
)
subprocess.run("mpiexec -n 4 esker-pop pop_in".split(), check=True, capture_output=True)

# %%
# `steps` has the times, and `step=` chooses one of them.
movie = esker.open("pop/movie")
height = movie["SSH"]
times = (0, 5, 11)
fig, axes = plt.subplots(1, 3, figsize=(9, 2.6), layout="constrained")
largest = max(abs(height.read(step=step)).max() for step in times)
for ax, step in zip(axes, times, strict=True):
    image = ax.imshow(height.read(step=step), origin="lower", cmap="RdBu_r", vmin=-largest, vmax=largest)
    ax.set(xticks=[], yticks=[], title=f"{movie.steps[step] / 3600:.0f} hours")
fig.colorbar(image, ax=axes, label="sea level [m]", shrink=0.9)
plt.show()
