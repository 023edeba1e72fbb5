"""What the page of volumes shows, as a value, and the reads that it needs: which box, which levels, coarse first.

A volume is all samples of a box of a field with three axes at one level. It is drawn whole, so the number of its samples is
bounded: a box that has more is read at a coarser level, and the page says so. Nothing here reads samples.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from esker.base.boxes import Box
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.plot.levels import coarsest_level, finest_level, shape_at
from esker.viewer.reading.reads import Request
from esker.viewer.scenes.axes import Axis, axis_of
from esker.viewer.scenes.colors import PALETTES
from esker.viewer.scenes.session import (
    MAX_LINK,
    Scene,
    finite_number,
    query_of,
    read_parameters,
    scene_of,
    shown_fields,
)

MODES = {
    "maximum": "maximum projection",
    "minimum": "minimum projection",
    "composite": "compositing",
    "surface": "isosurface",
}
RAMPS = {
    "rising": "high values",
    "falling": "low values",
    "even": "all values alike",
}
"""How the opacity of a composited sample follows from its value."""
FIRST_SAMPLES = 1 << 15
"""Of the first, coarse picture: 32^3."""
USUAL_SAMPLES = 1 << 21
"""Of a volume whose level is chosen automatically: 128^3."""
MAX_SAMPLES = 1 << 24
"""Of a volume whose level is chosen by hand: 256^3."""
MAX_EXTENT = 512
"""Samples along an axis; WebGL 2 promises textures of 256, and the page tells what there is."""
_MAX_RATIO = 12
"""Boxes that are longer in relation to their shortest side are not drawn to scale."""
_FLAT = 0.5
"""The height of a box that is not drawn to scale, in relation to its longer side."""


@dataclass(frozen=True)
class Volume:
    """What is shown. The parts of `scene` that belong to planes are kept for the link back."""

    scene: Scene
    mode: str = "maximum"
    ramp: str = "rising"
    opacity: float = 0.3
    """Of a composited sample, at most."""
    value: float | None = None
    """Of the isosurface; None: the middle of the range of the colors."""
    box: Box | None = None
    """Indices, x first; None: the whole field."""


@dataclass(frozen=True)
class Plan:
    """The reads of one volume, coarse first."""

    requests: tuple[Request, ...]
    note: str = ""
    """A sentence if a finer level exists, and why it is not read."""


def why_no_volume(field: Field) -> str:
    """A sentence if a field has no volume, or ""."""
    axes = len(field.grid.dims)
    return "" if axes == 3 else f"{field.name} has {axes} axes; a volume needs 3"


def volume_fields(dataset: Dataset) -> list[str]:
    """The fields of a dataset that are shown as volumes."""
    return [name for name in shown_fields(dataset) if not why_no_volume(dataset.fields[name])]


def volume_of(query: Mapping[str, str], datasets: Sequence[Dataset]) -> tuple[Volume, list[str]]:
    """What a link's parameters show, fitted to the datasets, and sentences about what was replaced.

    The field is "" if the dataset has none with three axes.
    """
    scene, notes = scene_of(query, datasets, PALETTES)
    names = volume_fields(datasets[scene.dataset])
    if not names:
        return Volume(scene.but(field="")), notes
    if scene.field not in names:
        notes.append(f"{why_no_volume(datasets[scene.dataset].fields[scene.field])}; shown is {names[0]}.")
        kept = {**query_of(scene), "field": names[0]}
        scene, _ = scene_of(kept, datasets, PALETTES)
    known = query if sum(map(len, query.values())) <= MAX_LINK else {}
    given, more = read_parameters(known, _READERS)
    found = Volume(scene, **given)
    field = datasets[scene.dataset].fields[scene.field]
    return dataclasses.replace(found, box=_fitted_box(found.box, field)), notes + more


def _choice(text: str, known: Mapping[str, str]) -> str:
    if text not in known:
        raise ValueError(text)
    return text


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number <= 1:
        raise ValueError(text)
    return number


def _box(text: str) -> Box:
    numbers = [int(part) for part in text.split(",")]
    lo, hi = tuple(numbers[0::2]), tuple(numbers[1::2])
    if len(numbers) != 6 or any(low >= high for low, high in zip(lo, hi)):
        raise ValueError(text)
    return lo, hi


_READERS = {
    "mode": (lambda text: _choice(text, MODES), ", ".join(MODES)),
    "ramp": (lambda text: _choice(text, RAMPS), ", ".join(RAMPS)),
    "opacity": (_share, "a number above 0, at most 1"),
    "value": (finite_number, "a number"),
    "box": (_box, "x0,x1,y0,y1,z0,z1, each end above its start"),
}


def _fitted_box(box: Box | None, field: Field) -> Box | None:
    """The part of a box inside the field; None if that is all of the field, or nothing."""
    if box is None:
        return None
    lo = tuple(max(one, least) for one, least in zip(box[0], field.box[0]))
    hi = tuple(min(one, most) for one, most in zip(box[1], field.box[1]))
    inside = all(low < high for low, high in zip(lo, hi))
    return (lo, hi) if inside and (lo, hi) != field.box else None


def plan_of(field: Field, volume: Volume, max_extent: int = MAX_EXTENT) -> Plan:
    """The reads of a volume: a coarse one, then the one that is asked for, or the finest that fits."""
    fixed = volume.scene.level
    most = MAX_SAMPLES // field.components
    if fixed is None:
        most = min(most, USUAL_SAMPLES)
    extent = max(2, min(max_extent, MAX_EXTENT))
    wanted = field.max_level if fixed is None else fixed
    last = _finest_within(field, volume, most, extent, wanted)
    first = _finest_within(field, volume, FIRST_SAMPLES, extent, last)
    levels = (last,) if first >= last else (first, last)
    return Plan(
        tuple(_request(field, volume, level) for level in levels), _note(field, volume, last, most, extent)
    )


def _note(field: Field, volume: Volume, level: int, most: int, extent: int) -> str:
    wanted = field.max_level if volume.scene.level is None else volume.scene.level
    if level >= wanted:
        return ""
    how = "A smaller box shows finer levels" if volume.scene.level is not None else (
        "A smaller box or another choice of the level shows finer ones"
    )  # fmt: skip
    return f"Level {level} is the finest with at most {most:,} samples, and {extent} along an axis. {how}."


def _finest_within(field: Field, volume: Volume, most: int, extent: int, finest: int) -> int:
    """The finest level up to `finest` that fits and has samples in the box; a finer one if none has samples there."""

    def has_samples(level: int) -> bool:
        return 0 not in _counts(field, volume, level)

    def fits(level: int) -> bool:
        counts = _counts(field, volume, level)
        return 0 < math.prod(counts) <= most and max(counts) <= extent

    found = finest_level(finest, fits)
    return found if has_samples(found) else coarsest_level(field.max_level, has_samples)


def _counts(field: Field, volume: Volume, level: int) -> tuple[int, ...]:
    return shape_at(field, volume.scene.step, _aligned(field, volume, level), level)


def _request(field: Field, volume: Volume, level: int) -> Request:
    scene = volume.scene
    step = 0 if field.fixed else scene.step
    box = _aligned(field, volume, level)
    return Request(scene.dataset, field.name, step, scene.component, box, level, scene.bits)


def _aligned(field: Field, volume: Volume, level: int) -> Box:
    """The box with the next samples of the level on all sides."""
    lo, hi = volume.box or field.box
    stride = field.select(volume.scene.step, None, level).stride
    return (
        tuple(max(least, low // step * step) for low, step, least in zip(lo, stride, field.box[0])),
        tuple(
            min(most, -(-(high - 1) // step) * step + 1) for high, step, most in zip(hi, stride, field.box[1])
        ),
    )


@dataclass(frozen=True)
class Frame:
    """The drawn box: its axes, x first, and the lengths of its sides; the longest is 1."""

    axes: tuple[Axis, ...]
    ends: tuple[tuple[int, int], ...]
    """First and last index of each axis."""
    sizes: tuple[float, ...]
    stretched: str = ""
    """A sentence if it is not drawn to scale."""

    def place(self, number: int, index: float) -> float:
        """Where an index of an axis is drawn: 0 at the lower coordinate."""
        first, last = self.ends[number]
        share = (index - first) / max(last - first, 1)
        return self.sizes[number] * (1 - share if self.axes[number].step < 0 else share)


def frame_of(field: Field, box: Box | None) -> Frame:
    """The frame of a box of a field."""
    axes = tuple(axis_of(field, dim) for dim in reversed(list(field.grid.dims)))
    lo, hi = box or field.box
    ends = tuple((low, high - 1) for low, high in zip(lo, hi))
    spans = [abs(axis.step) * max(last - first, 1) for axis, (first, last) in zip(axes, ends)]
    longest = max(spans)
    if not math.isfinite(longest):
        return Frame(axes, ends, (1.0, 1.0, _FLAT), "the axes have different scales")
    if _alike(axes) and longest <= _MAX_RATIO * min(spans):
        return Frame(axes, ends, tuple(span / longest for span in spans))
    across = max(spans[:2])
    if _alike(axes[:2]) and across <= _MAX_RATIO * min(spans[:2]):
        sizes = (spans[0] / across, spans[1] / across, _FLAT)
        by = f" {_FLAT * across / spans[2]:.3g} times" if _alike(axes) else ""
        return Frame(axes, ends, sizes, f"{axes[2].dim} is stretched{by}")
    return Frame(axes, ends, (1.0, 1.0, _FLAT), "the axes have different scales")


def _alike(axes: Sequence[Axis]) -> bool:
    """Whether axes have the same units, and even coordinates."""
    return all(axis.uneven is None and axis.units == axes[0].units for axis in axes)
