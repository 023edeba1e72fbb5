"""A field as an image of several levels for other viewers: axes, levels, chunks, and the samples of a chunk.

The axes are t, c, and those of the grid, slowest first; fixed fields have no t, fields of one component no c. Level 0 has all
samples, and each next one at most half as many along all long axes. An axis whose coordinates decrease is turned around, because
viewers expect positive distances.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.fill_values import FILL_ATTRIBUTES, fill_values
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.dataset.selection import Selection, slowest_first
from esker.plot.planes import why_no_plane
from esker.viewer.reading.samples import Stale
from esker.viewer.scenes.axes import Axis, axis_of

CHUNK_SAMPLES = 1 << 18
"""Of a chunk, at most, components included: 2 MiB of float64."""
_COARSEST = 128
"""Samples along the longest axis of the coarsest level, at most, if the dataset has such a level."""

Counts = tuple[int, ...]


@dataclass(frozen=True)
class ImageLevel:
    """The samples of one level."""

    selection: Selection
    shape: Counts
    """In the order of the axes of the image."""
    chunks: Counts
    """Samples of a chunk along each axis."""

    def has_chunk(self, index: Counts) -> bool:
        """Whether a chunk has samples of the level."""
        return len(index) == len(self.shape) and all(
            0 <= number * size < count for number, size, count in zip(index, self.chunks, self.shape)
        )


class Pyramid:
    """A field as an image of several levels."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.space = [axis_of(field, dim) for dim in field.grid.dims]
        """The axes of the grid, slowest first."""
        taken = set(field.grid.dims)
        self.time = "" if field.fixed else _free(("t", "time", "step_time"), taken)
        """The name of the axis of the steps; "" for fixed fields."""
        self.channel = "" if field.components == 1 else _free(("c", "channel", "component"), taken)
        """The name of the axis of the components; "" for fields of one."""

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of all axes, slowest first."""
        return (*filter(None, (self.time, self.channel)), *self.field.grid.dims)

    @cached_property
    def fill(self) -> Any:
        """What chunks that are not stored hold: the fill value of the field, or else NaN, or 0 for integers."""
        for name in FILL_ATTRIBUTES:
            found = fill_values(self.field.attrs.get(name, []), self.field.dtype)
            if found.size:
                return found[0]
        return self.field.dtype.type(np.nan if self.field.dtype.kind == "f" else 0)

    @cached_property
    def levels(self) -> list[ImageLevel]:
        """From fine to coarse. Reads no samples."""
        return [self._level(selection) for selection in _halved(self.field, _first_step(self.field))]

    def coords(self, number: int, axis: Axis) -> NDArray[Any] | None:
        """The coordinates of a level along an axis of the grid, in the order of its samples; None without."""
        if axis.dim not in self.field.grid.coords:
            return None
        values = self.field.coords(axis.dim, None, self.levels[number].selection.level)
        return values[::-1] if axis.step < 0 else values

    def first(self, number: int, axis: Axis) -> int:
        """The index in the grid of the first sample of a level along an axis."""
        selection = self.levels[number].selection
        origin, stride = selection.origin[axis.number], selection.stride[axis.number]
        count = slowest_first(selection.shape[: len(self.space)])[axis.number]
        return origin + (count - 1) * stride if axis.step < 0 else origin

    def read(self, number: int, index: Counts, is_wanted: Callable[[], bool]) -> NDArray[Any] | None:
        """The samples of a chunk, filled up behind the last sample of an axis; None if the step has none.

        Raises Stale soon after is_wanted() turned False, OSError.
        """

        def go_on(_: float) -> None:
            if not is_wanted():
                raise Stale

        level, places = self.levels[number], index[-len(self.space) :]
        step = index[0] if self.time else 0
        if not self.field.has(step):
            return None
        go_on(0)
        spans = [self._span(level, axis, place) for axis, place in zip(self.space, places)]
        part = (
            tuple(slowest_first([span.start for span in spans])),
            tuple(slowest_first([span.stop for span in spans])),
        )
        box = level.selection.box_of(part)
        samples = self.field.read(step, box, level.selection.level, progress=go_on)
        samples = samples[tuple(slice(None, None, -1 if axis.step < 0 else 1) for axis in self.space)]
        if self.channel:
            samples = np.moveaxis(samples, -1, 0)
        chunk = np.full(level.chunks, self.fill, self.field.dtype.newbyteorder("<"))
        samples = samples[np.newaxis] if self.time else samples
        chunk[tuple(map(slice, samples.shape))] = samples
        return chunk

    def _span(self, level: ImageLevel, axis: Axis, place: int) -> slice:
        """The samples of a chunk along an axis, counted as in the field."""
        position = len(level.shape) - 1 - axis.number
        size, count = level.chunks[position], level.shape[position]
        start, stop = place * size, min(place * size + size, count)
        return slice(count - stop, count - start) if axis.step < 0 else slice(start, stop)

    def _level(self, selection: Selection) -> ImageLevel:
        counts = selection.shape[: len(self.space)]
        components = self.field.components
        steps = [len(self.field.dataset.steps)] if self.time else []
        channels = [components] if self.channel else []
        chunks = _chunks(counts, max(1, CHUNK_SAMPLES // components))
        return ImageLevel(selection, (*steps, *channels, *counts), (*[1] * len(steps), *channels, *chunks))


def is_image(field: Field) -> bool:
    """Whether a field is an image: if the viewer shows it, and a chunk can have all components of a sample."""
    return not why_no_plane(field) and field.components <= CHUNK_SAMPLES


def image_fields(dataset: Dataset) -> list[str]:
    """The fields of a dataset that are images."""
    return [name for name, field in dataset.fields.items() if is_image(field)]


def _free(names: tuple[str, ...], taken: set[str]) -> str:
    return next(name for name in names if name not in taken)


def _first_step(field: Field) -> int:
    return 0 if field.fixed else next(n for n in range(len(field.dataset.steps)) if field.has(n))


def _halved(field: Field, step: int) -> Iterator[Selection]:
    """The levels of the dataset that have at most half the samples of the one before along all long axes; the finest first.

    An axis is long if it has at least half as many samples as the longest one: the levels of a flat grid halve its short
    axis last.
    """
    axes = len(field.grid.dims)
    last = field.select(step)
    yield last
    for level in range(field.max_level - 1, -1, -1):
        counts = slowest_first(last.shape[:axes])
        if max(counts) <= _COARSEST:
            return
        found = field.select(step, None, level)
        if 0 in found.shape:
            return
        changes = zip(counts, found.stride, last.stride)
        if all(2 * count < max(counts) or new >= 2 * old for count, new, old in changes):
            last = found
            yield found


def _chunks(counts: Counts, most: int) -> Counts:
    """Extents of powers of two with at most `most` samples together, as equal as the axes allow."""
    sizes = [1] * len(counts)
    while True:
        longer = [a for a, count in enumerate(counts) if sizes[a] < count]
        if not longer or 2 * math.prod(sizes) > most:
            return tuple(sizes)
        sizes[min(longer, key=lambda a: (sizes[a], -a))] *= 2
