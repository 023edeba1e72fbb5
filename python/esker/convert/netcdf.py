"""netCDF as a target: the oldest format that can hold the data."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from esker.base.characters import has_characters
from esker.convert.destination import define_fields, writer_of
from esker.convert.source import Source

_CLASSIC_TYPES = ("i1", "i2", "i4", "f4", "f8")
"""Types of CDF-1 and CDF-2."""


def smallest_netcdf(source: Source) -> str:
    """The oldest netCDF format that can hold the data, as most programs can read it.

    That is "cdf1", or "cdf2" if variables begin beyond 2 GiB. If these lack a type or a variable is too large
    for them, it is "netcdf4", or "cdf5" if Esker was built without HDF5.
    """
    types = [one.dtype for one in source.fields if not has_characters(one.dtype, one.attrs)]
    types += [values.dtype for one in source.fields for values in one.coords.values()]
    types += [source.time_dtype] if source.time_dim else []
    types += [one.value.dtype for one in source.scalars.values() if isinstance(one.value, np.generic)]
    if all(kind.str[1:] in _CLASSIC_TYPES for kind in types):
        for format in ("cdf1", "cdf2"):
            if _takes(format, source):
                return format
    return "netcdf4" if _takes("netcdf4", Source((), (), time_dim="")) else "cdf5"


def _takes(format: str, source: Source) -> bool:
    """Whether the format can hold the definitions; tries it with a file without samples."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            with writer_of(Path(directory) / "x.nc", format, source) as writer:
                define_fields(writer, source)
        except (ValueError, NotImplementedError):
            return False
    return True
