"""One open page: events of the page change the views, and pictures and texts follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from bokeh.document import Document
from bokeh.events import RangesUpdate, Reset, SelectionGeometry, Tap
from bokeh.models import GridBox

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.plot.planes import axis_number
from esker.viewer.answers import texts
from esker.viewer.planes.controls import Controls
from esker.viewer.planes.inquiry import Inquiry
from esker.viewer.planes.page import Link, connect, connect_canvas, grid_of
from esker.viewer.planes.pane import Pane
from esker.viewer.planes.playing import Player
from esker.viewer.reading.ranges import Ranges
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.sources import Source, source_of
from esker.viewer.scenes.colors import PALETTES
from esker.viewer.scenes.keys import changes_of, changes_of_difference
from esker.viewer.scenes.session import (
    Scene,
    Window,
    dataset_names,
    fitted,
    turned,
    why_nothing_is_shown,
)
from esker.viewer.scenes.views import MAX_VIEWS, Views, fitted_views, is_at_end, query_of_views, views_of

_SETTLE_MS = 25
"""Events that come within this time lead to one read."""


class Viewer:
    """The page of one visitor."""

    def __init__(
        self, document: Document, datasets: Sequence[Dataset], reader: Reader, query: Mapping[str, str]
    ) -> None:
        self._document = document
        self._datasets = datasets
        self.names = [name for _, name in dataset_names(datasets)]
        self._open = True
        self.reader = reader.of_page(lambda: self._open)
        self.views, self._page_notes = views_of(query, datasets, PALETTES)
        self._player = Player(document, self._show_next_step)
        self._settling = False
        self._ticket = 0
        self._are_texts_shown = False
        self._changes: dict[int, str] = {}
        self.link = Link()
        self.panes: list[Pane] = []
        self._pictures = GridBox(name="picture", sizing_mode="stretch_both", spacing=6)
        self.controls = Controls(datasets, self.change, self._do)
        self.ranges = Ranges(self.reader, self.later)
        self._inquiry = Inquiry(self)
        self._add_panes()
        self._connect()
        self._show()
        self._place_panes()

    def _connect(self) -> None:
        self.link.on_change("ratio", self._told(self._settle))
        self.link.on_change("key", self._told(lambda: self._pressed(self.link.key.partition(" ")[2])))
        self.link.on_change("drawn", self._told(self._drawn))
        self.link.on_change("narrow", self._told(self._place_panes))
        self.link.on_change("dark", self._told(self._look))
        self.link.on_change("pointer", self._told(self._inquiry.pointed))
        self.link.on_change("view", self._told(lambda: self.select(int(self.link.view.partition(" ")[2]))))
        self.link.on_change("line", self._told(self._inquiry.line_drawn))
        connect(self._document, self.link, self._pictures)
        self._document.add_root(self.controls.column)
        self._document.add_root(self._inquiry.questions.charts.column)

    @staticmethod
    def _told(action: Callable[[], object]) -> Callable[[str, Any, Any], None]:
        """A callback of Bokeh, which passes names and values, for an action without arguments."""

        def call(attr: str, old: Any, new: Any) -> None:
            action()

        return call

    def _add_panes(self) -> None:
        """As many as there are views. Bokeh tells the server of events only of models that have callbacks when they come."""
        while len(self.panes) > len(self.views.scenes):
            pane = self.panes.pop()
            pane.close()
            self.ranges.leave(pane.tell)
        while len(self.panes) < len(self.views.scenes):
            pane = Pane(self)
            self._connect_pane(pane)
            self.panes.append(pane)
        self._look()

    def _place_panes(self) -> None:
        """Puts the panes on the page, after all other changes: Bokeh makes their views later than it applies those."""
        self._pictures.children = grid_of([pane.canvas for pane in self.panes], 1 if self.link.narrow else 2)

    def _connect_pane(self, pane: Pane) -> None:
        figure = pane.canvas.figure

        def of_view(action: Callable[[int, Any], object]) -> Callable[[Any], None]:
            """A callback that passes the number of the view, as long as it is one."""
            return lambda event: action(self.panes.index(pane), event) if pane in self.panes else None

        figure.on_event(RangesUpdate, of_view(self._moved))
        figure.on_event(Tap, of_view(lambda number, event: self._inquiry.about(number, [event.x, event.y])))
        figure.on_event(SelectionGeometry, of_view(self._inquiry.boxed))
        figure.on_event(Reset, of_view(lambda number, _: self._change(number, window=None)))
        for name in ("inner_width", "inner_height"):
            figure.on_change(name, self._told(self._settle))
        connect_canvas(self.link, self._pictures, pane.canvas)

    def close(self) -> None:
        """The page is gone: its reads end."""
        self._open = False
        for pane in self.panes:
            pane.close()

    # What panes ask of the page

    def later(self, action: Callable[[], object]) -> None:
        """Calls the action in the thread of the server, as long as the page is open."""
        if self._open:
            self._document.add_next_tick_callback(lambda: action() if self._open else None)

    def ratio(self) -> float:
        """Device pixels per pixel."""
        return min(max(self.link.ratio, 0.25), 4.0)

    def said(self, pane: Pane) -> None:
        """Shows the texts of a pane: all if it is selected, else its title and what went wrong."""
        if pane not in self.panes:
            return
        number, several = self.panes.index(pane), len(self.panes) > 1
        pane.canvas.name(number, self._title(number) if several else "")
        self._show_texts()

    def _title(self, number: int) -> str:
        """What is above a view if there are several."""
        pane = self.panes[number]
        return texts.view_title(number, self.views.scenes[number], pane.source, pane.texts["title"])

    def completed(self, pane: Pane) -> None:
        """Tells the page that a complete picture comes."""
        self._ticket += 1
        pane.complete = self.link.ticket = self._ticket

    def failed(self, pane: Pane) -> None:
        """Goes on to the next step if this one was played."""
        if pane is self.pane:
            self._player.drawn(self.link.calm)

    # What is shown

    @property
    def scene(self) -> Scene:
        """The selected one."""
        return self.views.scene

    @property
    def pane(self) -> Pane:
        """The selected one."""
        return self.panes[self.views.selected]

    @property
    def field(self) -> Field | None:
        """The field of the selected view; None if there is none."""
        return self.pane.source.field if self.pane.source else None

    def change(self, **changes: Any) -> None:
        """Changes the selected view: shows another scene, which differs in the named values."""
        self._change(self.views.selected, **changes)

    def _change(self, number: int, **changes: Any) -> None:
        before = self.views.scenes[number]
        if changes.get("range") == "hand" and before.range != "hand":
            colors = self.panes[number].colors
            changes = {"low": colors.low, "high": colors.high, **changes}
        if changes.get("follow") and not before.follow:
            changes["step"] = len(self._datasets[before.dataset].steps) - 1
        scene = turned(before, changes.get("normal", before.normal), self._datasets).but(**changes)
        if scene.difference is None:
            scene = fitted(scene, self._datasets)
        if not scene.low < scene.high:
            scene = scene.but(low=before.low, high=before.high)
        if scene == before:
            return
        self._page_notes = []
        views = self.views.put(number, scene)
        if "window" in changes:
            views = self._moved_together(views, number, scene.window)
        self.views = fitted_views(views, self._datasets)
        self._show()

    def show_sample(self, source: Source, step: int, index: Sequence[int]) -> bool:
        """Shows the plane of a sample in the selected view, or in the first one if that is a difference; all of it if the
        sample is not visible. False if the dataset has no such field any more."""
        scene = source.scene
        field = self._datasets[scene.dataset].fields.get(scene.field)
        if field is None or field.box != source.field.box:
            return False
        if self.scene.difference is not None:
            self.select(self.views.plain()[0])
        self.change(dataset=scene.dataset, field=scene.field, component=scene.component, step=step)
        if self.scene.normal:
            self.change(place=index[axis_number(field, self.scene.normal)])
        if self.pane.plane is not None and not self.pane.plane.has(index, self.pane.shown_window):
            self.change(window=None)
        return True

    def _moved_together(self, views: Views, number: int, window: Window | None) -> Views:
        """All views with the same axes as one, at the same window."""
        plane = self.panes[number].plane
        for other, pane in enumerate(self.panes):
            if plane is not None and pane.plane is not None and plane.is_like(pane.plane):
                views = views.put(other, views.scenes[other].but(window=window))
        return views

    def _show(self) -> None:
        """Brings all panes to what the views say. Views with the same axes share their window."""
        self._are_texts_shown = False
        for number, pane in enumerate(self.panes):
            source, why = source_of(self.views, number, self._datasets)
            if source is None and not why:
                why = why_nothing_is_shown(self._datasets[self.views.scenes[number].dataset])
            if pane.aim(source, why):
                self.views = self.views.put(number, self.views.scenes[number].but(window=None))
        leaders: list[Pane] = []
        for number, pane in enumerate(self.panes):
            plane = pane.plane
            if plane is None:
                continue
            leader = next((one for one in leaders if one.plane and plane.is_like(one.plane)), pane)
            pane.canvas.share(leader.canvas)
            if leader is pane:
                leaders.append(pane)
                window = self.views.scenes[number].window or plane.fitting(pane.pixels)
            else:
                window = leader.shown_window
                self.views = self.views.put(
                    number,
                    self.views.scenes[number].but(window=self.views.scenes[self.panes.index(leader)].window),
                )
            pane.show(window)
        self.link.query = "?" + urlencode(query_of_views(self.views))
        if not self._are_texts_shown:
            self._show_texts()

    def _look(self) -> None:
        self.link.views = len(self.panes)
        several = len(self.panes) > 1
        self._inquiry.questions.charts.look(dark=self.link.dark, small=several)
        for number, pane in enumerate(self.panes):
            pane.canvas.name(number, self._title(number) if several else "")
            pane.canvas.look(dark=self.link.dark, several=several, selected=number == self.views.selected)

    def _show_texts(self) -> None:
        """The texts and the controls of the selected view."""
        self._are_texts_shown = True
        pane = self.pane
        said = dict(pane.texts)
        dataset = self._datasets[self.views.parts(self.views.selected)[0].dataset]
        notes = [*self._page_notes, *self._changes.values(), *texts.opening_notes([dataset])]
        notes += [
            f"View {n + 1}: {one.trouble}"
            for n, one in enumerate(self.panes)
            if one.trouble and one is not pane
        ]
        notes += said.pop("notes").split("\n")
        self.link.update(**said, notes="\n".join(dict.fromkeys(note for note in notes if note)))
        self.controls.show(self.views, pane.source, pane.colors)

    def dataset_changed(self, number: int, before: Dataset, note: str) -> None:
        """A dataset was opened again, or cannot be. Views that follow its last step go on to the new one."""
        self._changes[number] = note
        if self._datasets[number] is before:
            self._show_texts()
            return
        self.reader.renew()
        self.ranges.forget()
        last = len(self._datasets[number].steps) - 1
        for n, scene in enumerate(self.views.scenes):
            if scene.dataset == number and scene.difference is None and is_at_end(scene, before):
                self.views = self.views.put(n, scene.but(step=max(last, 0)))
        self.views = fitted_views(self.views, self._datasets)
        self._show()

    # Views

    def _do(self, action: str) -> None:
        """What buttons and keys do apart from changes of the scene."""
        {
            "play": self.play,
            "add": lambda: self._set_views(self.views.add(self._copy())),
            "remove": lambda: self._set_views(self.views.remove(self.views.selected)),
            "difference": self._add_difference,
            "search": self._inquiry.search,
        }[action]()

    def _copy(self) -> Scene:
        """What another view begins with: the selected one."""
        return self.views.parts(self.views.selected)[0].but(difference=None)

    def _set_views(self, views: Views) -> None:
        if views == self.views:
            if self.views.is_full:
                self._note(f"A page has at most {MAX_VIEWS} views.")
            return
        self._page_notes = []
        self._stop()
        self.views = fitted_views(views, self._datasets)
        self._add_panes()
        self._show()
        self._place_panes()

    def _add_difference(self) -> None:
        views = self.views.with_difference()
        if views == self.views:
            self._note(
                f"A page has at most {MAX_VIEWS} views."
                if self.views.is_full
                else "A difference needs two views: add another one first."
            )
            return
        _, why = source_of(fitted_views(views, self._datasets), views.selected, self._datasets)
        if why:
            self._note(why)
        else:
            self._set_views(views)

    def select(self, number: int) -> None:
        """The controls act on another view from now on."""
        views = self.views.select(number)
        if views == self.views:
            return
        self._stop()
        self.views = views
        self._look()
        self.link.query = "?" + urlencode(query_of_views(self.views))
        self._show_texts()

    def _note(self, text: str) -> None:
        self._page_notes = [text]
        self._show_texts()

    # Events of the page

    def _moved(self, number: int, event: RangesUpdate) -> None:
        window = (*sorted((event.x0, event.x1)), *sorted((event.y0, event.y1)))
        if window[0] < window[1] and window[2] < window[3]:
            self.views = self._moved_together(self.views, number, window)
            self._settle()

    def _settle(self) -> None:
        """Reads again when events have stopped for a moment."""
        if not self._settling and self._open:
            self._settling = True
            self._document.add_timeout_callback(self._settled, _SETTLE_MS)

    def _settled(self) -> None:
        self._settling = False
        self._show()

    def _pressed(self, key: str) -> None:
        source = self.pane.source
        letter = key.lower()
        if key == " ":
            self.play()
        elif letter in _ACTIONS:
            self._do(_ACTIONS[letter])
        elif key in tuple("1234"):
            self.select(int(key) - 1)
        elif self._inquiry.pressed(letter) or source is None:
            return
        elif source.minus is not None:
            self.change(**changes_of_difference(key, self.scene, source.field, self.pane.shown_window))
        else:
            names = list(self.controls.fields)
            self.change(**changes_of(key, self.scene, source.field, names, self.pane.shown_window))

    # Play

    def play(self) -> None:
        """Starts or stops to show one step after the other."""
        if self._player.plays:
            self._stop()
        else:
            self.controls.play.label = "Stop"
            self._player.start()

    def _stop(self) -> None:
        self._player.stop()
        self.controls.play.label = "Play"

    def _show_next_step(self) -> None:
        step = None if self.scene.difference else self.pane.step_after()
        if step is None or not self._open:
            self._stop()
        else:
            self.change(step=step)

    def _drawn(self) -> None:
        """Complete pictures are on the screen: the overviews below them, or the next step, have time now."""
        plays, selected = self._player.plays, self.pane
        is_next = 0 < selected.complete <= self.link.drawn
        for pane in self.panes:
            if 0 < pane.complete <= self.link.drawn:
                pane.complete = 0
                if not plays:
                    pane.underlay()
        if is_next:
            self._player.drawn(self.link.calm)


_ACTIONS = {"m": "add", "x": "remove", "e": "difference"}
"""Keys, and what they do apart from changes of the scene."""
