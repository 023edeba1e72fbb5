"""
An atmosphere: a geodesic grid
==============================

The atmosphere miniapp transports a tracer on a grid of hexagons. As a netCDF file it is a list of cells with the mesh (UGRID),
which other programs read. As IDX it is ten square panels, which have levels.
"""

# sphinx_gallery_alt = "The cells of a globe, colored by a tracer that has the shape of a bell."
import subprocess

import matplotlib.pyplot as plt

import esker

options = "--quiet --level 5 --layers 3 --output cells.nc --format cdf5 --panels panels.idx"
subprocess.run(f"mpiexec -n 4 esker-gcrm {options}".split(), check=True, capture_output=True)

# %%
# The centers of the cells, in degrees, are fields of the same file.
cells = esker.open("cells.nc")
lon, lat = (cells[name].read() for name in ("lon", "lat"))
tracer = cells["tracer_mean"].read(step=-1)
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
image = ax.scatter(lon, lat, c=tracer, s=5, cmap="viridis")
ax.set(xlabel="longitude", ylabel="latitude", title=f"{tracer.size} cells, time {cells.steps[-1]:g} d")
fig.colorbar(image, label="tracer, mean over layers")
plt.show()

# %%
# A panel at its finest level, and the same panel on a grid with a quarter of the cells.
panel = esker.open("panels.idx")["tracer_mean_p0"]
print(panel.read(step=-1).shape, panel.read(step=-1, level=panel.max_level - 2).shape)
