"""Writes Zarr v3 with texts along axes for xarray, which esker.Writer cannot write: an array per field, scalar and
coordinate, and consolidated metadata."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.characters import has_characters, texts_of_characters, without_character_attributes
from esker.base.dimensions import TIME_DIM, component_dims
from esker.base.names import names_again, without_name_in_source
from esker.base.pieces import whole_chunks
from esker.convert.source import Source, SourceField
from esker.convert.zarr_attributes import attributes_for_zarr, json_value
from esker.writing.replacing import staged

OnRead = Callable[[int], None]


def write_zarr(source: Source, path: Path, on_read: OnRead, overwrite: bool) -> list[Path]:
    """Writes a source and returns the directories it created. `on_read` is called with the bytes read since the
    last call."""
    try:
        import zarr
    except ImportError as error:
        raise NotImplementedError(
            f"{path}: writing Zarr requires the package zarr: pip install zarr"
        ) from error
    _check_target(path, overwrite)
    source = _with_names_in_source(source)
    path.parent.mkdir(parents=True, exist_ok=True)
    with staged(path) as staging:
        group = zarr.open_group(staging.path, mode="w", zarr_format=3)
        group.attrs.update(
            {
                name: json_value(value)
                for name, value in source.attrs.items()
                if not isinstance(value, Mapping)
            }
        )
        for name, dims, values, attrs in _small_arrays(source):
            # Only strings of variable length have a specification.
            kind = str if values.dtype.kind == "U" else values.dtype
            made = group.create_array(name, shape=values.shape, dtype=kind, dimension_names=dims)
            made[...] = values
            made.attrs.update(attributes_for_zarr(attrs, values.dtype))
        of_components = component_dims(
            (one.components for one in source.fields), {dim for one in source.fields for dim in one.dims}
        )
        for one in source.fields:
            if has_characters(one.dtype, one.attrs):
                _write_texts(group, one, source)
            else:
                _write_field(group, one, source, of_components.get(one.components), on_read)
        with warnings.catch_warnings():
            # The Zarr 3 specification lacks consolidated metadata, but xarray reads them.
            warnings.filterwarnings("ignore", "Consolidated metadata")
            zarr.consolidate_metadata(staging.path)
    return staging.published


def _with_names_in_source(source: Source) -> Source:
    """Fields and scalars under the names that they had, where Zarr allows them."""
    attrs_of = {one.name: one.attrs for one in (*source.fields, *source.scalars.values())}
    dims = {dim for one in source.fields for dim in one.dims}
    again = names_again(attrs_of, dims, lambda name: "/" not in name and not name.startswith(("__", ".")))

    def renamed(one: Any) -> Any:
        if one.name not in again:
            return one
        return replace(one, name=again[one.name], attrs=without_name_in_source(one.attrs))

    scalars = map(renamed, source.scalars.values())
    return replace(
        source, fields=tuple(map(renamed, source.fields)), scalars={one.name: one for one in scalars}
    )


def _check_target(path: Path, overwrite: bool) -> None:
    if not os.path.lexists(path):
        return
    if not overwrite:
        raise FileExistsError(f"{path}: already exists; choose another name, or set overwrite")
    if not any((path / name).is_file() for name in ("zarr.json", ".zgroup", ".zarray")):
        raise FileExistsError(f"{path}: exists and is not a Zarr store; it is not overwritten")


def _small_arrays(source: Source) -> Iterator[tuple[str, tuple[str, ...], NDArray[Any], Mapping[str, Any]]]:
    """Name, dimensions, values and attributes of coordinates and scalars."""
    if _has_times(source):
        yield source.time_dim, (source.time_dim,), _times(source), source.attrs.get(TIME_DIM, {})
    done: set[str] = set()
    for one in source.fields:
        for dim, values in one.coords.items():
            if dim not in done:
                done.add(dim)
                yield dim, (dim,), values, source.attrs.get(dim, {})
    for name, scalar in source.scalars.items():
        dropped = (
            ("_Encoding",) if isinstance(scalar.value, str) else ()
        )  # xarray would decode the text again
        attrs = {key: value for key, value in scalar.attrs.items() if key not in dropped}
        yield name, (), np.asarray(scalar.value), attrs


def _has_times(source: Source) -> bool:
    varies = any(not one.fixed for one in source.fields)
    return bool(source.time_dim) and (varies or TIME_DIM in source.attrs or len(source.times) > 1)


def _times(source: Source) -> NDArray[Any]:
    """The times in the source's type if that represents them exactly."""
    times = np.asarray(source.times, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        typed = times.astype(source.time_dtype)
    return typed if np.array_equal(typed.astype(np.float64), times) else times


def _write_texts(group: Any, one: SourceField, source: Source) -> None:
    """Writes characters as texts, without their axis; they are empty at steps without samples."""
    box = (0,) * len(one.shape), one.shape[::-1]
    steps = [
        one.read(step, box) if one.has(step) else np.zeros(one.shape, one.dtype)
        for step in range(1 if one.fixed else len(source.times))
    ]
    values = texts_of_characters(steps[0] if one.fixed else np.stack(steps))
    dims = (*([] if one.fixed else [source.time_dim]), *one.dims[:-1])
    array = group.create_array(one.name, shape=values.shape, dtype=str, dimension_names=dims)
    array[...] = values
    array.attrs.update(attributes_for_zarr(without_character_attributes(one.attrs), values.dtype))


def _write_field(
    group: Any, one: SourceField, source: Source, component_dim: str | None, on_read: OnRead
) -> None:
    num_steps = len(source.times)
    if not one.fixed and not all(map(one.has, range(num_steps))):
        raise NotImplementedError(
            f"{one.name}: expected a field with samples at every step, found missing steps, which Zarr cannot "
            "store"
        )
    component_sizes = [one.components] if one.components > 1 else []
    edge = 1 << max(4, 18 // len(one.shape))
    chunk = tuple(min(edge, size) for size in one.shape)
    kept = slice(0, 0) if one.is_series else slice(None)  # a time series has no other axes
    array = group.create_array(
        one.name,
        shape=(*([] if one.fixed else [num_steps]), *one.shape[kept], *component_sizes),
        dtype=one.dtype,
        chunks=(*([] if one.fixed else [1]), *chunk[kept], *component_sizes),
        dimension_names=(
            *([] if one.fixed else [source.time_dim]),
            *one.dims[kept],
            *([component_dim] if component_dim else []),
        ),
    )
    array.attrs.update(attributes_for_zarr(one.attrs, one.dtype))
    sample_bytes = one.dtype.itemsize * one.components
    for step in range(1 if one.fixed else num_steps):
        for where in whole_chunks(one.shape, chunk, sample_bytes):
            corners = tuple(zip(*((part.start, part.stop) for part in reversed(where))))
            samples = one.read(step, (corners[0], corners[1]))
            at = (*([] if one.fixed else [step]), *where[kept])
            array[at if at else ...] = samples[0] if one.is_series else samples
            on_read(samples.nbytes)
