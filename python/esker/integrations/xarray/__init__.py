"""xarray: the engine "esker" reads, ds.to_esker() writes.

backend.py     the engine: open_dataset and open_datatree
variables.py   fields and scalars as lazy variables
levels.py      the levels of meshes (AMR)
times.py       time dimensions
attributes.py  attributes, as netCDF libraries return them
writing.py     to_esker, which esker.xarray adds to datasets
preparing.py   what is written: fields, scalars, times, checked
encoding.py    the CF encoding of xarray
chunks.py      chunks (of dask), computed a few at a time
"""
