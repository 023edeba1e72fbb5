"""Datasets in VTK and ParaView: `from esker.vtk import Reader` is a source of VTK's pipelines.

ParaView has the same reader as a plug-in: `esker paraview`.
"""

try:
    from esker.integrations.vtk.following import Following, follow
    from esker.integrations.vtk.reader import Reader
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "vtkmodules":
        raise
    message = "esker.vtk: VTK is not installed; install it with: pip install 'esker[vtk]'"
    raise ModuleNotFoundError(message, name="vtkmodules") from error

__all__ = ["Following", "Reader", "follow"]
