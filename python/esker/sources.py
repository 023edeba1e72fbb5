"""Sources of conversions: datasets, .npy and raw files, stacks of pictures and Zarr, all read by field, step
and box."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import esker
from esker.base.boxes import Box
from esker.base.characters import has_characters
from esker.base.dimensions import AXES, TIME_DIM
from esker.base.names import name_in_source, renamings, schema_names, with_name_in_source
from esker.base.pieces import thickness
from esker.base.stored_types import stored_type, type_attributes
from esker.dataset.description import Scalar
from esker.dataset.field import Field
from esker.dataset.losses import attributes_for_copy
from esker.dataset.opening import Dataset
from esker.dataset.same_part import Part, same_part
from esker.remote import is_url
from esker.writing.attributes import attributes_with_dims

RAW_SUFFIXES = (".raw", ".bin")
"""Suffixes of files that contain only samples."""


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


def open_source(
    path: str,
    *,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    fields: Sequence[str] = (),
    step: int | None = None,
    box: Box | None = None,
    level: int | None = None,
    threads: int | None = None,
) -> Source:
    """Opens a source by the suffix of `path`: .npy; .raw or .bin, which need `shape` (slowest first) and
    `dtype`; a pattern or a directory of .png files; .zarr. Anything else is opened as by esker.open(). Only
    for such datasets `step`, `box` and `level` select a part.
    """
    suffix = Path(path).suffix
    is_raw = suffix in RAW_SUFFIXES
    is_dataset = not (is_raw or suffix in (".npy", ".png", ".zarr") or _pictures(path))
    of_datasets = {"step": step, "box": box, "level": level}
    if given := [name for name, value in of_datasets.items() if value is not None and not is_dataset]:
        raise ValueError(f"{path}: {given[0]} is supported for IDX, netCDF and HDF5 only; omit it")
    if (shape is not None or dtype is not None) and not is_raw:
        raise ValueError(
            f"{path}: shape and dtype are supported for raw samples (.raw, .bin) only; omit them"
        )
    if is_dataset:
        dataset = esker.open(path, threads=threads, verify=not is_url(path))
        return of_dataset(dataset, fields or tuple(dataset), step, box, level)
    if suffix == ".zarr":
        from esker.zarr_source import source_of_zarr

        return _chosen(source_of_zarr(path), fields, path)
    if is_raw:
        return _chosen(_of_raw(path, shape, dtype), fields, path)
    if suffix == ".npy":
        return _chosen(_of_npy(path), fields, path)
    return _chosen(_of_pictures(path, _pictures(path)), fields, path)


def of_dataset(
    dataset: Dataset,
    fields: Sequence[str],
    step: int | None = None,
    box: Box | None = None,
    level: int | None = None,
) -> Source:
    """The given fields of a dataset, at all steps or at one. `box` and `level` refer to the largest field;
    the others are reduced to the same part.

    Dimensions of length 1 are kept.
    """
    chosen, warnings = [dataset[name] for name in fields], list(dataset.warnings)
    steps: Sequence[int] = range(len(dataset.steps))
    if step is not None:
        if not -len(steps) <= step < len(steps):
            raise IndexError(
                f"{dataset.path}: step {step} does not exist; the dataset has {len(steps)} steps"
            )
        steps = [steps[step]]
    has_times = _has_times(dataset, chosen)
    if not has_times:
        steps = steps[:1]
    fixed = [one for one in chosen if one.fixed]
    if has_times and not steps and fixed:  # fixed fields are written with a step
        left_out = ", ".join(one.name for one in chosen if not one.fixed)
        warnings.append(f"left out, because they have no records: {left_out}")
        chosen, has_times = fixed, False
    parts = same_part(chosen, box, level)
    made = tuple(
        _of_field(source, steps, parts[source.name], warnings)
        for source in chosen
        if source.fixed or step is None or source.has(steps[0])
    )
    all_dims = (*dataset.dim_attrs.items(), *([(TIME_DIM, dataset.time_attrs)] if has_times else []))
    of_dims = {dim: dict(own) for dim, own in all_dims if own}
    found = Source(
        made,
        tuple(dataset.steps[s] for s in steps) if has_times else (0.0,),
        attributes_with_dims(dataset.path, dataset.attrs, of_dims),
        tuple(warnings),
        dataset.time_dim if has_times else "",
        dataset.time_dtype,
        dataset.scalars,
    )
    return _used(found, dataset.path)


def _has_times(dataset: Dataset, chosen: Sequence[Field]) -> bool:
    """Whether the chosen fields have times. Fixed fields have none, unless all fields of a dataset with times
    are fixed."""
    if not all(one.fixed for one in chosen):
        return True
    all_fixed = all(one.fixed for one in dataset.fields.values())
    return all_fixed and bool(dataset.time_dim) and (len(dataset.steps) > 1 or bool(dataset.time_attrs))


def _of_field(source: Field, steps: Sequence[int], part: Part, warnings: list[str]) -> SourceField:
    selection = source._lattice(part.box, part.level, part.stride)
    if 0 in selection.shape:
        raise ValueError(
            f"{source.name}: the box contains no sample of level {selection.level}; choose a finer level"
        )
    is_whole = selection.shape == source.shape
    present = [True] if source.fixed else [source.has(step) for step in steps]
    every = 1 if source.fixed else _every(present)
    fill = fill_value(source.attrs, source.dtype)
    if every is None:
        absent = present.count(False)
        warnings.append(
            f"{source.name}: not written at {absent} of {len(present)} steps; these are filled with {fill}"
        )

    def read(step: int, box: Box) -> NDArray[Any]:
        if not source.fixed and not present[step]:
            shape = tuple(hi - lo for lo, hi in zip(*box))[::-1]
            return np.full((*shape, *([source.components] if source.components > 1 else [])), fill)
        number = -1 if source.fixed else steps[step]
        return source.read(number, selection.box_of(box), part.level, stride=part.stride)

    return SourceField(
        source.name,
        tuple(source.grid.dims),
        selection.shape[: len(source.grid.dims)],
        source.dtype,
        read,
        components=source.components,
        fixed=source.fixed,
        every=every or 1,
        grain=thickness(selection.shape[0]),
        attrs=_fitting(
            source.name, attributes_for_copy(source, steps if is_whole else None), source.dtype, warnings
        ),
        grid=source.grid.name,
        coords={dim: values[selection.indices(dim)] for dim, values in source.grid.coords.items()},
        is_series=source.is_series,
    )


def _every(present: Sequence[bool]) -> int | None:
    """The period at which a field is present, starting with the first step; None if it is not periodic."""
    at = [step for step, there in enumerate(present) if there]
    every = at[1] - at[0] if len(at) > 1 else max(1, len(present))
    return every if at == list(range(0, len(present), every)) else None


def fill_value(attrs: Mapping[str, Any], dtype: np.dtype[Any]) -> np.generic:
    """The value of samples that were never written: `_FillValue`, or netCDF's default."""
    if has_characters(dtype, attrs):
        return dtype.type(0)
    defaults = {"i1": -127, "u1": 255, "i2": -32767, "u2": 65535, "i4": -2147483647, "u4": 4294967295}
    defaults |= {"i8": -9223372036854775806, "u8": 18446744073709551614}
    own = attrs.get("_FillValue")
    if own is None or isinstance(own, str | list) or not _can_hold(dtype, own):
        own = defaults.get(dtype.str[1:], 15 * 2.0**119)
    return dtype.type(own)


