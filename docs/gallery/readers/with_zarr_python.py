"""
zarr-python: arrays in shards
=============================

Esker writes Zarr v3 with shards, which zarr-python reads. Esker also reads groups that zarr-python wrote.
"""

# sphinx_gallery_alt = "The bed of Greenland that zarr-python read, with the borders of its chunks."
import matplotlib.pyplot as plt
import numpy as np
import zarr

import esker

bed = esker.open("data/greenland_5km.nc")["topg"].read()
esker.write("bed.zarr", {"topg": bed}, compression="zstd", chunks="128,128")
array = zarr.open_group("bed.zarr", mode="r")["topg"]
print(array.shape, array.chunks, array.shards)

# %%
# A chunk is what a reader reads at once.
fig, ax = plt.subplots(figsize=(3.8, 5.2), layout="constrained")
image = ax.imshow(array[...].reshape(bed.shape), origin="lower", cmap="terrain", vmin=-3000, vmax=3000)
ax.set_xticks(range(0, bed.shape[1], array.chunks[-1]))
ax.set_yticks(range(0, bed.shape[0], array.chunks[-2]))
ax.grid(color="k", lw=0.5)
fig.colorbar(image, label="bed [m]", shrink=0.7)
plt.show()

# %%
# The other way.
theirs = zarr.create_group("theirs.zarr")
theirs.create_array("topg", data=bed, chunks=(128, 128), dimension_names=("y", "x"))
print(np.array_equal(esker.open("theirs.zarr")["topg"].read(), bed))
