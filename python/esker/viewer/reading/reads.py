"""Which level and box the visible part of a picture needs, and in which order: coarse first.

choose_view (Field.view) decides, with a camera that looks along the normal of the plane: it returns the coarsest level whose
samples are at most a pixel apart. A picture takes two reads: an overview of the whole plane at a coarse level, then the
visible part at the level it needs. The overview stays below the visible part, so a plane that is panned is never blank. If
the visible part has few samples, the overview follows it.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from esker.base.boxes import Box
from esker.dataset.field import Field
from esker.dataset.viewing import Camera
from esker.plot.levels import finest_level, shape_at
from esker.viewer.scenes.axes import Axis, Plane
from esker.viewer.scenes.session import Scene, Window

OVERVIEW_SAMPLES = 1 << 16
"""Of the plane, at most: 256 kB of float32, and 1/12 of the samples of a screen of 1024 x 768."""
OVERVIEW_SHARE = 0.4
"""Of the samples of a detail, at most, for an overview that comes first."""
MAX_SAMPLES = 1 << 24
"""Of one answer; each component counts."""
SAMPLES_PER_PIXEL = 4
"""At most, where the axes have different resolutions and choose_view asks for the finer one."""
_MIN_WIDTH = 1e-6
"""Of a window, in samples: narrower ones are read as if they were so wide."""
RANGE_SAMPLES = 1 << 18
"""Of a step, from which the range of the step is taken."""


class Subtrahend(NamedTuple):
    """What a difference subtracts."""

    dataset: int
    field: str
    step: int
    component: int | None
    place: int


@dataclass(frozen=True)
class Request:
    """One read of a plane. Equal requests have equal answers as long as the files do not change."""

    dataset: int
    field: str
    step: int
    component: int | None
    box: Box
    level: int
    bits: int | None
    normal: str = ""
    """The dimension along which the box holds one sample; "" for maps."""
    place: int = 0
    """The index along `normal` that was asked for; the box has the nearest one of the level."""
    stride: tuple[int, ...] | None = None
    """Of the samples, instead of a level."""
    minus: Subtrahend | None = None

    @property
    def resolution(self) -> tuple[int | None, tuple[int, ...] | None]:
        """Level and stride, as reads take them: one of both."""
        return (self.level, None) if self.stride is None else (None, self.stride)

    @property
    def plane(self) -> tuple[Any, ...]:
        """What all requests of one plane have in common, whatever their level and window."""
        return (
            self.dataset,
            self.field,
            self.step,
            self.component,
            self.bits,
            self.normal,
            self.place,
            self.minus,
        )


@dataclass(frozen=True)
class Plan:
    """The reads of one picture."""

    overview: Request
    detail: Request | None
    """None if the overview is fine enough."""
    note: str = ""
    """A sentence if the level is not the one that was asked for."""
    is_overview_small: bool = True
    """Against the detail. Else it would cost more time than it saves, and follows the detail."""
    is_whole: bool = False
    """The detail covers the plane: nothing of the overview is seen below it."""

    @property
    def stages(self) -> tuple[Request, ...]:
        """The reads until the picture is complete, in order."""
        if self.detail is None:
            return (self.overview,)
        return (self.overview, self.detail) if self.is_overview_small else (self.detail,)

    @property
    def final(self) -> Request:
        """The read after which the picture is complete."""
        return self.detail or self.overview


def plan_of(field: Field, scene: Scene, plane: Plane, pixels: tuple[int, int]) -> Plan:
    """The reads of a fitted scene on a plot of `pixels` (width, height). Reads no samples.

    The level depends on the scene and the pixels alone, not on the picture before: a link shows the same picture.
    """
    whole = _visible(plane, None)
    visible = _visible(plane, scene.window)
    overview = _finest_within(field, scene, plane, whole, OVERVIEW_SAMPLES, field.max_level)
    wanted = scene.level
    if wanted is None:
        wanted = _level_for(field, scene, plane, pixels)
    most = MAX_SAMPLES // field.components
    if scene.level is None:
        most = min(most, SAMPLES_PER_PIXEL * math.prod(pixels))
    level = _finest_within(field, scene, plane, visible, most, wanted)
    note = ""
    if scene.level is not None and level < scene.level:
        note = (
            f"Level {scene.level} has more than {MAX_SAMPLES} samples in this window, the most that are sent; "
            f"shown is level {level}."
        )
    first = _request(field, scene, plane, whole, min(overview, level))
    if level <= overview:
        return Plan(first, None, note)
    detail = _request(field, scene, plane, visible, level)
    counts = [math.prod(shape_at(field, scene.step, one.box, one.level)) for one in (first, detail)]
    is_small = counts[0] <= OVERVIEW_SHARE * counts[1]
    return Plan(first, detail, note, is_small, visible == whole)


def box_request(field: Field, scene: Scene, plane: Plane) -> Request:
    """The window of a scene at its level, or at the finest level, as far as an answer may go."""
    visible = _visible(plane, scene.window)
    wanted = field.max_level if scene.level is None else scene.level
    level = _finest_within(field, scene, plane, visible, MAX_SAMPLES // field.components, wanted)
    return _request(field, scene, plane, visible, level)


def coarse_request(field: Field, scene: Scene, plane: Plane, most: int) -> Request:
    """The whole plane at the finest level with at most `most` samples."""
    whole = _visible(plane, None)
    return _request(
        field, scene, plane, whole, _finest_within(field, scene, plane, whole, most, field.max_level)
    )


def range_request(field: Field, scene: Scene, step: int) -> Request:
    """A coarse read of a whole step, for the range of its values."""
    most = RANGE_SAMPLES // field.components
    level = finest_level(field.max_level, lambda level: math.prod(shape_at(field, step, None, level)) <= most)
    return Request(scene.dataset, field.name, step, scene.component, field.box, level, scene.bits)


_Span = tuple[float, float]
"""First and last visible index, with fractions."""


def _visible(plane: Plane, window: Window | None) -> tuple[_Span, _Span]:
    """The indices in the window, along both axes; at least one sample of each."""
    left, right, bottom, top = window or plane.window
    return _span(plane.horizontal, left, right), _span(plane.vertical, bottom, top)


def _span(axis: Axis, low: float, high: float) -> _Span:
    ends = sorted((axis.index(low), axis.index(high)))
    first, last = (min(max(end, axis.lo), axis.hi - 1) for end in ends)
    return first, last


def _level_for(field: Field, scene: Scene, plane: Plane, pixels: tuple[int, int]) -> int:
    """What choose_view says of a camera in index space that sees the visible part of the plane."""
    matrix = np.zeros((4, 4))
    matrix[3, 3] = 1
    left, right, bottom, top = scene.window or plane.window
    for row, axis, low, high in ((0, plane.horizontal, left, right), (1, plane.vertical, bottom, top)):
        first, last = sorted((axis.index(low), axis.index(high)))
        width = max(last - first, _MIN_WIDTH)
        matrix[row, axis.number] = 2 / width
        matrix[row, 3] = -(first + last) / width
    if plane.normal is not None:
        matrix[2, plane.normal.number], matrix[2, 3] = 1, -scene.place
    shape = field.box[1]
    view = field.view(
        Camera(matrix, pixels),
        origin=[0.0] * len(shape),
        spacing=[1.0] * len(shape),
    )
    return field.max_level if view is None else view.level


def _finest_within(
    field: Field, scene: Scene, plane: Plane, visible: tuple[_Span, _Span], most: int, finest: int
) -> int:
    """The finest level up to `finest` with at most `most` samples in the visible part."""

    def fits(level: int) -> bool:
        box = _box(field, scene, plane, visible, level)
        return math.prod(shape_at(field, scene.step, box, level)) <= most

    return finest_level(finest, fits)


def _request(field: Field, scene: Scene, plane: Plane, visible: tuple[_Span, _Span], level: int) -> Request:
    box = _box(field, scene, plane, visible, level)
    step = 0 if field.fixed else scene.step
    found = Request(scene.dataset, field.name, step, scene.component, box, level, scene.bits)
    return dataclasses.replace(found, normal=scene.normal, place=scene.place)


def _box(field: Field, scene: Scene, plane: Plane, visible: tuple[_Span, _Span], level: int) -> Box:
    """The visible part with the next samples of the level on all sides, and the sample nearest to the place."""
    stride = field.select(scene.step, None, level).stride
    lo, hi = list(field.box[0]), list(field.box[1])
    for axis, (first, last) in zip((plane.horizontal, plane.vertical), visible):
        step = stride[axis.number]
        lo[axis.number] = max(axis.lo, math.floor(first / step) * step)
        hi[axis.number] = min(axis.hi, math.ceil(last / step) * step + 1)
    if plane.normal is not None:
        place = nearest_place(plane.normal, scene.place, stride[plane.normal.number])
        lo[plane.normal.number], hi[plane.normal.number] = place, place + 1
    return tuple(lo), tuple(hi)


def nearest_place(axis: Axis, place: int, stride: int) -> int:
    """The index nearest to `place` that has samples at a stride: a multiple of it within the axis."""
    lowest = math.ceil(axis.lo / stride) * stride
    highest = (axis.hi - 1) // stride * stride
    if lowest > highest:
        return place
    return min(max(round(place / stride) * stride, lowest), highest)
