"""Globes: which fields are on cells of a sphere, where the cells are, which touch, and what is drawn."""

from __future__ import annotations

import importlib.util
import io
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import shown
from numpy.typing import NDArray

import esker

pytest.importorskip("bokeh")
if importlib.util.find_spec("panel") is None:  # importing it would change the pages of Bokeh in this process
    pytest.importorskip("panel")
from esker.viewer.reading.samples import Kind  # noqa: E402
from esker.viewer.solids.globe_samples import read_cells, read_mesh  # noqa: E402
from esker.viewer.solids.globes import globe_of, globes_of, levels_of, triangles  # noqa: E402

LEVEL = 4
SIDE = 2**LEVEL


def unit(place: NDArray[Any]) -> NDArray[Any]:
    return place / np.linalg.norm(place, axis=-1, keepdims=True)


def panel(corners: NDArray[Any], level: int) -> NDArray[Any]:
    """The nodes [j, i] of a panel by bisection of its edges and its shorter diagonal, (0, 0) to (N, N)."""
    nodes = corners
    for _ in range(level):
        n = nodes.shape[0] - 1
        finer = np.zeros((2 * n + 1, 2 * n + 1, 3))
        finer[::2, ::2] = nodes
        finer[::2, 1::2] = unit(nodes[:, :-1] + nodes[:, 1:])
        finer[1::2, ::2] = unit(nodes[:-1] + nodes[1:])
        finer[1::2, 1::2] = unit(nodes[:-1, :-1] + nodes[1:, 1:])
        nodes = finer
    return nodes


def centers(level: int = LEVEL) -> tuple[NDArray[Any], NDArray[Any]]:
    """The cells of ten panels, [panel, j, i], as miniapps/gcrm/panels.h has them, and the poles."""
    north = np.array([0.0, 0.0, 1.0])
    ring = np.arctan(0.5)

    def vertex(degrees: float, lat: float) -> NDArray[Any]:
        lon = np.radians(degrees)
        return np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])

    upper = [vertex(72 * p, ring) for p in range(6)]
    lower = [vertex(72 * p + 36, -ring) for p in range(6)]
    squares = [[[upper[p], lower[p]], [north, upper[p + 1]]] for p in range(5)]
    squares += [[[lower[p], -north], [upper[p + 1], lower[p + 1]]] for p in range(5)]
    cells = np.stack([panel(np.array(square), level)[:-1, :-1] for square in squares])
    return cells, np.stack([north, -north])


