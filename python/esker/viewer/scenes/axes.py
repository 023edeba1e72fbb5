"""An axis of a picture: from indices of samples to drawn coordinates, and back.

A cell is drawn around each sample. Coordinates that are evenly spaced are drawn as they are. Others are drawn evenly, at
their indices, and the labels of the axis are their coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.units import with_units
from esker.dataset.field import Field
from esker.plot.labels import shown_units
from esker.plot.planes import axis_number
from esker.viewer.scenes.session import Scene, Window

_MAX_UNEVENNESS = 1e-3
"""Of the spacing: rounded coordinates count as evenly spaced."""
_MAX_MAP_RATIO = 12
"""Maps that are longer in relation to their width are not drawn to scale."""


@dataclass(frozen=True)
class Axis:
    """The samples lo <= i < hi of a dimension, drawn at first + (i - lo) * step."""

    dim: str
    number: int
    """Position in boxes (x first)."""
    lo: int
    hi: int
    first: float
    step: float
    """Negative if the coordinates decrease."""
    units: str
    """ "index" without coordinates; "" if their units are unknown."""
    uneven: NDArray[np.float64] | None = None
    """The coordinates of all samples, if they are not evenly spaced; drawn are the indices then."""

    @property
    def label(self) -> str:
        return with_units(self.dim, self.units)

    @property
    def span(self) -> tuple[float, float]:
        """The lower and upper edge of all cells."""
        return self.edges(self.lo, 1, self.hi - self.lo)

    def edges(self, first: int, stride: int, count: int) -> tuple[float, float]:
        """The lower and upper edge of the cells of `count` samples from index `first` on."""
        half = stride * self.step / 2
        ends = self.at(first) - half, self.at(first + (count - 1) * stride) + half
        return min(ends), max(ends)

    def at(self, index: float) -> float:
        """The drawn coordinate of an index."""
        return self.first + (index - self.lo) * self.step

    def index(self, drawn: float) -> float:
        """The index, with fractions, at a drawn coordinate."""
        return (drawn - self.first) / self.step + self.lo

    def coordinate(self, index: int) -> float:
        """The coordinate of a sample, in `units`."""
        return self.at(index) if self.uneven is None else float(self.uneven[index - self.lo])


def axis_of(field: Field, dim: str) -> Axis:
    """The axis of a dimension of a field."""
    number = axis_number(field, dim)
    lo, hi = field.box[0][number], field.box[1][number]
    values = field.grid.coords.get(dim)
    if values is None:
        return Axis(dim, number, lo, hi, float(lo), 1.0, "index")
    coords = np.asarray(values[lo:hi], dtype=np.float64)
    units, factor = shown_units(field, dim, coords)
    coords = coords * factor
    if not _even(coords):
        return Axis(dim, number, lo, hi, float(lo), 1.0, units, coords)
    step = (coords[-1] - coords[0]) / (len(coords) - 1) if len(coords) > 1 else 1.0
    return Axis(dim, number, lo, hi, float(coords[0]), float(step), units)


def _even(coords: NDArray[Any]) -> bool:
    """Whether all are nearly on a straight line, and not the same."""
    if not np.isfinite(coords).all():
        return False
    if len(coords) < 2:
        return True
    line = np.linspace(coords[0], coords[-1], len(coords))
    step = abs(coords[-1] - coords[0]) / (len(coords) - 1)
    return bool(step > 0 and np.abs(coords - line).max() <= _MAX_UNEVENNESS * step)


@dataclass(frozen=True)
class Plane:
    """The axes of a picture."""

    horizontal: Axis
    vertical: Axis
    normal: Axis | None
    """The axis along which a plane of a 3-D field is placed."""
    to_scale: bool
    """Whether both axes have the same scale: horizontal maps that are not too narrow."""

    @property
    def window(self) -> Window:
        """All of it."""
        return (*self.horizontal.span, *self.vertical.span)

    def fitting(self, pixels: tuple[int, int]) -> Window:
        """All of it, with room on two sides if both axes have the same scale."""
        left, right, bottom, top = self.window
        if self.to_scale:
            scale = max((right - left) / pixels[0], (top - bottom) / pixels[1])
            across = (scale * pixels[0] - (right - left)) / 2
            up = (scale * pixels[1] - (top - bottom)) / 2
            left, right, bottom, top = left - across, right + across, bottom - up, top + up
        return left, right, bottom, top

    def has(self, index: Sequence[int], window: Window) -> bool:
        """Whether the middle of a sample is in a window."""
        across, up = (axis.at(index[axis.number]) for axis in (self.horizontal, self.vertical))
        return window[0] <= across <= window[1] and window[2] <= up <= window[3]

    def is_like(self, other: Plane) -> bool:
        """Whether both have the same axes, so that a window of one is one of the other."""
        return all(
            (mine.dim, mine.lo, mine.hi, mine.first, mine.step)
            == (its.dim, its.lo, its.hi, its.first, its.step)
            for mine, its in ((self.horizontal, other.horizontal), (self.vertical, other.vertical))
        )


def plane_of(field: Field, scene: Scene) -> Plane:
    """The axes of a fitted scene: the faster dimension is drawn from left to right."""
    dims = list(field.grid.dims)
    vertical, horizontal = (axis_of(field, dim) for dim in dims if dim != scene.normal)
    normal = axis_of(field, scene.normal) if scene.normal else None
    is_map = len(dims) == 2 or scene.normal == dims[0]
    return Plane(horizontal, vertical, normal, is_map and _same_scale(horizontal, vertical))


def _same_scale(horizontal: Axis, vertical: Axis) -> bool:
    if horizontal.uneven is not None or vertical.uneven is not None or horizontal.units != vertical.units:
        return False
    spans = [high - low for low, high in (horizontal.span, vertical.span)]
    return max(spans) <= _MAX_MAP_RATIO * min(spans)
