"""Charts, lines as text, netCDF of a part, completion and man pages: what the verbs make is what the data say."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import esker
from esker import charts, plotting

Run = Callable[..., subprocess.CompletedProcess[str]]


def _rows(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines()))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    values = np.random.default_rng(4).random((3, 40, 60))
    values[1, 0, 0] = np.nan
    with esker.Writer(
        tmp_path / "run.idx", dims={"x": 60, "y": 40}, coords={"x": np.arange(60) * 2.5}, report="none"
    ) as w:
        h, wind = w.field("h", "f8", units="m"), w.field("wind", "f4", components=2)
        for step in range(3):
            with w.step(10.0 * step) as s:
                s.put(h, values[step])
                s.put(wind, np.full((40, 60, 2), [3 * step, 4 * step], "f4"))
    return tmp_path / "run.idx"


def test_histogram_counts_all_values(path: Path) -> None:
    field = esker.open(path)["h"]
    made = charts.read_histogram(field, step=1, bins=10)
    counts, edges = np.histogram(field.read(step=1)[~np.isnan(field.read(step=1))], 10)
    assert np.array_equal(made.counts, counts)
    assert np.allclose(made.edges, edges)
    assert made.counts.sum() == 40 * 60 - 1


def test_series_of_a_box_and_of_a_point(path: Path) -> None:
    dataset = esker.open(path)
    course = charts.read_series(dataset["h"], box=((10, 5), (30, 25)))
    part = [dataset["h"].read(step=s, box=((10, 5), (30, 25))) for s in range(3)]
    assert np.allclose(course.mean, [values.mean() for values in part])
    assert np.allclose(course.least, [values.min() for values in part])
    assert np.array_equal(course.times, [0, 10, 20])
    lengths = charts.read_series(dataset["wind"], box=((3, 4), (4, 5)))
    assert np.allclose(lengths.mean, [0, 5, 10])
    assert np.allclose(charts.read_series(dataset["wind"], component=0).greatest, [0, 3, 6])


@pytest.mark.parametrize(
    "arguments", [["--histogram"], ["--histogram", "--log"], ["--series"], ["--series", "--box", "3:4,5:6"]]
)
def test_pictures(esker_command: Run, path: Path, tmp_path: Path, arguments: list[str]) -> None:
    out = tmp_path / "chart.png"
    done = esker_command("plot", path, "h", *arguments, "-o", out, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["level"] == esker.open(path)["h"].max_level
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """Temperatures of 260 to 310 K in 16 bits, and winds, of which one is missing."""
    with esker.Writer(tmp_path / "packed.idx", dims={"x": 5, "y": 4}, report="none") as w:
        t = w.field(
            "t", "i2", attrs={"scale_factor": 0.01, "add_offset": 273.0, "_FillValue": -32768, "units": "K"}
        )
        wind = w.field("wind", "f4", components=2, attrs={"_FillValue": -1e34})
        stored, winds = np.full((4, 5), 100, "i2"), np.full((4, 5, 2), [3, 4], "f4")
        stored[1, 2], winds[1, 2] = -32768, -1e34
        for time in (0.0, 1.0):
            with w.step(time) as s:
                s.put(t, stored)
                s.put(wind, winds)
    return tmp_path / "packed.idx"


@pytest.mark.parametrize("name, value", [("t", 274.0), ("wind", 5.0)])
def test_values_are_what_they_mean(
    esker_command: Run, packed: Path, tmp_path: Path, name: str, value: float
) -> None:
    field = esker.open(packed)[name]
    series, histogram = charts.read_series(field), charts.read_histogram(field)
    assert series.least == pytest.approx([value] * 2) and series.greatest == pytest.approx([value] * 2)
    assert histogram.counts.sum() == 19
    plane = plotting.read_plane(field)
    assert plane.values.count() == 19 and plane.values.max() == pytest.approx(value)
    arguments = ("export", packed, name, "-o", tmp_path / "line.csv", "--box", "0:5,1:2")
    assert esker_command(*arguments).returncode == 0
    rows = _rows(tmp_path / "line.csv")[1:]
    assert rows[2][2] == "" and float(rows[1][2]) == pytest.approx(274 if name == "t" else 3)


def test_pictures_of_their_own(esker_command: Run, path: Path) -> None:
    done = esker_command("plot", path, "h", "--histogram", "--series")
    assert (done.returncode, "pictures of their own" in done.stderr) == (2, True)


def test_a_line_as_text(esker_command: Run, path: Path, tmp_path: Path) -> None:
    out = tmp_path / "line.csv"
    assert esker_command("export", path, "h", "-o", out, "--box", "5:50,7:8", "--step", "0").returncode == 0
    rows = _rows(out)
    assert rows[0] == ["x", "y", "h"]
    found = np.array(rows[1:], float)
    assert np.array_equal(found[:, 0], np.arange(5, 50) * 2.5)
    assert np.array_equal(found[:, 2], esker.open(path)["h"].read(step=0)[7, 5:50])
    assert esker_command("export", path, "wind", "-o", out, "--box", "5:50,7:8").returncode == 0
    assert _rows(out)[0] == ["x", "y", "wind_0", "wind_1"]
    done = esker_command("export", path, "h", "-o", out)
    assert (done.returncode, "no line" in done.stderr) == (2, True)
    assert _rows(out)[0] == ["x", "y", "wind_0", "wind_1"]  # as it was


def test_a_part_as_netcdf(esker_command: Run, path: Path, tmp_path: Path) -> None:
    out = tmp_path / "part.nc"
    done = esker_command("export", path, "h", "-o", out, "--box", "5:50,7:30", "--level", "10", "--step", "2")
    assert done.returncode == 0, done.stderr
    with xr.open_dataset(out, engine="netcdf4") as found:
        box = ((5, 7), (50, 30))
        assert np.array_equal(found["h"][0], esker.open(path)["h"].read(step=2, box=box, level=10))
        assert np.array_equal(found["x"], esker.open(path)["h"].coords("x", box, 10))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(esker_command: Run, shell: str) -> None:
    done = esker_command("completion", shell)
    assert done.returncode == 0
    assert "_ESKER_COMPLETE" in done.stdout


def test_bash_completes_verbs(esker_command: Run, tmp_path: Path) -> None:
    script = tmp_path / "complete"
    script.write_text(esker_command("completion", "bash").stdout)
    words = 'COMP_WORDS=(esker con); COMP_CWORD=1; _esker_completion esker; echo "${COMPREPLY[@]}"'
    command = shutil.which("esker", path=str(Path(esker_command("--version").args[0]).parent))
    done = subprocess.run(
        ["bash", "-c", f". {script}; PATH={Path(str(command)).parent}:$PATH; {words}"],
        capture_output=True,
        text=True,
    )
    assert "convert" in done.stdout.split(), done.stderr


def test_man_pages(esker_command: Run, tmp_path: Path) -> None:
    assert esker_command("manual", "-o", tmp_path / "man1").returncode == 0
    names = {page.stem for page in (tmp_path / "man1").iterdir()}
    assert {"esker", "esker-convert", "esker-diff", "esker-plot", "esker-repair"} <= names
    text = (tmp_path / "man1" / "esker-convert.1").read_text()
    assert ".SH EXAMPLES" in text
    assert "esker convert run.nc run.idx" in text.replace("\\-", "-")
    if shutil.which("man"):
        shown = subprocess.run(
            ["man", "--warnings", "-l", str(tmp_path / "man1" / "esker-plot.1")],
            capture_output=True,
            text=True,
        )
        assert shown.returncode == 0
        assert not shown.stderr
        assert "DESCRIPTION" in shown.stdout
