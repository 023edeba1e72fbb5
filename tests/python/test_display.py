"""What notebooks show of datasets and fields."""

from __future__ import annotations

import base64
import io
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import esker
from http_files import serve

NX, NY, NZ = 200, 120, 9
HOSTILE = '<img src=x onerror="alert(1)">'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    attrs: dict[str, Any] = {"title": HOSTILE, "y": {"units": "m"}, "time": {"units": "days"}}
    with esker.Writer(tmp_path / "run.idx", dims={"x": NX, "y": NY, "z": NZ}, attrs=attrs, report="none") as w:
        xy = w.grid("xy", ("x", "y"))
        w.field("thk", "f4", grid=xy, long_name=HOSTILE, units="m", attrs={"_FillValue": np.float32(-1)})
        w.field("temp", "f8", components=3)
        w.field("total", "f8", grid=w.grid("series", ()))
        y, x = np.mgrid[0:NY, 0:NX]
        for n in range(2):
            with w.step(n) as s:
                s.put("thk", np.where(x < 100, y + n, -1).astype("f4"))
                s.put("temp", np.ones((NZ, NY, NX, 3)))
                s.put("total", np.ones(1))
    return tmp_path / "run.idx"


class Tags(HTMLParser):
    """The tags that are open at the end, and the images."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.images.append(dict(attrs))
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def pixels(image: dict[str, str | None]) -> np.ndarray:
    kind, _, content = str(image["src"]).partition(",")
    assert kind == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(content))))


def test_a_dataset_is_a_table_of_fields(path: Path) -> None:
    text = esker.open(path)._repr_html_()
    found = Tags(text)
    assert found.open == [] and len(found.images) == 2  # not of the series
    assert HOSTILE not in text and "&lt;img src=x" in text
    for part in ("2 steps, t = 0 to 1 days", "3 fields", "y: 120, x: 200", "96.0 kB", "0 to ", "1 attribute"):
        assert part in text, part


def test_a_thumbnail_has_the_first_row_at_the_bottom_unless_coordinates_decrease(path: Path, tmp_path: Path) -> None:
    (image,) = Tags(esker.open(path)["thk"]._repr_html_()).images
    drawn = pixels(image)
    assert drawn.shape == (NY, NX, 4) and (image["width"], image["height"]) == ("256", "154")
    assert image["alt"] == "thk, from 1 to 120"
    assert (drawn[:, 100:, 3] == 0).all()  # fill values
    top, bottom = drawn[0, 0, :3].astype(int), drawn[-1, 0, :3].astype(int)
    assert top.sum() > bottom.sum()  # viridis is bright at the largest values, which are in the last row
    esker.write(tmp_path / "down.idx", {"a": np.arange(12.0).reshape(4, 3)}, coords={"y": [4.0, 3, 2, 1]})
    (image,) = Tags(esker.open(tmp_path / "down.idx")["a"]._repr_html_()).images
    assert pixels(image)[0, 0].sum() < pixels(image)[-1, -1].sum()


def test_a_thumbnail_reads_a_coarse_level(tmp_path: Path) -> None:
    values = np.random.default_rng(3).random((2048, 2048))
    esker.write(tmp_path / "run.idx", {"a": values})
    ds = esker.open(tmp_path / "run.idx")
    (image,) = Tags(ds._repr_html_()).images
    assert pixels(image).shape == (64, 64, 4)


def test_a_volume_says_where_its_plane_is(path: Path) -> None:
    (image,) = Tags(esker.open(path)["temp"]._repr_html_()).images
    assert image["alt"] == "temp at z index 4, from 1.73205 to 1.73205"


def test_damage_leaves_the_table(path: Path) -> None:
    for file in path.parent.rglob("*.bin"):
        file.write_bytes(b"no blocks")
    text = esker.open(path)._repr_html_()
    assert Tags(text).images == [] and "3 fields" in text


def test_remote_datasets_are_not_read_for_a_display(tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"a": np.ones((20, 30))})
    with serve(tmp_path) as server:
        ds = esker.open(f"{server.url}/run.idx")
        before = server.bytes
        assert Tags(ds._repr_html_()).images == [] and server.bytes == before


def test_what_has_no_samples(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "none.idx", dims={"x": 3}, report="none") as w:
        w.field("a", "f4")
        with w.step(0) as s:
            s.put("a", np.ones(3, "f4"))
    shutil.copy(tmp_path / "none.idx", tmp_path / "copy.idx")
    ds = esker.open(tmp_path / "none.idx")
    assert Tags(ds._repr_html_()).images == [] and "x: 3" in ds["a"]._repr_html_()
    esker.write(tmp_path / "nan.idx", {"a": np.full((4, 5), np.nan)})
    assert Tags(esker.open(tmp_path / "nan.idx")._repr_html_()).images == []


def test_a_grid_is_one_line(path: Path) -> None:
    grid = esker.open(path)["thk"].grid
    assert repr(grid) == "<esker.Grid xy (y: 120, x: 200)>"
    assert re.fullmatch(r"<esker\.Grid .*>", repr(grid))
