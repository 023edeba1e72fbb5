"""convert: from whatever esker.sources opens to a dataset of Esker or to Zarr, piece by piece."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker._pieces import whole_chunks
from esker.array import TIME_DIM
from esker.chunked import Chunked, assembled
from esker.dataset import COMPONENT_DIM, Box
from esker.replacing import in_place_of, new_dataset
from esker.sources import Source, SourceField
from esker.writer import Option, Writer, WriterField, grid_name
from esker.zarr_attributes import encoded_fill_value

Tell = Callable[[int], None]
"""Is told how many bytes were read since it was called last."""

_FORMATS = {".idx": "idx", ".nc": "cdf5", ".h5": "hdf5", ".zarr": "zarr"}


def format_of(path: str | os.PathLike[str]) -> str | None:
    """The format that goes by the suffix of a path."""
    return _FORMATS.get(Path(path).suffix)


def size_of(source: Source) -> int:
    """Bytes of all samples."""
    return sum(one.nbytes * sum(map(one.has, range(len(source.times)))) for one in source.fields)


def convert(
    source: Source, path: str | os.PathLike[str], format: str, tell: Tell, **options: Option
) -> list[Path]:
    """Writes all fields and steps, and returns the files and directories that it made.

    They appear when they are whole. What there was before stays until then, and goes with overwrite=True only. Fields of
    one step must fit on storage twice (beside the dataset), not in memory. Raises what esker.Writer raises.
    """
    overwrite = options.pop("overwrite", None)
    if format == "zarr":
        if options:
            raise ValueError(f"{next(iter(options))}: Zarr has no such option")
        return _to_zarr(source, Path(path), tell, bool(overwrite))
    directory = os.path.dirname(os.fspath(path)) or "."
    sizes = {dim: size for one in source.fields for dim, size in zip(reversed(one.dims), reversed(one.shape))}
    with new_dataset(path, format, overwrite) as place:
        with Writer(
            place.path, None, dims=sizes, attrs=source.attrs, format=format, **{"report": "none", **options}
        ) as writer:
            made = _define(writer, source)
            for step, time in enumerate(source.times):
                with writer.step(time) as s:
                    for one in source.fields:
                        if one.has(step):
                            s.put(made[one.name], _array(one, step, directory, tell))
    return place.made


def _define(writer: Writer, source: Source) -> dict[str, WriterField]:
    made: dict[str, WriterField] = {}

    def grid_of(one: SourceField) -> tuple[str, tuple[str, ...]]:
        dims = one.dims[::-1]
        return one.grid or grid_name(dims), dims

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
                attrs=one.attrs,
            )
    return made


def _array(one: SourceField, step: int, directory: str, tell: Tell) -> NDArray[Any]:
    def read(box: Box) -> NDArray[Any]:
        samples = one.read(step, box)
        tell(samples.nbytes)
        return samples

    shape = (*one.shape, *([one.components] if one.components > 1 else []))
    return assembled(Chunked(shape, one.dtype, read, grain=one.grain), len(one.shape), directory)


def _to_zarr(source: Source, path: Path, tell: Tell, overwrite: bool) -> list[Path]:
    """Zarr v3 as xarray reads it."""
    try:
        import zarr
    except ImportError as error:
        raise NotImplementedError(f"{path}: needs the package zarr") from error
    if os.path.lexists(path):
        if not overwrite:
            raise FileExistsError(f"{path}: there is one already")
        if not any((path / name).is_file() for name in ("zarr.json", ".zgroup", ".zarray")):
            raise FileExistsError(f"{path}: is not Zarr and is not overwritten")
    path.parent.mkdir(parents=True, exist_ok=True)
    with in_place_of(path) as place:
        group = zarr.open_group(place.path, mode="w", zarr_format=3)
        dims = {dim for one in source.fields for dim in one.dims}
        own = {name: value for name, value in source.attrs.items() if not isinstance(value, Mapping)}
        group.attrs.update(own)
        for name, values in _coordinates(source):
            made = group.create_array(name, shape=values.shape, dtype=values.dtype, dimension_names=(name,))
            made[:] = values
            if name in dims or name == TIME_DIM:
                made.attrs.update(source.attrs.get(name, {}))
        for one in source.fields:
            _write_zarr_array(group, one, len(source.times), tell)
    return place.made


def _coordinates(source: Source) -> Iterator[tuple[str, NDArray[np.float64]]]:
    if any(not one.fixed for one in source.fields):
        yield TIME_DIM, np.asarray(source.times, np.float64)
    done: set[str] = set()
    for one in source.fields:
        for dim, values in one.coords.items():
            if dim not in done:
                done.add(dim)
                yield dim, values


def _write_zarr_array(group: Any, one: SourceField, num_steps: int, tell: Tell) -> None:
    if not one.fixed and not all(map(one.has, range(num_steps))):
        raise NotImplementedError(f"{one.name}: is there at some of the steps only, which Zarr cannot say")
    behind = [one.components] if one.components > 1 else []
    before = [] if one.fixed else [num_steps]
    edge = 1 << max(4, 18 // len(one.shape))
    chunk = tuple(min(edge, size) for size in one.shape)
    names = (*([] if one.fixed else [TIME_DIM]), *one.dims, *([COMPONENT_DIM] if behind else []))
    array = group.create_array(
        one.name,
        shape=(*before, *one.shape, *behind),
        dtype=one.dtype,
        chunks=(*([] if one.fixed else [1]), *chunk, *behind),
        dimension_names=names,
    )
    array.attrs.update(encoded_fill_value(dict(one.attrs), one.dtype))
    sample_bytes = one.dtype.itemsize * one.components
    for step in range(1 if one.fixed else num_steps):
        for where in whole_chunks(one.shape, chunk, sample_bytes):
            corners = tuple(zip(*((part.start, part.stop) for part in reversed(where))))
            samples = one.read(step, (corners[0], corners[1]))
            array[(*([] if one.fixed else [step]), *where)] = samples
            tell(samples.nbytes)
