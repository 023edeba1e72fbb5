"""Plays the selected view: one step after the other, each when the one before is on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable

from bokeh.document import Document

STEP_S = 0.1
"""Between two steps, at least."""
CALM_STEP_S = 1.0
"""For those who prefer less motion."""


class Player:
    """Whether one page plays, and when the next step comes."""

    def __init__(self, document: Document, show_next: Callable[[], object]) -> None:
        """`show_next` shows the next step, or stops if there is none."""
        self._document = document
        self._show_next = show_next
        self._last = 0.0
        self._waits = False
        self.plays = False

    def start(self) -> None:
        """Shows the next step now."""
        self.plays = True
        self._go_on()

    def stop(self) -> None:
        """Shows no other step."""
        self.plays = False

    def drawn(self, calm: bool) -> None:
        """The step is on the screen: shows the next one when it is time."""
        if self.plays and not self._waits:
            self._waits = True
            wait = (CALM_STEP_S if calm else STEP_S) - (time.monotonic() - self._last)
            self._document.add_timeout_callback(self._go_on, max(1, round(1000 * wait)))

    def _go_on(self) -> None:
        self._waits = False
        if self.plays:
            self._last = time.monotonic()
            self._show_next()
