"""Field.view and esker view-query: the view of a camera."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from esker.cli import esker as command

ABOVE = {"eye": [512, 512, 9], "target": [512, 512, 0], "up": [0, 1, 0], "near": 0, "far": 20}


@pytest.fixture(scope="module")
def map_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("view") / "map.idx"
    y, x = np.mgrid[0:1024, 0:1024]
    esker.write(path, {"sum": (x + y).astype("f4")})
    return str(path)


def run(path: str, camera: Any, tmp_path: Path, *arguments: str, status: int = 0) -> str:
    file = tmp_path / "camera.json"
    file.write_text(camera if isinstance(camera, str) else json.dumps(camera))
    result = CliRunner().invoke(
        command, ["view-query", path, "sum", "--camera", str(file), *arguments], standalone_mode=True
    )
    assert result.exit_code == status, result.output
    return result.output


def test_a_quarter_of_the_pixels_take_a_sixteenth_of_the_samples(map_path: str, tmp_path: Path) -> None:
    for pixels, samples in ((1024, 1024**2), (512, 512**2), (256, 256**2)):
        camera = {**ABOVE, "height": 1024, "viewport": [pixels, pixels]}
        facts = json.loads(run(map_path, camera, tmp_path, "--json"))
        assert facts["visible"] and facts["samples"] == samples
        assert facts["bytes"] == 4 * samples and facts["bytes_of_field"] == 4 * 1024**2


def test_what_is_in_view_is_what_numpy_projects(map_path: str) -> None:
    field = esker.open(map_path)["sum"]
    camera = esker.Camera.perspective(
        (100, 80, 300), (400, 500, 0), near=10, far=900, viewport=(640, 480), field_of_view=30
    )
    view = field.view(camera)
    assert view is not None
    y, x = np.mgrid[0:1024, 0:1024]
    points = np.stack([x, y, 0 * x, 0 * x + 1]).reshape(4, -1)
    clip = camera.matrix @ points
    seen = (np.abs(clip[:3]) <= clip[3]).all(axis=0).reshape(1024, 1024)
    rows, columns = np.nonzero(seen)
    (x0, y0), (x1, y1) = view.box
    stride = field.select(level=view.level).stride
    for first, last, lowest, highest, step in (
        (x0, x1, columns.min(), columns.max(), stride[0]),
        (y0, y1, rows.min(), rows.max(), stride[1]),
    ):
        assert first <= lowest < first + step + 2 and highest < last <= highest + step + 3
    assert np.array_equal(
        field.read(box=view.box, level=view.level),
        (x + y)[y0:y1, x0:x1][-y0 % stride[1] :: stride[1], -x0 % stride[0] :: stride[0]],
    )


def test_coordinates_place_the_grid(tmp_path: Path) -> None:
    path = tmp_path / "placed.idx"
    coords = {"x": 1000 + 2.0 * np.arange(64), "y": -500 + 4.0 * np.arange(32)}
    esker.write(path, {"thk": np.zeros((32, 64), "f4")}, coords=coords)
    field = esker.open(path)["thk"]
    camera = esker.Camera.orthographic(
        (1063, -438, 9), (1063, -438, 0), up=(0, 1, 0), height=500, near=0, far=20, viewport=(100, 100)
    )
    view = field.view(camera)
    assert view is not None and view.box == ((0, 0), (64, 32)) and view.pixels <= 1
    assert field.view(camera, origin=(0, 0), spacing=(2, 4)) is None


def test_text_and_errors(map_path: str, tmp_path: Path) -> None:
    camera = {**ABOVE, "height": 1024, "viewport": [256, 256]}
    text = run(map_path, camera, tmp_path)
    assert "level 16 of 20" in text and "262.1 kB of 4.2 MB" in text
    held = json.loads(run(map_path, camera, tmp_path, "--previous-level", "17", "--json"))
    assert held["level"] in (16, 17)
    away = {**camera, "target": [512, 512, 99]}
    nothing = run(map_path, away, tmp_path)
    assert nothing == "nothing is in view; the grid covers x 0 to 1023, y 0 to 1023\n"
    for broken in ("{", "[]", {"eye": [1, 2, 3]}, {**camera, "fov": 3}, {"matrix": [1], "viewport": [1, 1]}):
        assert run(map_path, broken, tmp_path, status=2)
    with pytest.raises(ValueError, match="viewport"):
        esker.open(map_path)["sum"].view(esker.Camera(np.eye(4), (0, 5)))
