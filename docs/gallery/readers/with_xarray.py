"""
xarray: a lazy dataset at any level
===================================

The engine `esker` opens every format. `level=` opens fewer samples of the whole grid, with their coordinates.
"""

# sphinx_gallery_alt = "Temperature of the ocean by latitude and depth, averaged along longitude."
import esker.xarray  # gives datasets to_esker()
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

january = np.fromfile("data/ocean_temperature_january.be32", ">f4").reshape(15, 40, 90).astype("f4")
thickness = np.array([50, 70, 100, *[140 + 50 * n for n in range(12)]], "f8")
axes = {
    "depth": thickness.cumsum() - thickness / 2,
    "lat": np.arange(40) * 4.0 - 78,
    "lon": np.arange(90) * 4.0,
}
ocean = xr.Dataset({"temp": (("depth", "lat", "lon"), january, {"units": "degC"})}, axes)
ocean.to_esker("ocean.idx")

# %%
# Nothing is read before the mean is computed.
ds = xr.open_dataset("ocean.idx", engine="esker")
print(ds)

# %%
# xarray draws it.
temp = ds["temp"].where(ds["temp"] != 0).mean("lon").squeeze()
fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
temp.plot(ax=ax, y="depth", yincrease=False, cmap="RdYlBu_r", vmin=-2, vmax=28)
plt.show()

# %%
coarse = xr.open_dataset("ocean.idx", engine="esker", level=10)
print(dict(coarse.sizes))
