"""Charts of a field: a histogram of its values, and their range over time.

Both read the coarsest level that has at least MAX_SAMPLES samples in the box, so their cost does not grow
with the field.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.dataset.decoding import scalars
from esker.dataset.field import Field
from esker.plot.labels import field_label, time_label
from esker.plot.levels import coarsest_level, shape_at
from esker.plot.planes import wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SAMPLES = 1 << 20
"""More samples would not change the chart visibly."""
_DPI = 100
_SIZE = (9, 5)
"""Inches."""
_FONT_PX = 10 / 72 * _DPI


@dataclass(frozen=True)
class Histogram:
    """Number of samples in each bin between `edges`."""

    field: Field
    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    level: int


@dataclass(frozen=True)
class Series:
    """Minimum, mean and maximum at each step; all three are equal for a single sample."""

    field: Field
    times: NDArray[np.float64]
    minimum: NDArray[np.float64]
    mean: NDArray[np.float64]
    maximum: NDArray[np.float64]
    level: int

    @property
    def least(self) -> NDArray[np.float64]:
        """Deprecated name of `minimum`."""
        warnings.warn("Series.least is called minimum now", DeprecationWarning, stacklevel=2)
        return self.minimum

    @property
    def greatest(self) -> NDArray[np.float64]:
        """Deprecated name of `maximum`."""
        warnings.warn("Series.greatest is called maximum now", DeprecationWarning, stacklevel=2)
        return self.maximum


def read_histogram(
    field: Field,
    step: int = -1,
    level: int | None = None,
    box: Box | None = None,
    component: int | None = None,
    bins: int = 100,
) -> Histogram:
    """Counts the values of a step, ignoring missing ones.

    level, box: as in Field.read; level None: a level with about MAX_SAMPLES samples
    component:  of a field with several; None: the length of the vectors
    """
    level = _level(field, step, box) if level is None else level
    values = scalars(field, field.read(step, box, level), component).compressed()
    counts, edges = np.histogram(values.astype(np.float64), bins)
    return Histogram(field, edges, counts, level)


def read_series(
    field: Field,
    level: int | None = None,
    box: Box | None = None,
    component: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Series:
    """Reads each step at which the field was written; arguments as for read_histogram()."""
    steps = [s for s in range(len(field.dataset.steps)) if field.has(s)]
    if field.fixed or not steps:
        raise ValueError(f"{field.name}: expected a field with time steps, found a fixed or unwritten one")
    level = _level(field, steps[0], box) if level is None else level
    rows = []
    for number, step in enumerate(steps):
        values = scalars(field, field.read(step, box, level), component).compressed().astype(np.float64)
        if values.size == 0:
            rows.append((np.nan, np.nan, np.nan))
        else:
            rows.append((values.min(), values.mean(), values.max()))
        if progress:
            progress((number + 1) / len(steps))
    minimum, mean, maximum = np.array(rows).T
    times = np.array([field.dataset.steps[step] for step in steps])
    return Series(field, times, minimum, mean, maximum, level)


def draw_histogram(histogram: Histogram, *, log: bool = False) -> Figure:
    """The histogram as a step plot; `log`: logarithmic counts."""
    figure, axes = _figure(histogram.field, histogram.level)
    axes.stairs(histogram.counts, histogram.edges, fill=True)
    axes.set(
        xlabel=wrapped(field_label(histogram.field), _SIZE[0] * _DPI, _FONT_PX), ylabel="number of samples"
    )
    if log:
        axes.set_yscale("log")
    return figure


def draw_series(series: Series, *, log: bool = False) -> Figure:
    """The mean as a line, the range from minimum to maximum as a band; `log`: logarithmic values."""
    figure, axes = _figure(series.field, series.level)
    if not np.array_equal(series.minimum, series.maximum, equal_nan=True):
        axes.fill_between(
            series.times, series.minimum, series.maximum, alpha=0.25, label="minimum to maximum"
        )
        axes.plot(series.times, series.mean, marker=".", label="mean")
        axes.legend()
    else:
        axes.plot(series.times, series.mean, marker=".")
    axes.set_xlabel(time_label(series.field.dataset))
    axes.set_ylabel(wrapped(field_label(series.field), _SIZE[1] * _DPI, _FONT_PX))
    if log:
        axes.set_yscale("log")
    return figure


def _level(field: Field, step: int, box: Box | None) -> int:
    return coarsest_level(
        field.max_level, lambda level: math.prod(shape_at(field, step, box, level)) >= MAX_SAMPLES
    )


def _figure(field: Field, level: int) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(f"{field.name}, level {level} of {field.max_level}", fontsize=10)
    axes.grid(alpha=0.3)
    return figure, axes
