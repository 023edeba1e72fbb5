"""Zarr as a source of conversions, read by zarr-python: groups with arrays that esker.open() leaves out, for example of
texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.base.characters import CHARACTER_ATTRIBUTES, TEXT_KINDS, character_dim, characters_of
from esker.base.dimensions import AXES, COMPONENT_DIM, TIME_DIM
from esker.base.stored_types import as_stored, stored_type, type_attributes
from esker.base.values import is_untyped, texts_of
from esker.convert.source import Source, SourceField, box_index, with_schema_names
from esker.convert.zarr_attributes import attributes_from_zarr, from_json_value
from esker.dataset.description import Scalar
from esker.writing.attributes import attributes_with_dims

_SERIES = "series"
"""Name of the grid of arrays whose only dimension is the time."""

_OF_ESKER = ("esker", "esker_schema")
"""Attributes by which Esker describes the groups that it wrote; the result gets its own."""


def source_of_zarr(path: str) -> Source:
    """Opens an array, or the arrays of a group, as coordinates, scalars and fields. Warnings list what is
    left out."""
    try:
        import zarr
    except ImportError as error:
        raise NotImplementedError(
            f"{path}: reading Zarr requires the package zarr: pip install zarr"
        ) from error
    node = zarr.open(path, mode="r")
    if isinstance(node, zarr.Array):
        return _Group(path, {Path(path).stem: node}, {}).source()
    arrays = dict(node.arrays())
    if not arrays:
        raise ValueError(f"{path}: expected a Zarr group with arrays, found an empty one")
    return _Group(path, arrays, node.attrs).source()


class _Group:
    """The arrays of a group, classified as coordinates, scalars and fields."""

    def __init__(self, path: str, arrays: Mapping[str, Any], attrs: Any) -> None:
        self._path = path
        self._arrays = arrays
        self._left_out: list[str] = []
        others = {name: value for name, value in dict(attrs).items() if name not in _OF_ESKER}
        self._attrs = _plain(
            {name: from_json_value(value) for name, value in others.items()}, "", self._left_out
        )
        self._dims = _dims_of(arrays)
        self._time_dim = self._found_time_dim()
        used = {dim for name, dims in self._dims.items() for dim in dims if dims != (name,)}
        self._coords = {
            name: np.asarray(array[:], _wide(array.dtype))
            for name, array in arrays.items()
            if self._dims[name] == (name,) and name in {*used, self._time_dim} and array.dtype.kind in "iuf"
        }

    def source(self) -> Source:
        fields, scalars = [], {}
        for name, array in self._arrays.items():
            if name in self._coords:
                continue
            try:
                if self._dims[name]:
                    fields.append(self._field(name, array))
                else:
                    scalars[name] = self._scalar(name, array)
            except ValueError as error:
                self._left_out.append(f"array {name!r} is left out: {str(error).removeprefix(f'{name}: ')}")
        of_dims = {name: own for name in self._coords if (own := self._attributes_of(name))}
        if self._time_dim in of_dims:
            of_dims[TIME_DIM] = of_dims.pop(self._time_dim)
        attrs = attributes_with_dims(self._path, self._attrs, of_dims)
        times = self._times()
        source = Source(
            tuple(fields),
            tuple(float(time) for time in times),
            attrs,
            tuple(self._left_out),
            self._time_dim,
            times.dtype,
            scalars,
        )
        return with_schema_names(source)

    def _found_time_dim(self) -> str:
        """`time`, or the first dimension whose units contain "since"; empty if there is none."""
        first = {dims[0] for dims in self._dims.values() if dims}
        if TIME_DIM in first:
            return TIME_DIM
        units = {dim: self._arrays[dim].attrs.get("units") for dim in first if self._dims.get(dim) == (dim,)}
        dated = sorted(dim for dim, text in units.items() if isinstance(text, str) and " since " in text)
        inner = {dim for dims in self._dims.values() for dim in dims[1:]}
        return next((dim for dim in dated if dim not in inner), "")

    def _times(self) -> NDArray[Any]:
        if not self._time_dim:
            return np.zeros(1)
        if self._time_dim in self._coords:
            return self._coords[self._time_dim]
        timed = (array for name, array in self._arrays.items() if self._dims[name][:1] == (self._time_dim,))
        return np.arange(max(array.shape[0] for array in timed), dtype=np.float64)

    def _sizes(self) -> dict[str, int]:
        """By dimension."""
        return {dim: n for name, dims in self._dims.items() for dim, n in zip(dims, self._arrays[name].shape)}

    def _attributes_of(self, name: str) -> dict[str, Any]:
        array = self._arrays[name]
        attrs = attributes_from_zarr(dict(array.attrs), np.dtype(array.dtype))
        if name not in self._coords:
            attrs = {**_fill_of_version_2(array), **attrs}
        of_type = type_attributes(array.dtype) if array.dtype.kind not in TEXT_KINDS else {}
        if array.dtype.kind in TEXT_KINDS and array.ndim:
            of_type = CHARACTER_ATTRIBUTES
        return {**of_type, **_plain(attrs, name, self._left_out)}

    def _scalar(self, name: str, array: Any) -> Scalar:
        value = array[()]
        if np.asarray(value).dtype.kind in "TU" or isinstance(value, str):
            return Scalar(name, str(value), self._attributes_of(name))
        return Scalar(
            name, np.asarray(value, stored_type(name, _wide(array.dtype)))[()], self._attributes_of(name)
        )

    def _field(self, name: str, array: Any) -> SourceField:
        """Raises ValueError if Esker cannot store the array."""
        dims = self._dims[name]
        if array.dtype.kind in TEXT_KINDS:
            array = _Characters(name, array)
            dims = (*dims, character_dim(array.shape[-1], self._sizes()))
        native = stored_type(name, _wide(array.dtype))
        timed = dims[0] == self._time_dim
        components = array.shape[-1] if len(dims) > 1 and _is_of_components(dims[-1]) else 1
        end = len(dims) - (components > 1)
        own, shape = dims[timed:end], tuple(array.shape[timed:end])
        if 0 in shape or len(own) > len(AXES) or (components > 1 and not own):
            raise ValueError(
                f"{name}: expected 1 to {len(AXES)} dimensions of size 1 or more, found {dims} of sizes "
                f"{array.shape}"
            )

        def read(step: int, box: Box) -> NDArray[Any]:
            at = (*([step] if timed else []), *(box_index(box) if own else ()))
            samples = np.asarray(as_stored(np.asarray(array[at])), native)
            return samples if own else samples.reshape(1)

        return SourceField(
            name,
            own or ("scalar",),
            shape or (1,),
            native,
            read,
            components=components,
            fixed=not timed,
            grain=array.chunks[int(timed)] if own else 1,
            attrs=self._attributes_of(name),
            grid=None if own else _SERIES,
            coords={dim: self._coords[dim] for dim in own if dim in self._coords},
            is_series=not own,
        )


def _wide(dtype: Any) -> np.dtype[Any]:
    """float32 for float16, as HDF5 files are read; other types as they are."""
    return np.dtype(np.float32) if dtype == np.float16 else np.dtype(dtype)


class _Characters:
    """An array of texts as one of characters, in memory."""

    def __init__(self, name: str, array: Any) -> None:
        self._values = characters_of(name, array[...])
        self.dtype, self.shape = self._values.dtype, self._values.shape
        self.chunks = (*array.chunks, self.shape[-1])

    def __getitem__(self, index: Any) -> NDArray[Any]:
        return self._values[index]


def _dims_of(arrays: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The names of each array's dimensions. Without names, axes have those of boxes (x is the last); axes of another
    extent than the array with the most axes has there get a number: x_2."""
    extents: dict[str, list[int]] = {}

    def named(axis: str, extent: int) -> str:
        known = extents.setdefault(axis, [])
        if extent not in known:
            known.append(extent)
        place = known.index(extent) + 1
        return axis if place == 1 else f"{axis}_{place}"

    dims = {}
    for name, array in sorted(
        arrays.items(), key=lambda item: (-item[1].ndim, item[0])
    ):  # the same in any store
        given = getattr(array.metadata, "dimension_names", None) or array.attrs.get("_ARRAY_DIMENSIONS")
        axes = AXES[: array.ndim][::-1]
        dims[name] = tuple(given) if given and all(given) else tuple(map(named, axes, array.shape))
    return dims


def _fill_of_version_2(array: Any) -> dict[str, Any]:
    """`_FillValue`, which xarray keeps in an array's `fill_value`, where Zarr's default of 0 counts, too."""
    value = array.metadata.fill_value if array.metadata.zarr_format == 2 else None
    return {} if value is None or array.dtype.kind not in "iuf" else {"_FillValue": np.asarray(value).item()}


def _is_of_components(dim: str) -> bool:
    """Whether the dimension has a name that component_dims() gives."""
    return re.fullmatch(rf"{COMPONENT_DIM}(_\d+)?_*", dim) is not None


def _plain(attrs: Any, owner: str, left_out: list[str]) -> dict[str, Any]:
    """The attributes that Esker can store; adds a message about each other one to `left_out`."""
    kept = {}
    for name, value in dict(attrs).items():
        if isinstance(value, str) or texts_of(value) or (value != [] and is_untyped(value)):
            kept[name] = value
        elif name != "_ARRAY_DIMENSIONS":
            of = f"of {owner!r} " if owner else ""
            left_out.append(f"attribute {name!r} {of}is left out: expected numbers or texts")
    return kept
