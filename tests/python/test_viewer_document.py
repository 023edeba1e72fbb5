"""One open page without a browser: what keys, controls and events do to its views."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

pytest.importorskip("bokeh")
from bokeh.document import Document  # noqa: E402

from esker.viewer.answers import texts  # noqa: E402
from esker.viewer.planes.canvas import Canvas  # noqa: E402
from esker.viewer.planes.page import Link  # noqa: E402
from esker.viewer.planes.viewer import Viewer  # noqa: E402
from esker.viewer.reading.reader import Reader  # noqa: E402
from esker.viewer.reading.samples import Stale  # noqa: E402
from esker.viewer.serving.bundling import Bundle  # noqa: E402


class Prompt(Reader):
    """Reads at once."""

    def submit(self, key: Any, read: Callable[..., Any], is_wanted: Any, done: Callable[..., object]) -> None:
        try:
            found = self.kept(key)
            if found is None:
                self._kept.put(key, found := read(is_wanted), self._kept.time)
            done(found, "")
        except Stale:
            pass
        except OSError as error:
            done(None, str(error))


@pytest.fixture
def datasets(tmp_path: Path) -> list[esker.Dataset]:
    y, x = np.mgrid[0:40, 0:60]
    for name in "ab":
        with esker.Writer(tmp_path / f"{name}.idx", dims={"x": 60, "y": 40, "z": 4}, report="none") as writer:
            thk = writer.field("thk", "f4", grid=writer.grid("xy", ("x", "y")))
            temp = writer.field("temp", "f4")
            for n in range(3):
                with writer.step(n) as step:
                    step.put(thk, (x + n * y).astype("f4"))
                    step.put(temp, np.full((4, 40, 60), 10.0 * n, "f4"))
    return [esker.open(tmp_path / f"{name}.idx") for name in "ab"]


@pytest.fixture
def page(datasets: list[esker.Dataset], monkeypatch: pytest.MonkeyPatch) -> Viewer:
    monkeypatch.setattr(Viewer, "later", lambda self, action: action())
    monkeypatch.setattr(Canvas, "pixels", property(lambda self: (700, 500)))
    return Viewer(Document(), datasets, Prompt(), {"field": "thk", "step": "0"})


def press(page: Viewer, keys: str) -> None:
    for key in keys.split():
        count = int(page.link.key.partition(" ")[0] or 0) + 1
        page.link.key = f"{count} {key}"


def titles(page: Viewer) -> list[str]:
    return [pane.texts["title"] for pane in page.panes]


def test_controls_act_on_the_selected_view(page: Viewer) -> None:
    press(page, "m ArrowRight")
    page.link.view = "1 0"
    press(page, "f")
    assert titles(page) == ["a.idx: temp, t = 0, z = 0", "a.idx: thk, t = 1"]
    assert page.link.title == titles(page)[0] and page.controls.fields == ["thk", "temp"]
    page.link.view = "2 1"
    assert page.link.title == "a.idx: thk, t = 1" and "view=2" in page.link.query
    page.link.view = "3 7"
    assert page.link.title == "a.idx: thk, t = 1"


def test_views_with_the_same_axes_share_a_window(page: Viewer) -> None:
    press(page, "m m n f +")
    one, two, three = page.panes
    assert one.canvas.figure.x_range is two.canvas.figure.x_range is three.canvas.figure.x_range
    assert one.shown_window == three.shown_window != one.plane.window
    press(page, "n")
    assert page.scene.normal == "y" and three.canvas.figure.x_range is not one.canvas.figure.x_range
    assert one.shown_window == two.shown_window != three.shown_window
    press(page, "1 0")
    assert [scene.window for scene in page.views.scenes] == [None, None, None]


def test_a_difference_follows_and_its_range_is_about_zero(page: Viewer) -> None:
    press(page, "m ArrowRight e")
    assert page.link.title == "difference of a.idx: thk, t = 0 and a.idx: thk, t = 1"
    difference = page.pane
    assert (difference.colors.low, difference.colors.high) == (-39, 39)
    press(page, "2 ArrowRight")
    assert difference.texts["title"] == "difference of a.idx: thk, t = 0 and a.idx: thk, t = 2"
    assert (difference.colors.low, difference.colors.high) == (-78, 78)
    press(page, "f")
    assert difference.texts["title"].startswith("No difference of thk and temp: the axes are")
    assert not difference.canvas.detail.image.visible and difference.picture is None
    assert page.link.notes.startswith("View 3: No difference of thk and temp")
    assert difference.canvas.figure.title.text == "3: no difference of 1 and 2"
    press(page, "f 3 ArrowRight")
    assert difference.picture is not None and "View 3" not in page.link.notes
    assert difference.canvas.figure.title.text == "3: difference of 1 and 2"
    press(page, "1 x")
    assert titles(page) == ["a.idx: thk, t = 2"]


def test_titles_are_never_formulas() -> None:
    canvas = Canvas()
    for text, is_model in [("1: thk", False), ("1: $$x$$", True), (r"1: \(x\)", True), (r"\begin{x}", True)]:
        canvas.name(0, text)
        title = canvas.figure.title.text
        assert (title.text if is_model else title) == text


def test_a_plane_across_another_dimension_is_in_the_middle(page: Viewer) -> None:
    press(page, "f ArrowUp n")
    assert (page.scene.normal, page.scene.place) == ("y", 20)
    press(page, "ArrowUp n")
    assert (page.scene.normal, page.scene.place) == ("x", 30)
    page.change(normal="y", place=7)
    assert (page.scene.normal, page.scene.place) == ("y", 7)


def test_what_cannot_be_has_a_sentence(page: Viewer) -> None:
    press(page, "e")
    assert page.link.notes == "A difference needs two views: add another one first."
    press(page, "x")
    assert len(page.panes) == 1
    press(page, "m f e")
    assert page.link.notes.startswith("No difference of thk and temp: the axes are y, x and z, y, x.")
    press(page, "m m m")
    assert page.link.notes.startswith("A page has at most 4 views.") and len(page.panes) == 4


def test_only_what_differs_is_sent_again(page: Viewer) -> None:
    image = page.pane.canvas.overview.image.data_source
    sent: list[Any] = []
    image.on_change("data", lambda attr, old, new: sent.append(new))
    press(page, "p r v 0")
    assert sent == []
    press(page, "ArrowRight")
    assert len(sent) == 1


def test_both_ends_of_a_line_are_set_by_keys(page: Viewer) -> None:
    page.link.pointer = [0, 3.0, 5.0]
    press(page, "k")
    assert page.link.answer.startswith("One end of a line is set")
    page.link.pointer = [0, 13.0, 5.0]
    press(page, "k")
    assert page.link.answer == "section of 11 samples from x = 3, y = 5 to x = 13, y = 5"
    assert page.pane.canvas.line.data == {"x": [3, 13], "y": [5, 5]}
    press(page, "Escape")
    assert page.link.answer == "" and page.pane.canvas.line.data == {"x": [], "y": []}


def test_only_boxes_offer_their_samples(page: Viewer) -> None:
    for key in ("Enter", "k", "Escape"):
        press(page, "b")
        assert page.link.data.startswith("data?field=thk")
        press(page, key)
        assert page.link.data == ""


def test_a_step_that_cannot_be_read_hides_the_one_before(page: Viewer, tmp_path: Path) -> None:
    for file in tmp_path.rglob("*.bin"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    press(page, "ArrowRight")
    assert page.link.title == "a.idx: thk, t = 1" and page.pane.picture is not None  # read ahead
    press(page, "ArrowRight")
    assert page.link.notes.startswith("The picture could not be read: ") and ".bin" in page.link.notes
    assert "\n" not in page.link.notes and page.link.colors == "" and "not read" in page.link.status
    canvas = page.pane.canvas
    assert not canvas.detail.image.visible and not canvas.overview.image.visible
    press(page, "ArrowLeft")
    assert page.link.notes == "" and page.pane.picture is not None


def test_new_steps_come_while_the_page_is_open(
    page: Viewer, datasets: list[esker.Dataset], tmp_path: Path
) -> None:
    press(page, "m ArrowRight ArrowRight h")
    before = datasets[0]
    with esker.Writer.append(before.path, report="none") as writer, writer.step(3.0) as step:
        step.put("thk", np.full((40, 60), 33.0, "f4"))
        step.put("temp", np.zeros((4, 40, 60), "f4"))
    datasets[0] = esker.open(before.path)
    page.reader.forget()
    page.dataset_changed(0, before, "")
    assert titles(page) == ["a.idx: thk, t = 0", "a.idx: thk, t = 3"] and "step 4 of 4" in page.link.status
    assert "All values are 33." in page.link.notes and page.controls.play.visible
    page.dataset_changed(0, datasets[0], "a.idx is missing")
    assert page.link.notes.startswith("a.idx is missing") and page.pane.picture is not None
    small = tmp_path / "small.idx"
    esker.write(small, {"other": np.ones((3, 4))})
    before, datasets[0] = datasets[0], esker.open(small)
    page.reader.forget()
    page.dataset_changed(0, before, "")
    assert titles(page) == ["a.idx: other, t = 0", "a.idx: other, t = 0"] and page.controls.fields == ["other"]


def test_to_follow_begins_with_the_last_step(page: Viewer) -> None:
    """By key and by control, and the page says it."""
    press(page, "h")
    assert page.link.title == "a.idx: thk, t = 2" and "step 3 of 3, t = 2, follows new steps" in page.link.status
    press(page, "ArrowLeft")
    assert page.scene.follow and "follows" not in page.link.status
    press(page, "h")
    assert not page.scene.follow and page.link.title == "a.idx: thk, t = 1"
    page.controls._follow.active = [0]
    assert page.link.title == "a.idx: thk, t = 2" and "follows new steps" in page.link.status
    press(page, "m ArrowLeft e h")
    assert page.scene.difference is not None and not page.scene.follow


def test_the_extremes_of_all_steps_are_found_and_shown(page: Viewer) -> None:
    press(page, ",")
    assert page.link.answer == "The extremes are not known yet: G searches all of the field."
    press(page, "f + + d g")
    assert page.link.answer.startswith("least 0 at x = 0, y = 0, z = 0, step 1 of 3") and page.link.extremes
    assert "greatest 20 at x = 0, y = 0, z = 0, step 3 of 3" in page.link.answer
    press(page, "f .")
    assert page.link.title == "a.idx: temp, t = 2, z = 0" and page.link.extremes
    assert page.link.answer.startswith("time series and profile at x = 0, y = 0, z = 0")
    assert page.scene.window is None and page.pane.canvas.line.data == {"x": [0], "y": [0]}
    press(page, "n ArrowUp ,")
    assert (page.link.title, page.scene.place) == ("a.idx: temp, t = 0, y = 0", 0)
    press(page, "f m ArrowRight e g")
    assert page.link.answer == "A difference is not searched: select one of its views."
    press(page, "Escape .")
    assert page.link.answer.startswith("The extremes are not known yet") and not page.link.extremes


def test_files_are_named_by_what_they_show(page: Viewer) -> None:
    save = page.pane.canvas.save
    assert save.filename == "a_thk_step1"
    press(page, "f ArrowRight ArrowUp")
    assert save.filename == "a_temp_z1_step2"
    press(page, "m ArrowRight e")
    assert page.pane.canvas.save.filename == "a_temp_z1_step2-minus-a_temp_z1_step3"
    source = page.panes[0].source
    assert source is not None
    source.field.dataset.path = "/runs/a b;<c>.idx"
    assert texts.file_name(source) == "a_b__c__temp_z1_step2"


def test_all_reads_of_a_page_end_when_it_closes(
    datasets: list[esker.Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Waiting(Reader):
        """Keeps what reads ask: whether they are still wanted."""

        asked: dict[str, Callable[[], bool]] = {}

        def submit(
            self, key: Any, read: Callable[..., Any], is_wanted: Callable[[], bool], done: Callable[..., object]
        ) -> None:
            name = str(key[0]) if isinstance(key, tuple) else "picture"
            super().submit(key, lambda go_on: self.asked.setdefault(name, go_on) and None, is_wanted, done)

    monkeypatch.setattr(Canvas, "pixels", property(lambda self: (700, 500)))
    reader = Waiting(1)
    page = Viewer(Document(), datasets, reader, {"field": "thk", "step": "0", "range": "steps"})
    page.link.pointer = [0, 3.0, 5.0]
    page.pane.tell()
    press(page, "Enter")
    reader._pool.submit(lambda: None).result(10)
    assert {"picture", "value", "sample", "range"} <= set(reader.asked)
    assert all(reader.asked[name]() for name in ("value", "sample", "range"))
    page.close()
    assert not any(is_wanted() for is_wanted in reader.asked.values())
    reader.close()


class Socket:
    """A connection that keeps its messages."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.protocol = self

    def create(self, kind: str, events: list[Any]) -> Any:
        return kind, [(event.attr, event.new) for event in events]

    async def send_message(self, message: Any) -> None:
        self.messages.append(message)


