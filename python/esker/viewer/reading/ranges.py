"""The range of a step, or of all steps, from coarse samples that are read in the background."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial

from esker.dataset.field import Field
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.reads import range_request
from esker.viewer.reading.samples import read_range
from esker.viewer.scenes.colors import Range
from esker.viewer.scenes.session import Scene, written_steps

AT_ONCE = 2
"""Reads of one page, so that its pictures, and other pages, do not wait for those of many steps."""
TOLD_S = 0.3
"""Between two calls that tell that more is known; the last one comes at once."""

Changed = Callable[[], object]
_Key = tuple[Hashable, ...]


class Ranges:
    """Ranges that one page waits for."""

    def __init__(self, reader: Reader, later: Callable[[Changed], object]) -> None:
        self._reader = reader
        self._later = later
        self._tasks: dict[_Key, _Task] = {}
        self._asked: dict[Changed, _Key] = {}
        """The range that each of those who are told waits for."""
        self._reading: dict[tuple[_Key, int], object] = {}
        """The steps that are read; a read goes on as long as its object is here."""

    def of(self, field: Field, scene: Scene, changed: Changed) -> tuple[Range | None, str]:
        """What is known of the range that the scene asks for, and a sentence. Calls changed() when more is known.

        changed() asks again; who does not, or asks for another range, does not wait for this one any more.
        """
        step = scene.step if scene.range == "step" and not field.fixed else None
        key = (field, scene.dataset, scene.component, scene.bits, step)
        if key not in self._tasks:
            self._tasks[key] = _Task(field, scene, _steps(field, step))
        self._asked[changed] = key
        self._end_unasked()
        self._go_on()
        return self._tasks[key].together, self._tasks[key].text

    def leave(self, changed: Changed) -> None:
        """Ends the reads that this one waits for, unless another one does."""
        self._asked.pop(changed, None)
        self._end_unasked()

    def forget(self) -> None:
        """Drops what is known: the files changed."""
        self._tasks, self._asked, self._reading = {}, {}, {}

    def _end_unasked(self) -> None:
        asked = set(self._asked.values())
        for key, step in [one for one in self._reading if one[0] not in asked]:
            del self._reading[key, step]
            self._tasks[key].waiting.append(step)

    def _go_on(self) -> None:
        """Starts the next reads."""
        for key in list(dict.fromkeys(self._asked.values())):
            task = self._tasks[key]
            while task.waiting and len(self._reading) < AT_ONCE:
                self._start(key, task, task.waiting.pop())

    def _start(self, key: _Key, task: _Task, step: int) -> None:
        request, mine = range_request(task.field, task.scene, step), object()
        self._reading[key, step] = mine

        def done(found: Range | None, reason: str) -> None:
            self._later(partial(self._arrived, key, step, mine, found, reason))

        def is_wanted() -> bool:
            return self._reading.get((key, step)) is mine

        self._reader.submit(("range", request), partial(read_range, task.field, request), is_wanted, done)

    def _arrived(self, key: _Key, step: int, mine: object, found: Range | None, reason: str) -> None:
        if self._reading.get((key, step)) is not mine:
            return
        del self._reading[key, step]
        task = self._tasks[key]
        task.take(found, reason)
        if task.is_complete or time.monotonic() - task.told >= TOLD_S:
            task.told = time.monotonic()
            for changed in [one for one, asked in self._asked.items() if asked == key]:
                del self._asked[changed]
                changed()
            self._end_unasked()
        self._go_on()


@dataclass
class _Task:
    """One range: what is read of it, and what still has to be read."""

    field: Field
    scene: Scene
    steps: list[int]
    waiting: list[int] = dataclasses.field(init=False)
    """The next step is the last of these."""
    together: Range | None = None
    count: int = 0
    """Of steps that were read."""
    failures: int = 0
    reason: str = ""
    """Of the first step that could not be read."""
    told: float = dataclasses.field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.waiting = self.steps[::-1]
        level = (
            range_request(self.field, self.scene, self.steps[0]).level if self.steps else self.field.max_level
        )
        self._samples = "" if level == self.field.max_level else f", from samples of level {level}"

    @property
    def is_complete(self) -> bool:
        """Whether no step remains to be read."""
        return self.count + self.failures == len(self.steps)

    def take(self, found: Range | None, reason: str) -> None:
        """Takes the range of a step, None without a finite value, or why it could not be read."""
        if reason:
            self.failures += 1
            self.reason = self.reason or reason
            return
        self.count += 1
        if found is not None:
            low, high = self.together or found
            self.together = min(low, found[0]), max(high, found[1])

    @property
    def text(self) -> str:
        """What the range is of, and how much of it is known."""
        count = len(self.steps)
        what = "range of this step" if count == 1 else f"range of all {count} steps"
        if not self.is_complete:
            what += f": {self.count} of {count} read"
        what += self._samples
        return (
            what
            if not self.failures
            else f"{what}; {self.failures} of {count} could not be read: {self.reason}"
        )


def _steps(field: Field, step: int | None) -> list[int]:
    """One step, or all at which the field was written."""
    if field.fixed:
        return [0]
    return written_steps(field) if step is None else [step]
