"""Copies what ParaView's own NetCDFReader reads from a file to an .npz file: pvpython paraview_netcdf.py FILE DIMENSIONS NPZ

`times` are those of the steps; STEP/NAME is a variable on the DIMENSIONS, for example "(y, x)"; `bounds` are those of the output.
"""

import sys

import numpy as np
from paraview import simple
from vtkmodules.util.numpy_support import vtk_to_numpy

path, dimensions, target = sys.argv[1:]
reader = simple.NetCDFReader(FileName=[path])
assert dimensions in reader.GetProperty("Dimensions").Available, reader.GetProperty("Dimensions").Available
reader.Dimensions, reader.OutputType = dimensions, "Image"
reader.UpdatePipelineInformation()
found = {"times": np.array(list(reader.TimestepValues))}
for step, time in enumerate(found["times"]):
    reader.UpdatePipeline(time)
    output = reader.GetClientSideObject().GetOutputDataObject(0)
    found["bounds"] = np.array(output.GetBounds())
    points = output.GetPointData()
    for n in range(points.GetNumberOfArrays()):
        found[f"{step}/{points.GetArrayName(n)}"] = vtk_to_numpy(points.GetArray(n))
np.savez(target, **found)
