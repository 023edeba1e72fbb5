"""Who cannot see or point can use the pages of `esker view`: axe-core finds nothing serious, and 200 % zoom hides nothing."""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np
import pytest
from browser import Shown, shown

import esker

pytest.importorskip("bokeh")
from esker.viewer.solids.vtkjs import library  # noqa: E402

axe = pytest.importorskip("axe_playwright_python")
NX, NY, NZ = 60, 40, 6
RULES = (resources.files(axe) / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    path = tmp_path_factory.mktemp("access") / "run.idx"
    values = np.random.default_rng(2).random((2, NZ, NY, NX), "f4")
    with esker.Writer(path, dims={"x": NX, "y": NY, "z": NZ}, report="none") as w:
        w.field("temp", "f4", units="K")
        for number in range(2):
            with w.step(number) as s:
                s.put("temp", values[number])
    return esker.open(path)


def serious(page: Shown) -> list[tuple[str, str]]:
    """Rule and element of each finding of weight."""
    found = page.page.evaluate(f"{RULES}; axe.run(document)")
    return [
        (one["id"], node["html"][:200])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing_serious(browser: Any, ds: esker.Dataset, scheme: str) -> None:
    """A page with two views, then its help, then the picture as a table."""
    with shown(browser, [ds], "field=temp&step=1&2.field=temp&2.step=0", color_scheme=scheme) as page:
        page.complete()
        assert serious(page) == []
        page.press("?")
        assert serious(page) == []
        page.press("Escape", "t")
        page.page.wait_for_selector("#table[open]")
        assert serious(page) == []


@pytest.mark.slow
def test_axe_finds_nothing_serious_on_the_page_of_volumes(browser: Any, ds: esker.Dataset) -> None:
    if library() is None:
        pytest.skip("vtk.js comes with Panel, which is not installed")
    with shown(browser, [ds], "field=temp", route="volume") as page:
        page.complete()
        assert serious(page) == []


@pytest.mark.slow
def test_at_200_percent_everything_can_be_reached(browser: Any, ds: esker.Dataset) -> None:
    """A screen of 1024x768 has half as many pixels then; the page may be scrolled down, but not to the side."""
    with shown(browser, [ds], viewport={"width": 512, "height": 384}, device_scale_factor=2) as page:
        page.complete()
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for name in ("status", "colors", "help-button"):
            page.page.locator(f"#{name}").scroll_into_view_if_needed()
            box = page.page.locator(f"#{name}").bounding_box()
            assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 512
