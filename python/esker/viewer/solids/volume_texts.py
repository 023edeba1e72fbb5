"""The sentences of the pages of volumes and globes. They are plain text; the page never makes HTML of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from esker.dataset.field import Field
from esker.plot.labels import time_text
from esker.viewer.answers.texts import coordinate_text, field_label, number, step_text
from esker.viewer.reading.samples import Index, Kind
from esker.viewer.scenes.session import Scene
from esker.viewer.solids.volume_samples import Codes, ends_by_hand
from esker.viewer.solids.volumes import MODES, Frame, Volume

KEYS = (
    ("Left, Right", "previous and next step"),
    ("Space", "play and stop"),
    ("W, A, S, D", "turn the volume up, left, down, right"),
    ("+, -", "nearer and farther"),
    ("0", "the first view"),
    ("X, Y, Z", "look along an axis"),
    ("M", "next mode: projections, compositing, isosurface"),
    ("Up, Down", "value of the isosurface, or opacity"),
    ("F", "next field"),
    ("C", "next component"),
    ("H", "follow new steps, from the last one on"),
    ("L", "logarithmic colors"),
    ("P", "next palette"),
    ("R", "reverse the palette"),
    ("[ and ]", "a coarser and a finer level; \\ chooses it automatically"),
    ("Escape", "close this list"),
    ("?", "this list"),
)
RANGES = {"view": "this picture", "hand": "by hand"}
"""What the colors cover; the range of all steps is that of planes alone."""
KIND_NAMES = {
    Kind.FILL: "fill value",
    Kind.NAN: "NaN",
    Kind.MISSING: "missing block",
    Kind.NO_LOGARITHM: "0 or less",
}
"""Samples that are transparent."""


def title(field: Field, volume: Volume) -> str:
    """Field and time: "temp, t = 30 years"."""
    return ", ".join(part for part in (field.name, time_text(field, volume.scene.step)) if part)


def labels(field: Field, frame: Frame) -> list[dict[str, str]]:
    """For each axis, x first: its name, and the coordinates of its lower and upper end as they are drawn."""
    found = []
    for axis, ends in zip(frame.axes, frame.ends):
        low, high = (f"{axis.coordinate(index) + 0.0:.6g}" for index in sorted(ends, key=axis.at))
        found.append({"name": axis.label, "low": low, "high": high})
    return found


def where(volume: Volume, frame: Frame) -> str:
    """The box that is shown, if it is not the whole field, and what is not drawn to scale."""
    parts = []
    if volume.box is not None:
        for axis, (first, last) in zip(frame.axes, frame.ends):
            parts.append(f"{axis.dim} {first} to {last}")
        parts = ["box of the indices " + ", ".join(parts)]
    if frame.stretched:
        parts.append(frame.stretched)
    uneven = [axis.dim for axis in frame.axes if axis.uneven is not None]
    if uneven:
        parts.append(f"drawn evenly, although its coordinates are not: {', '.join(uneven)}")
    return " · ".join(parts)


def kinds(counts: Mapping[Kind, int], size: int) -> str:
    """What is transparent: "transparent: NaN 12 %, fill value 3 samples"."""
    parts = [_amount(name, counts[kind], size) for kind, name in KIND_NAMES.items() if kind in counts]
    said = [f"transparent: {', '.join(parts)}"] if parts else []
    if Kind.COARSER in counts:
        name = "not stored at this level, drawn with coarser values:"
        said.append(_amount(name, counts[Kind.COARSER], size))
    return " · ".join(said)


def _amount(name: str, count: int, size: int) -> str:
    share = 100 * count / size
    return f"{name} {share:.0f} %" if share >= 1 else f"{name} {count} samples"


def alternative(field: Field, volume: Volume, frame: Frame, found: Codes) -> str:
    """The picture in words: field, step, mode, and where the extremes are."""
    said = f"{field_label(field, volume.scene.component)}. {step_text(field, volume.scene)}. {MODES[volume.mode]}. "
    if found.least is None or found.greatest is None:
        return said + "No sample of this volume has a finite value."
    ends = (("Least", found.least), ("greatest", found.greatest))
    told = "; ".join(
        f"{name} value {number(value)} at {_place(frame, index)}" for name, (value, index) in ends
    )
    return f"{said}{told}, at level {found.request.level}."


def sample_notes(
    error: str, is_finite: bool, log: bool, low: float, high: float, more: Sequence[str]
) -> list[str]:
    """Sentences about samples: what could not be read, and what the colors hide. `low` and `high` as in the codes."""
    said = [f"Some blocks could not be read: {error}"] if error else []
    if not is_finite:
        said.append("No value is above 0." if log else "There is no finite value.")
    elif low == high:
        said.append(f"All values are {number(10.0**low if log else low)}.")
    return said + list(more)


def color_values(scene: Scene) -> dict[str, Any]:
    """What is chosen of dataset, step and colors."""
    return {
        "dataset": str(scene.dataset),
        "step": scene.step,
        "follow": scene.follow,
        "palette": scene.palette,
        "reverse": scene.reverse,
        "log": scene.log,
        "range": scene.range if scene.range in RANGES else "view",
        "low": scene.low,
        "high": scene.high,
        "ends": ends_by_hand(scene)[0],
    }


def _place(frame: Frame, index: Index) -> str:
    return ", ".join(coordinate_text(axis, i) for axis, i in zip(frame.axes, index))
