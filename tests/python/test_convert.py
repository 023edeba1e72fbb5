"""esker convert keeps the data in all formats, and esker diff finds differences."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr
from click.testing import CliRunner

import esker
from esker.cli import esker as command
from esker.convert.conversion import convert
from esker.convert.opening import open_source
from esker.files.comparison import compare

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
        rare = writer.field("rare", "f4", grid=plane, every=2)
        for step in range(3):
            with writer.step(float(step)) as s:
                s.put(temp, draw.random((9, 20, 31)))
                s.put(wind, draw.random((20, 31, 3)).astype("f4"))
                if step == 0:
                    s.put(topg, draw.integers(-9, 9, (20, 31), dtype="i2"))
                if step % 2 == 0:
                    s.put(rare, draw.random((20, 31)).astype("f4"))
    return tmp_path / "run"


@pytest.mark.parametrize("name", ["b.nc", "b.nc4", "b.h5", "b.hdf5", "b.zarr", "b.idx"])
def test_round_trips(esker_command: Run, dataset: Path, tmp_path: Path, name: str) -> None:
    done = esker_command("convert", dataset, tmp_path / name)
    assert done.returncode == 0, done.stderr
    if name == "b.zarr":
        with xr.open_zarr(tmp_path / name, consolidated=False) as found:
            assert np.array_equal(found["temp"][2], esker.open(dataset)["temp"].read(step=2))
            assert found["wind"].dims == ("time", "y", "x", "component_3")
            assert found["x"].attrs["units"] == "m"
            absent = netCDF4.default_fillvals["f4"]
            assert (found["rare"][1] == np.float32(absent)).all()  # it has samples in every second step
    done = esker_command("diff", dataset, tmp_path / name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same: " in done.stdout


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


@pytest.mark.parametrize("name", ["x", "time"])
def test_attributes_with_names_of_dimensions_in_a_source(esker_command: Run, tmp_path: Path, name: str) -> None:
    """One of the two would be lost."""
    ds = xr.Dataset(
        {"v": (("time", "x"), np.zeros((2, 3)))},
        coords={"time": ("time", [0.0, 1.0], {"units": "s"}), "x": ("x", [0.0, 1.0, 2.0], {"units": "m"})},
        attrs={name: "lost"},
    )
    ds.to_netcdf(tmp_path / "run.nc", format="NETCDF3_64BIT", engine="netcdf4", unlimited_dims=["time"])
    ds.to_zarr(tmp_path / "run.zarr", consolidated=False)
    for source in ("run.nc", "run.zarr"):
        done = esker_command("convert", source, "run.idx")
        assert (done.returncode, f"{name!r} has the name of a dimension" in done.stderr) == (2, True), (
            done.stderr
        )
        assert not (tmp_path / "run.idx").exists()


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
        (["run", "b.xyz"], 2, "expected one of .idx, .nc, .nc4, .h5, .hdf5, .vtkhdf.series, .zarr, or give --format"),
        (["run", "b.idx", "--field", "nope"], 2, "no field 'nope'"),
        (["a.raw", "b.idx"], 2, "give both"),
        (["a.npy", "b.idx", "--level", "3"], 2, "level"),
        (["run", "b.idx", "--option", "bits_per_block"], 2, "expected a name and a value"),
        (["run", "b.idx", "--option", "nope=1"], 2, "unknown option 'nope'"),
        (["run", "there.idx"], 1, "there"),
        (["run", "there.zarr"], 1, "is not a Zarr group"),
    ],
)
def test_what_is_wrong(
    esker_command: Run, dataset: Path, tmp_path: Path, arguments: list[str], status: int, message: str
) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3))
    (tmp_path / "a.raw").write_bytes(b"123")
    (tmp_path / "there.zarr/notes").mkdir(parents=True)
    esker.write(tmp_path / "there.idx", {"a": np.zeros((3, 3))})
    before = sorted(tmp_path.rglob("*"))
    done = esker_command("convert", *(tmp_path / name if n < 2 else name for n, name in enumerate(arguments)))
    assert (done.returncode, message in done.stderr) == (status, True), done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_larger_than_memory(tmp_path: Path) -> None:
    program = textwrap.dedent(f"""
        import numpy as np, os
        from esker.cli import main
        import esker.convert.conversion, esker.convert.opening
        np.lib.format.open_memmap({str(tmp_path / "large.npy")!r}, "w+", "f8", (300, 400, 400))[:] = np.arange(400.0)
        def memory():
            facts = dict(line.split(":") for line in open("/proc/self/status").read().splitlines())
            return int(facts["RssAnon"].split()[0]) // 1024
        before = most = memory()
        def tell(n):
            global most
            most = max(most, memory())
        source = esker.convert.opening.open_source({str(tmp_path / "large.npy")!r})
        esker.convert.conversion.convert(source, {str(tmp_path / "large.idx")!r}, "idx", tell, report="none")
        print(most - before)
        most = before = memory()
        source = esker.convert.opening.open_source({str(tmp_path / "large.idx")!r})
        esker.convert.conversion.convert(source, {str(tmp_path / "large.nc")!r}, "cdf5", tell, report="none")
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

    from esker.convert.conversion import convert
    from esker.convert.datasets import source_of_dataset

    source = source_of_dataset(esker.open(dataset), list(esker.open(dataset)))
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
    assert [one["different"] for one in tolerant["fields"]] == [1, 0, 0, 0]  # a NaN is not close to any number


