"""Reads the samples of a volume, as numbers of 16 bits that the page draws.

Code 0 is a sample without a value; 1 to 65535 are evenly spaced from the least to the greatest finite value, or their
logarithms. That halves what float32 needs, and is 256 times finer than the colors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.dataset.field import Field
from esker.viewer.reading.reads import Request
from esker.viewer.reading.samples import Index, Kind, Samples, extremes_of, finite_range, read_samples
from esker.viewer.scenes.colors import Coloring, coloring
from esker.viewer.scenes.session import Scene
from esker.viewer.solids.volumes import Frame

CODES = 65535
_MOST_LOG10 = 308.25
"""Of a number of double precision, rounded down."""


@dataclass(frozen=True)
class Codes:
    """The samples of a request. z, y, x as in NumPy; each axis with growing indices."""

    request: Request
    codes: NDArray[np.uint16]
    low: float
    high: float
    """The values of the codes 1 and 65535; log10 of them with `log`. 0 and 1 without a finite value."""
    log: bool
    origin: Index
    stride: Index
    least: tuple[float, Index] | None
    greatest: tuple[float, Index] | None
    """Finite values, and where they are; None without one."""
    counts: dict[Kind, int]
    """Samples of each kind that is present."""
    nbytes: int
    """Read from storage."""
    error: str = ""
    notes: tuple[str, ...] = ()


def placed(found: Codes, frame: Frame) -> tuple[NDArray[np.uint16], list[float], list[float]]:
    """Codes, origin and spacing as they are drawn: each axis grows with its coordinate and has two samples at least."""
    codes, origin, spacing = found.codes, [], []
    for number, (first, stride) in enumerate(zip(found.origin, found.stride)):
        axis = codes.ndim - 1 - number
        count = codes.shape[axis]
        ends = sorted(frame.place(number, first + i * stride) for i in (0, count - 1))
        if frame.axes[number].step < 0:
            codes = np.flip(codes, axis)
        if count == 1:
            codes = np.repeat(codes, 2, axis)
            ends = _slab(frame, number, first, stride)
        origin.append(ends[0])
        spacing.append((ends[1] - ends[0]) / (codes.shape[axis] - 1))
    return codes, origin, spacing


def _slab(frame: Frame, number: int, index: int, stride: int) -> list[float]:
    """The edges of the cell of a sample that is alone on its axis."""
    if frame.ends[number][0] == frame.ends[number][1]:
        return [0.0, frame.sizes[number]]
    ends = sorted(frame.place(number, index + half) for half in (-stride / 2, stride / 2))
    return [max(ends[0], 0.0), min(ends[1], frame.sizes[number])]


def read_codes(field: Field, request: Request, log: bool, is_wanted: Callable[[], bool]) -> Codes:
    """Reads a request. Raises Stale soon after is_wanted() turned False, OSError, ValueError."""
    found = read_samples(field, request, is_wanted)
    selection = field.select(request.step, request.box, request.level)
    values, kinds = for_log(found) if log else (found.values, found.kinds)
    ends = finite_range(values)
    low, high = ends or (0.0, 1.0)
    where = (selection.origin, selection.stride)
    shown = np.where(np.isnan(values), np.nan, found.values)
    extremes = extremes_of(shown, *where) or (None, None)
    numbers = np.bincount(kinds.ravel(), minlength=len(Kind))
    return Codes(
        request, coded(values, low, high), low, high, log, *where, *extremes,
        counts={kind: int(numbers[kind]) for kind in Kind if numbers[kind]},
        nbytes=found.nbytes, error=found.error, notes=found.notes,
    )  # fmt: skip


def for_log(found: Samples) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """log10 of the values; those of 0 and less have none."""
    without = found.values <= 0
    values = np.log10(np.where(without, np.nan, found.values))
    return values, np.where(without, np.uint8(Kind.NO_LOGARITHM), found.kinds)


def coded(values: NDArray[Any], low: float, high: float) -> NDArray[np.uint16]:
    """The codes of values: infinite values have those of the ends, NaN has 0."""
    half = high / 2 - low / 2  # the span itself may be infinite
    scale = (CODES - 1) / half if half > 0 else 0.0
    clipped = np.clip(values, low, high).astype(np.float64)
    shares = np.where(np.isnan(clipped), 0, np.rint((clipped / 2 - low / 2) * scale) + 1)
    return shares.astype(np.uint16)


def color_ends(scene: Scene, low: float, high: float, is_finite: bool) -> list[float]:
    """The ends of the colors for codes from `low` to `high`: logarithms with logarithmic colors, as the codes are."""
    values = (low, high)
    if scene.log:
        values = (10.0 ** min(low, _MOST_LOG10), 10.0 ** min(high, _MOST_LOG10))
    return _as_coded(coloring(_plain(scene), values if is_finite else None, ""), scene.log)


def ends_by_hand(scene: Scene) -> tuple[list[float] | None, str]:
    """The ends of the colors that are given by hand, as codes have them, and a sentence if they cannot be; None without."""
    if scene.range != "hand":
        return None, ""
    colors = coloring(_plain(scene).but(range="hand"), None, "")
    return _as_coded(colors, scene.log), colors.note if scene.high <= 0 else ""


def _plain(scene: Scene) -> Scene:
    """The range of the picture; ranges about zero are of planes alone."""
    return scene.but(range="view", zero=False)


def _as_coded(colors: Coloring, log: bool) -> list[float]:
    return [math.log10(end) if log else end for end in (colors.low, colors.high)]
