"""Source: fields that are read by step and box, with their times, attributes and scalars."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.base.dimensions import TIME_DIM
from esker.base.names import renamings, schema_names, with_name_in_source
from esker.dataset.description import Scalar


@dataclass(frozen=True)
class SourceField:
    """A field that is read by step and box. Shapes and dims are slowest first, boxes x first."""

    name: str
    dims: tuple[str, ...]
    """Dimensions of the grid, without time and component."""
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    read: Callable[[int, Box], NDArray[Any]]
    """Reads the samples of a step in a half-open box, in indices of `shape`: (z, y, x[, component])."""
    components: int = 1
    fixed: bool = True
    every: int = 1
    grain: int = 1
    """Preferred thickness of pieces along the slowest axis, in indices."""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    grid: str | None = None
    coords: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    is_series: bool = False
    """One value per step, without axes: `shape` is (1,)."""
    compression: str = ""
    stored_bits: int = 0
    """How to store the field, both as for Writer.field()."""

    @property
    def nbytes(self) -> int:
        """Bytes of one step."""
        return math.prod(self.shape) * self.components * self.dtype.itemsize

    def has(self, step: int) -> bool:
        """Whether the field has samples at a step; a fixed field has them at the first."""
        return step == 0 if self.fixed else step % self.every == 0


@dataclass(frozen=True)
class Source:
    """Fields with their times, attributes and scalars."""

    fields: tuple[SourceField, ...]
    times: tuple[float, ...] = (0.0,)
    """Times of the steps. Empty: only definitions. A single 0 if all fields are fixed."""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    """As for esker.Writer: attributes of a dimension under its name, those of the time under "time"."""
    warnings: tuple[str, ...] = ()
    """What is left out, and why."""
    time_dim: str = TIME_DIM
    """Name of the time dimension; empty if the fields have none."""
    time_dtype: np.dtype[Any] = np.dtype(np.float64)
    scalars: Mapping[str, Scalar] = field(default_factory=dict)


def with_setting(source: Source, setting: str, of_fields: Mapping[str, Any]) -> Source:
    """Sets "compression" or "stored_bits" of the given fields."""
    known = {one.name for one in source.fields}
    if unknown := [name for name in of_fields if name not in known]:
        raise ValueError(f"{setting}: no field {unknown[0]!r}; there are {', '.join(sorted(known))}")
    fields = (
        replace(one, **{setting: of_fields.get(one.name, getattr(one, setting))}) for one in source.fields
    )
    return replace(source, fields=tuple(fields))


def with_schema_names(source: Source) -> Source:
    """The source with names that a dataset can have for fields, scalars and dimensions; warnings name the others."""
    names = schema_names([*(one.name for one in source.fields), *source.scalars])
    of_fields = {dim for one in source.fields for dim in one.dims}
    dims = schema_names(dict.fromkeys([*sorted(of_fields), *([source.time_dim] if source.time_dim else [])]))
    warnings = (*source.warnings, *renamings(names), *renamings(dims))
    if len(warnings) == len(source.warnings):
        return source
    fields = tuple(
        replace(
            one,
            name=names[one.name],
            dims=tuple(dims[dim] for dim in one.dims),
            coords={dims[dim]: values for dim, values in one.coords.items()},
            attrs=with_name_in_source(one.attrs, one.name, names[one.name]),
        )
        for one in source.fields
    )
    scalars = {
        names[name]: Scalar(names[name], one.value, with_name_in_source(one.attrs, name, names[name]))
        for name, one in source.scalars.items()
    }
    attrs = {
        dims.get(name, name): with_name_in_source(value, name, dims.get(name, name))
        if isinstance(value, Mapping)
        else value
        for name, value in source.attrs.items()
    }
    for dim in {dim for one in fields for dim in one.coords} - attrs.keys():
        name = next(old for old, new in dims.items() if new == dim)
        if name != dim:
            attrs[dim] = with_name_in_source({}, name, dim)
    time_dim = dims.get(source.time_dim, source.time_dim)
    return replace(source, fields=fields, scalars=scalars, attrs=attrs, warnings=warnings, time_dim=time_dim)


def separate_components(source: Source) -> Source:
    """Splits each field with several components into one field per component, with attributes that let
    readers join them."""
    taken = {one.name for one in source.fields if one.components == 1} | set(source.scalars)
    fields: list[SourceField] = []
    for one in source.fields:
        names = [f"{one.name}_{number}" for number in range(one.components)]
        if both := [name for name in names if name in taken and one.components > 1]:
            raise ValueError(
                f"{one.name}: the name {both[0]!r} of a component is already used by another field; convert "
                "it with --components together"
            )
        fields += (
            [one] if one.components == 1 else map(partial(_component, one), names, range(one.components))
        )
    return replace(source, fields=tuple(fields))


def _component(of: SourceField, name: str, number: int) -> SourceField:
    def read(step: int, box: Box) -> NDArray[Any]:
        return np.ascontiguousarray(of.read(step, box)[..., number])

    own = {"esker_component_of": of.name, "esker_component": number, "esker_components": of.components}
    return replace(of, name=name, components=1, read=read, attrs={**of.attrs, **own})


def with_used_dims(source: Source, path: str) -> Source:
    """The source without the attributes of dimensions that no field has."""
    if not source.fields:
        raise ValueError(f"{path}: has no field to convert")
    used = {TIME_DIM, *(dim for one in source.fields for dim in one.dims)}
    attrs = {
        name: value for name, value in source.attrs.items() if name in used or not isinstance(value, Mapping)
    }
    return _in_order(replace(source, attrs=attrs))


def _in_order(source: Source) -> Source:
    """The source with times that a dataset accepts: finite and increasing. Other times become a field."""
    times = np.asarray(source.times, np.float64)
    if np.isfinite(times).all() and (np.diff(times) > 0).all():
        return source
    name, taken = f"{source.time_dim}_value", {one.name for one in source.fields} | set(source.scalars)
    while name in taken:
        name += "_"

    def read(step: int, box: Box) -> NDArray[Any]:
        return times[step : step + 1]

    attrs = dict(source.attrs)
    own = attrs.pop(TIME_DIM, {})
    field = SourceField(
        name, ("scalar",), (1,), times.dtype, read, fixed=False, attrs=own, grid="series", is_series=True
    )
    warning = (
        "times are not finite or do not increase; the steps get their numbers as times, and the field "
        f"{name!r} holds the original times"
    )
    return replace(
        source,
        fields=(*source.fields, field),
        times=tuple(float(step) for step in range(len(times))),
        attrs=attrs,
        time_dtype=np.dtype(np.float64),
        warnings=(*source.warnings, warning),
    )


def box_index(box: Box) -> tuple[slice, ...]:
    """The index of a box in an array, slowest axis first."""
    return tuple(slice(lo, hi) for lo, hi in zip(*box))[::-1]
