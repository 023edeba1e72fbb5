"""Opens datasets by the plug-in and draws them; prints a line of JSON for each: pvbatch --sym paraview_blocks.py PLUGIN FOLDER PATH ...

[path, class of the reader, class of the output, cells of this rank that are not hidden, number of datasets of this rank]
"""

import inspect
import json
import sys

if not hasattr(inspect, "getargspec"):  # see paraview_reading.py
    inspect.getargspec = inspect.getfullargspec

from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

plugin, folder, *paths = sys.argv[1:]
simple.LoadPlugin(plugin, remote=False, ns=globals())
rank = servermanager.vtkProcessModule.GetProcessModule().GetPartitionId()
lines = []
for path in paths:
    reader = simple.OpenDataFile(path)
    name = type(reader).__name__
    if name == "EskerReader":
        reader.Resolution = "Full resolution"
    reader.UpdatePipeline(0.0)
    output = reader.GetClientSideObject().GetOutputDataObject(0)
    iterator = output.NewIterator()
    iterator.SkipEmptyNodesOn()
    iterator.InitTraversal()
    visible = datasets = 0
    while not iterator.IsDoneWithTraversal():
        data = iterator.GetCurrentDataObject()
        flags = data.GetCellData().GetArray("vtkGhostType")
        visible += data.GetNumberOfCells() if flags is None else int((vtk_to_numpy(flags) == 0).sum())
        datasets += 1
        iterator.GoToNextItem()
    lines.append([path, name, output.GetClassName(), visible, datasets])
    view = simple.CreateRenderView()
    view.ViewSize = [100, 100]
    simple.Show(reader, view).Representation = "Surface"
    view.ResetCamera()
    simple.SaveScreenshot(f"{folder}/picture_{len(lines)}.png", view)
with open(f"{folder}/rank_{rank}.json", "w") as file:
    json.dump(lines, file)
