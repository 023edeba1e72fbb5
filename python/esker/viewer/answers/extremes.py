"""Where and when a field has its least and its greatest value: all steps, at the finest level, piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from esker.base.counts import size_text
from esker.base.pieces import boxes
from esker.viewer.answers.pointing import where_of
from esker.viewer.answers.texts import number, step_text
from esker.viewer.reading.reads import Request
from esker.viewer.reading.samples import Index, extremes_of, read_samples
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.session import written_steps

PIECE_BYTES = 8 << 20
"""Of stored samples that are in memory at once; NumPy needs a few times as much."""


@dataclass(frozen=True)
class Extreme:
    """A value, and where it is: the first sample that has it."""

    value: float
    step: int
    index: Index


@dataclass(frozen=True)
class Extremes:
    """What some pieces have; least and greatest are None without a finite value."""

    least: Extreme | None = None
    greatest: Extreme | None = None
    nbytes: int = 0
    error: str = ""
    """The first reason why samples could not be read."""

    def joined(self, other: Extremes) -> Extremes:
        """Those of both; of equal values that of the first."""
        least = [one for one in (self.least, other.least) if one]
        greatest = [one for one in (self.greatest, other.greatest) if one]
        return Extremes(
            min(least, key=lambda one: one.value, default=None),
            max(greatest, key=lambda one: one.value, default=None),
            self.nbytes + other.nbytes,
            self.error or other.error,
        )


def requests_of(source: Source) -> list[Request]:
    """The reads of all samples at all steps, in order."""
    field, scene = source.field, source.scene
    parts = list(boxes(field.box, field.dtype.itemsize * field.components, PIECE_BYTES))
    steps = [0] if field.fixed else written_steps(field)
    return [
        Request(scene.dataset, field.name, step, scene.component, box, field.max_level, scene.bits)
        for step in steps
        for box in parts
    ]


def read(source: Source, request: Request, is_wanted: Callable[[], bool]) -> Extremes:
    """The extremes of one of these reads. Raises Stale, OSError, ValueError."""
    found = read_samples(source.field, request, is_wanted)
    selection = source.field.select(request.step, request.box, request.level)
    ends = extremes_of(found.values, selection.origin, selection.stride)
    if ends is None:
        return Extremes(nbytes=found.nbytes, error=found.error)
    least, greatest = (Extreme(value, request.step, index) for value, index in ends)
    return Extremes(least, greatest, found.nbytes, found.error)


def progress_text(source: Source, found: Extremes, count: int, total: int) -> str:
    """What is known while the search goes on."""
    least, greatest = found.least, found.greatest
    so_far = f"; so far {number(least.value)} to {number(greatest.value)}" if least and greatest else ""
    name = source.field.name
    return f"reading all of {name}: {100 * count // total} %, {size_text(found.nbytes)}{so_far}; Escape ends this"


def text(source: Source, found: Extremes) -> str:
    """The answer: both values, where and when."""
    lost = f"; some samples could not be read: {found.error}" if found.error else ""
    if found.least is None or found.greatest is None:
        return f"{source.field.name} has no finite value{lost}"
    ends = (("least", found.least), ("greatest", found.greatest))
    return "; ".join(f"{name} {_extreme_text(source, one)}" for name, one in ends) + lost


def _extreme_text(source: Source, one: Extreme) -> str:
    value = f"{number(one.value)} {source.units}".rstrip()
    when = "" if source.field.fixed else f", {step_text(source.field, source.scene.but(step=one.step))}"
    return f"{value} at {where_of(one.index, source.plane)}{when}"
