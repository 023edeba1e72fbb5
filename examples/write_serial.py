"""Writes a map without MPI: python write_serial.py"""

import numpy as np

import esker

# [README
y, x = np.mgrid[0:561, 0:301]
esker.write("map.idx", {"thk": np.hypot(x, y)}, attrs={"thk": {"units": "m"}})
# README]
