"""Outlines of the patches of a mesh: where they are in a plane, and that a page draws them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.viewer.reading import outlines
from esker.viewer.reading.outlines import LEVEL_COLORS, outlines_of
from esker.viewer.reading.sources import Source, source_of
from esker.viewer.scenes.session import Scene
from esker.viewer.scenes.views import Views, fitted_views


def written(path: Path, *, nodes: bool = False, axes: int = 2) -> esker.Dataset:
    """A coarse level of 8 cells along each axis, and a fine patch of the cells 4 to 9 with half their edges."""
    extent = dict(zip("xyz", (8,) * axes))
    with esker.Writer(path, dims={}, report="none") as writer:
        mesh = writer.mesh("amr", extent, ratios=[2], origin=(100.0,) * axes, spacing=(10.0,) * axes, nodes=nodes)
        rho = writer.field("rho", "f8", grid=mesh)
        with writer.step(0.0) as step:
            step.put(rho, np.ones((8 + nodes,) * axes), level=0)
            step.put(rho, np.full((6 + nodes,) * axes, 2.0), offset=(4,) * axes, level=1)
    return esker.open(path)


def source(ds: esker.Dataset, **scene: Any) -> Source:
    found, _ = source_of(fitted_views(Views((Scene(field="rho", **scene),)), [ds]), 0, [ds])
    assert found is not None
    return found


@pytest.mark.parametrize("nodes", [False, True])
@pytest.mark.parametrize("form", ["idx", "vtkhdf"])
def test_outlines_are_the_edges_of_patches(tmp_path: Path, form: str, nodes: bool) -> None:
    ds = written(tmp_path / f"amr.{form}", nodes=nodes)
    shown = source(ds)
    found = outlines_of(shown, lambda: True)
    across = shown.plane.horizontal
    edges = [across.at(index - (0 if nodes else 0.5)) for index in (0, 16, 4, 10)]
    assert found.rectangles["left"].tolist() == [edges[0], edges[2]]
    assert found.rectangles["right"].tolist() == pytest.approx([edges[1], edges[3]])
    assert found.rectangles["bottom"].tolist() == found.rectangles["left"].tolist()
    assert found.rectangles["color"] == list(LEVEL_COLORS[:2]) and found.note == ""


def test_a_plane_has_the_patches_that_it_meets(tmp_path: Path) -> None:
    ds = written(tmp_path / "amr.idx", axes=3)
    counts = [len(outlines_of(source(ds, normal="z", place=n), lambda: True).rectangles["left"]) for n in range(16)]
    assert counts == [1] * 4 + [2] * 6 + [1] * 6


def test_many_patches_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlines, "MAX_OUTLINES", 1)
    found = outlines_of(source(written(tmp_path / "amr.idx")), lambda: True)
    assert len(found.rectangles["left"]) == 1
    assert found.note == "Of 2 patches, 1 are outlined: the coarsest ones."


@pytest.mark.slow
def test_a_page_draws_outlines(tmp_path: Path) -> None:
    pytest.importorskip("bokeh")
    from browser import chromium, shown

    ds = written(tmp_path / "amr.idx")
    with chromium() as browser, shown(browser, [ds]) as page:
        page.complete()
        plane = source(ds).plane
        at = plane.horizontal.at(9.5), plane.vertical.at(7.2)
        before = page.colors_at([at[0]], [at[1]])[0, 0]
        page.press("o")
        page.page.wait_for_url("**outlines=1**")
        page.page.wait_for_timeout(500)
        after = page.colors_at([at[0]], [at[1]])[0, 0]
        assert np.abs(after.astype(int) - before).max() > 40 and page.errors == []
