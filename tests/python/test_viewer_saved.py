"""Pages that `esker view --save` makes: what fits, texts that stay texts, and pixels in a browser without network."""

from __future__ import annotations

import html
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import FRAME, TIMEOUT_MS, chromium
from click.testing import CliRunner

import esker
from esker.cli import esker as command

pytest.importorskip("bokeh")
from esker.viewer.saved import saving
from esker.viewer.saved.saving import SavedPage, saved_page
from esker.viewer.saved.standalone import bytes_in_page, standalone_html
from esker.viewer.scenes.colors import palette

NX, NY = 60, 50
HOSTILE = '</script><img src=x onerror="document.body.dataset.bad=1">$$x^2$$'


def write(path: Path) -> esker.Dataset:
    """A map with a fill value, and a volume, at two steps; texts are hostile."""
    y, x = np.mgrid[0:NY, 0:NX]
    coords = {"x": 10.0 * np.arange(NX), "y": 10.0 * np.arange(NY)}
    attrs = {"x": {"units": "km"}, "y": {"units": "km"}, "z": {"units": HOSTILE}, "title": HOSTILE}
    with esker.Writer(
        path, dims={"x": NX, "y": NY, "z": 4}, coords=coords, attrs=attrs, report="none"
    ) as writer:
        about = {"_FillValue": np.float32(-9), "long_name": HOSTILE, "units": HOSTILE}
        thk = writer.field("thk", "f4", grid=writer.grid("xy", ("x", "y")), attrs=about)
        temp = writer.field("temp", "f8", units="K")
        for number in range(2):
            values = (x + 2 * y + number).astype("f4")
            values[10:20, 30:40] = -9
            with writer.step(float(number)) as step:
                step.put(thk, values)
                step.put(temp, np.broadcast_to(100.0 * x, (4, NY, NX)).copy())
    return esker.open(path)


def page_of(*datasets: esker.Dataset) -> SavedPage:
    return saved_page(datasets, bytes_in_page, lambda done: None)


def data_in(page: str) -> str:
    """The models of Bokeh in the page, as JSON."""
    found = re.search(r'<script type="application/json" id="[\w-]+">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return found[1]


def test_small_fields_are_whole(tmp_path: Path) -> None:
    page = page_of(write(tmp_path / "a.idx"))
    assert [saved.field.name for saved in page.pictures] == ["thk", "temp"] and page.note == ""
    thk, temp = page.pictures
    np.testing.assert_array_equal(thk.picture.values[0], np.arange(NX) + 1)
    assert thk.facts["status"] == f"step 2 of 2, t = 1 · level 12 of 12: {NX} × {NY} samples"
    assert thk.facts["kinds"] == "fill value (dots): 3 %" and temp.facts["title"].startswith(
        "temp, t = 1, z = 0"
    )


def test_large_fields_are_coarse_and_say_it(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.zeros((2000, 3000), "f4")})
    (saved,) = page_of(esker.open(tmp_path / "a.idx")).pictures
    assert 250_000 < saved.picture.values.size <= 1 << 19
    assert f"level {saved.picture.level} of {saved.field.max_level}: " in saved.facts["status"]
    assert saved.picture.level < saved.field.max_level and "at level" not in saved.facts["title"]


