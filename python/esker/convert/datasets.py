"""Datasets as sources: IDX, netCDF, HDF5, whole or a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.base.characters import has_characters
from esker.base.dimensions import TIME_DIM
from esker.base.pieces import thickness
from esker.convert.source import Source, SourceField, with_used_dims
from esker.dataset.field import Field
from esker.dataset.losses import attributes_for_copy
from esker.dataset.opening import Dataset
from esker.dataset.same_part import Part, same_part
from esker.writing.attributes import attributes_with_dims


def source_of_dataset(
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
    return with_used_dims(found, dataset.path)


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
