"""
Antarctica: a checkpoint of BISICLES
====================================

`esker convert` reads the HDF5 files of Chombo. This is the Amundsen Sea sector, at 16, 8 and 4 km. The finest
patches follow the coast.
"""

# sphinx_gallery_alt = "Ice thickness of the Amundsen Sea sector with the outlines of patches of 16, 8 and 4 km."
import subprocess

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

import esker

convert = "esker convert data/chombo/amundsen_3level_checkpoint.2d.h5 amundsen.idx"
print(subprocess.run(convert.split(), check=True, capture_output=True, text=True).stdout)

# %%
# Where only coarse patches are, the array repeats the nearest sample.
thickness = esker.open("amundsen.idx")["thickness"]
values = thickness.read(missing="nearest")
fig, ax = plt.subplots(figsize=(6, 5.6), layout="constrained")
image = ax.imshow(values, origin="lower", cmap="Blues_r", extent=(0, values.shape[1], 0, values.shape[0]))
for patch in thickness.patches(0):
    scale = 2 ** (2 - patch.level)
    (x0, y0), (x1, y1) = ([scale * index for index in corner] for corner in (patch.lo, patch.hi))
    ax.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, ec=f"C{patch.level + 1}", lw=0.9))
ax.set(xticks=[], yticks=[], title=f"{len(thickness.patches(0))} patches, 16, 8 and 4 km")
fig.colorbar(image, label="ice thickness [m]", shrink=0.8)
plt.show()