def degrees(place: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.degrees(np.arctan2(place[..., 1], place[..., 0])), np.degrees(np.arcsin(place[..., 2]))


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    """Panels with two layers: the longitude, and the latitude, in two steps."""
    path = tmp_path_factory.mktemp("globe") / "run.idx"
    cells, poles = centers()
    lon, lat = degrees(cells)
    plon, plat = degrees(poles)
    with esker.Writer(path, dims={"i": SIDE, "j": SIDE, "pole": 2}, report="none") as writer:
        panels, both = writer.grid("panels", ("i", "j")), writer.grid("poles", ("pole",))
        names = [*(f"p{n}" for n in range(10)), "poles"]
        grids = [panels] * 10 + [both]
        fields = {}
        for name, fixed, count in (("lon", True, 1), ("lat", True, 1), ("f", False, 2)):
            fields[name] = [
                writer.field(f"{name}_{part}", "f8", grid=grid, components=count, fixed=fixed)
                for part, grid in zip(names, grids)
            ]
        values = [*zip(lon, lat), (plon, plat)]
        for n in range(2):
            with writer.step(n) as step:
                for k, (one, two) in enumerate(values):
                    step.put(fields["f"][k], np.stack([one, two + n], axis=-1))
                    if n == 0:
                        step.put(fields["lon"][k], one)
                        step.put(fields["lat"][k], two)
    return esker.open(path)


@pytest.mark.parametrize("side", [1, 2, 8])
def test_triangles_close_the_sphere(side: int) -> None:
    found = triangles(side)
    assert len(found) == 20 * side**2 and len(np.unique(found)) == 10 * side**2 + 2
    edges = Counter(
        tuple(edge) for corners in found.tolist() for edge in zip(corners, corners[1:] + corners[:1])
    )
    assert set(edges.values()) == {1} and all((b, a) in edges for a, b in edges), (
        "each edge once in each direction"
    )


def test_panels_are_one_quantity_with_layers(ds: esker.Dataset) -> None:
    assert list(globes_of(ds)) == ["f"] and globes_of(ds)["f"].layers == 2
    scene, notes = globe_of({"field": "f_p3", "layer": "9", "palette": "magma"}, [ds])
    assert (scene.name, scene.layer, scene.scene.step, scene.scene.palette, notes) == ("f", 1, 1, "magma", [])
    assert globe_of({"field": "g"}, [ds])[1] == ["g is not on a globe; shown is f."]


def test_cells_are_where_their_coordinates_are_at_every_level(ds: esker.Dataset) -> None:
    cells, poles = centers()
    for level, stride in ((8, 1), (4, 4)):
        scene, _ = globe_of({"field": "f", "step": "1", "layer": "1", "level": str(level)}, [ds])
        assert levels_of(ds, scene)[-1] == level
        mesh = read_mesh(ds, scene, level, lambda: True)
        expected = np.concatenate([cells[:, ::stride, ::stride].reshape(-1, 3), poles])
        assert np.abs(mesh.places - expected).max() < 1e-6
        assert len(mesh.triangles) == 2 * (len(expected) - 2), "the panels are arranged as expected"
        sides = np.linalg.norm(mesh.places[mesh.triangles[:, 0]] - mesh.places[mesh.triangles[:, 1]], axis=-1)
        assert sides.max() < 1.4 * sides.min()
        found = read_cells(ds, scene, level, lambda: True)
        values = found.low + (found.codes - 1.0) / 65534 * (found.high - found.low)
        assert np.abs(values - (degrees(expected)[1] + 1)).max() < 0.01


def test_a_list_of_cells_needs_places_only(tmp_path: Path) -> None:
    lon, lat = np.linspace(0, 6, 64), np.linspace(-1.5, 1.5, 64)
    dims = {"cell": 64, "z": 3}
    with esker.Writer(tmp_path / "a.nc", dims=dims, report="none") as writer:
        line, both = writer.grid("line", ("cell",)), writer.grid("both", ("cell", "z"))
        made = [
            writer.field(name, "f8", grid=line, fixed=True, attrs={"units": "radians"})
            for name in ("lon", "lat")
        ]
        f = writer.field("f", "f4", grid=both)
        with writer.step(0) as step:
            step.put(made[0], lon), step.put(made[1], lat)
            array = np.tile(np.arange(64, dtype="f4"), (3, 1)) * np.array([[1], [10], [100]], "f4")
            array[:, 5] = np.nan
            step.put(f, array)
    ds = esker.open(tmp_path / "a.nc")
    scene, notes = globe_of({"field": "f", "layer": "1", "palette": "turbo"}, [ds])
    assert notes == [] and globes_of(ds)["f"].layers == 3 and scene.scene.palette == "turbo"
    level = levels_of(ds, scene)[-1]
    found, mesh = read_cells(ds, scene, level, lambda: True), read_mesh(ds, scene, level, lambda: True)
    assert (found.low, found.high, found.counts[Kind.NAN]) == (0, 630, 1) and len(mesh.triangles) == 0
    assert mesh.places[:, 2] == pytest.approx(np.sin(lat), abs=1e-6)


@pytest.mark.slow
def test_east_is_to_the_right_and_north_is_up(browser: Any, ds: esker.Dataset) -> None:
    from PIL import Image

    with shown(browser, [ds], "field=f&step=0", route="globe") as page:
        page.complete()
        assert f"{10 * SIDE**2 + 2} cells" in page.text("status")
        page.press("x")
        for layer in ("longitude", "latitude"):
            page.page.wait_for_timeout(150)
            box = page.page.locator("#view").bounding_box()
            image = np.asarray(Image.open(io.BytesIO(page.page.screenshot())).convert("RGB")).astype(int)
            middle = int(box["x"] + box["width"] / 2), int(box["y"] + box["height"] / 2)
            green = {
                "left": image[middle[1], middle[0] - 150, 1], "right": image[middle[1], middle[0] + 150, 1],
                "up": image[middle[1] - 150, middle[0], 1], "down": image[middle[1] + 150, middle[0], 1],
            }  # fmt: skip
            if layer == "longitude":
                assert green["right"] > green["left"] + 20, "of viridis, green grows with the value"
                page.page.locator("#c-layer").select_option("1")
                page.page.wait_for_url("**layer=1**")
                page.complete()
            else:
                assert green["up"] > green["down"] + 20
        assert page.errors == []
