"""Several views in a browser: they move together, the controls act on the selected one, and differences are exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import FRAME, Shown, shown

import esker

pytest.importorskip("bokeh")
from esker.viewer.scenes.colors import palette  # noqa: E402

NX, NY = 90, 70


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    return written(tmp_path_factory.mktemp("several") / "run.idx")


def written(path: Path) -> esker.Dataset:
    y, x = np.mgrid[0:NY, 0:NX]
    with esker.Writer(path, dims={"x": NX, "y": NY}, report="none") as writer:
        thk = writer.field("thk", "f4", attrs={"units": "m"})
        for n in range(3):
            with writer.step(n) as step:
                step.put(thk, (100 + x + n * (y - 30)).astype("f4"))
    return esker.open(path)


def drag(page: Shown, view: int) -> None:
    x, y, width, height, *_ = page.page.evaluate(FRAME, f"view-{view}")
    page.page.mouse.move(x + width / 2, y + height / 2)
    page.page.mouse.down()
    page.page.mouse.move(x + width / 4, y + height / 3, steps=4)
    page.page.mouse.up()


def test_titles_name_the_dataset_if_there_are_several(
    browser: Any, ds: esker.Dataset, tmp_path: Path
) -> None:
    query = "field=thk&step=0&2.dataset=1&2.field=thk&2.step=0&3.difference=1,2&view=3"
    with shown(browser, [ds, written(tmp_path / "other.idx")], query) as page:
        page.complete()
        assert page.text("title") == "difference of run.idx: thk, t = 0 and other.idx: thk, t = 0"
        page.press("2")
        page.wait("title", "other.idx: thk, t = 0")


def test_views_move_together_and_the_difference_is_exact(browser: Any, ds: esker.Dataset) -> None:
    query = "field=thk&step=0&2.field=thk&2.step=2&3.difference=2,1&3.palette=RdBu_r&3.zero=1&view=3"
    with shown(browser, [ds], query) as page:
        page.complete()
        assert "difference of thk, t = 2 and thk, t = 0" in page.text("title")
        expected = 2.0 * (np.arange(NY) - 30)
        page.wait("colors", "colors from -78 to 78")
        found = page.colors_at(np.arange(1, NX - 1), np.arange(1, NY - 1), view=3)
        named = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in palette("RdBu_r", False)]
        place = np.clip(np.floor((expected + 78) / 156 * 256), 0, 255).astype(int)
        wrong = np.abs(found.astype(int) - np.array(named)[place][1:-1, None]).max(axis=-1)
        assert wrong.max() <= 6
        page.press("1", "ArrowRight")
        page.wait("title", "thk, t = 1")
        page.press("3")
        page.wait("title", "difference of thk, t = 2 and thk, t = 1")
        drag(page, 2)
        page.wait("title", "thk, t = 2")
        page.page.wait_for_function("location.search.split('window=').length === 4")
        frames = [page.page.evaluate(FRAME, f"view-{view}")[4:] for view in (1, 2, 3)]
        assert frames[0] == frames[1] == frames[2] != [0, 1, 0, 1] and page.errors == []


@pytest.mark.slow
def test_views_are_added_and_removed(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=thk&step=0") as page:
        page.complete()
        page.press("e")
        page.wait("notes", "A difference needs two views")
        page.press("m", "ArrowRight", "e")
        page.wait("title", "difference of thk, t = 0 and thk, t = 1")
        page.complete()
        page.press("m")
        page.page.wait_for_url("**4.field=thk**")
        page.press("m")
        page.wait("notes", "A page has at most 4 views.")
        page.page.keyboard.press("1")
        page.press("x")
        page.page.wait_for_function("!location.search.includes('3.')")
        assert "difference" not in page.page.url and page.errors == []
        page.complete()


@pytest.mark.slow
def test_the_focus_selects_a_view(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=thk&step=0&2.field=thk&2.step=1") as page:
        page.complete()
        for _ in range(60):
            page.press("Tab")
            if "view=2" in page.page.url:
                break
            page.page.wait_for_timeout(50)
        assert "view=2" in page.page.url
        page.wait("title", "thk, t = 1")


@pytest.mark.slow
def test_a_line_is_drawn_by_mouse_and_by_keyboard(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=thk&step=0") as page:
        page.complete()
        tools = page.page.locator(".bk-tool-icon-freehand-draw, [title*='Section along a line']")
        tools.first.click()
        drag(page, 1)
        page.wait("answer", "section of ")
        assert "samples from x = " in page.text("answer") and page.errors == []
        page.press("Escape")
        page.page.wait_for_function("document.getElementById('answer').textContent === ''")
        page.press("k")
        page.wait("answer", "One end of a line is set")
        x, y, width, height, *_ = page.page.evaluate(FRAME)
        page.page.mouse.move(x + width / 4, y + height / 4)
        page.page.wait_for_timeout(300)
        page.press("k")
        page.wait("answer", "section of ")
