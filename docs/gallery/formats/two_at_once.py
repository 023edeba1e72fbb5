"""
Two formats from one run
========================

`format="cdf5+idx"` writes a netCDF file and a multiresolution dataset of the same samples. The samples move between ranks once,
and each step appears in both or in none.
"""

# sphinx_gallery_alt = "The surface of the ocean, from the netCDF file and from a coarse level of the IDX dataset."
import matplotlib.pyplot as plt
import numpy as np

import esker

january = np.fromfile("data/ocean_temperature_january.be32", ">f4").reshape(15, 40, 90).astype("f4")
esker.write("both.idx", {"temp": january}, format="cdf5+idx")
netcdf, idx = esker.open("both.nc"), esker.open("both.idx")
print(np.array_equal(netcdf["temp"].read(), idx["temp"].read()))

# %%
# A program takes the file that it needs.
fig, axes = plt.subplots(1, 2, figsize=(9, 2.4), layout="constrained")
whole, coarse = netcdf["temp"].read(), idx["temp"].read(level=idx["temp"].max_level - 6)
for ax, values, title in zip(axes, (whole, coarse), ("both.nc, all samples", "both.idx, 1/64 of them"), strict=True):
    image = ax.imshow(values[0], origin="lower", cmap="RdYlBu_r", vmin=-2, vmax=30)
    ax.set(xticks=[], yticks=[], title=title)
fig.colorbar(image, ax=axes, label="degrees Celsius")
plt.show()
