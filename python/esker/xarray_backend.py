"""xarray engine "esker": `xarray.open_dataset("run.idx", engine="esker", level=12)`, and open_datatree.

xarray finds the engine by its entry point; Esker itself does not need xarray. Variables are lazy: only the
samples in use are read. docs/guide/xarray.md has examples.
"""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

import esker
from esker import _core
from esker.base.characters import has_characters, texts_of_characters, without_character_attributes
from esker.base.dimensions import TIME_DIM, component_dims
from esker.base.fill_values import FILL_ATTRIBUTES, fill_values
from esker.base.names import name_in_source, names_again, without_name_in_source
from esker.base.values import texts_of
from esker.dataset.array import Array
from esker.dataset.description import Scalar
from esker.dataset.field import Field
from esker.dataset.losses import attributes_for_copy
from esker.dataset.opening import Dataset
from esker.dataset.same_part import Part, same_part
from esker.remote import is_url

SCALAR_DIM = "esker_scalar"
"""Dimension of size 1 of fields that were variables without dimensions."""

Levels = int | Mapping[str, int] | None


_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def _reporting_damage(make: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Raises OSError if a damaged file has impossible sizes or times, which cause MemoryError or
    OverflowError."""

    @wraps(make)
    def made(*arguments: _Given.args, **named: _Given.kwargs) -> _Made:
        try:
            return make(*arguments, **named)
        except (MemoryError, OverflowError) as error:
            path = arguments[1] if len(arguments) > 1 else named.get("filename_or_obj")
            raise OSError(f"{path}: the file is damaged: impossible sizes or times: {error}") from error

    return made


class EskerBackendEntrypoint(BackendEntrypoint):
    """Opens everything that esker.open() opens. Without `engine=`, xarray uses it only for `.idx` files and
    IDX directories, which no other engine reads."""

    description = "Multiresolution datasets of Esker and OpenVisus (.idx), at any level"
    open_dataset_parameters = (
        "filename_or_obj",
        "drop_variables",
        "level",
        "stored_levels",
        "verify",
        "storage_options",
        "mask_and_scale",
        "decode_times",
        "concat_characters",
        "decode_coords",
        "use_cftime",
        "decode_timedelta",
    )
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        if not isinstance(filename_or_obj, str | os.PathLike):
            return False
        is_idx = _core.split_name(os.fspath(filename_or_obj)).format == "idx"
        return is_idx or (not is_url(filename_or_obj) and (Path(filename_or_obj) / "esker.json").is_file())

    @_reporting_damage
    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        level: Levels = None,
        stored_levels: bool = False,
        verify: bool = False,
        storage_options: Mapping[str, Any] | None = None,
        mask_and_scale: bool = True,
        decode_times: Any = True,
        concat_characters: bool = True,
        decode_coords: bool | None = True,
        use_cftime: bool | None = None,
        decode_timedelta: Any = None,
    ) -> xr.Dataset:
        """level: level of the field with the most samples, or levels by the name of a field or grid. None:
        all samples.

        With a single level, fields on other grids have samples at the same indices of the dimensions that
        they share. With levels by name, the other fields have all their samples; if two fields then have
        different samples along the same dimension, ValueError names both.

        stored_levels: adds a coordinate FIELD_stored_level to each field with sparse steps, its level map.
        """
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        source = esker.open(os.fspath(filename_or_obj), verify=verify, storage_options=storage_options)
        _check_names(source, level)
        _warn_of_omissions(source, dropped)
        raw = _variables(source, level, dropped)
        if stored_levels:
            raw = _with_level_maps(raw, source, level)
        return _decoded(
            source,
            raw,
            concat_characters=concat_characters,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            decode_coords=decode_coords,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )

    @_reporting_damage
    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        verify: bool = False,
        storage_options: Mapping[str, Any] | None = None,
        **decoders: Any,
    ) -> dict[str, xr.Dataset]:
        """One group per grid, and for a mesh, in its group, one per level: `amr/level_0` is the coarsest.

        A level has the samples of its patches. Those outside are missing, see docs/guide/xarray.md. Attributes
        and scalars of the dataset are in the root. `decoders` as for open_dataset().
        """
        from esker.xarray_levels import level_datasets

        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        source = esker.open(os.fspath(filename_or_obj), verify=verify, storage_options=storage_options)
        _warn_of_omissions(source, dropped)
        scalars = {name: _scalar(one) for name, one in source.scalars.items() if name not in dropped}
        groups = {"/": xr.Dataset(scalars, attrs=attributes_for_xarray(source.attrs))}
        for name, grid in source.grids.items():
            if grid.mesh is None:
                others = {f.name for f in source.fields.values() if f.grid.name != name}
                raw = _variables(source, None, {*dropped, *others, *source.scalars})
                groups[f"/{name}"] = raw.drop_attrs(deep=False)
                continue
            groups[f"/{name}"] = xr.Dataset()
            for level, raw in level_datasets(source, grid, dropped).items():
                groups[f"/{name}/{level}"] = raw
        return {path: _decoded(source, raw, **decoders) for path, raw in groups.items()}

    def open_datatree(self, filename_or_obj: Any, **arguments: Any) -> xr.DataTree:
        """The groups of open_groups_as_dict() as a tree."""
        return xr.DataTree.from_dict(self.open_groups_as_dict(filename_or_obj, **arguments))


def _decoded(source: Dataset, raw: xr.Dataset, decode_coords: Any = True, **decoders: Any) -> xr.Dataset:
    named = _with_names_in_source(raw)
    decoded = xr.decode_cf(named, decode_coords=True if decode_coords is None else decode_coords, **decoders)
    decoded.encoding["source"] = source.path
    if (time_dim := _time_dim(source)) in decoded.dims:
        decoded.encoding["unlimited_dims"] = {time_dim}
    decoded.set_close(_close)
    return decoded


def _warn_of_omissions(source: Dataset, dropped: set[str]) -> None:
    """Issues one warning about everything that esker.open() left out, except for dropped variables. Those about names are
    not for xarray, which shows the names of the file."""
    texts = [
        text
        for text in source.warnings
        if " is renamed to " not in text
        and not any(text.startswith(f"variable '{name}' is left out") for name in dropped)
    ]
    if texts:
        warnings.warn(f"{source.path}: {'; '.join(texts)}", stacklevel=4)


def _close() -> None:
    """Does nothing: files are closed with the last array that uses them."""


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


def _variables(source: Dataset, level: Levels, dropped: set[str]) -> xr.Dataset:
    named = (*source.fields.values(), *source.scalars.values())
    dropped = dropped | {one.name for one in named if name_in_source(one.name, one.attrs) in dropped}
    variables = {name: _scalar(one) for name, one in source.scalars.items() if name not in dropped}
    indices: dict[
        str, tuple[str, NDArray[np.int64]]
    ] = {}  # by dimension: the first field with it, and its indices
    time_dim = _time_dim(source)
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
        variables[time_dim] = _times(source, time_dim, range(len(source.steps)))
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


def _with_names_in_source(made: xr.Dataset) -> xr.Dataset:
    """Variables under the names that they have in the source of the dataset, without the attribute that says so."""
    attrs_of = {str(name): of.attrs for name, of in made.variables.items()}
    again = names_again(attrs_of, map(str, made.dims), lambda name: "/" not in name)
    for name in again:
        made[name].attrs = without_name_in_source(made[name].attrs)
    return made.rename(again)


class TimeDims:
    """The time dimensions of a dataset: one per set of steps at which fields were written."""

    def __init__(self, source: Dataset) -> None:
        self._source = source
        self._time_dim = _time_dim(source)
        self._names = {tuple(range(len(source.steps))): self._time_dim}

    def of(self, field: Field, variables: dict[str, xr.Variable], dropped: set[str]) -> str:
        """The dimension of a field, whose times become one of `variables`."""
        written = tuple(s for s in range(len(self._source.steps)) if field.has(s))
        dim = self._names.setdefault(written, f"{self._time_dim}_{field.name}")
        if dim not in variables and dim not in dropped:
            variables[dim] = _times(self._source, dim, written)
        return dim


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


def _with_level_maps(raw: xr.Dataset, source: Dataset, level: Levels) -> xr.Dataset:
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


def _scalar(scalar: Scalar) -> xr.Variable:
    attributes = attributes_for_xarray(scalar.attrs)
    if isinstance(scalar.value, str):
        attributes.pop("_Encoding", None)  # describes the stored bytes, not the text
    return xr.Variable((), np.asarray(scalar.value), attributes)


def _time_dim(source: Dataset) -> str:
    """Name of the time dimension: the name in the file, or "step" if a grid has a dimension of that name."""
    name = source.time_dim or TIME_DIM
    return "step" if any(name in grid.dims for grid in source.grids.values()) else name


def _times(source: Dataset, dim: str, steps: Iterable[int]) -> xr.Variable:
    """The time coordinate, in the file's type if that represents the values exactly."""
    values = np.array([source.steps[step] for step in steps], np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        typed = values.astype(source.time_dtype)
    is_exact = np.array_equal(typed.astype(np.float64), values, equal_nan=True)
    return xr.Variable(dim, typed if is_exact else values, attributes_for_xarray(source.time_attrs))


def attributes_for_xarray(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes as netCDF libraries return them: texts, lists of texts, NumPy numbers and arrays."""
    return {
        name: value if isinstance(value, str) or texts_of(value) else np.asarray(value)[()]
        for name, value in attributes.items()
    }


def field_attributes(field: Field) -> dict[str, Any]:
    """The attributes of a field; fill values have the field's type."""
    return {
        name: _fill_value(field, value) if name in FILL_ATTRIBUTES else value
        for name, value in attributes_for_xarray(attributes_for_copy(field)).items()
    }


def _fill_value(field: Field, value: Any) -> Any:
    """The fill values in the type of the samples; unchanged if the type cannot represent all of them, so that
    xarray compares without a cast."""
    found = fill_values(value, field.dtype)
    if found.size == 0 and field.attrs.get("_Unsigned") == "true" and field.dtype.kind == "i":
        found = fill_values(value, np.dtype(f"u{field.dtype.itemsize}")).view(field.dtype)
    return found.reshape(np.shape(value))[()] if found.size == np.size(value) else value


def _parts(fields: Sequence[Field], level: Levels) -> dict[str, Part]:
    if not isinstance(level, Mapping):
        return same_part(fields, None, None if level is None else operator.index(level))
    levels = {field.name: level.get(field.name, level.get(field.grid.name)) for field in fields}
    return {name: Part(level=None if own is None else operator.index(own)) for name, own in levels.items()}


def _check_names(source: Dataset, level: Levels) -> None:
    known = [*source.fields, *source.grids]
    if isinstance(level, Mapping) and (unknown := [name for name in level if name not in known]):
        raise ValueError(
            f"{source.path}: level: no field or grid {unknown[0]!r}; the dataset has {', '.join(known)}"
        )


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
