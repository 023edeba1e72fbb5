"""Reads one request: the values of a plane, and why some samples have none.

A sample without a value is a fill value, NaN, or part of a missing block; in sparse steps a sample may be stored at a coarser
level only, and then has the value of its nearest coarser neighbor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker._core import ReadStatistics
from esker.dataset.decoding import decoded, scalars
from esker.dataset.field import Field
from esker.viewer.reading.reads import Request
from esker.viewer.scenes.axes import Plane
from esker.viewer.scenes.session import Window

Index = tuple[int, ...]
"""Of a sample, x first."""
EXACT_INTEGERS = 1 << 53
"""Larger integers are rounded in the browser."""


class Kind(IntEnum):
    """What a sample of a picture is."""

    VALUE = 0
    FILL = 1
    NAN = 2
    MISSING = 3
    COARSER = 4
    """Stored at a coarser level only; it has a value."""
    NO_LOGARITHM = 5
    """0 or less, under logarithmic colors."""


_IS_WITHOUT_VALUE = np.isin(np.arange(len(Kind)), (Kind.FILL, Kind.NAN, Kind.MISSING))
"""By the number of a kind."""


class Stale(Exception):
    """No page waits for the read any more."""


@dataclass(frozen=True)
class Picture:
    """The samples of a request, as they are drawn: rows from bottom to top, columns from left to right."""

    request: Request
    values: NDArray[Any]
    """float32 or float64; NaN where there is no value."""
    kinds: NDArray[np.uint8]
    window: Window
    """The outer edges of the cells: left, right, bottom, top."""
    place: int | None
    """The index along the normal where the samples really are."""
    nbytes: int
    """Read from storage."""
    error: str = ""
    """Why some blocks were not read."""
    notes: tuple[str, ...] = ()

    @property
    def level(self) -> int:
        return self.request.level

    def for_log(self) -> Picture:
        """The picture under logarithmic colors: values of 0 and less are marked."""
        without = self.values <= 0
        values = np.where(without, self.values.dtype.type(np.nan), self.values)
        kinds = np.where(without, np.uint8(Kind.NO_LOGARITHM), self.kinds)
        return replace(self, values=values, kinds=kinds)

    def cropped(self, window: Window | None) -> Picture:
        """The samples whose cells reach into a window."""
        if window is None:
            return self
        left, right, bottom, top = self.window
        rows, columns = self.values.shape
        across = _inside(columns, left, right, window[0], window[1])
        up = _inside(rows, bottom, top, window[2], window[3])
        width, height = (right - left) / columns, (top - bottom) / rows
        edges = (
            *(left + width * end for end in (across.start, across.stop)),
            *(bottom + height * end for end in (up.start, up.stop)),
        )
        return replace(self, values=self.values[up, across], kinds=self.kinds[up, across], window=edges)


def _inside(count: int, first: float, last: float, low: float, high: float) -> slice:
    """The cells of `count` between first and last that overlap low to high."""
    size = (last - first) / count
    start, end = math.floor((low - first) / size), math.ceil((high - first) / size)
    return slice(min(max(start, 0), count - 1), min(max(end, 1), count))


def finite_range(values: NDArray[Any]) -> tuple[float, float] | None:
    """The least and greatest finite value; None without one."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else None


def extremes_of(
    values: NDArray[Any], origin: Index, stride: Index
) -> tuple[tuple[float, Index], tuple[float, Index]] | None:
    """The least and the greatest finite value, and the index of the first sample that has it; None without one."""
    finite = np.where(np.isfinite(values), values, np.nan)
    if np.isnan(finite).all():
        return None
    found = []
    for find in (np.nanargmin, np.nanargmax):
        at = np.unravel_index(int(find(finite)), values.shape)
        index = tuple(int(first + i * step) for first, i, step in zip(origin, reversed(at), stride))
        found.append((float(values[at]), index))
    return found[0], found[1]


