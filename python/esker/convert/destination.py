"""The destination of a conversion: a writer for a source, with its fields."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from esker.base.options import Option
from esker.convert.source import Source, SourceField
from esker.writing.definitions import WriterField, grid_name
from esker.writing.writer import Writer

OnRead = Callable[[int], None]
"""Called with the number of bytes read since the last call."""


def directory_of(path: str | os.PathLike[str]) -> str:
    """The directory of a destination, for temporary files."""
    return os.path.dirname(os.fspath(path)) or "."


def writer_of(path: Path, format: str, source: Source, **options: Option) -> Writer:
    """A writer with the dimensions, attributes and times of a source."""
    sizes = {
        dim: size
        for one in source.fields
        if not one.is_series
        for dim, size in zip(reversed(one.dims), reversed(one.shape))
    }
    return Writer(
        path,
        None,
        dims=sizes,
        attrs=source.attrs,
        format=format,
        time_dim=source.time_dim,
        time_dtype=source.time_dtype,
        **{"report": "none", **options},
    )


def define_fields(writer: Writer, source: Source) -> dict[str, WriterField]:
    """Defines the scalars, grids and fields of a source; the fields by name."""
    made: dict[str, WriterField] = {}
    for scalar in source.scalars.values():
        writer.scalar(scalar.name, scalar.value, scalar.attrs)

    def grid_of(one: SourceField) -> tuple[str, tuple[str, ...]]:
        dims = () if one.is_series else one.dims[::-1]
        return one.grid or ("series" if one.is_series else grid_name(dims)), dims

    for (name, dims), fields in groupby(sorted(source.fields, key=grid_of), key=grid_of):
        of_grid = list(fields)
        grid = writer.grid(name, dims, coords=of_grid[0].coords)
        for one in of_grid:
            made[one.name] = writer.field(
                one.name,
                one.dtype,
                grid=grid,
                components=one.components,
                fixed=one.fixed,
                every=one.every,
                compression=one.compression,
                stored_bits=one.stored_bits,
                attrs=one.attrs,
            )
    return made
