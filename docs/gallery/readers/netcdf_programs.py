"""
Programs of netCDF, unchanged
=============================

A plug-in lets programs that know nothing of Esker read a dataset at any level. `esker door` writes a small file that they open
in place of the dataset.
"""

# sphinx_gallery_alt = "A coarse map of Greenland's ice that ncdump printed."
import re
import subprocess

import matplotlib.pyplot as plt
import numpy as np

import esker


def run(command: str) -> str:
    return subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout


thk = esker.open("data/greenland_5km.nc")["thk"].read()
esker.write("ice.idx", {"thk": thk}, attrs={"thk": {"units": "m"}})
run("esker door ice.idx coarse.nc --level 13")
text = run("esker run --netcdf -- ncdump -v thk coarse.nc")
print(text.partition("data:")[0])

# %%
# The numbers that ncdump printed are those of the level.
numbers = re.search(r" thk =\s+(.*?);", text, re.S)
expected = esker.open("ice.idx")["thk"].read(level=13)
values = np.array(numbers[1].split(","), "f4").reshape(expected.shape)
print(np.allclose(values, expected, rtol=1e-6))
fig, ax = plt.subplots(figsize=(3.6, 5), layout="constrained")
image = ax.imshow(values, origin="lower", cmap="Blues_r")
ax.set(xticks=[], yticks=[], title="printed by ncdump")
fig.colorbar(image, label="ice thickness [m]", shrink=0.7)
plt.show()