def _can_hold(dtype: np.dtype[Any], value: Any) -> bool:
    """Whether the type can represent the value; reals are rounded."""
    if dtype.kind == "f":
        return True
    limits = np.iinfo(dtype)
    return bool(np.isfinite(value) and limits.min <= value <= limits.max and int(value) == value)


def _fitting(
    name: str, attrs: Mapping[str, Any], dtype: np.dtype[Any], warnings: list[str]
) -> Mapping[str, Any]:
    """The attributes without a fill value that the type cannot represent: it has no effect, and netCDF
    rejects it."""
    own = attrs.get("_FillValue")
    if own is None or isinstance(own, str | list) or _can_hold(dtype, own):
        return attrs
    warnings.append(f"{name}: _FillValue {own} is left out, because {dtype.name} cannot represent it")
    return {key: value for key, value in attrs.items() if key != "_FillValue"}


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


def _chosen(source: Source, fields: Sequence[str], path: str) -> Source:
    known = {name_in_source(one.name, one.attrs): one for one in source.fields}
    known |= {one.name: one for one in source.fields}
    if unknown := [name for name in fields if name not in known]:
        raise KeyError(f"{path}: no field {unknown[0]!r}; there are {', '.join(known)}")
    chosen = tuple(known[name] for name in fields) if fields else source.fields
    return _used(replace(source, fields=chosen), path)


