"""Questions of one page and their answers: a click, Enter at the pointer, or a box."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from esker.viewer.answers import asking, sections, texts
from esker.viewer.answers.pointing import sample_at, where_of
from esker.viewer.planes.charts import Charts
from esker.viewer.planes.page import Link
from esker.viewer.planes.searching import Search
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.session import Window


class Questions:
    """What one page asks."""

    def __init__(self, link: Link, reader: Reader, later: Callable[[Callable[[], object]], object]) -> None:
        self._link = link
        self._reader = reader
        self._later = later
        self._ticket = 0
        self.charts = Charts()
        self.search = Search(reader, later, self._searched)
        self.ends: list[float] = []
        """Of the line that is asked about: two numbers while only one end is set."""

    def clear(self) -> None:
        """Hides the answers, and ends the search."""
        self._ticket += 1
        self.search.stop()
        self.ends = []
        self.charts.clear()
        self._link.update(answer="", data="", lines=[], extremes=False)

    def about_sample(self, place: list[float], source: Source) -> None:
        """Shows the series and the profile of the sample at a place."""
        index = sample_at(place, source.scene, source.plane)
        if index is None:
            self.clear()
            return

        def read(is_wanted: Callable[[], bool]) -> Any:
            return asking.series_of(source, index, is_wanted), asking.profile_of(source, index, is_wanted)

        def show(lines: Any) -> None:
            self.charts.show_lines(*lines, texts.label_of(source))
            said = " and ".join(
                name for name, line in zip(("time series", "profile"), lines) if line is not None
            )
            nothing = (
                "No series: the field is fixed" if source.minus is None else "No series of this difference"
            )
            self._link.update(
                answer=f"{said or nothing} at {where_of(index, source.plane)}",
                lines=texts.files_of_sample(source, index, *lines),
            )

        key = ("sample", index, *((one.scene, one.field.dataset.path) for one in source.parts))
        self._ask(key, read, show)

    def about_extremes(self, source: Source) -> None:
        """Searches all of a field for its least and its greatest value."""
        self.clear()
        if source.minus is not None:
            self._link.answer = "A difference is not searched: select one of its views."
        else:
            self.search.start(source)

    def _searched(self, text: str) -> None:
        self._link.update(
            answer=text, extremes=self.search.is_complete and self.search.found.least is not None
        )

    def about_line(self, ends: list[float], source: Source) -> None:
        """Shows the section along a line; asks for the second end if there is only one."""
        self.clear()
        self.ends = ends
        if len(ends) != 4:
            self._link.answer = "One end of a line is set: press K at the other one."
            return
        line = (ends[0], ends[1], ends[2], ends[3])

        def show(found: Any) -> None:
            self.charts.show_lines(found, None, texts.label_of(source))
            self._link.update(answer=sections.text(source, line), lines=texts.files_of_section(source, found))

        key = ("line", line, *((one.scene, one.field.dataset.path) for one in source.parts))
        self._ask(key, lambda is_wanted: sections.section(source, line, is_wanted), show)

    def about_box(self, box: Window, source: Source, query_at: Callable[[Window], str]) -> None:
        """Shows statistics and the histogram of a box, and where its samples can be had."""

        def read(is_wanted: Callable[[], bool]) -> Any:
            return asking.statistics(asking.box_picture(source, box, is_wanted))

        def show(found: Any) -> None:
            if found is None:
                self.charts.clear()
                self._link.answer = "No sample of the box has a finite value."
                return
            self.charts.show_histogram(found, texts.label_of(source))
            self._link.answer = texts.statistics_text(found, source)

        key = ("box", box, *(one.scene for one in source.parts))
        self._ask(key, read, show)
        self._link.data = "data?" + query_at(box)

    def _ask(
        self, key: Any, read: Callable[[Callable[[], bool]], Any], show: Callable[[Any], object]
    ) -> None:
        self._ticket += 1
        ticket = self._ticket
        if not self.search.is_complete:
            self.search.stop()
        self._link.update(answer="reading …", data="", lines=[])

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
