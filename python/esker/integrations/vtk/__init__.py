"""Readers for VTK and ParaView. `esker.vtk` has what users need.

reader.py           Reader, a source of VTK's pipelines
structured.py       image data and rectilinear grids
meshes.py           meshes (AMR) as vtkOverlappingAMR
following.py        level and box from the camera of a view
paraview_plugin.py  the plug-in that ParaView loads
paraview.py         where the plug-in is, and whether ParaView's Python can load it
"""
