"""Movies: the pictures of a plane at several steps, with the same colors.

>>> import numpy as np
>>> import esker
>>> with esker.Writer("run.idx", dims={"x": 30, "y": 20}) as writer:
...     field = writer.field("thk", "f4", units="m")
...     for number in range(3):
...         with writer.step(float(number)) as step:
...             step.put(field, np.full((20, 30), number, "f4"))
>>> movie = Movie(esker.open("run.idx")["thk"], steps=[0, 1, 2])
>>> colors = range_of(movie)
>>> colors.low, colors.high, colors.source
(0.0, 2.0, 'range of 3 steps')
>>> [picture.shape[2] for picture in pictures(movie, colors)]
[3, 3, 3]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from esker.dataset.field import Field
from esker.plot.color_ends import drawn_ends
from esker.plot.planes import (
    Coordinate,
    Plane,
    drawn_values,
    figure,
    level_within,
    picture_level,
    read_plane,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RANGE_SAMPLES = 1 << 16
"""Of a step, at most, from which the range of the colors is taken."""

_FONT_SIZE = 9
_MAX_LAYOUTS = 6

Picture = NDArray[np.uint8]
"""Rows from top to bottom, columns, and red, green, blue."""


@dataclass(frozen=True)
class Movie:
    """What a movie shows. The arguments are those of read_plane()."""

    field: Field
    steps: Sequence[int]
    """Positions in Dataset.steps; the field is written at all of them."""
    level: int | None = None
    section: tuple[str, int | Coordinate] | None = None
    component: int | None = None
    log: bool = False
    cmap: str = "viridis"

    def plane(self, step: int, level: int | None) -> Plane:
        """The samples of one picture."""
        return read_plane(self.field, step, level, self.section, None, self.component)


@dataclass(frozen=True)
class ColorRange:
    """The values at the ends of the colors, and where they come from."""

    low: float
    high: float
    source: str


def written_steps(field: Field, steps: slice = slice(None)) -> list[int]:
    """The positions in Dataset.steps at which a field was written, of those that a slice selects. Raises ValueError
    without any."""
    if field.fixed:
        raise ValueError(f"{field.name}: the field is fixed, so it has one picture; use `esker plot`")
    found = [step for step in range(len(field.dataset.steps))[steps] if field.has(step)]
    if not found:
        raise ValueError(
            f"{field.name}: not written at any of the selected steps; the dataset has {len(field.dataset.steps)}"
        )
    return found


def range_of(movie: Movie, update: Callable[[float], object] = lambda done: None) -> ColorRange:
    """The least and greatest finite value of all steps, read at a coarse level if the plane has many samples.

    With logarithmic colors, of the values above 0. Calls update() with the fraction done. Raises ValueError without any
    value.
    """
    level = movie.level
    if level is None:
        level = picture_level(movie.field, movie.steps[0], movie.section)
    level = level_within(movie.field, movie.steps[0], movie.section, level, RANGE_SAMPLES)
    ends: list[float] = []
    for number, step in enumerate(movie.steps):
        values = drawn_values(movie.plane(step, level), log=movie.log).compressed()
        if values.size:
            ends += float(values.min()), float(values.max())
        update((number + 1) / len(movie.steps))
    if not ends:
        above = " above 0" if movie.log else ""
        raise ValueError(f"{movie.field.name}: the selected steps have no finite value{above}")
    count = len(movie.steps)
    read = f"range of {count} step{'s' if count > 1 else ''}"
    coarse = "" if level == movie.field.max_level else f" at level {level} of {movie.field.max_level}"
    return ColorRange(*drawn_ends(min(ends), max(ends), log=movie.log), read + coarse)


def given_range(low: float, high: float, log: bool) -> ColorRange:
    """A range that is drawn as it is. Raises ValueError if its colors cannot be logarithmic."""
    if log and low <= 0:
        raise ValueError(f"expected a range above 0 for logarithmic colors, found {low:g}:{high:g}")
    return ColorRange(low, high, "given")


def pictures(movie: Movie, colors: ColorRange) -> Iterator[Picture]:
    """One picture for each step, all of the same size."""
    drawing: _Drawing | None = None
    level = movie.level
    for step in movie.steps:
        plane = movie.plane(step, level)
        level = plane.level
        if drawing is None:
            drawing = _Drawing(movie, colors, plane)
        yield drawing.picture(plane)


class _Drawing:
    """A figure whose values and title change."""

    def __init__(self, movie: Movie, colors: ColorRange, plane: Plane) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self._log = movie.log
        self._figure: Figure = figure(plane, log=movie.log, cmap=movie.cmap, norm=_norm(colors, movie.log))
        self._canvas = FigureCanvasAgg(self._figure)
        self._axes = self._figure.axes[0]
        self._write_below(f"colors from {colors.low:.6g} to {colors.high:.6g}: {colors.source}")
        self._lay_out()

    def _write_below(self, text: str) -> None:
        """Adds room for a text below the axes."""
        font_px = _FONT_SIZE / 72 * self._figure.dpi
        text = wrapped(text, self._figure.bbox.width, font_px)
        room = 1.5 * font_px * (text.count("\n") + 1)
        width, height = self._figure.get_size_inches()
        height += room / self._figure.dpi
        self._figure.set_size_inches(width, height)
        share = room / (height * self._figure.dpi)
        self._figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
        self._figure.text(0.5, share / 4, text, fontsize=_FONT_SIZE, ha="center", va="bottom").set_in_layout(
            False
        )

    def _lay_out(self) -> None:
        """Draws until the axes stay where they are: matplotlib makes room for what it drew the time before."""
        place = None
        for _ in range(_MAX_LAYOUTS):
            self._canvas.draw()
            if place is not None and np.allclose(self._axes.get_position().bounds, place, atol=1e-3):
                break
            place = self._axes.get_position().bounds
        self._figure.set_layout_engine("none")
        bar = self._figure.axes[1]
        across, up = bar.get_position(), self._axes.get_position()
        bar.set_position((across.x0, up.y0, across.width, up.height))  # as high as the axes

    def picture(self, plane: Plane) -> Picture:
        self._axes.collections[0].set_array(drawn_values(plane, log=self._log))
        self._axes.title.set_text(plane.title)
        self._canvas.draw()
        return np.array(self._canvas.buffer_rgba())[..., :3]


def _norm(colors: ColorRange, log: bool) -> Any:
    from matplotlib.colors import LogNorm, Normalize

    return (LogNorm if log else Normalize)(colors.low, colors.high)
