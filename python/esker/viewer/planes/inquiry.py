"""What people ask a page: by the pointer, a click, a box, a line, and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from bokeh.events import SelectionGeometry

from esker.viewer.answers import texts
from esker.viewer.answers.pointing import Pointer
from esker.viewer.planes.pane import Pane
from esker.viewer.planes.questions import Questions
from esker.viewer.scenes.session import Window
from esker.viewer.scenes.views import query_of_views

if TYPE_CHECKING:
    from esker.viewer.planes.viewer import Viewer


class Inquiry:
    """The questions of one page, each about a view."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._marked: Pane | None = None
        """Where one end of a line was set."""
        self.pointer = Pointer(viewer.reader, viewer.later)
        self.questions = Questions(viewer.link, viewer.reader, viewer.later)

    def pressed(self, letter: str) -> bool:
        """What keys ask about the selected view; False for other keys."""
        actions = {"enter": lambda: self.about(*self._place()), "k": self.mark, "t": self.toggle_table}
        actions |= {"b": self.about_all, "escape": self.close, "g": self.search}
        actions |= {",": lambda: self.to_extreme(True), ".": lambda: self.to_extreme(False)}
        if letter in actions:
            actions[letter]()
        return letter in actions

    def about_all(self) -> None:
        """Asks about all that is visible."""
        pane = self._viewer.pane
        if pane.source is not None:
            self.questions.about_box(pane.shown_window, pane.source, self._query_at)

    def search(self) -> None:
        """Asks where and when the field has its extremes."""
        if self._viewer.pane.source is not None:
            self.questions.about_extremes(self._viewer.pane.source)

    def to_extreme(self, is_least: bool) -> None:
        """Shows the sample that has the least or the greatest value, with its series and profile."""
        search, viewer = self.questions.search, self._viewer
        extreme = search.found.least if is_least else search.found.greatest
        if not search.is_complete or search.source is None or extreme is None:
            viewer.link.answer = "The extremes are not known yet: G searches all of the field."
            return
        is_shown = viewer.show_sample(search.source, extreme.step, extreme.index)
        pane = viewer.pane
        if not is_shown or pane.source is None or pane.plane is None:
            viewer.link.answer = "The dataset changed: G searches it again."
            return
        place = [axis.at(extreme.index[axis.number]) for axis in (pane.plane.horizontal, pane.plane.vertical)]
        for other in viewer.panes:
            other.canvas.draw_line(place if other is pane else [])
        self.questions.about_sample(place, pane.source)

    def _place(self) -> tuple[int, list[float]]:
        """The view and the place of the pointer, or the middle of the selected one."""
        if len(self._viewer.link.pointer) == 3:
            return int(self._viewer.link.pointer[0]), list(self._viewer.link.pointer[1:])
        left, right, bottom, top = self._viewer.pane.shown_window
        return self._viewer.views.selected, [(left + right) / 2, (bottom + top) / 2]

    def pointed(self) -> None:
        """Shows the value at the pointer."""
        place = list(self._viewer.link.pointer)
        number = int(place[0]) if len(place) == 3 else 0
        source = self._viewer.panes[number].source if 0 <= number < len(self._viewer.panes) else None
        if source is not None:
            self.pointer.at(self._viewer.link, place[1:], source)

    def close(self) -> None:
        """Hides all answers."""
        self.questions.clear()
        self._viewer.link.update(table="", data="")
        for pane in self._viewer.panes:
            pane.canvas.draw_line([])

    def toggle_table(self) -> None:
        """Shows the table of coarse values, or hides it."""
        picture, plane = self._viewer.pane.picture, self._viewer.pane.plane
        if self._viewer.link.table or picture is None or plane is None:
            self._viewer.link.table = ""
        else:
            self._viewer.link.table = texts.table(plane, picture)

    def about(self, number: int, place: list[float]) -> None:
        """Asks about the sample at a place of a view, which is selected."""
        self._viewer.select(number)
        if number == self._viewer.views.selected and self._viewer.pane.source is not None:
            self.questions.about_sample(place, self._viewer.pane.source)

    def boxed(self, number: int, event: SelectionGeometry) -> None:
        """A box was dragged on a view."""
        shape = event.geometry
        if not event.final or shape.get("type") != "rect":
            return
        self._viewer.select(number)
        box = (*sorted((shape["x0"], shape["x1"])), *sorted((shape["y0"], shape["y1"])))
        if self._viewer.pane.source is not None and box[0] < box[1] and box[2] < box[3]:
            self.questions.about_box(box, self._viewer.pane.source, self._query_at)

    def _query_at(self, box: Window) -> str:
        """The parameters of the page with another window in the selected view."""
        views = self._viewer.views.put(self._viewer.views.selected, self._viewer.scene.but(window=box))
        return urlencode(query_of_views(views))

    def line_drawn(self) -> None:
        """A line was dragged on a view."""
        number, *ends = self._viewer.link.line or [0]
        if len(ends) == 4 and 0 <= int(number) < len(self._viewer.panes):
            self._viewer.select(int(number))
            self._ask_along(ends)

    def mark(self) -> None:
        """Sets one end of a line at the pointer, or in the middle; the second one asks for the section."""
        number, place = self._place()
        self._viewer.select(number)
        before = self.questions.ends if self._marked is self._viewer.pane else []
        self._marked = self._viewer.pane
        self._ask_along([*(before if len(before) == 2 else []), *place])

    def _ask_along(self, ends: list[float]) -> None:
        for pane in self._viewer.panes:
            pane.canvas.draw_line(ends if pane is self._viewer.pane else [])
        if self._viewer.pane.source is not None:
            self.questions.about_line(ends, self._viewer.pane.source)
