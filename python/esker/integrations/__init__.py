"""Esker in other packages. Each is imported only where it is used.

vtk/            a reader for VTK, and the plug-in for ParaView
xarray/         engine "esker", ds.to_esker(), trees of the levels of meshes; dask computes chunks
yt_frontend.py  meshes as datasets of yt
yt_grids.py     grids as datasets of yt
yt_fields.py    names and units of fields in yt
napari_reader.py  images of napari, which napari.yaml registers
grid_parts.py   which samples VTK and yt get of each grid, and where they are
grid_samples.py their values, and which are missing
remote.py       remote datasets by URL, through fsspec
netcdf.py       the plug-in for programs of netCDF, and doors to datasets
pnetcdf.py      the library that takes the place of PnetCDF
"""
