"""esker convert and esker diff: what goes in comes out, whatever the format, and what differs is found."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Two grids, three steps, a vector, a fixed field, one at every second step, coordinates, attributes."""
    draw = np.random.default_rng(9)
    attrs = {"title": "t", "n": 3, "x": {"units": "m"}, "time": {"units": "days since 2001-01-01"}}
    with esker.Writer(
        tmp_path / "run",
        dims={"x": 31, "y": 20, "z": 9},
        coords={"x": np.arange(31) * 0.5},
        attrs=attrs,
        report="none",
    ) as writer:
        plane = writer.grid("map", ["x", "y"])
        temp = writer.field("temp", "f8", units="K")
        wind = writer.field("wind", "f4", components=3, grid=plane)
        topg = writer.field("topg", "i2", grid=plane, fixed=True)
        for step in range(3):
            with writer.step(float(step)) as s:
                s.put(temp, draw.random((9, 20, 31)))
                s.put(wind, draw.random((20, 31, 3)).astype("f4"))
                if step == 0:
                    s.put(topg, draw.integers(-9, 9, (20, 31), dtype="i2"))
    return tmp_path / "run"


@pytest.mark.parametrize("name", ["b.nc", "b.h5", "b.zarr", "b.idx"])
def test_there_and_back(esker_command: Run, dataset: Path, tmp_path: Path, name: str) -> None:
    done = esker_command("convert", dataset, tmp_path / name)
    assert done.returncode == 0, done.stderr
    back = tmp_path / name
    if name == "b.zarr":
        with xr.open_zarr(back, consolidated=False) as found:
            assert np.array_equal(found["temp"][2], esker.open(dataset)["temp"].read(step=2))
            assert found["wind"].dims == ("time", "y", "x", "component")
            assert found["x"].attrs["units"] == "m"
        assert esker_command("convert", back, tmp_path / "again.idx").returncode == 0
        back = tmp_path / "again"
    done = esker_command("diff", dataset, back)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same: 3 fields" in done.stdout


