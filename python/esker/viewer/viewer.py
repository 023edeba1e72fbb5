"""One open page: events of the page change the scene, and pictures and texts follow."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from bokeh.document import Document
from bokeh.events import RangesUpdate, Reset, SelectionGeometry, Tap

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.viewer import texts
from esker.viewer.axes import Plane, plane_of
from esker.viewer.colors import PALETTES, Coloring, coloring
from esker.viewer.controls import Controls
from esker.viewer.keys import changes_of
from esker.viewer.page import Canvas, Layer, Link, connect
from esker.viewer.pointing import Pointer
from esker.viewer.questions import Questions
from esker.viewer.ranges import Ranges
from esker.viewer.reader import Reader
from esker.viewer.reads import Plan, Request, plan_of
from esker.viewer.samples import Picture, finite_range, read_picture
from esker.viewer.session import Window, field_of, fitted, query_of, scene_of, why_nothing_is_shown

_ASSUMED_PIXELS = (720, 480)
"""Of the plot, until the page tells."""
_SETTLE_MS = 25
"""Events that come within this time lead to one read."""
_STEP_S = 0.1
"""Between two steps that are played, at least."""
_CALM_STEP_S = 1.0


class Viewer:
    """The page of one visitor."""

    def __init__(
        self, document: Document, datasets: Sequence[Dataset], reader: Reader, query: Mapping[str, str]
    ) -> None:
        self._document = document
        self._datasets = datasets
        self._reader = reader
        self.scene, self._link_notes = scene_of(query, datasets, PALETTES)
        self._ticket = 0
        self._open = True
        self._playing = False
        self._last_step = 0.0
        self._settling = False
        self._plan: Plan | None = None
        self._read_bytes = 0
        self._error = ""
        self._loss = ""
        self.link = Link()
        self.canvas = Canvas()
        self.controls = Controls(datasets, self.change, self.play)
        self.ranges = Ranges(reader, self._later)
        self.pointer = Pointer(reader, self._later)
        self.questions = Questions(self.link, reader, self._later)
        self._plane: Plane | None = None
        self._connect()
        self._show_scene()

    def _connect(self) -> None:
        # Bokeh tells the server of events of models that had callbacks when they joined the document.
        figure = self.canvas.figure
        figure.on_event(RangesUpdate, self._moved)
        figure.on_event(Tap, lambda event: self._ask_about([event.x, event.y]))
        figure.on_event(SelectionGeometry, self._selected)
        figure.on_event(Reset, lambda _: self.change(window=None))
        for name in ("inner_width", "inner_height"):
            figure.on_change(name, self._told(self._settle))
        self.link.on_change("ratio", self._told(self._settle))
        self.link.on_change("key", self._told(lambda: self._pressed(self.link.key.partition(" ")[2])))
        self.link.on_change("drawn", self._told(self._drawn))
        self.link.on_change("dark", self._told(lambda: self.canvas.darken(self.link.dark)))
        self.link.on_change("pointer", self._told(self._pointed))
        connect(self._document, self.link, self.canvas)
        self._document.add_root(self.controls.column)
        self._document.add_root(self.questions.charts.column)

    @staticmethod
    def _told(action: Callable[[], object]) -> Callable[[str, Any, Any], None]:
        """A callback of Bokeh, which passes names and values, for an action without arguments."""

        def call(attr: str, old: Any, new: Any) -> None:
            action()

        return call

    def close(self) -> None:
        """The page is gone: its reads end."""
        self._open = False
        self._ticket += 1

    @property
    def field(self) -> Field | None:
        """The field that is shown; None if the dataset has none that can be."""
        return field_of(self.scene, self._datasets)

    def change(self, **changes: Any) -> None:
        """Shows another scene, which differs in the named values."""
        before = self.scene
        if changes.get("range") == "hand" and before.range != "hand":
            mapper = self.canvas.mapper
            changes = {"low": float(mapper.low), "high": float(mapper.high), **changes}
        scene = fitted(before.but(**changes), self._datasets)
        if not scene.low < scene.high:
            scene = scene.but(low=before.low, high=before.high)
        if scene == before:
            return
        self._link_notes = []
        self.scene = scene
        self._show_scene()

    def play(self) -> None:
        """Starts or stops to show one step after the other."""
        self._playing = not self._playing
        self.controls.play.label = "Stop" if self._playing else "Play"
        if self._playing:
            self._next_step()

    # What is shown

    def _show_scene(self) -> None:
        field = self.field
        if field is None:
            self._show_nothing()
            return
        plane = plane_of(field, self.scene)
        if self._plane is None or not plane.is_like(self._plane):
            if self._plane is not None:
                self.scene = self.scene.but(window=None)
            self._plane = plane
            for layer in (self.canvas.overview, self.canvas.detail):
                layer.show(False)
        self._plane = plane
        self.canvas.label(plane.horizontal, plane.vertical, texts.field_label(field, self.scene.component))
        self._fit_window()
        self.link.query = "?" + urlencode(query_of(self.scene))
        self._read()

    def _show_nothing(self) -> None:
        for layer in (self.canvas.overview, self.canvas.detail):
            layer.show(False)
        self._plan = None
        self._ticket += 1
        self.link.update(
            title=why_nothing_is_shown(self._datasets[self.scene.dataset]), status="", where="", colors=""
        )
        self.controls.show(self.scene, None, Coloring(0.0, 1.0, ""))
        self._show_notes()

    @property
    def _pixels(self) -> tuple[int, int]:
        """Device pixels of the plot."""
        width, height = self.canvas.pixels or _ASSUMED_PIXELS
        ratio = min(max(self.link.ratio, 0.25), 4.0)
        return max(1, round(width * ratio)), max(1, round(height * ratio))

    def _fit_window(self) -> None:
        assert self._plane is not None
        window = self.scene.window or self._plane.fitting(self._pixels)
        self._shown_window = window
        self.canvas.move(window)

    def _read(self) -> None:
        """Plans the reads of the scene, shows what is in memory, and starts the others."""
        field, plane = self.field, self._plane
        assert field is not None and plane is not None
        self._ticket += 1
        self._error = ""
        scene = self.scene.but(window=self._shown_window)
        self._plan = plan_of(field, scene, plane, self._pixels)
        final = self._reader.kept(self._plan.final)
        if final is not None:
            self._show(final)
        if final is None:
            self._start(self._plan.overview)
        if self._plan.detail is not None and final is None and self.canvas.pixels is not None:
            self._start(self._plan.detail)
        self._show_texts()

    def _start(self, request: Request) -> None:
        kept = self._reader.kept(request)
        if kept is not None:
            self._show(kept)
            return
        field, plane, ticket = self.field, self._plane, self._ticket
        assert field is not None and plane is not None

        def read(is_wanted: Callable[[], bool]) -> Picture:
            return read_picture(field, request, plane, is_wanted)

        def done(picture: Picture | None, reason: str) -> None:
            self._later(partial(self._arrived, ticket, picture, reason))

        self._reader.submit(request, read, lambda: self._ticket == ticket, done)

    def _later(self, action: Callable[[], object]) -> None:
        """Calls the action in the thread of the server, as long as the page is open."""
        if self._open:
            self._document.add_next_tick_callback(lambda: action() if self._open else None)

    def _arrived(self, ticket: int, picture: Picture | None, reason: str) -> None:
        if ticket != self._ticket:
            return
        if picture is None:
            self._error = f"The picture could not be read: {reason}"
            self._show_texts()
            return
        self._read_bytes += picture.nbytes
        self._show(picture)

    def _show(self, picture: Picture) -> None:
        """Draws a picture of the current plan."""
        plan = self._plan
        assert plan is not None
        overview, detail = self.canvas.overview, self.canvas.detail
        if picture.request == plan.overview:
            overview.draw(picture, self.scene.log)
            if plan.detail is None or not _is_like(detail, plan.detail):
                detail.show(False)
        else:
            detail.draw(picture, self.scene.log)
            if not _is_current(overview, plan.overview):
                overview.show(False)
        self._error = picture.error
        self._show_texts()
        if self._is_final(picture):
            self._complete()

    def _is_final(self, picture: Picture) -> bool:
        """Whether nothing follows: not before the page told its size."""
        return (
            self._plan is not None and picture.request == self._plan.final and self.canvas.pixels is not None
        )

    def _complete(self) -> None:
        self.link.ticket = self._ticket
        field, scene, ticket = self.field, self.scene, self._ticket
        assert field is not None
        key = ("loss", scene.dataset, scene.field, scene.step)

        def done(text: str | None, reason: str) -> None:
            self._later(partial(self._tell_loss, ticket, text or reason))

        self._reader.submit(
            key, lambda _: texts.error_text(field, scene.step), lambda: self._ticket == ticket, done
        )
        self._prefetch()

    def _tell_loss(self, ticket: int, text: str) -> None:
        if ticket == self._ticket:
            self._loss = text
            self._show_texts()

    def _prefetch(self) -> None:
        """Reads the next step in the background."""
        field, plane, plan = self.field, self._plane, self._plan
        if field is None or plane is None or plan is None or field.fixed:
            return
        scene = fitted(self.scene.but(step=self._step_after(self.scene.step)), self._datasets)
        if scene.step == self.scene.step:
            return
        scene = scene.but(window=self._shown_window)
        request = plan_of(field, scene, plane, self._pixels).final
        ticket = self._ticket
        if self._reader.kept(request) is None:
            self._reader.submit(
                request,
                lambda is_wanted: read_picture(field, request, plane, is_wanted),
                lambda: self._ticket == ticket,
                lambda *_: None,
            )

    # Texts and colors

    @property
    def _picture(self) -> Picture | None:
        """The finest picture of the current plan that is drawn."""
        layer = self._finest_layer()
        return layer.picture if layer else None

    def _finest_layer(self) -> Layer | None:
        if self._plan is None:
            return None
        for layer, request in (
            (self.canvas.detail, self._plan.detail),
            (self.canvas.overview, self._plan.overview),
        ):
            if request is not None and _is_current(layer, request):
                return layer
        return None

    def _show_texts(self) -> None:
        field, plane, plan, picture = self.field, self._plane, self._plan, self._picture
        assert field is not None and plane is not None and plan is not None
        layer, colors = self._finest_layer(), self._color(picture)
        apart = self._pixels_apart(picture)
        status = texts.status(
            field,
            plan,
            picture,
            self._read_bytes,
            apart,
            is_final=picture is not None and self._is_final(picture),
        )
        loss = self._loss if picture is not None else ""
        self.link.update(
            title=texts.title(field, self.scene, plane, picture.place if picture else self.scene.place),
            status=" · ".join(part for part in (status, texts.step_text(field, self.scene), loss) if part),
            where=texts.where_text(field, self.scene, plane, picture),
            colors=texts.range_text(colors.low, colors.high, colors.source),
            kinds=texts.kinds_text(layer.drawn) if layer and layer.drawn else "",
        )
        if picture is not None and self._is_final(picture):
            self.link.alternative = texts.alternative(field, self.scene, plane, picture, colors)
        self._show_notes(plan.note, colors.note, *(picture.notes if picture else ()))

    def _pixels_apart(self, picture: Picture | None) -> float:
        """The distance of samples on the screen, in device pixels: the geometric mean of both axes."""
        if picture is None:
            return 0.0
        left, right, bottom, top = picture.window
        rows, columns = picture.values.shape
        shown, pixels = self._shown_window, self._pixels
        across = (right - left) / columns / (shown[1] - shown[0]) * pixels[0]
        up = (top - bottom) / rows / (shown[3] - shown[2]) * pixels[1]
        return float((across * up) ** 0.5)

    def _color(self, picture: Picture | None) -> Coloring:
        field = self.field
        assert field is not None
        found, source = None, "range of this view"
        if picture is not None:
            found = finite_range(picture.cropped(self._shown_window).values)
        if self.scene.range in ("step", "steps"):
            known, source = self.ranges.of(field, self.scene, self._show_texts)
            found = known or found
        colors = coloring(self.scene, found, source)
        if picture is not None or self.scene.range == "hand":
            self.canvas.color(self.scene, colors)
        self.controls.show(self.scene, field, colors)
        return colors

    def _show_notes(self, *notes: str) -> None:
        said = [
            *self._link_notes,
            *texts.opening_notes([self._datasets[self.scene.dataset]]),
            *notes,
            self._error,
        ]
        self.link.notes = "\n".join(dict.fromkeys(note for note in said if note))

    # Events of the page

    def _moved(self, event: RangesUpdate) -> None:
        window = (*sorted((event.x0, event.x1)), *sorted((event.y0, event.y1)))
        if window[0] < window[1] and window[2] < window[3]:
            self.scene = self.scene.but(window=window)
            self._shown_window = window
            self._settle()

    def _settle(self) -> None:
        """Reads again when events have stopped for a moment."""
        if not self._settling and self._open:
            self._settling = True
            self._document.add_timeout_callback(self._settled, _SETTLE_MS)

    def _settled(self) -> None:
        self._settling = False
        if self.field is not None:
            self._show_scene()

    def _pressed(self, key: str) -> None:
        field, plane = self.field, self._plane
        if key == " ":
            self.play()
        elif key == "Escape":
            self._close_answers()
        elif key == "Enter":
            left, right, bottom, top = self._shown_window
            self._ask_about(list(self.link.pointer) or [(left + right) / 2, (bottom + top) / 2])
        elif key in ("b", "B"):
            self._ask_about_box(self._shown_window)
        elif key in ("t", "T"):
            self._toggle_table()
        elif field is not None and plane is not None:
            names = list(self.controls.fields)
            self.change(**changes_of(key, self.scene, field, names, self._shown_window))

    def _pointed(self) -> None:
        field, plane = self.field, self._plane
        if field is not None and plane is not None:
            self.pointer.at(self.link, field, self.scene, plane)

    def _close_answers(self) -> None:
        self.questions.clear()
        self.link.update(table="", data="")

    def _toggle_table(self) -> None:
        picture, plane = self._picture, self._plane
        if self.link.table or picture is None or plane is None:
            self.link.table = ""
        else:
            self.link.table = texts.table(plane, picture)

    def _ask_about(self, place: list[float]) -> None:
        field, plane = self.field, self._plane
        if field is not None and plane is not None:
            self.questions.about_sample(place, field, self.scene, plane)

    def _selected(self, event: SelectionGeometry) -> None:
        shape = event.geometry
        if event.final and shape.get("type") == "rect":
            self._ask_about_box((*sorted((shape["x0"], shape["x1"])), *sorted((shape["y0"], shape["y1"]))))

    def _ask_about_box(self, box: Window) -> None:
        field, plane = self.field, self._plane
        if field is not None and plane is not None and box[0] < box[1] and box[2] < box[3]:
            self.questions.about_box(box, field, self.scene, plane)

    def _drawn(self) -> None:
        """The complete picture is on the screen: the overview below it, or the next step, has time now."""
        if self.link.drawn == self._ticket and not self._playing and self._plan is not None:
            if not _is_current(self.canvas.overview, self._plan.overview):
                self._start(self._plan.overview)
        if self._playing and self.link.drawn == self._ticket:
            wait = (_CALM_STEP_S if self.link.calm else _STEP_S) - (time.monotonic() - self._last_step)
            self._document.add_timeout_callback(self._next_step, max(1, round(1000 * wait)))

    def _next_step(self) -> None:
        if not self._playing or not self._open:
            return
        self._last_step = time.monotonic()
        step = self._step_after(self.scene.step)
        if step == self.scene.step:
            self.play()
            return
        self.change(step=step)

    def _step_after(self, step: int) -> int:
        """The next step at which the field was written; the first one after the last."""
        field = self.field
        if field is None or field.fixed:
            return step
        count = len(field.dataset.steps)
        following = [(step + n) % count for n in range(1, count)]
        return next((near for near in following if field.has(near)), step)


def _is_current(layer: Layer, request: Request) -> bool:
    return layer.picture is not None and layer.picture.request == request and layer.image.visible


def _is_like(layer: Layer, request: Request) -> bool:
    """Whether the layer shows the same plane of the same field and step, maybe at another level."""
    if layer.picture is None:
        return False
    shown = layer.picture.request
    return layer.image.visible and shown.plane == request.plane
