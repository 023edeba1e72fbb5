"""
Zarr: levels for xarray and object stores
=========================================

With `levels=N`, a Zarr group has the full resolution in `0`, every second sample in `1`, and so on. Each is a dataset that
xarray opens.
"""

# sphinx_gallery_alt = "Temperature of the ocean in January at the surface, at the full resolution and at half of it."
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

import esker

january = np.fromfile("data/ocean_temperature_january.be32", ">f4").reshape(15, 40, 90).astype("f4")
coords = {"x": np.arange(90) * 4.0, "y": np.arange(40) * 4.0 - 78}
attrs = {"temp": {"units": "degC"}}
esker.write("ocean.zarr", {"temp": january}, coords=coords, attrs=attrs, levels=2, compression="zstd")

# %%
# Land is 0 in these data.
fig, axes = plt.subplots(1, 2, figsize=(9, 2.6), layout="constrained")
for level, ax in enumerate(axes):
    surface = xr.open_zarr("ocean.zarr", group=str(level))["temp"].isel(time=0, z=0)
    surface.where(surface != 0).plot(ax=ax, cmap="RdYlBu_r", vmin=-2, vmax=30, add_colorbar=level == 1)
    ax.set_title(f"group {level}: {surface.sizes['x']} × {surface.sizes['y']}")
plt.show()