def test_other_structure(esker_command: Run, tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"u": np.zeros((4, 5)), "v": np.zeros((4, 5))}, attrs={"title": "a"})
    esker.write(
        tmp_path / "b.idx", {"u": np.zeros((4, 6)), "w": np.zeros((4, 6))}, time=2.0, attrs={"title": "b"}
    )
    done = esker_command("diff", tmp_path / "a.idx", tmp_path / "b.idx")
    assert done.returncode == 1
    for words in (
        "field 'v' is only in",
        "field 'w' is only in",
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


def contents(path: Path) -> dict[str, bytes]:
    """All files of a directory."""
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


@pytest.mark.parametrize("name", ["out.idx", "out.nc", "out.h5", "out.zarr"])
def test_a_destination_appears_whole_or_not_at_all(
    esker_command: Run, dataset: Path, tmp_path: Path, name: str
) -> None:
    """An existing destination is kept until then."""
    work = tmp_path / "work"
    work.mkdir()
    esker.write(tmp_path / "other.idx", {"v": np.ones((4, 5))})
    (dataset / "xyz/time_0002/0000.bin").unlink()
    for before in (False, True):
        if before:
            assert esker_command("convert", tmp_path / "other.idx", work / name).returncode == 0
        was = contents(work)
        done = esker_command("convert", dataset, work / name, "--field", "temp", "--overwrite")
        assert (done.returncode, "missing" in done.stderr) == (1, True)
        assert contents(work) == was and bool(was) == before


@pytest.mark.parametrize("name", ["run", "run.nc"])
def test_a_dataset_in_the_place_of_itself(
    esker_command: Run, dataset: Path, tmp_path: Path, name: str
) -> None:
    if name == "run.nc":
        assert esker_command("convert", dataset, tmp_path / name).returncode == 0
    where = tmp_path / ("run.idx" if name == "run" else name)
    before = {field: esker.open(where)[field][...] for field in esker.open(where)}
    options = ("--option", "bits_per_block=6") if name == "run" else ("--option", "alignment=512")
    assert esker_command("convert", where, where, "--overwrite", *options).returncode == 0
    after = esker.open(where)
    assert all(np.array_equal(after[field][...], values) for field, values in before.items())
    assert esker.verify(where).good and {part.bits_per_block for part in after.parts} == {
        6 if name == "run" else 0
    }
    assert not list(tmp_path.glob(".*"))
    done = esker_command("export", where, "temp", "-o", tmp_path / "run.nc")
    assert done.returncode == (2 if name == "run.nc" else 0)


def test_nothing_of_others_is_overwritten(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis/deep").mkdir(parents=True)
    (tmp_path / "thesis/deep/text").write_text("years")
    (tmp_path / "file.zarr").write_text("no store")
    (tmp_path / "notes.zarr/deep").mkdir(parents=True)
    xr.Dataset({"v": ("x", [1.0])}).to_zarr(tmp_path / "theirs.zarr", zarr_format=3, consolidated=False)
    (tmp_path / "data").write_text("not blocks")
    xr.Dataset({"v": ("x", [1.0])}).to_netcdf(tmp_path / "theirs.nc")
    before = contents(tmp_path)
    for name, kind in [
        ("notes.zarr", "zarr"),
        ("theirs.zarr", "zarr"),
        ("file.zarr", "zarr"),
        ("theirs.nc", "cdf5"),
        ("thesis", "idx"),
        ("data", "idx"),
    ]:
        done = esker_command(
            "convert", dataset, tmp_path / name, "--format", kind, "--field", "temp", "--overwrite"
        )
        assert done.returncode != 0
        assert "overwritten" in done.stderr or "is not a Zarr group" in done.stderr
    assert contents(tmp_path) == before


def test_fill_values_and_zarr(esker_command: Run, tmp_path: Path) -> None:
    """xarray keeps _FillValue of reals as text in Zarr."""
    values = xr.Dataset(
        {"v": (("y", "x"), [[1.0, np.nan], [3.0, 4.0]]), "n": (("y", "x"), np.array([[1, -9], [3, 4]], "i2")),
         "spatial_ref": ((), 0), "volume": (("time",), [1.0, 2.0])}
    )  # fmt: skip
    values["v"].encoding["_FillValue"] = -999.0
    values["n"].attrs["_FillValue"] = -9
    values.to_zarr(tmp_path / "theirs.zarr", zarr_format=3, consolidated=False)
    done = esker_command("convert", tmp_path / "theirs.zarr", tmp_path / "ours.idx")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert esker_command("convert", tmp_path / "ours.idx", tmp_path / "ours.zarr").returncode == 0
    with xr.open_zarr(tmp_path / "theirs.zarr", consolidated=False) as expected:
        for found in (
            xr.open_dataset(tmp_path / "ours.idx", engine="esker"),
            xr.open_zarr(tmp_path / "ours.zarr", consolidated=False),
        ):
            for name in ("v", "n", "spatial_ref", "volume"):
                assert found[name].dims == expected[name].dims
                assert np.array_equal(found[name], expected[name], equal_nan=True)
    assert esker.open(tmp_path / "ours.idx")["v"].attrs["_FillValue"] == -999.0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("half.raw", "--shape", "8,8", "--dtype", "f4"), "expected 256 bytes for 8 x 8 samples of type float32, found 512"),
        (("half.raw", "--shape", "16,16", "--dtype", "f4"), "expected 1024 bytes"),
        (("half.raw", "--shape", "-16,-8", "--dtype", "f4"), "expected sizes such as"),
        (("half.raw", "--shape", "16,8", "--dtype", "foo"), "expected a NumPy type such as f4, <i2 or >f8, found 'foo'"),
        (("empty.npy",), "truncated"),
        (("junk.npy",), "truncated"),
        (("run", "--shape", "1,2"), "are supported for raw samples (.raw, .bin) only"),
        (("good.npy", "--field", "nosuch"), "no field 'nosuch'; there are good"),
        (("depths/*.png",), "1.png: expected "),
        (("broken/*.png",), "0.png: "),
        (("run", "--step", "99"), "step 99 does not exist; the dataset has 3 steps"),
    ],
)  # fmt: skip
def test_what_would_give_other_samples(
    esker_command: Run, dataset: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    from PIL import Image

    (tmp_path / "half.raw").write_bytes(bytes(512))
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "junk.npy").write_bytes(b"no array")
    np.save(tmp_path / "good.npy", np.ones((3, 4)))
    for name in ("depths", "broken"):
        (tmp_path / name).mkdir()
    Image.fromarray(np.ones((4, 4), "u1")).save(tmp_path / "depths/0.png")
    Image.fromarray(np.full((4, 4), 1000, "u2")).save(tmp_path / "depths/1.png")
    (tmp_path / "broken/0.png").write_bytes((tmp_path / "depths/0.png").read_bytes()[:40])
    done = esker_command("convert", tmp_path / arguments[0], tmp_path / "out.idx", *arguments[1:])
    assert done.returncode != 0 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not list(tmp_path.glob("*out*"))


