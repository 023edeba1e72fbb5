"""Variables of texts: names, and the times of WRF and MPAS, through every format and xarray."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray as xr

import esker
import esker.xarray
from esker.base.characters import texts_of_characters

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
Run = Callable[..., subprocess.CompletedProcess[str]]

TIMES = ["2000-02-28_23:59:30", "2000-02-29_00:00:00", "2000-03-01_12:00:00"]
SECONDS = [0, 30, 30 + 36 * 3600]
NAMES = ["north", "", "Süden"]


def characters(texts: list[str], length: int, padding: str = "\0") -> np.ndarray:
    stored = [text.encode().ljust(length, padding.encode()) for text in texts]
    return np.array(stored, f"S{length}").view("S1").reshape(len(texts), length)


def write_wrf(path: Path, format: str, times: list[str] = TIMES) -> None:
    with netCDF4.Dataset(path, "w", format=format) as file:
        for name, length in {"Time": None, "DateStrLen": 19, "x": 4, "region": 3, "StrLen": 8}.items():
            file.createDimension(name, length)
        file.createVariable("Times", "S1", ("Time", "DateStrLen"))[:] = characters(times, 19)
        file.createVariable("T2", "f4", ("Time", "x"))[:] = np.arange(4 * len(times)).reshape(-1, 4)
        names = file.createVariable("names", "S1", ("region", "StrLen"))
        names[:] = characters(NAMES, 8)
        names.long_name = "names of regions"
        file.createVariable("area", "f4", ("region",))[:] = [1, 2, 3]


def texts_in(ds: esker.Dataset, name: str, step: int = 0) -> list[str]:
    field = ds[name]
    assert field.dtype == np.uint8 and field.attrs["dtype"] == "S1"
    return texts_of_characters(field.read() if field.fixed else field.read(step=step)).tolist()


def test_info_shows_texts(tmp_path: Path, esker_command: Run) -> None:
    write_wrf(tmp_path / "wrf.nc", "NETCDF4")
    shown = [line.split() for line in esker_command("info", tmp_path / "wrf.nc").stdout.splitlines()]
    (names,) = (line for line in shown if line[:1] == ["names"] and len(line) > 3 and "0-" in " ".join(line))
    assert names[1] == "text[8]" and names[3:5] == ["3", "fixed"]
    (times,) = (line for line in shown if line[:2] == ["Times", "text[19]"])
    assert times[3:5] == ["1", "3"]
    facts = json.loads(esker_command("info", tmp_path / "wrf.nc", "--json").stdout)
    assert {one["name"]: one["text_length"] for one in facts["fields"]} == {
        "Times": 19, "T2": None, "names": 8, "area": None
    }  # fmt: skip


def check_wrf(path: Path) -> None:
    ds = esker.open(path)
    assert list(ds.steps) == SECONDS and ds.time_dim == "Time" and ds.warnings == []
    assert ds.time_attrs["units"] == "seconds since 2000-02-28 23:59:30"
    assert ds.time_attrs["calendar"] == "proleptic_gregorian"
    assert [texts_in(ds, "Times", step) for step in range(3)] == TIMES
    assert texts_in(ds, "names") == NAMES and ds["names"].attrs["long_name"] == "names of regions"
    np.testing.assert_array_equal(ds["T2"].read(step=2), [8, 9, 10, 11])


@pytest.mark.parametrize("format", ["NETCDF3_CLASSIC", "NETCDF4"])
@pytest.mark.parametrize("target", ["b.idx", "b.nc", "b.zarr", "cdf1", "netcdf4"])
def test_a_wrf_file_keeps_its_times_and_names(
    tmp_path: Path, esker_command: Run, format: str, target: str
) -> None:
    write_wrf(tmp_path / "a.nc", format)
    check_wrf(tmp_path / "a.nc")
    chosen = ["--format", target] if "." not in target else []
    path = tmp_path / (target if not chosen else "b.nc")
    done = esker_command("convert", tmp_path / "a.nc", path, *chosen)
    assert (done.returncode, done.stderr) == (0, "")
    if target != "b.zarr":
        check_wrf(path)
    if path.suffix == ".nc":
        with netCDF4.Dataset(path) as file:
            assert file["Times"].dtype == file["names"].dtype == "S1" and file["names"].shape == (3, 8)
            assert netCDF4.chartostring(file["Times"][:], "utf-8").tolist() == TIMES
            assert file.data_model == ("NETCDF4" if target == "netcdf4" else "NETCDF3_CLASSIC")
    esker_command("convert", path, tmp_path / "c.nc")
    check_wrf(tmp_path / "c.nc")


def test_zarr_and_xarray_have_texts(tmp_path: Path, esker_command: Run) -> None:
    write_wrf(tmp_path / "a.nc", "NETCDF3_CLASSIC")
    esker_command("convert", tmp_path / "a.nc", tmp_path / "b.zarr")
    esker_command("convert", tmp_path / "a.nc", tmp_path / "b.idx")
    times = [np.datetime64(text.replace("_", "T")) for text in TIMES]
    for path, engine in [("b.zarr", "zarr"), ("b.idx", "esker"), ("a.nc", "esker")]:
        with xr.open_dataset(tmp_path / path, engine=engine) as found:
            assert found["Times"].values.tolist() == TIMES and found["Times"].dims == ("Time",)
            assert found["names"][1:].values.tolist() == NAMES[1:]
            assert found["names"].attrs == {"long_name": "names of regions"}
            np.testing.assert_array_equal(found["Time"].values, np.array(times, "M8[ns]"))


@pytest.mark.parametrize("version", [2, 3])
def test_texts_of_zarr(tmp_path: Path, esker_command: Run, version: Any) -> None:
    given = xr.Dataset(
        {
            "v": (("time", "x"), np.ones((2, 3))),
            "variable": (("x",), np.array(["a", "bß", ""], object)),
            "fixed": (("time", "x"), np.array([["a", "b", "c"], ["dd", "e", "f"]])),
            "bytes": (("time",), np.array([b"ab", b"c"])),
        },
        coords={"time": [0.0, 1.0], "x": ["p", "q", "rr"]},
    )
    encoding = {"fixed": {"chunks": (1, 2)}}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The data type")  # has no specification yet
        given.to_zarr(tmp_path / "a.zarr", zarr_format=version, consolidated=False, encoding=encoding)
    done = esker_command("convert", tmp_path / "a.zarr", tmp_path / "b.nc")
    assert (done.returncode, done.stderr) == (0, "")
    with xr.open_dataset(tmp_path / "b.nc", engine="esker") as found:
        xr.testing.assert_equal(found, given.assign(bytes=given["bytes"].astype(str)))


@pytest.mark.parametrize("name", ["b.idx", "b.nc"])
def test_xarray_writes_texts(tmp_path: Path, name: str) -> None:
    given = xr.Dataset(
        {
            "v": (("time", "region"), np.ones((2, 3))),
            "who": (("time",), ["first", "ä second one"], {"long_name": "by"}),
            "by_region": (("time", "region"), np.array([["a", "b", "c"], ["", "ee", "f"]], object)),
        },
        coords={"time": [1.0, 2.0], "region": NAMES, "string5": [1, 2]},
    )
    given.to_esker(tmp_path / name)
    with xr.open_dataset(tmp_path / name, engine="esker", decode_times=False) as found:
        xr.testing.assert_equal(found.drop_vars("string5", errors="ignore"), given.drop_vars("string5"))
        assert found["who"].attrs == {"long_name": "by"}
        found.to_esker(tmp_path / "again.idx")
    assert esker.open(tmp_path / "again.idx")["region"].dims == ("region", "string6")
    fill = {"_FillValue": "none"}
    missing = xr.Dataset({"v": (("x",), np.array(["a", np.nan], object), {}, fill)})
    missing.to_esker(tmp_path / f"missing{Path(name).suffix}")
    with xr.open_dataset(tmp_path / f"missing{Path(name).suffix}", engine="esker") as found:
        xr.testing.assert_identical(found, missing)
    mixed = xr.Dataset({"v": (("x",), np.array(["a", 1.5], object))})
    with pytest.raises(ValueError, match=r"v: expected texts, found 1\.5"):
        mixed.to_esker(tmp_path / "c.idx")


def write_mpas(path: Path, times: list[str], calendar: str = "", kind: str = "characters") -> None:
    with netCDF4.Dataset(path, "w") as file:
        for name, length in {"Time": None, "StrLen": 64, "nCells": 4}.items():
            file.createDimension(name, length)
        if kind == "strings":
            file.createVariable("xtime", str, ("Time",))[:] = np.array(times, object)
        else:
            file.createVariable("xtime", "S1", ("Time", "StrLen"))[:] = characters(times, 64, " ")
        file.createVariable("u", "f8", ("Time", "nCells"))[:] = np.zeros((len(times), 4))
        if calendar:
            file.config_calendar_type = calendar


@pytest.mark.parametrize("kind", ["characters", "strings"])
@pytest.mark.parametrize(
    ("calendar", "expected", "days"),
    [
        ("gregorian_noleap", "noleap", 1),
        ("gregorian", "proleptic_gregorian", 2),
        ("360day", "360_day", 3),
        ("", "proleptic_gregorian", 2),
    ],
)
def test_times_of_mpas(tmp_path: Path, kind: str, calendar: str, expected: str, days: int) -> None:
    write_mpas(tmp_path / "a.nc", ["0004-02-28_12:00:00.5", "0004-03-01T12:00:01"], calendar, kind)
    ds = esker.open(tmp_path / "a.nc")
    assert list(ds.steps) == [0.5, days * 86400 + 1]
    assert ds.time_attrs == {"units": "seconds since 0004-02-28 12:00:00", "calendar": expected}


@pytest.mark.parametrize(
    "wrong", ["2000-02-30_00:00:00", "2000-01-01", "2000-01-01_24:00:00", "2000-01-01_00:00:xx", "", "now"]
)
def test_texts_that_are_no_times(tmp_path: Path, wrong: str) -> None:
    write_wrf(tmp_path / "a.nc", "NETCDF3_CLASSIC", [TIMES[0], wrong])
    ds = esker.open(tmp_path / "a.nc")
    assert list(ds.steps) == [0, 1] and texts_in(ds, "Times", 1) == wrong
    assert ds.warnings == [
        f"times 'Times' are not used: expected a time like 2000-01-24_12:00:00, found '{wrong}'"
    ]


def test_numbers_are_the_times_where_there_are_some(tmp_path: Path) -> None:
    write_wrf(tmp_path / "a.nc", "NETCDF4")
    with netCDF4.Dataset(tmp_path / "a.nc", "a") as file:
        file.createVariable("Time", "f8", ("Time",))[:] = [5, 6, 7]
    ds = esker.open(tmp_path / "a.nc")
    assert list(ds.steps) == [5, 6, 7] and dict(ds.time_attrs) == {}


def test_texts_of_h5py(tmp_path: Path, esker_command: Run) -> None:
    grid = np.array([["a", "bc"], ["", "Ü" * 40]], object)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["v"] = np.zeros((2, 2))
        file["fixed"] = np.array([[b"ab", b"c"], [b"def", b""]])
        file["variable"] = grid
        file["one"] = "alone"
        made = file.create_dataset(
            "chunked", (7,), h5py.string_dtype(), chunks=(2,), compression="gzip", shuffle=True
        )
        made[1], made[6] = "first", "last"
        file["long"] = np.array(["x" * 70000, ""], object)
        file["latin1"] = np.array([["é!".encode("latin-1"), b"x"]])
    ds = esker.open(tmp_path / "a.h5")
    assert texts_in(ds, "fixed") == [["ab", "c"], ["def", ""]] and texts_in(ds, "variable") == grid.tolist()
    assert texts_in(ds, "chunked") == ["", "first", "", "", "", "", "last"]
    assert texts_in(ds, "latin1") == [["é!", "x"]]
    assert ds.scalars["one"].value == "alone"
    assert ds.warnings == ["variable 'long' is left out: a text has 70000 bytes; at most 65536 are supported"]
    part = ds["variable"].read(box=((1, 0, 1), (4, 2, 2)))
    assert part.tobytes() == b"\0\0\0" + "ÜÜ".encode()[1:]
    esker_command("convert", tmp_path / "a.h5", tmp_path / "b.nc")
    assert texts_in(esker.open(tmp_path / "b.nc"), "variable") == grid.tolist()
    assert esker_command("verify", tmp_path / "a.h5").returncode == 0


@pytest.mark.parametrize("format", ["idx", "cdf1", "netcdf4"])
def test_a_program_writes_characters(tmp_path: Path, format: str) -> None:
    path = tmp_path / ("a.idx" if format == "idx" else "a.nc")
    how = {"dims": {"n": 5, "station": 2}, "format": format}
    with esker.Writer(path, **how) as writer:
        label = writer.field("label", "S1", grid=writer.grid("n", ("n",)))
        station = writer.field("station_name", "S1", fixed=True, grid=writer.grid("names", ("n", "station")))
        for number, text in enumerate(["spin", "run"]):
            with writer.step(number) as step:
                step.put(label, characters([text], 5)[0])
                if number == 0:
                    step.put(station, characters(["ab", "Ü"], 5))
    with esker.Writer.append(path) as writer, writer.step(2) as step:
        step.put("label", characters(["end"], 5)[0])
    ds = esker.open(path)
    assert [texts_in(ds, "label", step) for step in range(3)] == ["spin", "run", "end"]
    assert texts_in(ds, "station_name") == ["ab", "Ü"]


@pytest.mark.parametrize("compression", ["zip", "zfp-accuracy=1e-3"])
@pytest.mark.parametrize("target", ["b.idx", "b.nc"])
def test_compression_is_not_for_texts(
    tmp_path: Path, esker_command: Run, target: str, compression: str
) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        for name, length in {"y": 8, "x": 9, "region": 3, "StrLen": 8}.items():
            file.createDimension(name, length)
        file.createVariable("v", "f4", ("y", "x"))[:] = 1
        file.createVariable("names", "S1", ("region", "StrLen"))[:] = characters(NAMES, 8)
    chosen = ["--compression", compression, *(["--format", "netcdf4"] if target == "b.nc" else [])]
    done = esker_command("convert", tmp_path / "a.nc", tmp_path / target, *chosen)
    assert (done.returncode, done.stderr) == (0, "")
    assert texts_in(esker.open(tmp_path / target), "names") == NAMES


def test_a_level_keeps_whole_texts(tmp_path: Path, esker_command: Run) -> None:
    write_wrf(tmp_path / "a.nc", "NETCDF3_CLASSIC")
    esker_command("convert", tmp_path / "a.nc", tmp_path / "b.idx", "--level", "1")
    ds = esker.open(tmp_path / "b.idx")
    assert ds["T2"].shape == (2,) and texts_in(ds, "Times", 1) == TIMES[1]
    with xr.open_dataset(tmp_path / "a.nc", engine="esker", level=1) as found:
        assert found["T2"].shape == (3, 2) and found["names"].values.tolist() == NAMES
