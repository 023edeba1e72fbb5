"""Questions of one page and their answers: a click, Enter at the pointer, or a box."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

from esker.dataset.field import Field
from esker.viewer import asking, texts
from esker.viewer.axes import Plane
from esker.viewer.charts import Charts
from esker.viewer.page import Link
from esker.viewer.pointing import sample_at, where_of
from esker.viewer.reader import Reader
from esker.viewer.session import Scene, Window, query_of


class Questions:
    """What one page asks."""

    def __init__(self, link: Link, reader: Reader, later: Callable[[Callable[[], object]], object]) -> None:
        self._link = link
        self._reader = reader
        self._later = later
        self._ticket = 0
        self.charts = Charts()

    def clear(self) -> None:
        """Hides the answers."""
        self._ticket += 1
        self.charts.clear()
        self._link.answer = ""

    def about_sample(self, place: list[float], field: Field, scene: Scene, plane: Plane) -> None:
        """Shows the series and the profile of the sample at a place."""
        index = sample_at(place, scene, plane)
        if index is None:
            self.clear()
            return

        def read(is_wanted: Callable[[], bool]) -> Any:
            over_time = asking.series(field, index, scene.component, is_wanted)
            return over_time, asking.profile(field, scene, index, is_wanted)

        def show(lines: Any) -> None:
            self.charts.show_lines(*lines, texts.field_label(field, scene.component))
            said = " and ".join(
                name for name, line in zip(("time series", "profile"), lines) if line is not None
            )
            self._link.answer = f"{said or 'No series: the field is fixed'} at {where_of(index, plane)}"

        key = ("sample", scene.dataset, scene.field, scene.step, scene.component, index)
        self._ask(key, read, show)

    def about_box(self, box: Window, field: Field, scene: Scene, plane: Plane) -> None:
        """Shows statistics and the histogram of a box, and where its samples can be had."""

        def read(is_wanted: Callable[[], bool]) -> Any:
            picture = asking.box_picture(field, scene, plane, box, is_wanted)
            return asking.statistics(picture)

        def show(found: Any) -> None:
            if found is None:
                self.charts.clear()
                self._link.answer = "No sample of the box has a finite value."
                return
            self.charts.show_histogram(found, texts.field_label(field, scene.component))
            self._link.answer = texts.statistics_text(found, field)

        key = ("box", scene.but(window=box))
        self._ask(key, read, show)
        self._link.data = "data?" + urlencode(query_of(scene.but(window=box)))

    def _ask(
        self, key: Any, read: Callable[[Callable[[], bool]], Any], show: Callable[[Any], object]
    ) -> None:
        self._ticket += 1
        ticket = self._ticket
        self._link.answer = "reading …"

        def done(found: Any, reason: str) -> None:
            self._later(partial(self._arrived, ticket, found, reason, show))

        def answer(is_wanted: Callable[[], bool]) -> Any:
            return (read(is_wanted),)

        self._reader.submit(key, answer, lambda: self._ticket == ticket, done)

    def _arrived(self, ticket: int, found: Any, reason: str, show: Callable[[Any], object]) -> None:
        if ticket != self._ticket:
            return
        if found is None:
            self._link.answer = f"This could not be read: {reason}"
        else:
            show(found[0])
