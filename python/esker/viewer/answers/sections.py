"""Values along a straight line in a plane: the nearest samples of the finest level, read by few boxes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.units import with_units
from esker.viewer.answers.asking import Line, values_of
from esker.viewer.answers.pointing import where_of
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.axes import Axis, Plane

MAX_POINTS = 1000
BOX_SAMPLES = 1 << 16
"""Of one box at most: a line across a large field is read by several boxes along it."""

Ends = tuple[float, float, float, float]
"""x, y of the first end and of the second, in drawn coordinates."""


def section(source: Source, ends: Ends, is_wanted: Callable[[], bool]) -> Line | None:
    """The samples along a line, or their difference; None if it has less than two. Raises Stale, OSError."""
    across, up = indices(source.plane, ends)
    if len(across) < 2:
        return None
    first, *others = (_along(one, across, up, is_wanted) for one in source.parts)
    values = first if not others else first - others[0]
    label, at = _distance(source.plane, across, up)
    return Line(label, at, values)


def text(source: Source, ends: Ends) -> str:
    """Where a section is."""
    across, up = indices(source.plane, ends)
    if len(across) < 2:
        return "The line has less than two samples."
    places = [
        where_of(_full(source, (i, j)), source.plane) for i, j in ((across[0], up[0]), (across[-1], up[-1]))
    ]
    return f"section of {len(across)} samples from {places[0]} to {places[1]}"


def indices(plane: Plane, ends: Ends) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The horizontal and vertical indices of the samples along a line, within the plane."""
    rows = [(plane.horizontal.index(x), plane.vertical.index(y)) for x, y in (ends[:2], ends[2:])]
    length = max(abs(rows[1][0] - rows[0][0]), abs(rows[1][1] - rows[0][1]))
    count = min(MAX_POINTS, math.ceil(length) + 1)
    across, up = (np.rint(np.linspace(first, last, count)).astype(np.int64) for first, last in zip(*rows))
    inside = _inside(plane.horizontal, across) & _inside(plane.vertical, up)
    return across[inside], up[inside]


def _inside(axis: Axis, found: NDArray[np.int64]) -> NDArray[np.bool_]:
    return (found >= axis.lo) & (found < axis.hi)


def _full(source: Source, pair: tuple[Any, Any]) -> tuple[int, ...]:
    """An index of the plane with that of the plane itself, x first."""
    plane = source.plane
    found = {plane.horizontal.number: int(pair[0]), plane.vertical.number: int(pair[1])}
    if plane.normal is not None:
        found[plane.normal.number] = source.scene.place
    return tuple(found[number] for number in sorted(found))


def _along(
    source: Source, across: NDArray[np.int64], up: NDArray[np.int64], is_wanted: Callable[[], bool]
) -> NDArray[np.float64]:
    """The values at indices, which are consecutive along a line."""
    points = np.array([_full(source, pair) for pair in zip(across, up)])
    lo, hi = points.min(axis=0), points.max(axis=0) + 1
    if len(points) > 1 and math.prod((hi - lo).tolist()) > BOX_SAMPLES:
        half = len(points) // 2
        parts = (slice(None, half), slice(half, None))
        return np.concatenate([_along(source, across[part], up[part], is_wanted) for part in parts])
    box = tuple(lo.tolist()), tuple(hi.tolist())
    values = values_of(source.field, source.step, box, source.scene.component, is_wanted)
    found: NDArray[np.float64] = values[tuple((points - lo).T[::-1])]
    return found


def _distance(
    plane: Plane, across: NDArray[np.int64], up: NDArray[np.int64]
) -> tuple[str, NDArray[np.float64]]:
    """The axis of the chart: the distance if both axes have the same units, else the coordinate that varies more."""
    horizontal, vertical = plane.horizontal, plane.vertical
    if horizontal.units == vertical.units and horizontal.uneven is None and vertical.uneven is None:
        run, rise = (across - across[0]) * horizontal.step, (up - up[0]) * vertical.step
        units = "" if horizontal.units == "index" else horizontal.units
        return with_units("distance", units), np.hypot(run, rise)
    is_steep = np.ptp(up) > np.ptp(across)
    axis, found = (vertical, up) if is_steep else (horizontal, across)
    return axis.label, np.array([axis.coordinate(int(index)) for index in found])
