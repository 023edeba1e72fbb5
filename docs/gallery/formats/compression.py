"""
Compression with a bound on the error
=====================================

`zfp-accuracy=X` keeps each value within X. Esker decodes each block before it stores it, and records the errors.
"""

# sphinx_gallery_alt = "The size of the dataset for four bounds, and the recorded errors, which are below the bounds."
import matplotlib.pyplot as plt
import numpy as np

import esker

bed = esker.open("data/greenland_5km.nc")["topg"].read()
bounds, recorded, measured, sizes = [0.1, 1.0, 10.0, 50.0], [], [], []
for bound in bounds:
    esker.write("bed.idx", {"topg": bed}, compression=f"zfp-accuracy={bound}", overwrite=True)
    ds = esker.open("bed.idx")
    recorded.append(ds["topg"].errors().largest)
    measured.append(np.abs(ds["topg"].read() - bed).max())
    sizes.append(ds.storage().bytes / bed.nbytes)

# %%
# The recorded error is never smaller than the measured one.
fig, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
axes[0].semilogx(bounds, sizes, "o-")
axes[0].set(xlabel="bound [m]", ylabel="size / samples", ylim=(0, 1))
axes[1].loglog(bounds, bounds, color="0.6", label="bound")
axes[1].loglog(bounds, recorded, "o", label="recorded")
axes[1].loglog(bounds, measured, "x", label="measured")
axes[1].set(xlabel="bound [m]", ylabel="largest error [m]")
axes[1].legend()
plt.show()
