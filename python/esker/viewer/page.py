"""The models of Bokeh that draw a picture: figure, images, hatches, color bar; and the texts of the page.

Texts of datasets are set as PlainText, or reach the page by properties of Link, which page.js sets as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from bokeh.core.properties import Bool, Float, Int, List, String
from bokeh.model import DataModel
from bokeh.models import (
    BoxSelectTool,
    BoxZoomTool,
    ColorBar,
    ColumnDataSource,
    CustomJS,
    CustomJSTickFormatter,
    GlyphRenderer,
    Image,
    LinearColorMapper,
    LogColorMapper,
    PanTool,
    PlainText,
    Plot,
    Quad,
    Range1d,
    ResetTool,
    SaveTool,
    WheelZoomTool,
)
from bokeh.models.mappers import ColorMapper
from bokeh.plotting import figure

from esker.viewer.axes import Axis
from esker.viewer.colors import Coloring, palette
from esker.viewer.hatching import rectangles
from esker.viewer.samples import Kind, Picture
from esker.viewer.session import Scene

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


class Link(DataModel):
    """What the page and the server tell each other besides pictures."""

    title = String(default="")
    status = String(default="")
    where = String(default="")
    colors = String(default="")
    kinds = String(default="")
    notes = String(default="")
    cursor = String(default="")
    answer = String(default="")
    alternative = String(default="")
    query = String(default="")
    """The link to this view, without the path."""
    table = String(default="")
    """Coarse values: rows separated by newlines, columns by tabs; "" while the table is closed."""
    data = String(default="")
    """The address of the samples of the last box, without the format; "" while there is none."""
    ticket = Int(default=0)
    """Counts complete pictures."""
    drawn = Int(default=0)
    """From the page: the last ticket that is on the screen."""
    key = String(default="")
    """From the page: a number that counts, and a key."""
    pointer = List(Float, default=[])
    """From the page: drawn coordinates under the pointer; empty outside."""
    ratio = Float(default=1.0)
    """From the page: device pixels per pixel."""
    dark = Bool(default=False)
    calm = Bool(default=False)
    """From the page: whether less motion is preferred."""


def static_text(name: str) -> str:
    """A file of this package."""
    return (resources.files("esker.viewer") / name).read_text(encoding="utf-8")


@dataclass
class Layer:
    """An image and the hatches on it."""

    image: GlyphRenderer
    hatches: dict[Kind, GlyphRenderer]
    picture: Picture | None = None
    drawn: Picture | None = None
    """The picture with what logarithmic colors cannot show."""

    def draw(self, picture: Picture, log: bool) -> None:
        """Shows another picture."""
        self.picture = picture
        self.drawn = picture = picture.for_log() if log else picture
        left, right, bottom, top = picture.window
        place = {"x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom]}
        self.image.data_source.data = {"image": [picture.values], **place}
        present = set(np.unique(picture.kinds).tolist())
        for kind, renderer in self.hatches.items():
            if kind in present or len(renderer.data_source.data["left"]):
                renderer.data_source.data = rectangles(picture.kinds == kind, picture.window)
        self.show(True)

    def show(self, visible: bool) -> None:
        """Hides or shows image and hatches."""
        for renderer in (self.image, *self.hatches.values()):
            renderer.visible = visible


class Canvas:
    """The figure: two layers, overview and detail, with axes and a color bar."""

    def __init__(self) -> None:
        self._labels: list[Any] = []
        self.mapper: ColorMapper = LinearColorMapper(palette=palette("viridis", False), nan_color=NO_VALUE)
        self.figure: Plot = figure(
            name="picture",
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            sizing_mode="stretch_both",
            min_width=120,
            min_height=120,
            toolbar_location="above",
            tools=[],
            output_backend="canvas",
        )
        self.figure.grid.visible = False
        self.figure.toolbar.logo = None
        self.figure.outline_line_color = None
        wheel, pan = WheelZoomTool(), PanTool()
        self.box = BoxSelectTool(persistent=True)
        self.zoom = BoxZoomTool()
        self.figure.add_tools(pan, wheel, self.zoom, self.box, SaveTool(filename="esker"), ResetTool())
        self.figure.toolbar.active_scroll = wheel
        self.figure.toolbar.active_drag = pan
        self.overview, self.detail = (self._layer() for _ in range(2))
        self.bar = ColorBar(
            color_mapper=self.mapper, title="", title_text_font_style="normal", width=14, margin=4
        )
        self.figure.add_layout(self.bar, "right")

    def _layer(self) -> Layer:
        empty: dict[str, list[Any]] = {name: [] for name in ("image", "x", "y", "dw", "dh")}
        glyph = Image(image="image", x="x", y="y", dw="dw", dh="dh", color_mapper=self.mapper)
        image = self.figure.add_glyph(ColumnDataSource(empty), glyph)
        hatches = {}
        for kind, (pattern, color, alpha) in HATCHES.items():
            nothing = {name: np.zeros(0) for name in ("left", "right", "bottom", "top")}
            quad = Quad(
                left="left", right="right", bottom="bottom", top="top", line_color=None,
                fill_color=color, fill_alpha=alpha, hatch_pattern=pattern, hatch_color=color, hatch_alpha=0.7,
                hatch_scale=8, hatch_weight=0.8,
            )  # fmt: skip
            hatches[kind] = self.figure.add_glyph(ColumnDataSource(nothing), quad)
            hatches[kind].nonselection_glyph = None
        return Layer(image, hatches)

    @property
    def pixels(self) -> tuple[int, int] | None:
        """Width and height of the plot between its axes; None before the page tells."""
        try:
            width, height = self.figure.inner_width, self.figure.inner_height
        except ValueError:  # not set yet
            return None
        return (int(width), int(height)) if width and height else None

    def move(self, window: tuple[float, float, float, float]) -> None:
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
        how = {"palette": palette(scene.palette, scene.reverse), "low": colors.low, "high": colors.high}
        if isinstance(self.mapper, kind):
            self.mapper.update(**how)
            return
        self.mapper = kind(nan_color=NO_VALUE, **how)
        self.bar.color_mapper = self.mapper
        for layer in (self.overview, self.detail):
            layer.image.glyph.color_mapper = self.mapper

    def darken(self, dark: bool) -> None:
        """Sets the colors of the figure for a dark or a light screen."""
        paper, ink = ("#16191c", "#e6e8ea") if dark else ("#ffffff", "#202428")
        self.figure.update(background_fill_color=paper, border_fill_color=paper)
        for axis in (*self.figure.xaxis, *self.figure.yaxis):
            axis.update(axis_label_text_color=ink, major_label_text_color=ink, axis_line_color=ink)
            axis.update(major_tick_line_color=ink, minor_tick_line_color=ink)
        self.bar.update(background_fill_color=paper, title_text_color=ink, major_label_text_color=ink)


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


def connect(document: Any, link: Link, canvas: Canvas) -> None:
    """Lets page.js start when the models are in the page."""
    document.add_root(canvas.figure)
    start = CustomJS(args={"link": link, "figure": canvas.figure}, code="window.esker.start(link, figure)")
    document.js_on_event("document_ready", start)
    point = CustomJS(args={"link": link}, code="window.esker.point(link, cb_obj.x, cb_obj.y)")
    leave = CustomJS(args={"link": link}, code="window.esker.point(link)")
    canvas.figure.js_on_event("mousemove", point)
    canvas.figure.js_on_event("mouseleave", leave)
    document.js_on_event("connection_lost", CustomJS(code="window.esker.reconnect()"))
    document.config.update(notify_connection_status=False, reconnect_session=False)
