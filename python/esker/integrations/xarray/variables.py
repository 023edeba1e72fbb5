"""The fields and scalars of a dataset as variables. All arrays are lazy."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray.backends import BackendArray
from xarray.core import indexing

from esker.base.characters import has_characters, texts_of_characters, without_character_attributes
from esker.base.dimensions import component_dims
from esker.base.names import name_in_source
from esker.dataset.array import Array
from esker.dataset.description import Scalar
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.dataset.same_part import Part, same_part
from esker.integrations.xarray.attributes import attributes_for_xarray, field_attributes
from esker.integrations.xarray.times import TimeDims, time_dim_of, times_of

SCALAR_DIM = "esker_scalar"
"""Dimension of size 1 of fields that were variables without dimensions."""

Levels = int | Mapping[str, int] | None


class _LazyTexts(BackendArray):
    """The texts of an esker.Array of characters, for xarray's lazy indexing."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self.shape = array.shape[:-1]
        self.dtype = np.dtype(object, metadata={"element_type": str})  # xarray's type of texts

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._read
        )

    def _read(self, key: tuple[int | slice, ...]) -> NDArray[Any]:
        return texts_of_characters(self._array[(*key, slice(None))])


class _LazyArray(BackendArray):
    """An esker.Array for xarray's lazy indexing."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self.shape = array.shape
        self.dtype = array.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._array.__getitem__
        )


def variables_of(source: Dataset, level: Levels, dropped: set[str]) -> xr.Dataset:
    """All fields and scalars that are not dropped, with their coordinates, encoded as in the file."""
    named = (*source.fields.values(), *source.scalars.values())
    dropped = dropped | {one.name for one in named if name_in_source(one.name, one.attrs) in dropped}
    variables = {name: scalar_of(one) for name, one in source.scalars.items() if name not in dropped}
    indices: dict[
        str, tuple[str, NDArray[np.int64]]
    ] = {}  # by dimension: the first field with it, and its indices
    time_dim = time_dim_of(source)
    times = TimeDims(source)
    fields = [
        field
        for field in source.fields.values()
        if field.name not in dropped and (not field.fixed or field.has(0))
    ]
    parts = _parts(fields, level)
    of_components = component_dims(
        (field.components for field in fields), {dim for field in fields for dim in field.grid.dims}
    )
    for field in fields:
        array = field.array(parts[field.name].level, parts[field.name].stride)
        dims = list(array.dims)
        if field.components > 1:
            dims[-1] = of_components[field.components]
        if not field.fixed:
            dims[0] = times.of(field, variables, dropped)
        for dim in field.grid.dims:
            own = array.selection.indices(dim)
            name, known = indices.setdefault(dim, (field.name, own))
            if not np.array_equal(own, known):
                raise ValueError(
                    f"{source.path}: at these levels {name!r} has {known.size} samples along {dim!r}, "
                    f"{field.name!r} "
                    f"{own.size}; give levels by name, e.g. level={{{field.name!r}: {array.level}}}, or drop "
                    "one"
                )
            if dim in field.grid.coords and dim not in variables and dim not in dropped:
                values = field.grid.coords[dim][own]
                variables[dim] = xr.Variable(
                    dim, values, attributes_for_xarray(source.dim_attrs.get(dim, {}))
                )
        variable = _variable(source, array, dims)
        no_axes = [dim for dim in field.grid.dims if field.grid.has_no_axes or dim == SCALAR_DIM]
        variables[field.name] = variable.squeeze([dim for dim in no_axes if dim in variable.dims])
    no_times = all(field.fixed for field in fields)
    if no_times and (source.time_attrs or len(source.steps) > 1) and time_dim not in dropped:
        variables[time_dim] = times_of(source, time_dim, range(len(source.steps)))
    return xr.Dataset(variables, attrs=attributes_for_xarray(source.attrs))


def _variable(source: Dataset, array: Array, dims: Sequence[str]) -> xr.Variable:
    """A field, lazily; characters as texts, without their axis."""
    field = array.field
    encoding: dict[str, Any] = {"preferred_chunks": dict(zip(dims, _chunk_of(source, field, array)))}
    attrs = field_attributes(field)
    if not has_characters(field.dtype, field.attrs):
        return xr.Variable(dims, indexing.LazilyIndexedArray(_LazyArray(array)), attrs, encoding)
    encoding["preferred_chunks"].pop(dims[-1])
    encoding["char_dim_name"] = dims[-1]
    lazy = indexing.LazilyIndexedArray(_LazyTexts(array))
    return xr.Variable(dims[:-1], lazy, without_character_attributes(attrs), encoding)


class _LazyLevels(BackendArray):
    """The level maps of a field at its steps, for xarray's lazy indexing."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self.shape = array.shape[: array.ndim - (array.field.components > 1)]
        self.dtype = np.dtype(np.int8)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple[int | slice, ...]) -> NDArray[np.int8]:
        if self._array.field.fixed:
            return self._array.levels(0)[key]
        first = key[0]
        if isinstance(first, slice):
            maps = [self._array.levels(at)[key[1:]] for at in range(*first.indices(self.shape[0]))]
            shape = (0, *np.empty(self.shape[1:], np.int8)[key[1:]].shape)
            return np.stack(maps) if maps else np.empty(shape, np.int8)
        return self._array.levels(int(first))[key[1:]]


def with_level_maps(raw: xr.Dataset, source: Dataset, level: Levels) -> xr.Dataset:
    """Adds the level maps of fields that have sparse steps as coordinates."""
    fields = [field for field in source.fields.values() if field.name in raw]
    parts, maps = _parts(fields, level), {}
    for field in fields:
        array = field.array(parts[field.name].level, parts[field.name].stride)
        if any(field.is_sparse(step) for step in array.steps):
            lazy = indexing.LazilyIndexedArray(_LazyLevels(array))
            dims = raw[field.name].dims[: len(lazy.shape)]
            maps[f"{field.name}_stored_level"] = xr.Variable(dims, lazy, {"long_name": "finest stored level"})
    return raw.assign_coords(maps)


def scalar_of(scalar: Scalar) -> xr.Variable:
    """A scalar, encoded as in the file."""
    attributes = attributes_for_xarray(scalar.attrs)
    if isinstance(scalar.value, str):
        attributes.pop("_Encoding", None)  # describes the stored bytes, not the text
    return xr.Variable((), np.asarray(scalar.value), attributes)


def _parts(fields: Sequence[Field], level: Levels) -> dict[str, Part]:
    if not isinstance(level, Mapping):
        return same_part(fields, None, None if level is None else operator.index(level))
    levels = {field.name: level.get(field.name, level.get(field.grid.name)) for field in fields}
    return {name: Part(level=None if own is None else operator.index(own)) for name, own in levels.items()}


def _chunk_of(source: Dataset, field: Field, array: Array) -> tuple[int, ...]:
    """Preferred chunk shape: one step, and along the other axes the samples of a block and the coarser ones
    between them."""
    part = next(part for part in source.parts if field.name in part.fields)
    shape = list(array.shape)
    if not field.fixed:
        shape[0] = 1
    if part.bits_per_block == 0:
        return tuple(shape)
    digits = part.bitmask[1:][: array.level][-(part.bits_per_block + 1) :]
    num_axes = len(field.grid.dims)
    first = 0 if field.fixed else 1
    for axis in range(num_axes):
        at = first + num_axes - 1 - axis
        shape[at] = min(shape[at], 1 << digits.count(str(axis)))
    return tuple(shape)