@pytest.fixture
def bundled() -> tuple[Socket, Link, list[Any]]:
    """A connection, a model whose changes it bundles, and what Bokeh awaits when a callback has ended."""
    socket, link, document = Socket(), Link(), Document()
    document.add_root(link)
    bundle, sent = Bundle(socket, socket), []
    document.on_change(lambda event: sent.append(bundle.send(event)))
    return socket, link, sent


async def await_all(sent: list[Any]) -> None:
    for one in sent:
        await one


def test_changes_of_a_callback_are_one_message(bundled: tuple[Socket, Link, list[Any]]) -> None:
    socket, link, sent = bundled
    link.title, link.status, link.title = "a", "b", "c"
    asyncio.run(await_all(sent))
    assert socket.messages == [("PATCH-DOC", [("title", "c"), ("status", "b")])]


def test_a_callback_that_raises_does_not_keep_back_later_changes(bundled: tuple[Socket, Link, list[Any]]) -> None:
    """Bokeh awaits nothing then."""
    socket, link, sent = bundled
    link.title = "a"
    for dropped in sent:
        dropped.close()
    sent.clear()
    link.title, link.status = "b", "c"
    asyncio.run(await_all(sent))
    assert socket.messages == [("PATCH-DOC", [("title", "b"), ("status", "c")])]
