"""Datasets that change while a page shows them: a writer appends, a file is replaced or cut short."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.viewer.reading.watching import Watch, is_longer, watches
from esker.viewer.scenes.session import Scene
from esker.viewer.scenes.views import is_at_end

SHAPE = (40, 60)


def write(path: Path, steps: int, first: float = 0.0) -> None:
    with esker.Writer(path, dims={"x": SHAPE[1], "y": SHAPE[0]}, report="none") as writer:
        field = writer.field("f", "f4")
        for n in range(steps):
            with writer.step(n) as step:
                step.put(field, np.full(SHAPE, first + n, "f4") + np.arange(SHAPE[1], dtype="f4"))


def append(path: Path, time: float) -> None:
    with esker.Writer.append(path, report="none") as writer, writer.step(time) as step:
        step.put("f", np.full(SHAPE, time, "f4") + np.arange(SHAPE[1], dtype="f4"))


@pytest.fixture(params=["idx", "nc", "zarr", "vtkhdf"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"run.{request.param}"


def test_new_steps_are_seen(path: Path) -> None:
    write(path, 2)
    before = esker.open(path)
    watch = Watch(before)
    assert watch.look() is None and watch.look() is None
    append(path, 2.0)
    change = watch.look()
    assert change is not None and change.dataset is not None and change.note == ""
    assert change.dataset.steps == [0, 1, 2] and is_longer(change.dataset, before)
    np.testing.assert_array_equal(change.dataset["f"].read(step=2)[0, :3], [2, 3, 4])
    np.testing.assert_array_equal(before["f"].read(step=1)[0, :3], [1, 2, 3])
    assert watch.look() is None


def test_a_dataset_that_is_replaced_has_a_sentence(path: Path) -> None:
    write(path, 2)
    watch = Watch(esker.open(path))
    for file in path.parent.iterdir():
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    lost = watch.look()
    assert lost is not None and lost.dataset is None
    assert lost.note == f"{path} is missing; shown is what was read before."
    assert watch.look() is None
    write(path, 3, first=7.0)
    change = watch.look()
    assert change is not None and change.dataset is not None and len(change.dataset.steps) == 3
    np.testing.assert_array_equal(change.dataset["f"].read(step=0)[0, :2], [7, 8])


@pytest.mark.parametrize("written, name", [("two.idx", "two.idx"), ("two.idx", "two"), ("one.idx", "one")])
def test_datasets_are_watched_by_each_of_their_names(tmp_path: Path, written: str, name: str) -> None:
    """Several grids become the directory `two`; a single one becomes `one.idx` and its blocks in `one`."""
    dims = {"x": 8, "y": 6, "z": 4}
    with esker.Writer(tmp_path / written, dims=dims, report="none") as writer:
        shapes = [(6, 8), (4, 6, 8)] if written == "two.idx" else [(4, 6, 8)]
        for shape in shapes:
            writer.field(f"f{len(shape)}", "f4", grid=writer.grid("xyz"[: len(shape)], tuple("xyz"[: len(shape)])))
        with writer.step(0.0) as step:
            for shape in shapes:
                step.put(f"f{len(shape)}", np.ones(shape, "f4"))
    watch = Watch(esker.open(tmp_path / name))
    assert watch.look() is None
    with esker.Writer.append(tmp_path / name, report="none") as writer, writer.step(1.0) as step:
        for shape in shapes:
            step.put(f"f{len(shape)}", np.ones(shape, "f4"))
    change = watch.look()
    assert change is not None and change.dataset is not None and change.dataset.steps == [0, 1]
    assert change.note == "" and watch.look() is None


def test_a_dataset_that_cannot_be_watched_has_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    write(path, 1)
    dataset = esker.open(path)
    path.unlink()
    watch = Watch(dataset)
    change = watch.look()
    assert change is not None and change.dataset is None
    assert change.note == f"{path} is not watched: its files were not found. New steps are not shown."
    assert watch.look() is None


def test_the_same_steps_again_are_shown_when_they_are_complete(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    write(path, 2)
    watch = Watch(esker.open(path))
    write(tmp_path / "other.nc", 2, first=9.0)
    os.replace(tmp_path / "other.nc", path)
    assert watch.look() is None
    change = watch.look()
    assert change is not None and change.dataset is not None
    assert change.note == f"{path} was replaced while it was shown."
    assert change.dataset["f"].read(step=0)[0, 0] == 9


def test_a_file_that_is_cut_short_has_a_sentence_until_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "run.idx"
    write(path, 2)
    watch = Watch(esker.open(path))
    text = path.read_bytes()
    path.write_bytes(text[:20])
    change = watch.look()
    assert change is not None and change.dataset is None
    assert change.note.startswith(f"{path} changed and cannot be opened: ")
    assert watch.look() is None
    path.write_bytes(text)
    seen = [watch.look(), watch.look()]
    assert any(one is not None and one.dataset is not None for one in seen), seen


def test_datasets_from_urls_are_not_watched(tmp_path: Path) -> None:
    write(tmp_path / "run.nc", 1)
    dataset = esker.open(tmp_path / "run.nc")
    assert list(watches([dataset])) == [0]
    assert watches([esker.open(f"file://{tmp_path}/run.nc")]) == {}


def test_views_that_follow_go_on_from_the_last_step(tmp_path: Path) -> None:
    write(tmp_path / "run.idx", 3)
    dataset = esker.open(tmp_path / "run.idx")
    last = Scene(field="f", step=2, follow=True)
    assert is_at_end(last, dataset) and is_at_end(Scene(), dataset)
    assert not is_at_end(last.but(step=1), dataset) and not is_at_end(last.but(follow=False), dataset)


@pytest.mark.slow
def test_a_page_follows_a_running_model(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("bokeh")
    from browser import shown

    from esker.viewer.serving import server

    monkeypatch.setattr(server, "EVERY_S", 0.2)
    path = tmp_path / "run.idx"
    write(path, 3)
    with shown(browser, [esker.open(path)], "follow=1&2.field=f&2.step=0") as page:
        page.complete()
        append(path, 3.0)
        page.wait("status", "step 4 of 4")
        page.wait("colors", "colors from 3 to 62")
        page.complete()
        assert "follow=1" in page.page.url and "2.step=0" in page.page.url
        path.write_bytes(b"(version)\n6\n")
        page.wait("notes", "run.idx changed and cannot be opened")
        assert "complete" in page.text("status")
        for file in tmp_path.rglob("*.bin"):
            file.write_bytes(file.read_bytes()[:100])
        page.press("ArrowLeft")
        page.wait("notes", ".bin")
        assert "step 3 of 4" in page.text("title") + page.text("status")
        page.press("ArrowRight")
        page.wait("colors", "colors from 3 to 62")
        assert page.errors == []