def test_parts(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "part.nc"
    arguments = ["--field", "temp", "--step", "-1", "--box", "3:30,2:19,1:7", "--level", "11"]
    done = esker_command("convert", dataset, out, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["fields"] == ["temp"]
    box = ((3, 2, 1), (30, 19, 7))
    source, part = esker.open(dataset)["temp"], esker.open(out)
    assert np.array_equal(part["temp"].read(), source.read(box=box, level=11))
    assert np.array_equal(part["temp"].grid.coords["x"], source.coords("x", box, 11))
    assert part.steps == [2.0]
    with xr.open_dataset(out, engine="netcdf4") as read:
        assert np.array_equal(read["temp"][0], source.read(box=box, level=11))


def test_arrays(esker_command: Run, tmp_path: Path) -> None:
    array = np.random.default_rng(1).random((12, 20, 30)).astype(">f4")
    np.save(tmp_path / "a.npy", array)
    array.tofile(tmp_path / "a.raw")
    assert esker_command("convert", tmp_path / "a.npy", tmp_path / "n.idx").returncode == 0
    done = esker_command(
        "convert",
        tmp_path / "a.raw",
        tmp_path / "r.idx",
        "--shape",
        "12,20,30",
        "--dtype",
        ">f4",
        "--option",
        "bits_per_block=8",
    )
    assert done.returncode == 0, done.stderr
    assert np.array_equal(esker.open(tmp_path / "n.idx")["a"].read(), array)
    raw = esker.open(tmp_path / "r.idx")
    assert np.array_equal(raw["a"].read(), array)
    assert raw.parts[0].bits_per_block == 8


@pytest.mark.parametrize("shape", [(14, 17), (14, 17, 3)])
def test_pictures(esker_command: Run, tmp_path: Path, shape: tuple[int, ...]) -> None:
    from PIL import Image

    stack = np.random.default_rng(2).integers(0, 255, (5, *shape), dtype="u1")
    (tmp_path / "scan").mkdir()
    for number, layer in enumerate(stack):
        Image.fromarray(layer).save(tmp_path / "scan" / f"{number:03}.png")
    for source in (tmp_path / "scan", tmp_path / "scan" / "*.png"):
        assert esker_command("convert", source, tmp_path / "out.idx", "--overwrite").returncode == 0
        assert np.array_equal(esker.open(tmp_path / "out.idx")["scan"].read(), stack)


def test_a_real_file(esker_command: Run, tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "data" / "greenland_5km.nc"
    assert esker_command("convert", source, tmp_path / "g.idx").returncode == 0
    assert esker_command("diff", source, tmp_path / "g").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["nothing.idx", "b.idx"], 2, "no such dataset"),
        (["run", "b.xyz"], 2, "--format says which"),
        (["run", "b.idx", "--field", "nope"], 2, "no field 'nope'"),
        (["a.raw", "b.idx"], 2, "give both"),
        (["a.npy", "b.idx", "--level", "3"], 2, "level"),
        (["run", "b.idx", "--option", "bits_per_block"], 2, "expected a name and a value"),
        (["run", "b.idx", "--option", "nope=1"], 2, "unknown option 'nope'"),
        (["run", "there.idx"], 1, "there"),
        (["run", "there.zarr"], 1, "there"),
    ],
)
def test_what_is_wrong(
    esker_command: Run, dataset: Path, tmp_path: Path, arguments: list[str], status: int, message: str
) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3))
    (tmp_path / "a.raw").write_bytes(b"123")
    (tmp_path / "there.zarr").mkdir()
    esker.write(tmp_path / "there.idx", {"a": np.zeros((3, 3))})
    before = sorted(tmp_path.rglob("*"))
    done = esker_command("convert", *(tmp_path / name if n < 2 else name for n, name in enumerate(arguments)))
    assert (done.returncode, message in done.stderr) == (status, True), done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_larger_than_memory(tmp_path: Path) -> None:
    program = textwrap.dedent(f"""
        import numpy as np, os
        from esker.cli import main
        import esker.conversion, esker.sources
        np.lib.format.open_memmap({str(tmp_path / "large.npy")!r}, "w+", "f8", (300, 400, 400))[:] = np.arange(400.0)
        def memory():
            facts = dict(line.split(":") for line in open("/proc/self/status").read().splitlines())
            return int(facts["RssAnon"].split()[0]) // 1024
        before = most = memory()
        def tell(n):
            global most
            most = max(most, memory())
        source = esker.sources.open_source({str(tmp_path / "large.npy")!r})
        esker.conversion.convert(source, {str(tmp_path / "large.idx")!r}, "idx", tell, report="none")
        print(most - before)
        most = before = memory()
        source = esker.sources.open_source({str(tmp_path / "large.idx")!r})
        esker.conversion.convert(source, {str(tmp_path / "large.nc")!r}, "cdf5", tell, report="none")
        print(most - before)
        assert (esker.open({str(tmp_path / "large.nc")!r})["large"].read(box=((5, 399, 299), (6, 400, 300))) == 5).all()
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert all(int(line) < 150 for line in done.stdout.split()), done.stdout  # of 366 MiB


def test_differences(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    def change(source: Any) -> None:
        for one in source.fields:
            read = one.read
            if one.name == "temp":
                object.__setattr__(
                    one, "read", lambda step, box, read=read: _changed(read(step, box), step, box)
                )

    def _changed(samples: np.ndarray[Any, Any], step: int, box: Any) -> np.ndarray[Any, Any]:
        samples = samples.copy()
        (x0, y0, z0), (x1, y1, z1) = box
        if step == 1 and x0 <= 4 < x1 and y0 <= 5 < y1 and z0 <= 6 < z1:
            samples[6 - z0, 5 - y0, 4 - x0] += 0.25
            samples[8 - z0, 19 - y0, 30 - x0] = np.nan
        return samples

    from esker.conversion import convert
    from esker.sources import of_dataset

    source = of_dataset(esker.open(dataset), list(esker.open(dataset)))
    change(source)
    convert(source, tmp_path / "other.idx", "idx", lambda n: None, report="none")
    done = esker_command("diff", dataset, tmp_path / "other", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    temp = next(one for one in found["fields"] if one["field"] == "temp")
    assert temp["different"] == 2
    assert temp["max_abs"] == pytest.approx(0.25)
    assert [(at["step"], at["index"]) for at in temp["first"]] == [(1, [4, 5, 6]), (1, [30, 19, 8])]
    assert not found["structure"]
    assert "step 1, (4, 5, 6)" in esker_command("diff", dataset, tmp_path / "other").stdout
    tolerant = json.loads(
        esker_command("diff", dataset, tmp_path / "other", "--atol", "0.3", "--json").stdout
    )
    assert [one["different"] for one in tolerant["fields"]] == [1, 0, 0]  # a NaN is near nothing


def test_other_structure(esker_command: Run, tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"u": np.zeros((4, 5)), "v": np.zeros((4, 5))}, attrs={"title": "a"})
    esker.write(
        tmp_path / "b.idx", {"u": np.zeros((4, 6)), "w": np.zeros((4, 6))}, time=2.0, attrs={"title": "b"}
    )
    done = esker_command("diff", tmp_path / "a.idx", tmp_path / "b.idx")
    assert done.returncode == 1
    for words in (
        "field 'v' is in",
        "field 'w' is in",
        "u: shape is (4, 5) and (4, 6)",
        "time 0.0 and 2.0",
        "'title'",
    ):
        assert words in done.stdout
    assert esker_command("diff", tmp_path / "a.idx", tmp_path / "none.idx").returncode == 2
    same = esker_command("diff", tmp_path / "a.idx", tmp_path / "a.idx")
    assert (same.returncode, "the same" in same.stdout) == (0, True)


def test_large_integers_are_told_apart(esker_command: Run, tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"n": np.full((3, 3), 2**60, "i8")})
    esker.write(tmp_path / "b.idx", {"n": np.full((3, 3), 2**60 + 1, "i8")})
    found = json.loads(esker_command("diff", tmp_path / "a.idx", tmp_path / "b.idx", "--json").stdout)
    assert (found["fields"][0]["different"], found["fields"][0]["max_abs"]) == (9, 1)
