"""The charts next to the picture: series and profile of a sample, histogram of a box."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import Column, ColumnDataSource, PlainText, Plot
from bokeh.plotting import figure

from esker.viewer.answers.asking import Line, Statistics

_SIZE = {"width": 300, "height": 210}
_SMALL = {"width": 226, "height": 165}
"""Below the controls, if there are several views."""
_MAX_MARKED = 60
"""Samples that are marked one by one."""


class Charts:
    """Two charts; each is hidden while it has no answer."""

    def __init__(self) -> None:
        self._first, self._second, self._bars = (_chart() for _ in range(3))
        self._lines = [_line(chart) for chart in (self._first, self._second)]
        self._histogram = ColumnDataSource({"left": [], "right": [], "top": []})
        self._bars.quad(
            left="left", right="right", top="top", bottom=0, source=self._histogram, line_color="#ffffff"
        )
        self.column = Column(self._first, self._second, self._bars, name="charts")

    @property
    def _all(self) -> tuple[Any, ...]:
        return self._first, self._second, self._bars

    def look(self, *, dark: bool, small: bool) -> None:
        """Sets the colors for a dark or a light screen, and the size."""
        paper, ink, lines = ("#16191c", "#e6e8ea", "#3a4046") if dark else ("#ffffff", "#202428", "#e5e5e5")
        for chart in self._all:
            chart.update(background_fill_color=paper, border_fill_color=paper, **(_SMALL if small else _SIZE))
            color_axes(chart, ink)
            chart.grid.grid_line_color = lines

    def clear(self) -> None:
        """Hides all."""
        for chart in self._all:
            chart.visible = False

    def show_lines(self, over_time: Line | None, upwards: Line | None, value: str) -> None:
        """Shows a series over time, and a profile with its axis upwards."""
        self.clear()
        if over_time is not None:
            self._draw(0, self._first, over_time.at, over_time.values, over_time.label, value)
        if upwards is not None:
            self._draw(1, self._second, upwards.values, upwards.at, value, upwards.label)

    def show_histogram(self, found: Statistics, value: str) -> None:
        """Shows the histogram of a box."""
        self.clear()
        edges = found.edges
        self._histogram.data = {"left": edges[:-1], "right": edges[1:], "top": found.counts}
        _label(self._bars, value, "samples")
        self._bars.visible = True

    def _draw(self, number: int, chart: Plot, x: Any, y: Any, across: str, up: str) -> None:
        self._lines[number].data = {"x": np.asarray(x), "y": np.asarray(y)}
        chart.renderers[1].visible = len(x) <= _MAX_MARKED
        _label(chart, across, up)
        chart.visible = True


def _chart() -> Any:
    chart = figure(**_SIZE, tools="", toolbar_location=None, visible=False)
    chart.axis.axis_label_text_font_style = "normal"
    chart.axis.axis_label_text_font_size = "11px"
    chart.xaxis.ticker.desired_num_ticks = 4
    return chart


def color_axes(drawn: Plot, ink: str) -> None:
    """Sets the color of texts and lines of all axes."""
    for axis in (*drawn.xaxis, *drawn.yaxis):
        axis.update(axis_label_text_color=ink, major_label_text_color=ink, axis_line_color=ink)
        axis.update(major_tick_line_color=ink, minor_tick_line_color=ink)


def _line(chart: Any) -> ColumnDataSource:
    source = ColumnDataSource({"x": [], "y": []})
    chart.line("x", "y", source=source, line_width=2)
    chart.scatter("x", "y", source=source, size=5)
    return source


def _label(chart: Any, across: str, up: str) -> None:
    chart.xaxis[0].axis_label = PlainText(text=across)
    chart.yaxis[0].axis_label = PlainText(text=up)
