"""One picture of a page: its plan, what of it is drawn, and its texts. Coarse first; what became stale is dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from esker.viewer.answers import texts
from esker.viewer.planes.canvas import Canvas, Layer
from esker.viewer.reading.outlines import NO_OUTLINES, Outlines, outlines_of
from esker.viewer.reading.ranges import Ranges
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.reads import Plan, Request
from esker.viewer.reading.samples import Picture, finite_range
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.axes import Plane
from esker.viewer.scenes.colors import Coloring, coloring
from esker.viewer.scenes.session import Window, fitted

_ASSUMED_PIXELS = (720, 480)
"""Of the plot, until the page tells."""
NO_TEXTS = dict.fromkeys(("title", "status", "where", "colors", "kinds", "notes", "alternative"), "")
"""What a pane says, by the names of Link."""


class Page(Protocol):
    """What a pane needs of its page."""

    reader: Reader
    ranges: Ranges
    names: list[str]
    """Of the datasets."""

    def later(self, action: Callable[[], object]) -> None:
        """Calls an action in the thread of the server."""

    def ratio(self) -> float:
        """Device pixels per pixel."""

    def said(self, pane: Pane) -> None:
        """The texts of a pane changed."""

    def completed(self, pane: Pane) -> None:
        """A complete picture is drawn."""

    def failed(self, pane: Pane) -> None:
        """A picture could not be read."""


class Pane:
    """A picture and its canvas."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.canvas = Canvas()
        self.source: Source | None = None
        self.texts = dict(NO_TEXTS)
        self.colors = Coloring(0.0, 1.0, "")
        self.shown_window: Window = (0.0, 1.0, 0.0, 1.0)
        self.complete = 0
        """The number that the page gave to the last complete picture; 0 while it is on the screen."""
        self._plane: Plane | None = None
        self._plan: Plan | None = None
        self._shown: tuple[Source, tuple[int, int], bool] | None = None
        self._ticket = 0
        self._read_bytes = 0
        self._error = ""
        self._loss = ""
        self._outline_note = ""

    def close(self) -> None:
        """Its reads end."""
        self._ticket += 1

    @property
    def plane(self) -> Plane | None:
        """The axes of what is shown; None if nothing is."""
        return None if self.source is None else self.source.plane

    @property
    def trouble(self) -> str:
        """A sentence if there is no picture, or not all of it."""
        return self._error

    @property
    def plan(self) -> Plan | None:
        return self._plan

    # What is shown

    def aim(self, source: Source | None, why: str) -> bool:
        """Takes another source, or a sentence why there is none; True if a window of the old one has no meaning."""
        self.source = source
        if source is None:
            self._show_nothing(why)
            return False
        plane, before = source.plane, self._plane
        self._plane = plane
        self.canvas.label(plane.horizontal, plane.vertical, texts.label_of(source))
        self.canvas.save.filename = texts.file_name(source)
        if before is not None and plane.is_like(before):
            return False
        self._hide()
        self.canvas.draw_line([])
        return before is not None

    def _show_nothing(self, why: str) -> None:
        self._hide()
        self._plan = self._shown = None
        self._error = why
        self._ticket += 1
        self.texts = {**NO_TEXTS, "title": why}
        self._page.said(self)

    def _hide(self) -> None:
        for layer in (self.canvas.overview, self.canvas.detail):
            layer.show(False)

    @property
    def pixels(self) -> tuple[int, int]:
        """Device pixels of the plot."""
        width, height = self.canvas.pixels or _ASSUMED_PIXELS
        ratio = self._page.ratio()
        return max(1, round(width * ratio)), max(1, round(height * ratio))

    def show(self, window: Window) -> None:
        """Plans the reads of a window, shows what is in memory, and starts the others. Not if nothing changed."""
        assert self.source is not None
        self.shown_window = window
        self.canvas.move(window)
        source = self.source.but(window=window)
        now = (source, self.pixels, self.canvas.pixels is not None)
        if self._shown is not None and now[1:] == self._shown[1:] and source.is_same(self._shown[0]):
            return
        if self._shown is not None and self._shown[0].field is not source.field:
            for layer in (self.canvas.overview, self.canvas.detail):
                layer.picture = (
                    None  # of the same field in files that changed: stays on the screen until the new one
                )
        self._shown, self.source = now, source
        self._ticket += 1
        self._outline(source)
        self._error = ""
        self._plan = source.plan(self.pixels)
        drawn = [self._start(request) for request in self._needed(self._plan)]
        if not any(drawn):
            self.tell()

    def _needed(self, plan: Plan) -> list[Request]:
        """The reads to start: of a picture in memory the last one alone; before the page told its size, the overview alone."""
        if self.canvas.pixels is None:
            return [request for request in plan.stages if request == plan.overview]
        return [plan.final] if self._page.reader.kept(plan.final) is not None else [*plan.stages]

    def _start(self, request: Request) -> bool:
        """Draws what is in memory, and returns True; else starts its read."""
        kept = self._page.reader.kept(request)
        if kept is not None:
            self._draw(kept)
            return True
        source, ticket = self.source, self._ticket
        assert source is not None

        def done(picture: Picture | None, reason: str) -> None:
            self._page.later(partial(self._arrived, ticket, picture, reason))

        self._page.reader.submit(request, partial(source.read, request), lambda: self._ticket == ticket, done)
        return False

    def _arrived(self, ticket: int, picture: Picture | None, reason: str) -> None:
        if ticket != self._ticket:
            return
        if picture is None:
            self._error = f"The picture could not be read: {reason}"
            self._hide_others()
            self.tell()
            self._page.failed(self)
            return
        self._read_bytes += picture.nbytes
        self._draw(picture)

    def _hide_others(self) -> None:
        """What is drawn of another plane or step would look like the one that could not be read."""
        assert self._plan is not None
        for layer in (self.canvas.overview, self.canvas.detail):
            if not _is_like(layer, self._plan.overview):
                layer.show(False)

    def _draw(self, picture: Picture) -> None:
        """Draws a picture of the current plan."""
        plan, source = self._plan, self.source
        assert plan is not None and source is not None
        overview, detail = self.canvas.overview, self.canvas.detail
        if picture.request == plan.overview:
            overview.draw(picture, source.scene.log)
            if plan.detail is None or not _is_like(detail, plan.detail):
                detail.show(False)
        else:
            detail.draw(picture, source.scene.log)
            if not _is_current(overview, plan.overview):
                overview.show(False)
        self._error = picture.error
        self.tell()
        if self._is_final(picture):
            self._complete()

    def _is_final(self, picture: Picture) -> bool:
        """Whether nothing follows: not before the page told its size."""
        return (
            self._plan is not None and picture.request == self._plan.final and self.canvas.pixels is not None
        )

    def _complete(self) -> None:
        self._page.completed(self)
        source, ticket = self.source, self._ticket
        assert source is not None
        key = ("loss", *((one.scene.dataset, one.scene.field, one.scene.step) for one in source.parts))

        def done(text: str | None, reason: str) -> None:
            self._page.later(partial(self._tell_loss, ticket, text or reason))

        self._page.reader.submit(key, lambda _: texts.loss_of(source), lambda: self._ticket == ticket, done)
        self._prefetch()

    def _tell_loss(self, ticket: int, text: str) -> None:
        if ticket == self._ticket and text != self._loss:
            self._loss = text
            self.tell()

    def _outline(self, source: Source) -> None:
        """Draws the outlines of patches, or none; those of another step stay until the new ones are known."""
        if not source.scene.outlines or source.field.grid.mesh is None:
            self._outlined(self._ticket, NO_OUTLINES)
            return
        scene, ticket = source.scene, self._ticket
        key = ("patches", scene.dataset, scene.field, source.step, scene.normal, scene.place)

        def done(found: Outlines | None, reason: str) -> None:
            known = found or replace(NO_OUTLINES, note=f"The patches could not be read: {reason}")
            self._page.later(partial(self._outlined, ticket, known))

        self._page.reader.submit(key, partial(outlines_of, source), lambda: self._ticket == ticket, done)

    def _outlined(self, ticket: int, found: Outlines) -> None:
        if ticket == self._ticket:
            self.canvas.outline(found)
            if found.note != self._outline_note:
                self._outline_note = found.note
                self.tell()

    def underlay(self) -> None:
        """The complete picture is on the screen: the overview below it has time now."""
        plan = self._plan
        if plan is not None and not plan.is_whole and not _is_current(self.canvas.overview, plan.overview):
            self._start(plan.overview)

    def _prefetch(self) -> None:
        """Reads the next step in the background."""
        source = self.source
        step = self.step_after()
        if source is None or step is None or source.minus is not None:
            return
        scene = fitted(source.scene.but(step=step, dataset=0), [source.field.dataset])
        if scene.step == source.scene.step:
            return
        following = source.but(step=scene.step)
        request = following.plan(self.pixels).final
        ticket = self._ticket
        if self._page.reader.kept(request) is None:
            self._page.reader.submit(
                request, partial(following.read, request), lambda: self._ticket == ticket, lambda *_: None
            )

    def step_after(self) -> int | None:
        """The next step at which the field was written; the first one after the last; None without another one."""
        if self.source is None or self.source.field.fixed:
            return None
        field, step = self.source.field, self.source.scene.step
        count = len(field.dataset.steps)
        following = ((step + n) % count for n in range(1, count))
        return next((near for near in following if field.has(near)), None)

    # Texts and colors

    @property
    def picture(self) -> Picture | None:
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

    def tell(self) -> None:
        """Sets colors and texts to what is drawn."""
        source, plan, picture = self.source, self._plan, self.picture
        if source is None or plan is None:
            return
        layer, colors = self._finest_layer(), self._color(source, picture)
        self.colors = colors
        is_final = picture is not None and self._is_final(picture)
        status = texts.status(
            source.field,
            plan,
            picture,
            self._read_bytes,
            self._pixels_apart(picture),
            is_final=is_final,
            failed=bool(self._error),
        )
        loss = self._loss if picture is not None else ""
        said = {
            "title": texts.title_of(
                source, picture.place if picture else source.scene.place, self._page.names
            ),
            "status": " · ".join(part for part in (status, texts.steps_of(source), loss) if part),
            "where": texts.where_text(source.field, source.scene, source.plane, picture),
            "colors": texts.range_text(colors.low, colors.high, colors.source) if picture else "",
            "kinds": texts.kinds_text(layer.drawn) if layer and layer.drawn else "",
            "notes": "\n".join(self._notes(colors, picture)),
        }
        self.texts.update(said)
        if picture is not None and is_final:
            self.texts["alternative"] = texts.alternative_of(source, picture, colors)
        self._page.said(self)

    def _notes(self, colors: Coloring, picture: Picture | None) -> list[str]:
        plan = self._plan
        said = (
            self._error,
            plan.note if plan else "",
            self._outline_note,
            colors.note if picture else "",
            *(picture.notes if picture else ()),
        )
        return [text for text in said if text]

    def _pixels_apart(self, picture: Picture | None) -> float:
        """The distance of samples on the screen, in device pixels: the geometric mean of both axes."""
        if picture is None:
            return 0.0
        left, right, bottom, top = picture.window
        rows, columns = picture.values.shape
        shown, pixels = self.shown_window, self.pixels
        across = (right - left) / columns / (shown[1] - shown[0]) * pixels[0]
        up = (top - bottom) / rows / (shown[3] - shown[2]) * pixels[1]
        return float((across * up) ** 0.5)

    def _color(self, source: Source, picture: Picture | None) -> Coloring:
        found, said = None, "range of this view"
        if picture is not None:
            found = finite_range(picture.cropped(self.shown_window).values)
        if source.scene.range in ("step", "steps") and source.minus is None:
            known, said = self._page.ranges.of(source.field, source.scene, self.tell)
            found = known or found
        colors = coloring(source.scene, found, said)
        if picture is not None:
            self.canvas.color(source.scene, colors)
        return colors


def _is_current(layer: Layer, request: Request) -> bool:
    return layer.picture is not None and layer.picture.request == request and layer.image.visible


def _is_like(layer: Layer, request: Request) -> bool:
    """Whether the layer shows the same plane of the same field and step, maybe at another level."""
    if layer.picture is None:
        return False
    shown = layer.picture.request
    return layer.image.visible and shown.plane == request.plane
