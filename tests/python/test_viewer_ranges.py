"""The range of all steps: few reads at once, those that no view waits for end, and failures are said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.viewer.reading import ranges
from esker.viewer.reading.ranges import Ranges
from esker.viewer.reading.reader import Reader
from esker.viewer.scenes.session import Scene

STEPS = 12
ALL = Scene(field="f", range="steps")


class Held(Reader):
    """Reads when it is told to."""

    def __init__(self) -> None:
        super().__init__(1)
        self.reads: list[tuple[Callable[..., Any], Callable[[], bool], Callable[..., object]]] = []

    def submit(
        self, key: Any, read: Callable[..., Any], is_wanted: Callable[[], bool], done: Callable[..., object]
    ) -> None:
        self.reads.append((read, is_wanted, done))

    def go_on(self, reason: str = "") -> None:
        """Ends the first read."""
        read, is_wanted, done = self.reads.pop(0)
        if is_wanted():
            done(None if reason else read(is_wanted), reason)


@pytest.fixture
def ds(tmp_path: Path) -> esker.Dataset:
    with esker.Writer(tmp_path / "run.idx", dims={"x": 4, "y": 3}, report="none") as writer:
        field = writer.field("f", "f4")
        for n in range(STEPS):
            with writer.step(n) as step:
                step.put(field, np.full((3, 4), n, "f4"))
    return esker.open(tmp_path / "run.idx")


class Asker:
    """Asks again when it is told that more is known, as a pane does."""

    def __init__(self, found: Ranges, ds: esker.Dataset, scene: Scene = ALL) -> None:
        self.ranges, self.ds, self.scene = found, ds, scene
        self.told: list[tuple[Any, str]] = []

    def ask(self) -> tuple[Any, str]:
        return self.ranges.of(self.ds["f"], self.scene, self.tell)

    def tell(self) -> None:
        self.told.append(self.ask() if self.scene.range in ("step", "steps") else (None, ""))


@pytest.fixture
def reader() -> Held:
    return Held()


@pytest.fixture
def asker(ds: esker.Dataset, reader: Held) -> Asker:
    return Asker(Ranges(reader, lambda action: action()), ds)


def test_two_steps_are_read_at_once(asker: Asker, reader: Held) -> None:
    assert asker.ask() == (None, "range of all 12 steps: 0 of 12 read")
    for _ in range(STEPS - 1):
        assert len(reader.reads) == 2
        reader.go_on()
    assert len(reader.reads) == 1
    reader.go_on()
    assert asker.told[-1] == asker.ask() == ((0, STEPS - 1), "range of all 12 steps")
    assert reader.reads == []


def test_requests_are_made_once_and_the_page_is_told_now_and_then(
    asker: Asker, reader: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    known = ranges.range_request

    def make(field: Any, scene: Scene, step: int) -> Any:
        made.append(step)
        return known(field, scene, step)

    monkeypatch.setattr(ranges, "range_request", make)
    asker.ask()
    while reader.reads:
        reader.go_on()
        asker.ask()
    assert len(made) <= STEPS + 1 and set(made) == set(range(STEPS))
    assert 1 <= len(asker.told) <= 3


def test_reads_end_that_no_view_waits_for(asker: Asker, reader: Held) -> None:
    asker.ask()
    first = [is_wanted for _, is_wanted, _ in reader.reads]
    assert all(is_wanted() for is_wanted in first)
    asker.scene = ALL.but(range="step", step=3)
    asker.ask()
    assert [is_wanted() for _, is_wanted, _ in reader.reads] == [False, False, True]
    asker.scene = ALL
    asker.ask()
    assert not any(is_wanted() for is_wanted in first)
    while reader.reads:
        reader.go_on()
    assert asker.ask() == ((0, STEPS - 1), "range of all 12 steps")


def test_a_view_that_is_closed_does_not_wait(asker: Asker, reader: Held) -> None:
    other = Asker(asker.ranges, asker.ds)
    asker.ask()
    other.ask()
    asker.ranges.leave(asker.tell)
    assert all(is_wanted() for _, is_wanted, _ in reader.reads) and len(reader.reads) == 2
    asker.ranges.leave(other.tell)
    assert not any(is_wanted() for _, is_wanted, _ in reader.reads)


def test_a_view_that_does_not_ask_again_does_not_wait(
    asker: Asker, reader: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "TOLD_S", 0)
    asker.ask()
    asker.scene = ALL.but(range="hand")
    reader.go_on()
    assert len(reader.reads) == 1 and not reader.reads[0][1]()


def test_all_views_with_a_range_are_told(asker: Asker, reader: Held) -> None:
    other = Asker(asker.ranges, asker.ds)
    asker.ask()
    other.ask()
    while reader.reads:
        reader.go_on()
    assert asker.told[-1] == other.told[-1] == ((0, STEPS - 1), "range of all 12 steps")


def test_answers_from_files_that_changed_are_dropped(asker: Asker, reader: Held) -> None:
    asker.ask()
    (_, _, done), _ = reader.reads
    asker.ranges.forget()
    asker.ask()
    done((-99.0, 99.0), "")
    assert asker.ask() == (None, "range of all 12 steps: 0 of 12 read")


def test_steps_that_cannot_be_read_are_said(asker: Asker, reader: Held) -> None:
    asker.ask()
    reader.go_on("run.bin is cut short")
    reader.go_on("lost")
    while reader.reads:
        reader.go_on()
    text = "range of all 12 steps; 2 of 12 could not be read: run.bin is cut short"
    assert asker.told[-1] == ((2, STEPS - 1), text)
    asker.scene = ALL.but(range="step", step=0)
    asker.ask()
    reader.go_on("lost")
    assert asker.told[-1] == (None, "range of this step; 1 of 1 could not be read: lost")
