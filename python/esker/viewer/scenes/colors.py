"""Palettes and the range of the colors."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from esker.plot.color_ends import drawn_ends
from esker.viewer.scenes.session import Scene

SEQUENTIAL = ("viridis", "magma", "inferno", "plasma", "cividis")
"""matplotlib's perceptually uniform color maps."""
DIVERGING = ("RdBu_r", "PuOr", "BrBG", "coolwarm")
OTHERS = ("gray", "turbo", "terrain")
PALETTES = (*SEQUENTIAL, *DIVERGING, *OTHERS)
COLORS = 256

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
    elif scene.zero:
        high = max(abs(low), abs(high))
        low = -high
    if not low < high:
        note = note or f"All values are {low:.6g}."
    elif scene.range == "hand" and low > 0:
        return Coloring(low, high, source, note)
    return Coloring(*drawn_ends(low, high, log=scene.log), source, note)
