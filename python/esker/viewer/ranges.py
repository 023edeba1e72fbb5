"""The range of a step, or of all steps, from coarse samples that are read in the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from esker.dataset.field import Field
from esker.viewer.colors import Range
from esker.viewer.reader import Reader
from esker.viewer.reads import Request, range_request
from esker.viewer.samples import read_range
from esker.viewer.session import Scene


class Ranges:
    """Ranges that one page waits for."""

    def __init__(self, reader: Reader, later: Callable[[Callable[[], object]], object]) -> None:
        self._reader = reader
        self._later = later
        self._found: dict[Request, Range | None] = {}
        self._started: set[Request] = set()

    def of(self, field: Field, scene: Scene, changed: Callable[[], object]) -> tuple[Range | None, str]:
        """What is known of the range that the scene asks for, and a sentence. Calls changed() when more is known."""
        requests = [range_request(field, scene, step) for step in self._steps(field, scene)]
        for request in requests:
            if request not in self._started:
                self._started.add(request)
                self._start(field, request, changed)
        known = [self._found[request] for request in requests if request in self._found]
        ranges = [found for found in known if found is not None]
        together = (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else None
        what = "this step" if len(requests) == 1 else f"all {len(requests)} steps"
        level = requests[0].level
        exactly = "" if level == field.max_level else f", from samples of level {level}"
        if len(known) < len(requests):
            return together, f"range of {what}: {len(known)} of {len(requests)} read{exactly}"
        return together, f"range of {what}{exactly}"

    def forget(self) -> None:
        """Drops what is known: the files changed."""
        self._found, self._started = {}, set()

    @staticmethod
    def _steps(field: Field, scene: Scene) -> list[int]:
        if field.fixed:
            return [0]
        if scene.range == "step":
            return [scene.step]
        return [step for step in range(len(field.dataset.steps)) if field.has(step)]

    def _start(self, field: Field, request: Request, changed: Callable[[], object]) -> None:
        def done(found: Range | None, reason: str) -> None:
            self._later(partial(self._arrived, request, found, changed))

        self._reader.submit(("range", request), partial(read_range, field, request), lambda: True, done)

    def _arrived(self, request: Request, found: Range | None, changed: Callable[[], object]) -> None:
        self._found[request] = found
        changed()