def test_a_picture_next_to_the_parts_of_a_dataset(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    (dataset / "preview.png").write_bytes(b"anything")
    assert esker_command("convert", dataset, tmp_path / "out.idx", "--json").returncode == 0
    assert esker.open(tmp_path / "out")["temp"].shape == (9, 20, 31)


def test_a_part_of_several_grids(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    """A box and a level are those of the largest field; maps have the same indices along their dimensions."""
    whole = esker.open(dataset)
    sx, sy, sz = whole["temp"].select(level=9).stride
    arguments = ("--level", "9", "--box", "3:20,2:18,1:9")
    for name in ("part.idx", "part.nc"):
        assert esker_command("convert", dataset, tmp_path / name, *arguments).returncode == 0
        part = esker.open(tmp_path / name)
        y, x = (slice(-(-2 // sy) * sy, 18, sy), slice(-(-3 // sx) * sx, 20, sx))
        z = slice(-(-1 // sz) * sz, 9, sz)
        assert np.array_equal(part["temp"][...], whole["temp"][...][:, z, y, x])
        assert np.array_equal(part["wind"][...], whole["wind"][...][:, y, x])
        assert np.array_equal(part["topg"][...], whole["topg"][...][y, x])
        assert np.array_equal(part["wind"].coords("x"), whole["wind"].coords("x")[x])


def test_only_fixed_fields_have_no_steps(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    assert esker_command("export", dataset, "topg", "-o", tmp_path / "topg.nc").returncode == 0
    assert len(esker.open(tmp_path / "topg.nc").steps) == 1


def test_the_suffix_decides_the_format(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    done = esker_command("convert", dataset, tmp_path / "out", "--format", "cdf5", "--json")
    assert json.loads(done.stdout)["files"] == [str(tmp_path / "out.nc")]
    done = esker_command("convert", dataset, tmp_path / "out.idx", "--format", "cdf5")
    assert done.returncode != 0 and "the suffix .idx is of IDX datasets" in done.stderr
    done = esker_command("convert", dataset, "http://127.0.0.1/out.idx")
    assert (done.returncode, "expected a local path" in done.stderr) == (2, True)


def test_damaged_samples_are_not_passed_on(esker_command: Run, tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"v": np.arange(64.0).reshape(8, 8)})
    block = tmp_path / "run/time_0000/0000.bin"
    content = bytearray(block.read_bytes())
    content[-1] ^= 1
    block.write_bytes(content)
    for arguments in (
        ("convert", tmp_path / "run.idx", tmp_path / "out.idx"),
        ("export", tmp_path / "run.idx", "v", "-o", tmp_path / "out.npy"),
        ("diff", tmp_path / "run.idx", tmp_path / "run.idx"),
    ):
        done = esker_command(*arguments)
        assert (done.returncode, "checksum" in done.stderr) == (1, True), arguments


def test_differences_that_are_not_in_values(tmp_path: Path) -> None:
    def written(name: str, **changed: Any) -> esker.Dataset:
        attrs = {"time": {"units": "days since 2000-01-01"}, "x": {"units": "m"}}
        with esker.Writer(
            tmp_path / name, dims={"x": 4, "y": 3}, attrs=changed.get("attrs", attrs), report="none"
        ) as w:
            always, rare = w.field("always", "f4"), w.field("rare", "f4", every=changed.get("every", 1))
            for step in range(3):
                with w.step(float(step)) as s:
                    s.put(always, np.full((3, 4), step, "f4"))
                    if step % changed.get("every", 1) == 0:
                        s.put(rare, np.full((3, 4), step, "f4"))
        return esker.open(tmp_path / name)

    a = written("a.idx")
    assert compare(a, written("same.idx")).same
    assert compare(a, written("every.idx", every=2)).structure == [
        f"rare: step 1 is only in {a.path}"
    ]
    other = {"time": {"units": "days since 1900-01-01"}, "x": {"units": "km"}}
    assert len(compare(a, written("units.idx", attrs=other)).structure) == 2


def test_steps_are_compared_by_their_times(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    assert esker_command("convert", dataset, tmp_path / "last.idx", "--step", "-1").returncode == 0
    for a, b in ((tmp_path / "last", dataset), (dataset, tmp_path / "last")):
        found = compare(esker.open(a), esker.open(b))
        assert found.structure[0] in (f"the number of steps is {n}" for n in ("1 and 3", "3 and 1"))
        assert len(found.fields) == 4 and not any(field.different for field in found.fields)


def test_infinite_differences_are_beyond_any_tolerance(tmp_path: Path) -> None:
    datasets = []
    for name, value in (("one", 2.0), ("inf", np.inf), ("minus", -np.inf), ("nan", np.nan)):
        esker.write(tmp_path / f"{name}.idx", {"v": np.array([1.0, value, 3.0])})
        datasets.append(esker.open(tmp_path / f"{name}.idx"))
    for a, b in itertools.product(datasets, datasets):
        assert compare(a, b, rtol=1e-6, atol=5).same == (a is b)
    for tolerance in (-1.0, np.nan):
        with pytest.raises(ValueError, match="tolerances"):
            compare(a, b, rtol=tolerance)


def test_memory_of_differences(tmp_path: Path) -> None:
    for name, value in (("a", 1), ("b", 2)):
        esker.write(tmp_path / f"{name}.idx", {"v": np.full((4096, 8192), value, "u1")})
    measure = """
import resource, sys, esker
from esker.files.comparison import compare
a, b = (esker.open(path) for path in sys.argv[1:])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = compare(a, b)
assert found.fields[0].different == 4096 * 8192 and len(found.fields[0].first) == 10
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    paths = [tmp_path / "a.idx", tmp_path / "b.idx"]
    done = subprocess.run([sys.executable, "-c", measure, *paths], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 150


def test_no_file_of_the_dataset_is_exported_to(esker_command: Run, dataset: Path, tmp_path: Path) -> None:
    esker.write(tmp_path / "one.idx", {"v": np.ones((4, 5))})
    before = contents(tmp_path)
    for source, field, output in [("one", "v", "one.idx"), ("run", "topg", "run/xyz.idx")]:
        done = esker_command("export", tmp_path / source, field, "--format", "raw", "-o", tmp_path / output)
        assert (done.returncode, "is a file of the dataset" in done.stderr) == (2, True)
    assert contents(tmp_path) == before


def test_a_picture_among_the_blocks_of_a_dataset(esker_command: Run, tmp_path: Path) -> None:
    esker.write(tmp_path / "one.idx", {"v": np.ones((4, 5))})
    (tmp_path / "one/preview.png").write_bytes(b"anything")
    assert esker_command("convert", tmp_path / "one", tmp_path / "out.idx").returncode == 0


def test_what_cannot_be_put_back_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails between two renames, and again when they are undone."""
    esker.write(tmp_path / "one.idx", {"v": np.ones((4, 5))})
    rename, calls = os.rename, []

    def failing(source: Any, target: Any) -> None:
        calls.append(source)
        if len(calls) > 2:
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="Input/output error"):
        esker.write(tmp_path / "one.idx", {"v": np.zeros((4, 5))}, overwrite=True)
    monkeypatch.undo()
    (partial,) = tmp_path.glob(".one.idx.*.partial")
    assert sorted(path.name for path in (partial / ".old").iterdir()) == ["one", "one.idx"]


def test_leftovers_of_killed_conversions_are_removed(tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"thk": np.ones((5, 8))})
    for name in (".run.nc.abc.partial", ".run.nc.def.partial", ".other.nc.abc.partial"):
        (tmp_path / name / ".old").mkdir(parents=True)
    (tmp_path / ".run.nc.def.partial" / ".old" / "run.nc").touch()  # killed before it was moved back
    convert(open_source(str(tmp_path / "run.idx")), tmp_path / "run.nc", "cdf1", lambda _: None)
    left = {path.name for path in tmp_path.iterdir() if path.suffix == ".partial"}
    assert left == {".run.nc.def.partial", ".other.nc.abc.partial"}


@pytest.mark.parametrize(
    "option, text", [("format=cdf5", "--format"), ("overwrite=true", "--overwrite"), ("dims=3", "unknown option 'dims'")]
)
def test_options_that_are_not_the_writers_are_refused(option: str, text: str) -> None:
    result = CliRunner().invoke(command, ["convert", "a.idx", "b.nc", "--option", option])
    assert result.exit_code == 2 and text in result.output
