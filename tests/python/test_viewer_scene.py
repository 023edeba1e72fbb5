"""What the viewer shows: scenes, links, axes, colors, keys; without reading samples and without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.plot.planes import why_no_plane
from esker.viewer.scenes import colors, keys
from esker.viewer.scenes.axes import axis_of, plane_of
from esker.viewer.scenes.session import (
    Scene,
    dataset_names,
    fitted,
    query_of,
    scene_of,
    shown_fields,
    why_nothing_is_shown,
)

PALETTES = colors.PALETTES


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    """A map, a vector and a volume at three steps; the volume is absent at the second."""
    path = tmp_path_factory.mktemp("scene") / "run.idx"
    coords = {"x": 1000.0 * np.arange(40), "y": 5.0 - np.arange(30), "z": np.arange(6.0) ** 2}
    attrs = {"x": {"units": "m"}, "y": {"units": "degrees"}}
    with esker.Writer(path, dims={"x": 40, "y": 30, "z": 6}, coords=coords, attrs=attrs, report="none") as w:
        xy = w.grid("xy", ("x", "y"))
        thk, vel = w.field("thk", "f4", grid=xy), w.field("vel", "f4", grid=xy, components=3)
        temp = w.field("temp", "f8", every=2)
        for n in range(3):
            with w.step(n) as step:
                step.put(thk, np.zeros((30, 40), "f4"))
                step.put(vel, np.zeros((30, 40, 3), "f4"))
                if n % 2 == 0:
                    step.put(temp, np.zeros((6, 30, 40)))
    return esker.open(path)


def scene_from(ds: esker.Dataset, query: dict[str, str]) -> tuple[Scene, list[str]]:
    return scene_of(query, [ds], PALETTES)


def test_the_first_scene_is_the_last_step_of_the_first_field(ds: esker.Dataset) -> None:
    scene, notes = scene_from(ds, {})
    assert (scene.field, scene.step, scene.window, scene.level) == ("thk", 2, None, None)
    assert notes == []


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"field": "temp", "step": 0, "normal": "y", "place": 7, "level": 3},
        {"field": "vel", "component": 1, "palette": "magma", "reverse": True, "log": True},
        {"window": (-1.5, 22.25, -3.0, 4.0), "range": "hand", "low": -2.5, "high": 1e30, "zero": True},
    ],
)
def test_a_link_keeps_the_scene(ds: esker.Dataset, changes: dict[str, Any]) -> None:
    scene = fitted(Scene(field="thk", step=1).but(**changes), [ds])
    assert scene_from(ds, query_of(scene)) == (scene, [])


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"field": "nope"}, "The link names the field 'nope', which does not exist; shown is 'thk'."),
        ({"step": "99"}, "names the step 99"),
        ({"field": "temp", "step": "1"}, "names the step 1"),
        ({"field": "thk", "normal": "w"}, "The link names the dimension 'w', which does not exist."),
        ({"field": "temp", "step": "0", "normal": "w"}, "names the dimension 'w'"),
        ({"field": "temp", "place": "6", "step": "0"}, "names the index 6"),
        ({"level": "77"}, "names the level 77"),
        ({"component": "1"}, "names the component 1"),
        ({"dataset": "3"}, "names dataset 3; there are 1"),
        ({"dataset": "-1"}, "names dataset -1"),
        ({"step": "one"}, "has step='one'; expected a number of a step"),
        ({"window": "1,2,3"}, "expected left,right,bottom,top"),
        ({"window": "nan,1,0,1"}, "expected left,right,bottom,top"),
        ({"window": "2,1,0,1"}, "expected left,right,bottom,top"),
        ({"palette": "<img>"}, "names the palette '<img>', which does not exist"),
        ({"range": "guess"}, "names the range 'guess'"),
        ({"low": "2", "high": "1"}, "a range whose end is not above its start"),
        ({"low": "inf"}, "has low='inf'; expected a number"),
        ({"log": "yes"}, "has log='yes'; expected 0 or 1"),
        ({"field": "x" * 5000}, "The link is longer than 4096 characters"),
    ],
)
def test_a_link_that_names_what_is_not_there_says_so(
    ds: esker.Dataset, query: dict[str, str], said: str
) -> None:
    scene, notes = scene_from(ds, query)
    assert len(notes) == 1 and said in notes[0]
    assert scene == fitted(scene, [ds])


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ((7,), "has 1 axis; expected 2 or 3"),
        ((2, 3, 4, 5), "has 4 axes"),
        ((2, 1, 2, 1, 2), "has 5 axes"),
    ],
)
def test_fields_with_other_axes_are_not_shown(tmp_path: Path, shape: tuple[int, ...], reason: str) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.zeros(shape)})
    dataset = esker.open(tmp_path / "a.idx")
    assert reason in why_no_plane(dataset["f"]) and reason in why_nothing_is_shown(dataset)
    scene, _ = scene_from(dataset, {})
    assert shown_fields(dataset) == [] and scene.field == ""


def test_a_dataset_without_steps_says_so(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "a.idx", dims={"x": 4, "y": 4}, report="none") as writer:
        writer.field("thk", "f4")
    assert "thk was not written at any step" in why_nothing_is_shown(esker.open(tmp_path / "a.idx"))


def test_axes_have_the_coordinates_of_the_dataset(ds: esker.Dataset) -> None:
    field = ds["temp"]
    x, y, z = (axis_of(field, dim) for dim in "xyz")
    assert (x.label, x.span, x.at(3), x.index(3.25)) == ("x [km]", (-0.5, 39.5), 3, 3.25)
    assert (y.label, y.span, y.at(4), y.index(1)) == ("y [degrees]", (-24.5, 5.5), 1, 4)
    assert y.edges(0, 4, 2) == (-1, 7)
    assert z.uneven is not None and (z.at(3), z.coordinate(3), z.span) == (3, 9, (-0.5, 5.5))


def test_planes_draw_the_faster_axis_from_left_to_right(ds: esker.Dataset) -> None:
    scenes = {normal: plane_of(ds["temp"], Scene(field="temp", normal=normal)) for normal in "xyz"}
    assert {n: (p.horizontal.dim, p.vertical.dim) for n, p in scenes.items()} == {
        "z": ("x", "y"),
        "y": ("x", "z"),
        "x": ("y", "z"),
    }


def test_maps_are_drawn_to_scale(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.zeros((10, 20))})
    plane = plane_of(esker.open(tmp_path / "a.idx")["f"], Scene(field="f"))
    assert plane.to_scale and plane.fitting((400, 400)) == (-0.5, 19.5, -5.5, 14.5)


@pytest.mark.parametrize(
    ("scene", "found", "ends", "note"),
    [
        (Scene(), (2.0, 3.0), (2.0, 3.0), ""),
        (Scene(zero=True), (-1.0, 3.0), (-3.0, 3.0), ""),
        (Scene(log=True), (1e-9, 100.0), (0.01, 100.0), ""),
        (Scene(log=True), (-1.0, 100.0), (0.01, 100.0), "no logarithm"),
        (Scene(log=True), (-2.0, -1.0), (1.0, 10.0), "No value is above 0"),
        (Scene(), (5.0, 5.0), (2.5, 7.5), "All values are 5."),
        (Scene(), (0.0, 0.0), (-0.5, 0.5), "All values are 0."),
        (Scene(), None, (0.0, 1.0), "There is no finite value."),
        (Scene(range="hand", low=1.0, high=9.0), (2.0, 3.0), (1.0, 9.0), ""),
    ],
)
def test_colors_cover_the_range(scene: Scene, found: Any, ends: tuple[float, float], note: str) -> None:
    made = colors.coloring(scene, found, "range of this view")
    assert (
        (made.low, made.high) == pytest.approx(ends) and note in made.note and bool(note) == bool(made.note)
    )


def test_palettes_are_those_of_matplotlib() -> None:
    viridis = colors.palette("viridis", False)
    assert len(viridis) == 256 and (viridis[0], viridis[-1]) == ("#440154", "#fde725")
    assert colors.palette("viridis", True) == viridis[::-1]
    assert all(len(colors.palette(name, False)) == 256 for name in colors.PALETTES)


def test_keys_change_the_scene(ds: esker.Dataset) -> None:
    scene = fitted(Scene(field="temp", step=0, normal="z", place=2), [ds])
    window = (0.0, 10.0, 0.0, 20.0)

    def press(key: str, of: Scene = scene) -> dict[str, Any]:
        return keys.changes_of(key, of, ds[of.field], shown_fields(ds), window)

    assert press("ArrowRight") == {"step": 1} and press("ArrowDown") == {"place": 1}
    assert press("0") == {"window": None} and press("d") == {"window": (2.0, 12.0, 0.0, 20.0)}
    assert press("-") == {"window": (-2.5, 12.5, -5.0, 25.0)}
    assert press("n") == {"normal": "y"} and press("F") == {"field": "thk"} and press("c") == {}
    assert press("c", Scene(field="vel", component=2)) == {"component": None}
    assert press("[") == {"level": ds["temp"].max_level - 1} and press("\\") == {"level": None}
    assert (
        press("l") == {"log": True} and press("p") == {"palette": "magma"} and press("v") == {"range": "step"}
    )
    assert press("q") == {} and press("Enter") == {}


def test_names_of_datasets_are_told_apart(tmp_path: Path) -> None:
    for name in ("before/run.idx", "after/run.idx", "other.idx"):
        esker.write(tmp_path / name, {"a": np.ones((2, 3))})
    paths = [tmp_path / name for name in ("before/run.idx", "after/run.idx", "other.idx")]
    found = dataset_names([esker.open(path) for path in paths])
    assert found == [("0", str(paths[0])), ("1", str(paths[1])), ("2", "other.idx")]
