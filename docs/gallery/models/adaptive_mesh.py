"""
An AMR code: patches on three levels
====================================

The AMR miniapp writes boxes of cells on several levels. The dataset keeps the boxes, and reads as one array at the resolution
of the finest level.
"""

# sphinx_gallery_alt = "A plane of a field with the outlines of the patches of three levels around a blob and a ring."
import subprocess

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

import esker

run = "mpiexec -n 4 esker-uintah --quiet --patches 2 2 2 --steps 1 --out amr.idx"
subprocess.run(run.split(), check=True, capture_output=True)
field = esker.open("amr.idx")["temperature"]

# %%
# The plane in the middle, and the patches that it cuts. `patches` gives boxes in the indices of their level.
z = field.shape[0] // 2
plane = field.read(step=0, box=((0, 0, z), (*field.shape[:0:-1], z + 1)))[0]
fig, ax = plt.subplots(figsize=(6.4, 5.6), layout="constrained")
image = ax.imshow(plane, origin="lower", cmap="Greys", extent=(0, plane.shape[1], 0, plane.shape[0]))
for patch in field.patches(0):
    scale = 2 ** (field.grid.mesh.num_levels - 1 - patch.level)
    (x0, y0, z0), (x1, y1, z1) = ([scale * index for index in corner] for corner in (patch.lo, patch.hi))
    if z0 <= z < z1:
        ax.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, ec=f"C{patch.level}", lw=0.8))
fig.colorbar(image, label="temperature [K]", shrink=0.8)
ax.set(xticks=[], yticks=[], title=f"{len(field.patches(0))} patches on {field.grid.mesh.num_levels} levels")
plt.show()
