"""Reads a dataset by the plug-in, draws its map, and copies what this rank reads: pvpython paraview_reading.py PLUGIN PATH GRID FOLDER

The last step of the grid, at full resolution, in FOLDER/rank_N.npz; FOLDER/picture.png of rank 0; facts in FOLDER/facts.json.
On several ranks: pvbatch --sym paraview_reading.py ...
"""

import inspect
import json
import sys

if not hasattr(inspect, "getargspec"):  # ParaView 5.11 needs it, and Python 3.11 does not have it
    inspect.getargspec = inspect.getfullargspec

import numpy as np
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

plugin, path, grid, folder = sys.argv[1:]
simple.LoadPlugin(plugin, remote=False, ns=globals())
reader = simple.OpenDataFile(path)
assert type(reader).__name__ == "EskerReader", type(reader)
reader.Grid = grid
reader.Resolution = "Full resolution"
reader.UpdatePipelineInformation()
times = list(reader.TimestepValues)
simple.GetAnimationScene().UpdateAnimationUsingDataTimeSteps()

view = simple.CreateRenderView()
view.ViewSize = [200, 200]
view.OrientationAxesVisibility = 0
shown = simple.Show(reader, view)
shown.Representation = "Surface"
simple.ColorBy(shown, ("POINTS", "f"))
shown.SetScalarBarVisibility(view, False)
colors = simple.GetColorTransferFunction("f")
colors.RescaleTransferFunction(0, 1)
view.InteractionMode = "2D"
view.CameraPosition, view.CameraFocalPoint = [20, 20, 100], [20, 20, 0]
view.CameraParallelProjection, view.CameraParallelScale = 1, 20
view.ViewTime = times[-1]
simple.SaveScreenshot(f"{folder}/picture.png", view, ImageResolution=[200, 200])

reader.UpdatePipeline(times[-1])
rank = servermanager.vtkProcessModule.GetProcessModule().GetPartitionId()
data = reader.GetClientSideObject().GetOutputDataObject(0)
points = data.GetPointData()
arrays = {points.GetArrayName(n): vtk_to_numpy(points.GetArray(n)) for n in range(points.GetNumberOfArrays())}
np.savez(f"{folder}/rank_{rank}.npz", extent=data.GetExtent(), bounds=data.GetBounds(), **arrays)

facts = {"times": times, "type": data.GetClassName(), "fields": list(reader.Fields)}
reader.Resolution, reader.MaxSamples = "Automatic", 500
reader.UpdatePipeline(times[-1])
facts["automatic"] = reader.GetDataInformation().GetNumberOfPoints()
reader.Resolution, reader.Level, reader.Box = "Fixed level", 6, [0, 0, 0, 20, 41, 1]
reader.UpdatePipeline(times[-1])
facts["fixed"] = reader.GetDataInformation().GetNumberOfPoints()

from esker.vtk import follow

view.CameraPosition, view.CameraFocalPoint, view.CameraParallelScale = [10, 10, 100], [10, 10, 0], 5
found = follow(view, reader).update()
reader.UpdatePipeline(times[-1])
facts["followed"] = [found.level, reader.Level, list(reader.Box), reader.GetDataInformation().GetBounds()]
if rank == 0:
    with open(f"{folder}/facts.json", "w") as file:
        json.dump(facts, file)
