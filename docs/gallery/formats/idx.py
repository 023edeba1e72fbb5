"""
IDX: from coarse to fine
========================

In an IDX dataset the samples that a level adds are stored together. `refine` reads one level after another, and each time only
what the level adds, so that all of them cost as much as the last one alone.
"""

# sphinx_gallery_alt = "The bed of Greenland at four levels, each drawn from the samples read so far."
import matplotlib.pyplot as plt

import esker

bed = esker.open("data/greenland_5km.nc")["topg"]
esker.write("bed.idx", {"topg": bed.read()}, attrs={"topg": {"units": "m"}})

# %%
# Each array is the whole map, at that level.
topg = esker.open("bed.idx")["topg"]
arrays = dict(topg.refine())
shown = [*arrays][-7::2]
fig, axes = plt.subplots(1, 4, figsize=(9, 4.4), layout="constrained")
for ax, level in zip(axes, shown, strict=True):
    image = ax.imshow(arrays[level], origin="lower", cmap="terrain", vmin=-3000, vmax=3000)
    rows, columns = arrays[level].shape
    ax.set(xticks=[], yticks=[], title=f"level {level}: {columns} × {rows}")
fig.colorbar(image, ax=axes, label="bed [m]", shrink=0.7)
plt.show()
