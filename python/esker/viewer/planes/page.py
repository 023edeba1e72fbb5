"""What page.js and the server tell each other, and how page.js starts.

Texts of datasets reach the page by properties of Link, which page.js sets as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.core.properties import Bool, Float, Int, List, String
from bokeh.model import DataModel
from bokeh.models import CustomJS, GridBox

from esker.viewer.planes.canvas import Canvas


class Link(DataModel):
    """What the page and the server tell each other apart from pictures."""

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
    lines = List(List(String), default=[])
    """The lines of the charts as files: a name that is shown, the name of the file, and comma-separated values."""
    extremes = Bool(default=False)
    """Whether the page can go to the least and the greatest value that were found."""
    ticket = Int(default=0)
    """Counts complete pictures."""
    drawn = Int(default=0)
    """From the page: the last ticket that is on the screen."""
    key = String(default="")
    """From the page: a number that counts, and a key."""
    pointer = List(Float, default=[])
    """From the page: number of a view, and drawn coordinates under the pointer; empty outside."""
    line = List(Float, default=[])
    """From the page: number of a view, and the ends of a line that was drawn: x, y, x, y."""
    view = String(default="")
    """From the page: a number that counts, and the number of the view that was clicked, or has the focus."""
    ratio = Float(default=1.0)
    """From the page: device pixels per pixel."""
    views = Int(default=1)
    """How many there are."""
    narrow = Bool(default=False)
    """From the page: views are below each other."""
    dark = Bool(default=False)
    calm = Bool(default=False)
    """From the page: whether less motion is preferred."""


def grid_of(canvases: Sequence[Canvas], columns: int) -> list[tuple[Any, ...]]:
    """Canvases in a grid: figure, row, column."""
    return [(canvas.figure, *divmod(number, columns)) for number, canvas in enumerate(canvases)]


def connect(document: Any, link: Link, pictures: GridBox) -> None:
    """Lets page.js start when the models are in the page."""
    document.add_root(pictures)
    start = CustomJS(args={"link": link, "pictures": pictures}, code="window.esker.start(link, pictures)")
    document.js_on_event("document_ready", start)
    document.js_on_event("connection_lost", CustomJS(code="window.esker.reconnect()"))
    document.config.update(notify_connection_status=False, reconnect_session=False)


def connect_canvas(link: Link, pictures: GridBox, canvas: Canvas) -> None:
    """Lets page.js follow the pointer on a canvas, draw lines, and paint what shares its ranges."""
    figure = canvas.figure
    paint = CustomJS(args={"pictures": pictures}, code="window.esker.paint(pictures, cb_obj)")
    for moved in (figure.x_range, figure.y_range):
        moved.js_on_change("start", paint)
        moved.js_on_change("end", paint)
    point = CustomJS(
        args={"link": link, "figure": figure},
        code="window.esker.point(link, figure.tags[0], cb_obj.x, cb_obj.y)",
    )
    figure.js_on_event("mousemove", point)
    figure.js_on_event("mouseleave", CustomJS(args={"link": link}, code="window.esker.point(link)"))
    draw = CustomJS(
        args={"link": link, "figure": figure, "tool": canvas.section, "source": canvas.line},
        code="window.esker.draw(link, figure, tool, source, cb_obj)",
    )
    figure.js_on_event("panstart", draw)
    figure.js_on_event("pan", draw)
    figure.js_on_event("panend", draw)
