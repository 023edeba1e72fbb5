"""
OpenVisus: the same files, another program
==========================================

IDX is the format of OpenVisus, which opens what Esker wrote, at any level.
"""

# sphinx_gallery_alt = "The bed of Greenland as OpenVisus reads it, at a coarse level and at the full one."
import io
from contextlib import redirect_stdout

import matplotlib.pyplot as plt
import numpy as np

import esker

with redirect_stdout(io.StringIO()):
    import OpenVisus

bed = esker.open("data/greenland_5km.nc")["topg"].read()
esker.write("bed.idx", {"topg": bed})
theirs = OpenVisus.LoadDataset("bed.idx")
topg = esker.open("bed.idx")["topg"]

# %%
# Both count levels alike.
fig, axes = plt.subplots(1, 2, figsize=(5.6, 5), layout="constrained")
for ax, level in zip(axes, (topg.max_level - 6, topg.max_level), strict=True):
    values = theirs.read(field="topg", max_resolution=level)
    print(level, values.shape, np.array_equal(values, topg.read(level=level)))
    image = ax.imshow(values, origin="lower", cmap="terrain", vmin=-3000, vmax=3000)
    ax.set(xticks=[], yticks=[], title=f"level {level} of {theirs.getMaxResolution()}")
fig.colorbar(image, ax=axes, label="bed [m]", shrink=0.7)
plt.show()