@pytest.mark.parametrize("most", [1_000_000, pytest.param(saving.MAX_BYTES, marks=pytest.mark.slow)])
def test_what_does_not_fit_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Samples without a value are scattered, so that hatches are large as well."""
    monkeypatch.setattr(saving, "MAX_BYTES", most)
    fields = 8 * most // 1_000_000
    values = np.random.default_rng(1).random((300, 300))
    values[values < 0.2] = np.nan
    names = [f"f{number:02}" for number in range(fields)]
    esker.write(tmp_path / "a.idx", dict.fromkeys(names, values))
    dataset = esker.open(tmp_path / "a.idx")
    page = standalone_html([dataset])
    data = data_in(page)
    count = data.count('"Figure"')
    assert 2 < count < fields and [f'"f{number}"' in data for number in range(fields)].count(True) == count
    assert (
        f"This page has {count} of {fields} fields. These did not fit in {most // 10**6} MB: f{count:02}, "
        in data
    )
    assert 0.6 * most < len(data.encode()) <= most


def test_several_datasets(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / f"{name}.idx")
    datasets = [esker.open(tmp_path / f"{name}.idx") for name in ("a", "b")]
    assert [one.facts["name"] for one in page_of(*datasets).pictures] == [
        "a.idx: thk", "a.idx: temp", "b.idx: thk", "b.idx: temp",
    ]  # fmt: skip
    esker.write(tmp_path / "line.idx", {"f": np.zeros(9)})
    with pytest.raises(ValueError, match="no field with 2 or 3 axes"):
        page_of(esker.open(tmp_path / "line.idx"))


def test_lost_files_are_a_note(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.ones((64, 64))})
    dataset = esker.open(tmp_path / "a.idx")
    for file in tmp_path.rglob("*.bin"):
        file.write_bytes(b"")
    (saved,) = page_of(dataset).pictures
    assert ".bin" in saved.facts["notes"] and saved.facts["kinds"] == "missing block (slanted lines): 100 %"


def test_texts_are_not_html(tmp_path: Path) -> None:
    page = standalone_html([write(tmp_path / "a.idx")])
    assert "<img src=x" not in page and "onerror" in page
    assert HOSTILE in json.dumps(json.loads(html.unescape(data_in(page))), ensure_ascii=False).replace(
        '\\"', '"'
    )
    assert "default-src 'none'" in page and len(page) < 2_000_000, "BokehJS without its extensions has 1.3 MB"


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.idx")

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(command, ["view", "a.idx", *arguments])

    done = run("--save", "page.html")
    assert done.exit_code == 0 and done.stdout == "page.html\n"
    done = run("--save", "page.html")
    assert done.exit_code == 2 and "page.html exists; choose another name or give --overwrite" in done.stderr
    assert run("--save", "page.html", "--overwrite").exit_code == 0
    assert "expected .html" in run("--save", "page.png").stderr
    done = run("--save", "nowhere/page.html")
    assert done.exit_code == 2 and " nowhere: No such file or directory" in done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"a", "page.html"}


def test_the_command_warns_of_what_the_page_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    esker.write(tmp_path / "a.idx", {"f": np.ones((64, 64)), "g": np.ones((64, 64))})
    command_line = ["view", "a.idx", "--save", "page.html", "--overwrite"]
    assert CliRunner().invoke(command, command_line).stderr == ""
    for file in tmp_path.rglob("*.bin"):
        file.write_bytes(file.read_bytes()[:100])
    done = CliRunner().invoke(command, command_line)
    assert done.exit_code == 0 and done.stdout == "page.html\n"
    said = done.stderr.splitlines()
    assert len(said) == 2 and all(".bin" in line for line in said), said
    assert said[0].startswith("esker: warning: f: ") and said[1].startswith("esker: warning: g: ")


def test_in_a_browser_without_network(tmp_path: Path) -> None:
    from PIL import Image

    dataset = write(tmp_path / "a.idx")
    file = tmp_path / "page.html"
    file.write_text(standalone_html([dataset]), encoding="utf-8")
    requests, errors = [], []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 900, "height": 700})
        page.context.set_offline(True)
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(file.as_uri())
        page.wait_for_function("document.body.dataset.ready", timeout=TIMEOUT_MS)

        def frame(number: int) -> list[float]:
            page.wait_for_timeout(300)
            return page.evaluate(FRAME, f"f{number}")

        def colors_at(number: int, across: list[int], up: list[int]) -> np.ndarray:
            x, y, width, height, left, right, bottom, top = frame(number)
            image = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
            columns = x + (10.0 * np.array(across) - left) / (right - left) * width
            rows = y + height - (10.0 * np.array(up) - bottom) / (top - bottom) * height
            return image[rows.astype(int)[:, None], columns.astype(int)]

        across, up = [2, 15, 50], [3, 25, 47]
        assert page.input_value("#field") == "thk"
        values = dataset["thk"].read()[np.ix_(up, across)]
        expected = colors_of(values, 1.0, float(NX - 1 + 2 * (NY - 1) + 1))
        np.testing.assert_allclose(colors_at(0, across, up), expected, atol=3)
        x, y, width, height, left, right, bottom, top = frame(0)
        for (i, j), said in {
            (15, 25): f"x = 150 km, y = 250 km: 66 {HOSTILE}",
            (35, 15): ": fill value (dots)",
        }.items():
            page.mouse.move(
                x + (10 * i - left) / (right - left) * width, y + (top - 10 * j) / (top - bottom) * height
            )
            page.wait_for_function(
                "(said) => document.getElementById('cursor').textContent.includes(said)",
                arg=said,
                timeout=TIMEOUT_MS,
            )
        assert page.text_content("#title") == "thk, t = 1"
        page.select_option("#field", index=1)
        values = dataset["temp"].read()[0][np.ix_(up, across)]
        np.testing.assert_allclose(colors_at(1, across, up), colors_of(values, 0.0, 100.0 * (NX - 1)), atol=3)
        assert page.text_content("#title") == "temp, t = 1, z = 0"
        assert page.evaluate("document.body.dataset.bad") is None
    assert requests == [file.as_uri()] and errors == []


def colors_of(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """The colors that Bokeh gives: palettes have 256 bins."""
    colors = np.array(
        [[int(text[at : at + 2], 16) for at in (1, 3, 5)] for text in palette("viridis", False)]
    )
    bins = np.clip(((values - low) / (high - low) * len(colors)).astype(int), 0, len(colors) - 1)
    return colors[bins]