def _used(source: Source, path: str) -> Source:
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


def _name_of(path: str) -> str:
    return Path(path).stem


def _of_raw(path: str, shape: Sequence[int] | None, dtype: DTypeLike | None) -> Source:
    if shape is None or dtype is None:
        raise ValueError(f"{path}: raw files do not store shape and type; give both with shape and dtype")
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise ValueError(f"{path}: expected a NumPy type such as f4, <i2 or >f8, found {dtype!r}") from error
    expected, found = math.prod(shape) * kind.itemsize, os.path.getsize(path)
    if min(shape) < 1 or expected != found:
        sizes = " x ".join(map(str, shape))
        raise ValueError(
            f"{path}: expected {expected} bytes for {sizes} samples of type {kind}, found {found}"
        )
    return _of_array(_name_of(path), np.memmap(path, kind, "r", shape=tuple(shape)))


def _of_npy(path: str) -> Source:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (EOFError, ValueError) as error:
        raise ValueError(f"{path}: not an .npy file, or truncated: {error}") from error
    return _of_array(_name_of(path), array)


def _of_array(name: str, array: NDArray[Any]) -> Source:
    if not 1 <= array.ndim <= len(AXES):
        raise ValueError(f"{name}: expected an array with 1 to {len(AXES)} axes, found {array.ndim}")
    native = stored_type(name, array.dtype)

    def read(step: int, box: Box) -> NDArray[Any]:
        return np.asarray(array[box_index(box)], native)

    one = SourceField(
        name, AXES[: array.ndim][::-1], array.shape, native, read, attrs=type_attributes(array.dtype)
    )
    return Source((one,), time_dim="")


def box_index(box: Box) -> tuple[slice, ...]:
    """The index of a box in an array, slowest axis first."""
    return tuple(slice(lo, hi) for lo, hi in zip(*box))[::-1]


def _pictures(path: str) -> list[str]:
    """The .png files of a pattern, or of a directory that is not a dataset, sorted by name."""
    stem = path.rstrip("/")
    is_dataset = os.path.exists(f"{stem}.idx") or os.path.exists(os.path.join(path, "esker.json"))
    if os.path.isdir(path) and not is_dataset:
        return sorted(glob.glob(os.path.join(glob.escape(path), "*.png")))
    return sorted(glob.glob(path)) if path.endswith(".png") else []


def _of_pictures(path: str, names: Sequence[str]) -> Source:
    from PIL import Image

    if not names:
        raise FileNotFoundError(f"{path}: no .png file found")

    def pixels(name: str) -> NDArray[Any]:
        try:
            with Image.open(name) as picture:
                found = np.asarray(picture)
        except OSError as error:
            raise OSError(f"{name}: {error}") from error
        return found.astype(np.uint8) if found.dtype == bool else found

    layer = pixels(names[0])

    def read(step: int, box: Box) -> NDArray[Any]:
        zs, *rest = box_index(box)
        return np.stack([load(name)[tuple(rest)] for name in names[zs]])

    def load(name: str) -> NDArray[Any]:
        found = pixels(name)
        if (found.shape, found.dtype) != (layer.shape, layer.dtype):
            raise ValueError(
                f"{name}: expected {layer.dtype} pixels of shape {layer.shape} as in {names[0]}, found "
                f"{found.dtype} of shape {found.shape}"
            )
        return found

    components = 1 if layer.ndim == 2 else layer.shape[2]
    name = Path(names[0]).parent.name or "pictures"
    shape = (len(names), *layer.shape[:2])
    one = SourceField(name, ("z", "y", "x"), shape, layer.dtype, read, components=components)
    return Source((one,), time_dim="")
