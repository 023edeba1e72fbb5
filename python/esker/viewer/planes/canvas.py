"""A figure of Bokeh with a picture: images, hatches, outlines, axes, color bar. Texts of datasets are PlainText, never HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import (
    BoxSelectTool,
    BoxZoomTool,
    ColorBar,
    ColumnDataSource,
    CustomJSTickFormatter,
    FreehandDrawTool,
    GlyphRenderer,
    Image,
    LinearColorMapper,
    LogColorMapper,
    MultiLine,
    PanTool,
    PlainText,
    Plot,
    Quad,
    Range1d,
    ResetTool,
    SaveTool,
    Scatter,
    WheelZoomTool,
)
from bokeh.models import Line as LineGlyph
from bokeh.models.mappers import ColorMapper
from bokeh.plotting import figure

from esker.viewer.planes.charts import color_axes
from esker.viewer.planes.hatching import rectangles
from esker.viewer.reading.outlines import NO_OUTLINES, Outlines
from esker.viewer.reading.samples import Kind, Picture
from esker.viewer.scenes.axes import Axis
from esker.viewer.scenes.colors import Coloring, palette
from esker.viewer.scenes.session import Scene, Window

HATCHES = {
    Kind.FILL: ("dot", "#7f7f7f", 0.25),
    Kind.NAN: ("diagonal_cross", "#7f7f7f", 0.25),
    Kind.MISSING: ("right_diagonal_line", "#c03030", 0.25),
    Kind.COARSER: ("horizontal_line", "#404040", 0.0),
    Kind.NO_LOGARITHM: ("vertical_line", "#7f7f7f", 0.25),
}
"""Pattern, color, and how much of the color fills the area."""
NO_VALUE = "#e4e4e4"
_MAX_LABELS = 2048
"""Coordinates that are sent for the labels of an uneven axis."""
_SELECTED, _SELECTED_DARK = "#1a6fd0", "#7db8ff"
_LINE = "#d02090"
_EDGES = {"left": 74, "right": 92}
"""Pixels next to the plot if there are several, so that all are equally large."""


@dataclass
class Layer:
    """An image and the hatches on it."""

    image: GlyphRenderer
    hatches: dict[Kind, GlyphRenderer]
    picture: Picture | None = None
    drawn: Picture | None = None
    """The picture with what logarithmic colors cannot show."""
    _log: bool = False

    def draw(self, picture: Picture, log: bool) -> None:
        """Shows another picture; sends only what differs."""
        if picture is not self.picture or log != self._log:
            before = self.drawn
            self.picture, self._log = picture, log
            self.drawn = picture = picture.for_log() if log else picture
            left, right, bottom, top = picture.window
            place = {"x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom]}
            self.image.data_source.data = {"image": [picture.values], **place}
            if before is None or not _has_same_hatches(before, picture):
                self._hatch(picture)
        self.show(True)

    def _hatch(self, picture: Picture) -> None:
        present = np.bincount(picture.kinds.ravel(), minlength=len(Kind))
        for kind, renderer in self.hatches.items():
            if present[kind] or len(renderer.data_source.data["left"]):
                renderer.data_source.data = rectangles(picture.kinds == kind, picture.window)

    def show(self, visible: bool) -> None:
        """Hides or shows image and hatches."""
        self.image.visible = visible
        for renderer in self.hatches.values():
            renderer.visible = visible and len(renderer.data_source.data["left"]) > 0


def _has_same_hatches(before: Picture, after: Picture) -> bool:
    return before.window == after.window and np.array_equal(before.kinds, after.kinds)


class Canvas:
    """The figure: two layers, overview and detail, with axes and a color bar; outlines of patches, and a line."""

    def __init__(self) -> None:
        self._labels: list[Any] = []
        self._outlines = NO_OUTLINES
        self._look = (False, False, False)
        self._title = ""
        self._palette = ("viridis", False)
        self.mapper: ColorMapper = LinearColorMapper(palette=palette("viridis", False), nan_color=NO_VALUE)
        self.figure: Plot = figure(
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            sizing_mode="stretch_both",
            min_width=120,
            min_height=120,
            toolbar_location="above",
            toolbar_sticky=False,
            tools=[],
            output_backend="canvas",
        )
        self._ranges = self.figure.x_range, self.figure.y_range
        self.figure.grid.visible = False
        self.figure.toolbar.logo = None
        self.figure.outline_line_color = None
        self.overview, self.detail = (self._layer() for _ in range(2))
        self.patches = self._rectangles(fill_color=None, line_color="color", line_width=1.5)
        self.patches.data_source.data = NO_OUTLINES.rectangles
        self.line = ColumnDataSource({"x": [], "y": []})
        self.figure.add_glyph(self.line, LineGlyph(x="x", y="y", line_color=_LINE, line_width=3))
        self.figure.add_glyph(
            self.line, Scatter(x="x", y="y", size=8, fill_color=_LINE, line_color="#ffffff")
        )
        self.section = self._add_tools()
        self.bar = ColorBar(
            color_mapper=self.mapper, title="", title_text_font_style="normal", width=14, margin=4
        )
        self.figure.add_layout(self.bar, "right")

    def _add_tools(self) -> FreehandDrawTool:
        """Adds the tools; returns that for lines. It draws on a hidden source, and page.js draws a straight line."""
        wheel, pan = WheelZoomTool(), PanTool()
        hidden = ColumnDataSource({"xs": [], "ys": []})
        drawn = self.figure.add_glyph(hidden, MultiLine(xs="xs", ys="ys", line_alpha=0))
        section = FreehandDrawTool(renderers=[drawn], num_objects=1, description="Section along a line")
        box = BoxSelectTool(persistent=True, renderers=[])
        self.save = SaveTool(filename="esker")
        self.figure.add_tools(pan, wheel, BoxZoomTool(), box, section, self.save, ResetTool())
        self.figure.toolbar.active_scroll = wheel
        self.figure.toolbar.active_drag = pan
        return section

    def _layer(self) -> Layer:
        empty: dict[str, list[Any]] = {name: [] for name in ("image", "x", "y", "dw", "dh")}
        glyph = Image(image="image", x="x", y="y", dw="dw", dh="dh", color_mapper=self.mapper)
        image = self.figure.add_glyph(ColumnDataSource(empty), glyph)
        hatches = {
            kind: self._rectangles(
                line_color=None, fill_color=color, fill_alpha=alpha, hatch_pattern=pattern, hatch_color=color,
                hatch_alpha=0.7, hatch_scale=8, hatch_weight=0.8,
            )
            for kind, (pattern, color, alpha) in HATCHES.items()
        }  # fmt: skip
        return Layer(image, hatches)

    def _rectangles(self, **look: Any) -> GlyphRenderer:
        nothing = {name: np.zeros(0) for name in ("left", "right", "bottom", "top")}
        quad = Quad(left="left", right="right", bottom="bottom", top="top", **look)
        drawn = self.figure.add_glyph(ColumnDataSource(nothing), quad)
        drawn.nonselection_glyph = None
        drawn.visible = False
        return drawn

    @property
    def pixels(self) -> tuple[int, int] | None:
        """Width and height of the plot between its axes; None before the page tells."""
        try:
            width, height = self.figure.inner_width, self.figure.inner_height
        except ValueError:  # not set yet
            return None
        return (int(width), int(height)) if width and height else None

    def share(self, other: Canvas) -> None:
        """Moves and zooms together with another canvas; with itself: alone."""
        across, up = other._ranges
        if self.figure.x_range is not across:
            self.figure.update(x_range=across, y_range=up)

    def move(self, window: Window) -> None:
        """Shows a part of the plane."""
        left, right, bottom, top = window
        self.figure.x_range.update(start=left, end=right)
        self.figure.y_range.update(start=bottom, end=top)

    def label(self, horizontal: Axis, vertical: Axis, bar: str) -> None:
        """Sets the texts of the axes and of the color bar."""
        texts = [(axis.label, axis.lo, axis.hi, axis.uneven is None) for axis in (horizontal, vertical)]
        if (said := [*texts, bar]) == self._labels:
            return  # new models of texts cost 40 ms each
        self._labels = said
        for drawn, axis in ((self.figure.xaxis[0], horizontal), (self.figure.yaxis[0], vertical)):
            drawn.update(axis_label=PlainText(text=axis.label), axis_label_text_font_style="normal")
            drawn.formatter = _formatter(axis)
        self.bar.title = PlainText(text=bar)

    def color(self, scene: Scene, colors: Coloring) -> None:
        """Sets palette and range."""
        kind = LogColorMapper if scene.log else LinearColorMapper
        named = (scene.palette, scene.reverse)
        if not isinstance(self.mapper, kind):
            self._palette = named
            self.mapper = kind(nan_color=NO_VALUE, palette=palette(*named), low=colors.low, high=colors.high)
            self.bar.color_mapper = self.mapper
            for layer in (self.overview, self.detail):
                layer.image.glyph.color_mapper = self.mapper
            return
        self.mapper.update(low=colors.low, high=colors.high)
        if named != self._palette:  # Bokeh checks each color, which takes 4 ms
            self._palette = named
            self.mapper.palette = palette(*named)

    def outline(self, patches: Outlines) -> None:
        """Draws the outlines of patches."""
        if patches is not self._outlines:
            self._outlines = patches
            self.patches.data_source.data = patches.rectangles
            self.patches.visible = len(patches.rectangles["left"]) > 0

    def draw_line(self, ends: list[float]) -> None:
        """Draws a line from x, y to x, y; none without four numbers."""
        self.line.data = {"x": ends[0::2], "y": ends[1::2]} if len(ends) in (2, 4) else {"x": [], "y": []}

    def name(self, number: int, title: str) -> None:
        """Sets the number of the view, from 0 on, and the title above it; "" for none."""
        self.figure.update(name=f"view-{number + 1}", tags=[number])
        if title != self._title:
            self._title = title
            self.figure.title.update(text=_plain(title), visible=bool(title))

    def look(self, *, dark: bool, several: bool, selected: bool) -> None:
        """Sets the colors for a dark or a light screen, room for several views, and the frame of the selected one."""
        if (now := (dark, several, selected)) == self._look:
            return
        self._look = now
        paper, ink = ("#16191c", "#e6e8ea") if dark else ("#ffffff", "#202428")
        self.figure.update(background_fill_color=paper, border_fill_color=paper)
        color_axes(self.figure, ink)
        self.bar.update(background_fill_color=paper, title_text_color=ink, major_label_text_color=ink)
        self.figure.title.text_color = ink
        edges = _EDGES if several else {"left": 5, "right": 5}
        self.figure.update(min_border_left=edges["left"], min_border_right=edges["right"])
        self.figure.xaxis[0].ticker.desired_num_ticks = 4 if several else 6
        frame = _SELECTED_DARK if dark else _SELECTED
        shown = f"2px solid {frame}" if several and selected else "none"
        self.figure.styles = {"outline": shown, "outline-offset": "1px", "background-color": paper}


def _plain(text: str) -> Any:
    """A text that is never read as a formula. As a string where it cannot be: new models cost Bokeh 40 ms."""
    return PlainText(text=text) if "$" in text or "\\" in text else text


def _formatter(axis: Axis) -> Any:
    from bokeh.models import BasicTickFormatter

    if axis.uneven is None:
        return BasicTickFormatter(use_scientific=False)
    stride = -(-len(axis.uneven) // _MAX_LABELS)
    shown = {"values": axis.uneven[::stride].tolist(), "first": axis.lo, "stride": stride}
    return CustomJSTickFormatter(
        args=shown,
        code="""
        const at = (tick - first) / stride, below = Math.floor(at)
        if (at < 0 || at > values.length - 1) return ""
        const next = Math.min(below + 1, values.length - 1)
        return (values[below] + (at - below) * (values[next] - values[below])).toPrecision(4)
        """,
    )
