"""Copies all patches that ParaView reads from a VTKHDF series to an .npz file: pvpython paraview_patches.py SERIES NPZ.

`times` are those of the steps; STEP/LEVEL/N/corner is the lower corner of a patch, STEP/LEVEL/N/NAME one of its fields.
"""

import sys

import numpy as np
from paraview import simple
from vtkmodules.util.numpy_support import vtk_to_numpy

series, target = sys.argv[1:]
reader = simple.VTKHDFReader(FileName=series)
reader.UpdatePipelineInformation()
found = {"times": np.array(reader.TimestepValues)}
for step, time in enumerate(found["times"]):
    reader.UpdatePipeline(time)
    place = reader.GetClientSideObject().GetOutputDataObject(0).NewIterator()
    while not place.IsDoneWithTraversal():
        patch = place.GetCurrentDataObject()
        key = f"{step}/{place.GetCurrentLevel()}/{place.GetCurrentIndex()}"
        found[f"{key}/corner"] = np.array(patch.GetOrigin())
        for fields in (patch.GetCellData(), patch.GetPointData()):
            for n in range(fields.GetNumberOfArrays()):
                found[f"{key}/{fields.GetArrayName(n)}"] = vtk_to_numpy(fields.GetArray(n))
        place.GoToNextItem()
np.savez(target, **found)
