"""
dask: many chunks at once
=========================

`chunks={}` makes chunks of whole blocks. dask computes them in parallel, in threads here, or on a cluster that has access to the
files.
"""

# sphinx_gallery_alt = "A histogram of the elevation of Greenland's bed, computed in chunks."
import dask.array
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

import esker

bed = esker.open("data/greenland_5km.nc")["topg"].read()
esker.write("bed.idx", {"topg": bed}, bits_per_block=12)
topg = xr.open_dataset("bed.idx", engine="esker", chunks={})["topg"]
print(topg.data)

# %%
# The mean and a histogram.
counts, edges = dask.array.histogram(topg.data, bins=60, range=(-4500, 3000))
counts, mean = dask.compute(counts, topg.mean())
print(f"mean {float(mean):.2f} m, of the array {bed.mean(dtype='f8'):.2f} m")
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.stairs(counts * 25, edges, fill=True)
ax.set(xlabel="elevation of the bed [m]", ylabel="area [km²]")
plt.show()
assert np.isclose(float(mean), bed.mean(dtype="f8"), rtol=1e-4)
