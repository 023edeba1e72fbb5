"""`esker convert`: from and to other formats, piece by piece.

opening.py          opens a source by its name
source.py           Source: fields that are read by step and box
datasets.py         from datasets: IDX, netCDF, HDF5
arrays.py           from .npy and raw files
pictures.py         from stacks of pictures
zarr_source.py      from Zarr
conversion.py       to Esker's formats
destination.py      a writer for a source
netcdf.py           to netCDF: which of its formats
zarr_target.py      to Zarr with texts along axes
zarr_attributes.py  attributes of Zarr v3
meshes.py           from adaptive meshes (AMR) to Esker's formats
mesh_source.py      MeshSource: what files of such meshes have in common
amrex.py            from plotfiles of AMReX
chombo.py           from HDF5 files of Chombo
yt_source.py        from what yt opens
"""
