"""Palettes and the range of the colors."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from esker.viewer.scenes.session import Scene

SEQUENTIAL = ("viridis", "magma", "inferno", "plasma", "cividis")
"""matplotlib's perceptually uniform color maps."""
DIVERGING = ("RdBu_r", "PuOr", "BrBG", "coolwarm")
OTHERS = ("gray", "turbo", "terrain")
PALETTES = (*SEQUENTIAL, *DIVERGING, *OTHERS)
COLORS = 256
LOG_DECADES = 4
"""Logarithmic colors cover these below the largest value."""

Range = tuple[float, float]


@functools.cache
def palette(name: str, reverse: bool) -> list[str]:
    """The colors of one of matplotlib's color maps, from low to high."""
    import matplotlib
    from matplotlib.colors import to_hex

    colors = [to_hex(color) for color in matplotlib.colormaps[name].resampled(COLORS)(range(COLORS))]
    return colors[::-1] if reverse else colors


@dataclass(frozen=True)
class Coloring:
    """The ends of the colors, with a sentence on where they come from."""

    low: float
    high: float
    source: str
    note: str = ""
    """A sentence if the colors say less than one may think."""


def coloring(scene: Scene, found: Range | None, source: str) -> Coloring:
    """The ends for a range of values that was found, or None without a finite value."""
    if scene.range == "hand":
        found, source = (scene.low, scene.high), "given by hand"
    if found is None:
        return Coloring(
            1.0 if scene.log else 0.0, 10.0 if scene.log else 1.0, source, "There is no finite value."
        )
    low, high = found
    note = ""
    if scene.log:
        if high <= 0:
            return Coloring(1.0, 10.0, source, "No value is above 0, so logarithmic colors show nothing.")
        if low <= 0:
            note = "Values of 0 and less have no logarithm; they are hatched."
        floor = high * 10.0**-LOG_DECADES
        low = low if scene.range == "hand" and low > 0 else max(low, floor)
    elif scene.zero:
        high = max(abs(low), abs(high))
        low = -high
    if not low < high:
        note = note or f"All values are {low:.6g}."
        low, high = _around(low, scene.log)
    return Coloring(low, high, source, note)


def _around(value: float, log: bool) -> Range:
    """A range around a single value."""
    if log:
        return value / 10**0.5, value * 10**0.5
    half = max(abs(value) / 2, math.ulp(abs(value)) * COLORS, 0.5 if value == 0 else 0)
    return value - half, value + half
