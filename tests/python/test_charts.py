"""Charts, lines as text, netCDF of a part, completion and man pages: the output of the verbs agrees with the data."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import esker
from esker.base.boxes import Box
from esker.cli.arguments import Section
from esker.plot import charts, planes

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
    assert np.allclose(course.minimum, [values.min() for values in part])
    assert np.array_equal(course.times, [0, 10, 20])
    lengths = charts.read_series(dataset["wind"], box=((3, 4), (4, 5)))
    assert np.allclose(lengths.mean, [0, 5, 10])
    assert np.allclose(charts.read_series(dataset["wind"], component=0).maximum, [0, 3, 6])


def test_old_names_of_a_series(path: Path) -> None:
    series = charts.read_series(esker.open(path)["h"])
    with pytest.warns(DeprecationWarning, match="minimum"):
        assert series.least is series.minimum
    with pytest.warns(DeprecationWarning, match="maximum"):
        assert series.greatest is series.maximum


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
    assert series.minimum == pytest.approx([value] * 2) and series.maximum == pytest.approx([value] * 2)
    assert histogram.counts.sum() == 19
    plane = planes.read_plane(field)
    assert plane.values.count() == 19 and plane.values.max() == pytest.approx(value)
    arguments = ("export", packed, name, "-o", tmp_path / "line.csv", "--box", "0:5,1:2")
    assert esker_command(*arguments).returncode == 0
    rows = _rows(tmp_path / "line.csv")[1:]
    assert rows[2][2] == "" and float(rows[1][2]) == pytest.approx(274 if name == "t" else 3)


@pytest.fixture
def map_in_metres(tmp_path: Path) -> Path:
    """561 x 301 samples 5 km apart, 21 levels, with a long name that does not fit next to a short axis."""
    x, y, z = np.linspace(-800e3, 700e3, 301), np.linspace(-3400e3, -600e3, 561), np.linspace(0, 4000, 21)
    units = {dim: {"units": "m"} for dim in "xyz"} | {"time": {"units": "years since 2000-01-01"}}
    dims = {"x": 301, "y": 561, "z": 21}
    with esker.Writer(tmp_path / "map.idx", dims=dims, attrs=units, report="none") as w:
        volume = w.grid("xyz", ("x", "y", "z"), coords={"x": x, "y": y, "z": z})
        speed = {"long_name": "magnitude of horizontal velocity of ice at ice surface", "units": "m year-1"}
        field = w.field("speed", "f4", grid=volume, attrs=speed)
        with w.step(150.0) as s:
            s.put(field, np.add.outer(z, np.add.outer(y, x)).astype("f4"))
    return tmp_path / "map.idx"


@pytest.mark.parametrize(
    "place, index",
    [(280, 280), (planes.Coordinate(-2000, "km"), 280), (planes.Coordinate(-1.9991e6), 280)],
)
def test_a_section_is_at_an_index_or_a_coordinate(map_in_metres: Path, place: object, index: int) -> None:
    field = esker.open(map_in_metres)["speed"]
    plane = planes.read_plane(field, section=("y", place), level=field.max_level)
    np.testing.assert_array_equal(plane.values, field.read()[:, index, :])
    assert (plane.position, plane.time) == ("y = -2000 km", "t = 150 years")
    assert (plane.horizontal.label, plane.vertical.label) == ("x [km]", "z [m]")


@pytest.mark.parametrize(
    "place, error, words",
    [
        ("y=9e9", IndexError, "outside the coordinates, -3.4e+06 to -600000 m"),
        ("y=20degrees", ValueError, "coordinates of y are in m, not degrees"),
    ],
)
def test_a_missing_coordinate(map_in_metres: Path, place: str, error: type, words: str) -> None:
    dim, where = Section().convert(place, None, None)
    with pytest.raises(error, match=re.escape(words)):
        planes.read_plane(esker.open(map_in_metres)["speed"], section=(dim, where))


@pytest.mark.parametrize("box", [None, ((0, 0, 0), (301, 20, 21)), ((100, 0, 0), (104, 561, 21))])
def test_labels_fit_in_the_picture(map_in_metres: Path, box: Box | None) -> None:
    """Maps of any shape: no label is cut off, no tick labels overlap."""
    figure = planes.figure(planes.read_plane(esker.open(map_in_metres)["speed"], box=box))
    figure.draw_without_rendering()
    edges = figure.bbox.padded(1)
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            shown = axis.get_view_interval()
            ticks = [tick for tick in axis.get_major_ticks() if shown.min() <= tick.get_loc() <= shown.max()]
            labels = [label for tick in ticks for label in (tick.label1, tick.label2) if label.get_visible()]
            boxes = [label.get_window_extent() for label in labels]
            assert not any(a.overlaps(b) for n, a in enumerate(boxes) for b in boxes[:n])
            texts = [*boxes, axis.label.get_window_extent(), axes.title.get_window_extent()]
            assert all(edges.fully_containsx(b.x0) and edges.fully_containsx(b.x1) for b in texts)
            assert all(edges.fully_containsy(b.y0) and edges.fully_containsy(b.y1) for b in texts)


def test_kinds_of_pictures_exclude_each_other(esker_command: Run, path: Path) -> None:
    done = esker_command("plot", path, "h", "--histogram", "--series")
    assert (done.returncode, "at most one of --section" in done.stderr) == (2, True)


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
    assert (done.returncode, "expected a line of samples for CSV" in done.stderr) == (2, True)
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
    assert {"esker", "esker-convert", "esker-diff", "esker-movie", "esker-plot", "esker-repair"} <= names
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
