"""
Precision: as many bits as a look needs
=======================================

A field that is stored with 16 bits per sample can be read with 1, 2, 4 or 8 of them, and only these are read from the file.
"""

# sphinx_gallery_alt = "The bed of Greenland read with 1, 2, 4 and 16 bits per sample."
import matplotlib.pyplot as plt

import esker

bed = esker.open("data/greenland_5km.nc")["topg"].read()
esker.write("bed.idx", {"topg": bed}, stored_bits={"topg": 16})
topg = esker.open("bed.idx")["topg"]

# %%
# The same field, with more and more bits.
fig, axes = plt.subplots(1, 4, figsize=(9, 4.4), layout="constrained")
for ax, bits in zip(axes, (1, 2, 4, 16), strict=True):
    cost = esker.ReadStatistics()
    values = topg.read(bits=bits, statistics=cost)
    image = ax.imshow(values, origin="lower", cmap="terrain", vmin=-3000, vmax=3000)
    ax.set(xticks=[], yticks=[], title=f"bits: {bits}, read: {cost.bytes / 1e3:.0f} kB")
fig.colorbar(image, ax=axes, label="bed [m]", shrink=0.7)
plt.show()
