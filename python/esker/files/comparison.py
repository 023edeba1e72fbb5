"""Compares two datasets, piece by piece."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.base.pieces import boxes
from esker.base.values import Text
from esker.dataset.field import Field
from esker.dataset.opening import Dataset

_COMPARED_AT_ONCE = 1 << 18
"""Number of values. The temporaries of a comparison take several times as much memory as the values."""


@dataclass(frozen=True)
class Difference:
    """Two samples that differ."""

    step: int
    index: tuple[int, ...]
    """x first, followed by the component if there are several."""
    a: float
    b: float


@dataclass
class FieldDifference:
    """Differences in a field that both datasets have."""

    field: str
    compared: int = 0
    """Number of values compared."""
    different: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    first: list[Difference] = dataclasses.field(default_factory=list)


@dataclass
class Comparison:
    """Differences between two datasets; `same` if there are none."""

    structure: list[str] = dataclasses.field(default_factory=list)
    """Differences in fields, shapes, types, steps and attributes, as sentences."""
    fields: list[FieldDifference] = dataclasses.field(default_factory=list)

    @property
    def same(self) -> bool:
        """No difference in structure, and none in values beyond the tolerance."""
        return not self.structure and not any(one.different for one in self.fields)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"same": self.same, **asdict(self)}


def compare(
    a: Dataset,
    b: Dataset,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    attributes: bool = True,
    most: int = 10,
    progress: Callable[[float], object] | None = None,
) -> Comparison:
    """Compares all fields that both datasets have, at steps with the same time; NaN equals NaN.

    Values a and b are the same if |a - b| <= atol + rtol * |b|. Formats, blocks and files may differ. The
    result keeps the first `most` differences of each field. Memory: a few pieces of 32 MiB.
    """
    if not (rtol >= 0 and atol >= 0):
        raise ValueError(f"tolerances: expected numbers of at least 0, found rtol={rtol}, atol={atol}")
    found = Comparison()
    for name in (*a.fields, *(name for name in b.fields if name not in a)):
        if name not in a or name not in b:
            found.structure.append(f"field {name!r} is only in {(a if name in a else b).path}")
    common = [name for name in a.fields if name in b]
    if all(a[name].fixed and b[name].fixed for name in common):
        pass  # fixed fields do not belong to a step
    elif len(a.steps) != len(b.steps):
        found.structure.append(f"the number of steps is {len(a.steps)} and {len(b.steps)}")
    elif not _equal(a.steps, b.steps):
        step = next(s for s, (t, u) in enumerate(zip(a.steps, b.steps)) if not _equal(t, u))
        found.structure.append(f"step {step} is at time {a.steps[step]} and {b.steps[step]}")
    if attributes:
        found.structure += _attributes("", a.attrs, b.attrs)
        found.structure += _attributes("time: ", a.time_attrs, b.time_attrs)
        for dim in (*a.dim_attrs, *(dim for dim in b.dim_attrs if dim not in a.dim_attrs)):
            found.structure += _attributes(f"{dim}: ", a.dim_attrs.get(dim, {}), b.dim_attrs.get(dim, {}))
    found.structure += _scalars(a, b, attributes)
    comparable = []
    for name in common:
        found.structure += _structure(a[name], b[name], attributes)
        if a[name].shape == b[name].shape and a[name].box == b[name].box:
            comparable.append(name)
    for number, name in enumerate(comparable):
        update = (lambda part, n=number: progress((n + part) / len(comparable))) if progress else None
        found.fields.append(_compare_field(a[name], b[name], rtol, atol, most, update))
    return found


def _structure(a: Field, b: Field, attributes: bool) -> Iterator[str]:
    for attribute in ("dims", "shape", "box", "dtype", "components", "fixed"):
        if getattr(a, attribute) != getattr(b, attribute):
            yield f"{a.name}: {attribute} is {getattr(a, attribute)} and {getattr(b, attribute)}"
    for dim in a.grid.dims:
        ours, theirs = a.grid.coords.get(dim), b.grid.coords.get(dim)
        if (ours is None) != (theirs is None) or (ours is not None and not _equal(ours, theirs)):
            yield f"{a.name}: coordinates along {dim!r} differ"
    if alone := [(s, t) for s, t in _same_times(a.dataset, b.dataset) if a.has(s) != b.has(t)]:
        s, _ = alone[0]
        yield f"{a.name}: step {s} is only in {(a if a.has(s) else b).dataset.path}"
    if attributes:
        yield from _attributes(f"{a.name}: ", a.attrs, b.attrs)
        yield from _attributes(f"grid of {a.name}: ", a.grid.attrs, b.grid.attrs)


def _scalars(a: Dataset, b: Dataset, attributes: bool) -> Iterator[str]:
    for name in (*a.scalars, *(name for name in b.scalars if name not in a.scalars)):
        if name not in a.scalars or name not in b.scalars:
            yield f"scalar {name!r} is only in {(a if name in a.scalars else b).path}"
            continue
        ours, theirs = a.scalars[name], b.scalars[name]
        yield from _attributes("scalar: ", {name: ours.value}, {name: theirs.value})
        if attributes:
            yield from _attributes(f"{name}: ", ours.attrs, theirs.attrs)


def _attributes(owner: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    for name in (*a, *(name for name in b if name not in a)):
        ours, theirs = a.get(name), b.get(name)
        if not _equal(ours, theirs):
            yield f"{owner}attribute {name!r} is {ours!r} and {theirs!r}"
        elif _stored(ours) != _stored(theirs):
            yield f"{owner}attribute {name!r} is stored as {_stored(ours)!r} and {_stored(theirs)!r}"


def _stored(value: Any) -> Any:
    """The stored bytes of a text, which can differ for the same characters."""
    if isinstance(value, Text):
        return value.bytes
    return value.encode() if isinstance(value, str) else None


def _equal(a: Any, b: Any) -> bool:
    """Whether two texts, numbers or lists of numbers are equal; NaN equals NaN."""
    if any(value is None or isinstance(value, str) for value in (a, b)):
        return bool(a == b)
    ours, theirs = np.ravel(a).tolist(), np.ravel(b).tolist()
    return len(ours) == len(theirs) and all(x == y or (x != x and y != y) for x, y in zip(ours, theirs))


def _compare_field(
    a: Field, b: Field, rtol: float, atol: float, most: int, progress: Callable[[float], object] | None
) -> FieldDifference:
    found = FieldDifference(a.name)
    steps = [(s, t) for s, t in _same_times(a.dataset, b.dataset) if a.has(s) and b.has(t)]
    if a.fixed and b.fixed:
        steps = [(-1, -1)]
    total, done = math.prod(a.shape) * len(steps), 0
    for step, their_step in steps:
        for box in boxes(a.box, a.dtype.itemsize * a.components):
            ours, theirs = a.read(step, box), b.read(their_step, box)
            _add(found, step, box, ours, theirs, rtol, atol, most)
            done += ours.size
            if progress:
                progress(done / total)
    return found


def _same_times(a: Dataset, b: Dataset) -> list[tuple[int, int]]:
    """Pairs of steps with the same time; if no times agree, pairs by position."""
    if _equal(a.steps, b.steps):
        return [(step, step) for step in range(len(a.steps))]
    theirs = {time: step for step, time in enumerate(b.steps)}
    pairs = [(step, theirs[time]) for step, time in enumerate(a.steps) if time in theirs]
    return pairs or list(zip(range(len(a.steps)), range(len(b.steps))))


def _add(
    found: FieldDifference,
    step: int,
    box: Box,
    ours: NDArray[Any],
    theirs: NDArray[Any],
    rtol: float,
    atol: float,
    most: int,
) -> None:
    found.compared += ours.size
    a, b = ours.reshape(-1), theirs.reshape(-1)
    for first in range(0, a.size, _COMPARED_AT_ONCE):
        part = slice(first, first + _COMPARED_AT_ONCE)
        for position in _differences(found, a[part], b[part], rtol, atol)[: max(0, most - len(found.first))]:
            at = np.unravel_index(first + position, ours.shape)
            spatial, component = at[: len(box[0])], at[len(box[0]) :]
            index = (*(int(i + lo) for i, lo in zip(spatial[::-1], box[0])), *map(int, component))
            found.first.append(Difference(step, index, ours[at].item(), theirs[at].item()))


def _differences(
    found: FieldDifference, a: NDArray[Any], b: NDArray[Any], rtol: float, atol: float
) -> NDArray[np.intp]:
    """Positions of values that differ; adds them to the counts of `found`."""
    unequal = np.flatnonzero(~((a == b) | ((a != a) & (b != b))))
    if unequal.size == 0:
        return unequal
    wide = np.float64 if a.dtype.kind == "f" else np.int64 if a.dtype.itemsize < 8 else object
    a, b = a[unequal].astype(wide), b[unequal].astype(wide)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        apart = np.abs(a - b).astype(np.float64)
        size = np.abs(b).astype(np.float64)
        relative = apart / size
        beyond = ~(np.isfinite(apart) & (apart <= atol + rtol * size))
    found.different += int(beyond.sum())
    found.max_abs = max(found.max_abs, float(np.max(apart, initial=0.0, where=~np.isnan(apart))))
    found.max_rel = max(found.max_rel, float(np.max(relative, initial=0.0, where=~np.isnan(relative))))
    return unequal[beyond]
