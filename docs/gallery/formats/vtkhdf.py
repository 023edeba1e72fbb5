"""
VTKHDF: all levels of a mesh for ParaView
=========================================

A plotfile of AMReX becomes a VTKHDF file, in which every level is stored whole. ParaView opens it as it is.
"""

# sphinx_gallery_alt = "Three levels of a vortex, each with the cells that its patches cover."
import subprocess

import matplotlib.pyplot as plt
import numpy as np

import esker

convert = "esker convert data/amrex/advect2d_r42_f32_00012 vortex.vtkhdf.series"
print(subprocess.run(convert.split(), check=True, capture_output=True, text=True).stdout)

# %%
# `mesh_level` reads one level, also what finer patches cover. Places without a patch are masked here.
phi = esker.open("vortex.vtkhdf.series")["phi"]
fig, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
for level, ax in enumerate(axes):
    values = phi.read(mesh_level=level, missing="nan")
    image = ax.imshow(np.ma.masked_invalid(values), origin="lower", cmap="viridis", vmin=1, vmax=2)
    ax.set(xticks=[], yticks=[], title=f"level {level}: {values.shape[1]} × {values.shape[0]} cells")
fig.colorbar(image, ax=axes, label="phi")
plt.show()
