"""
CDF-5: a file for netCDF programs
=================================

With the suffix `.nc`, a run writes one file that the tools of netCDF read. Esker writes records in parallel, and the number of
records last, so that a killed run leaves a file of whole records.
"""

# sphinx_gallery_alt = "The thickness of Greenland's ice, read from a CDF-5 file."
import subprocess

import matplotlib.pyplot as plt
import numpy as np

import esker

thk = esker.open("data/greenland_5km.nc")["thk"].read()
with esker.Writer("ice.nc", dims={"x": thk.shape[1], "y": thk.shape[0]}, format="cdf5") as writer:
    field = writer.field("thk", "f4", units="m")
    for year in (0.0, 10.0):
        with writer.step(year) as step:
            step.put(field, (thk * np.exp(-year / 100)).astype("f4"))
print(subprocess.run(["ncdump", "-h", "ice.nc"], check=True, capture_output=True, text=True).stdout)

# %%
# Levels work here as well: a coarse one skips rows.
ice = esker.open("ice.nc")["thk"]
fig, ax = plt.subplots(figsize=(3.6, 5.2), layout="constrained")
image = ax.imshow(ice.read(step=-1, level=15), origin="lower", cmap="Blues_r")
ax.set(xticks=[], yticks=[], title=f"level 15 of {ice.max_level}")
fig.colorbar(image, label="ice thickness [m]", shrink=0.7)
plt.show()