@dataclass
class _Read:
    """The answers of a field to one request."""

    samples: np.ma.MaskedArray[Any, Any]
    statistics: ReadStatistics = dataclass_field(default_factory=ReadStatistics)
    error: str = ""


@dataclass(frozen=True)
class Samples:
    """The samples of a box in the order of NumPy, and why some have no value."""

    values: NDArray[Any]
    """float32 or float64; NaN where there is no value."""
    kinds: NDArray[np.uint8]
    nbytes: int
    """Read from storage."""
    error: str
    notes: tuple[str, ...]


def read_samples(field: Field, request: Request, is_wanted: Callable[[], bool]) -> Samples:
    """Reads a request of any box. Raises Stale soon after is_wanted() turned False, OSError, ValueError."""
    found = _read(field, request, is_wanted)
    values = scalars(field, np.ma.getdata(found.samples), request.component)
    kinds = _kinds(field, request, found.samples, values)
    numbers = values.filled(0) if values.dtype.kind in "iu" else np.ma.getdata(values)
    notes = tuple(_notes(numbers, kinds))
    drawn = numbers.astype(np.float32 if _fits_single(numbers.dtype) else np.float64)
    drawn[_IS_WITHOUT_VALUE[kinds]] = np.nan
    return Samples(drawn, kinds, found.statistics.bytes, found.error, notes)


def read_picture(field: Field, request: Request, plane: Plane, is_wanted: Callable[[], bool]) -> Picture:
    """Reads a request of a plane. Raises as read_samples()."""
    found = read_samples(field, request, is_wanted)
    selection = field.select(request.step, request.box, *request.resolution)
    turned = _drawn(field, plane, request, found.values), _drawn(field, plane, request, found.kinds)
    return Picture(
        request,
        *turned,
        window=_window(plane, selection.origin, selection.stride, turned[0].shape),
        place=selection.origin[plane.normal.number] if plane.normal and request.normal else None,
        nbytes=found.nbytes,
        error=found.error,
        notes=found.notes,
    )


def read_range(field: Field, request: Request, is_wanted: Callable[[], bool]) -> tuple[float, float] | None:
    """The least and greatest finite value of a request of any box."""
    found = _read(field, request, is_wanted)
    values = scalars(field, np.ma.getdata(found.samples), request.component)
    kept = np.ma.masked_where(_missing(field, request, found.samples), values)
    return finite_range(np.asarray(kept.compressed(), dtype=np.float64))


def _read(field: Field, request: Request, is_wanted: Callable[[], bool]) -> _Read:
    """Reads all blocks; if some are damaged or lost, those that can be read."""

    def go_on(_: float) -> None:
        if not is_wanted():
            raise Stale

    def read(missing: str | None) -> _Read:
        statistics = ReadStatistics()
        samples = field.read(
            request.step, request.box, request.resolution[0], request.bits, stride=request.stride,
            missing=missing, masked=True, progress=go_on, statistics=statistics,
        )  # fmt: skip
        return _Read(samples, statistics)

    if not is_wanted():
        raise Stale
    try:
        return read(None)
    except OSError as error:
        try:
            found = read("fill")
        except OSError:
            raise error from None
        found.error = str(error)
        return found


def _missing(field: Field, request: Request, samples: np.ma.MaskedArray[Any, Any]) -> NDArray[np.bool_]:
    """Which samples lie in blocks that are not in the dataset."""
    mask = np.ma.getmaskarray(samples)
    return mask.any(axis=-1) if field.components > 1 else mask


