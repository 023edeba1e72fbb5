"""
NetCDF-4: compressed chunks that all HDF5 tools read
====================================================

`bitround=N` keeps N bits of each mantissa, and stores the chunks with shuffle and deflate. h5py and every program of netCDF
read the result without a plug-in.
"""

# sphinx_gallery_alt = "Size of the file and largest error for five numbers of bits: fewer bits make a smaller file."
from pathlib import Path

import h5py
import matplotlib.pyplot as plt
import numpy as np

import esker

bed = esker.open("data/greenland_5km.nc")["topg"].read()
bits, sizes, errors = (5, 7, 9, 12, 16), [], []
for kept in bits:
    path = f"bed_{kept}.nc"
    esker.write(path, {"topg": bed}, format="netcdf4", compression=f"bitround={kept}")
    with h5py.File(path) as file:
        errors.append(np.abs(file["topg"][...].reshape(bed.shape) - bed).max())
    sizes.append(Path(path).stat().st_size / bed.nbytes)

# %%
# The size, relative to the samples, and the error.
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(bits, sizes, "o-", label="size / samples")
ax.set(xlabel="bits of the mantissa that are kept", ylabel="size / samples", ylim=(0, 1))
other = ax.twinx()
other.semilogy(bits, errors, "s--", color="C1", label="largest error")
other.set(ylabel="largest error [m]")
fig.legend(loc="outside upper center", ncols=2)
plt.show()
