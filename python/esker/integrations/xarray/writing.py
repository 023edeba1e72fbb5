"""to_esker: writes xarray datasets."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from typing import Any

import xarray as xr

from esker.base.dimensions import TIME_DIM
from esker.base.names import schema_names, with_name_in_source
from esker.base.options import Option
from esker.integrations.xarray.chunks import samples_of
from esker.integrations.xarray.preparing import Prepared, checked_attributes, prepare, scalar_of
from esker.writing.definitions import WriterField, grid_name
from esker.writing.replacing import new_dataset
from esker.writing.writer import Writer

_SERIES = "series"
"""Name of the grid of variables whose only dimension is the time."""


@xr.register_dataset_accessor("to_esker")
class ToEsker:
    """`ds.to_esker(path, ...)`: see esker.xarray.to_esker."""

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    def __call__(self, path: str | os.PathLike[str], **arguments: Any) -> None:
        """Writes the dataset: to_esker(dataset, path, ...)."""
        to_esker(self._dataset, path, **arguments)


def to_esker(
    dataset: xr.Dataset,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    time_dim: str = TIME_DIM,
    encoding: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Option,
) -> None:
    """Writes a dataset with the CF encoding that xarray uses for netCDF, so that opening it decodes it again.

    format:   as for esker.Writer; None: by configuration or by the suffix of the path
    time_dim: variables with this dimension are written step by step, the others once
    encoding: by variable, as for to_netcdf(): dtype, scale_factor, units ...; replaces the variable's own
              encoding. "compression" is that of Writer.field(); it does not replace the rest
    options:  overwrite=True; compression; bits_per_block, blocks_per_file and the others that `esker options` lists

    Chunked (dask) variables are computed a few chunks at a time, each chunk once. The chunked data of a step
    need disk space in addition to the dataset, but need not fit in memory. Variables that are neither chunked
    nor loaded are split into chunks; without dask they are loaded completely.

    A variable without dimensions becomes a scalar, a number or a text. Every other variable becomes a field
    on the grid of its dimensions, or a time series if its only dimension is the time. If the time dimension
    has length 0 and there are fixed variables, the variables with that dimension are left out, with a
    warning.

    Raises the exceptions of esker.Writer, and ValueError for unsupported data: complex numbers or float16;
    objects other than texts, and missing texts without a `_FillValue`; fields with more than 5 dimensions in
    addition to the time; attributes other than texts and numbers; times that do not increase.

    >>> import numpy as np, xarray as xr
    >>> import esker.xarray
    >>> ds = xr.Dataset({"thk": (("time", "y", "x"), np.ones((2, 30, 40)), {"units": "m"})},
    ...                 coords={"time": np.array(["2001-01-01", "2001-01-02"], "M8[ns]"), "x": np.arange(40.0)})
    >>> ds.to_esker("ice.idx")
    >>> xr.testing.assert_identical(xr.open_dataset("ice.idx", engine="esker"), ds)
    """
    dataset, names = _with_schema_names(dataset)
    encoding, compression = _without_compression(
        {names.get(name, name): own for name, own in (encoding or {}).items()}
    )
    prepared = prepare(dataset, encoding, names.get(time_dim, time_dim))
    how = {"report": "none", **options}
    with (
        new_dataset(path, format, how.pop("overwrite", None)) as staging,
        Writer(staging.path, None, format=format, **prepared.definitions, **how) as writer,
    ):
        _write(writer, prepared, compression, os.path.dirname(os.fspath(path)) or ".")


def _with_schema_names(dataset: xr.Dataset) -> tuple[xr.Dataset, dict[str, str]]:
    """The dataset with names that Esker's can have, and those of variables and dimensions that are others now; the
    variables have theirs as an attribute."""
    given = [name for name in {**dataset.variables, **dataset.sizes} if isinstance(name, str) and name]
    names = {name: made for name, made in schema_names(given).items() if name != made}
    if not names:
        return dataset, names
    renamed = dataset.rename(names)
    for name, made in names.items():
        if made in renamed.variables:
            renamed[made].attrs = dict(with_name_in_source(renamed[made].attrs, name, made))
    return renamed, names


def _without_compression(
    encoding: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, Mapping[str, Any]], dict[str, str]]:
    """The encoding of each variable without its compression, and the compressions."""
    compression = {name: own["compression"] for name, own in encoding.items() if "compression" in own}
    others = {
        name: {key: value for key, value in own.items() if key != "compression"}
        for name, own in encoding.items()
        if set(own) != {"compression"}
    }
    return others, compression


def _write(writer: Writer, prepared: Prepared, compression: Mapping[str, str], directory: str) -> None:
    if unknown := [name for name in compression if name not in prepared.fields]:
        raise ValueError(
            f"encoding: compression of {unknown[0]!r}, which is not a field; the fields are "
            f"{', '.join(map(str, prepared.fields))}"
        )
    for name, variable in prepared.scalars.items():
        writer.scalar(*scalar_of(name, variable))
    time_dim = prepared.time_dim
    made = _define(writer, prepared.fields, time_dim, compression)
    for number, time in enumerate(prepared.times):
        due = {
            name: variable.isel({time_dim: number}) if time_dim in variable.dims else variable
            for name, variable in prepared.fields.items()
            if number == 0 or time_dim in variable.dims
        }
        with writer.step(time) as step:
            for name, array in samples_of(due, directory):
                step.put(made[name], array)


def _define(
    writer: Writer,
    fields: Mapping[Hashable, xr.Variable],
    time_dim: str,
    compression: Mapping[str, str],
) -> dict[Hashable, WriterField]:
    axes = {
        name: tuple(dim for dim in reversed(field.dims) if dim != time_dim) for name, field in fields.items()
    }
    grids = {dims: writer.grid(grid_name(dims) or _SERIES, dims) for dims in dict.fromkeys(axes.values())}
    return {
        name: writer.field(
            name,
            variable.dtype.newbyteorder("="),
            grid=grids[axes[name]],
            fixed=time_dim not in variable.dims,
            compression=compression.get(str(name), ""),
            attrs=checked_attributes(name, variable.attrs),
        )
        for name, variable in fields.items()
    }