def _kinds(
    field: Field,
    request: Request,
    samples: np.ma.MaskedArray[Any, Any],
    values: np.ma.MaskedArray[Any, Any],
) -> NDArray[np.uint8]:
    kinds = np.zeros(values.shape, np.uint8)
    without = np.ma.getmaskarray(values)
    raw = np.ma.getdata(samples)
    is_float = raw.dtype.kind == "f"
    bad = ~np.isfinite(raw) if is_float else np.zeros(raw.shape, bool)
    if field.components > 1:
        chosen = slice(None) if request.component is None else [request.component]
        bad = bad[..., chosen].any(axis=-1)
        nan = np.isnan(raw[..., chosen]).any(axis=-1) if is_float else bad
    else:
        nan = np.isnan(raw) if is_float else bad
    kinds[without & ~bad] = Kind.FILL
    kinds[nan] = Kind.NAN
    if field.is_sparse(request.step):
        level, stride = request.resolution
        stored = field.levels(request.step, request.box, level, stride=stride)
        finest = field.select(request.step, request.box, level, stride).level
        kinds[stored < finest] = Kind.COARSER
        kinds[stored < 0] = Kind.MISSING
    else:
        kinds[_missing(field, request, samples)] = Kind.MISSING
    return kinds


def _notes(numbers: NDArray[Any], kinds: NDArray[np.uint8]) -> list[str]:
    notes = []
    if (
        numbers.dtype.kind in "iu"
        and numbers.size
        and max(abs(int(numbers.min())), int(numbers.max())) > EXACT_INTEGERS
    ):
        notes.append("Integers beyond 2^53 are rounded in the picture; the cursor shows them exactly.")
    if numbers.dtype.kind == "f":
        infinite = int(np.isinf(numbers[kinds == Kind.VALUE]).sum())
        if infinite:
            notes.append(f"{infinite} samples are infinite and have the colors of the ends of the range.")
    return notes


def _fits_single(dtype: np.dtype[Any]) -> bool:
    return dtype.itemsize <= (4 if dtype.kind == "f" else 2)


def _drawn(field: Field, plane: Plane, request: Request, array: NDArray[Any]) -> NDArray[Any]:
    """Without the axis of one sample, and with growing coordinates."""
    dims = list(field.grid.dims)
    if request.normal:
        array = array.take(0, axis=dims.index(request.normal))
    if plane.vertical.step < 0:
        array = array[::-1]
    if plane.horizontal.step < 0:
        array = array[:, ::-1]
    return np.ascontiguousarray(array)


def _window(
    plane: Plane, origin: tuple[int, ...], stride: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[float, float, float, float]:
    rows, columns = shape
    across, up = plane.horizontal, plane.vertical
    return (
        *across.edges(origin[across.number], stride[across.number], columns),
        *up.edges(origin[up.number], stride[up.number], rows),
    )


def exact_value(field: Field, scene_step: int, index: tuple[int, ...], component: int | None) -> str:
    """The decoded value of one sample at the finest level, as text; index x first. Raises OSError."""
    box = index, tuple(i + 1 for i in index)
    samples = field.read(scene_step, box, masked=True)
    raw = np.ma.getdata(samples).reshape(-1) if field.components > 1 else np.ma.getdata(samples).reshape(1)
    if np.ma.getmaskarray(samples).any() and not field.is_sparse(scene_step):
        return "in a missing block"
    if field.components > 1 and component is None:
        return f"{_number(scalars(field, np.ma.getdata(samples)).reshape(1)[0])} of ({', '.join(map(_number, raw))})"
    number = raw[component or 0]
    value = decoded(field, np.array([number], raw.dtype))[0]
    if value is np.ma.masked:
        return "NaN" if number.dtype.kind == "f" and math.isnan(number) else _without_value(number)
    return _number(value)


def _without_value(number: Any) -> str:
    return (
        _number(number)
        if number.dtype.kind == "f" and math.isinf(number)
        else f"fill value {_number(number)}"
    )


def _number(value: Any) -> str:
    """The shortest text that tells the value from all others of its type."""
    return np.format_float_positional(value, trim="-") if _is_plain(value) else str(value)


def _is_plain(value: Any) -> bool:
    return (
        isinstance(value, np.floating) and (value == 0 or 1e-4 <= abs(value) < 1e7) and math.isfinite(value)
    )
