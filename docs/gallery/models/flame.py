"""
A flame: full resolution where it is hot
========================================

The combustion miniapp keeps all samples of hot cells, and fewer of cold ones. A reader sees the whole volume: it fills the
places between by the nearest sample, or by interpolation.
"""

# sphinx_gallery_alt = "A plane of a flame as it is stored, coarse where it is cold, and the level that is stored at each place."
import subprocess

import matplotlib.pyplot as plt

import esker

run = "mpiexec -n 4 esker-s3d --quiet --nx 96 --ny 72 --nz 32 --steps 120 --every 120 --out flame.idx"
subprocess.run(run.split(), check=True, capture_output=True)
temperature = esker.open("flame.idx")["T"]

# %%
# `levels` tells which level is stored at the place of each sample.
stored = temperature.read(step=-1, missing="nearest")
levels = temperature.levels(step=-1).astype(int) - temperature.max_level
z = stored.shape[0] // 2
fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
image = axes[0].imshow(stored[z], origin="lower", cmap="inferno")
fig.colorbar(image, ax=axes[0], label="temperature [K]", shrink=0.8)
image = axes[1].imshow(levels[z], origin="lower", cmap="viridis")
fig.colorbar(image, ax=axes[1], label="level stored, 0: all samples", shrink=0.8)
for ax, title in zip(axes, ("nearest stored sample", f"{(2.0**levels).mean():.0%} of the samples"), strict=True):
    ax.set(xticks=[], yticks=[], title=title)
plt.show()
