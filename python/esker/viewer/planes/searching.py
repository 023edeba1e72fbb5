"""The search of one page for the extremes of a field: one read after the other, so that pictures come between."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from esker.viewer.answers import extremes
from esker.viewer.answers.extremes import Extremes
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.reads import Request
from esker.viewer.reading.sources import Source

TOLD_S = 1.0
"""Between two texts about the progress."""


class Search:
    """At most one search goes on."""

    def __init__(
        self,
        reader: Reader,
        later: Callable[[Callable[[], object]], object],
        say: Callable[[str], object],
    ) -> None:
        self._reader = reader
        self._later = later
        self._say = say
        self._ticket = 0
        self._told = 0.0
        self.source: Source | None = None
        """What was searched."""
        self.found = Extremes()
        """What was found so far."""
        self.is_complete = False

    def start(self, source: Source) -> None:
        """Begins to read; says what it knows from time to time, and the answer."""
        self.stop()
        self.source, self.found = source, Extremes()
        self._told = time.monotonic()
        requests = extremes.requests_of(source)
        self._say(extremes.progress_text(source, self.found, 0, len(requests)))
        self._go_on(source, requests, 0)

    def stop(self) -> None:
        """Ends the reads; what was found is forgotten."""
        self._ticket += 1
        self.source, self.is_complete = None, False

    def _go_on(self, source: Source, requests: list[Request], count: int) -> None:
        if count == len(requests):
            self.is_complete = True
            self._say(extremes.text(source, self.found))
            return
        if time.monotonic() - self._told >= TOLD_S:
            self._told = time.monotonic()
            self._say(extremes.progress_text(source, self.found, count, len(requests)))
        ticket, request = self._ticket, requests[count]

        def arrived(found: Extremes | None, reason: str) -> None:
            if ticket == self._ticket:
                self.found = self.found.joined(found or Extremes(error=reason))
                self._go_on(source, requests, count + 1)

        def done(found: Extremes | None, reason: str) -> None:
            self._later(partial(arrived, found, reason))

        key, read = ("extremes", request), partial(extremes.read, source, request)
        self._reader.submit(key, read, lambda: self._ticket == ticket, done)
