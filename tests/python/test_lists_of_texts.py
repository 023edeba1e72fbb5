"""Attributes that are lists of texts: through all formats, xarray, and conversion to CDF and back."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

import esker
import esker.xarray

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
Run = Callable[..., subprocess.CompletedProcess[str]]

LISTS = {"meanings": ["land", "sea ice", ""], "utf8": ["Grönland", "Ísland"]}


def write_netcdf4(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.createVariable("time", "f8", ("time",))[:] = [1, 2]
        x = file.createVariable("x", "f8", ("x",))
        x[:] = [0, 1, 2]
        v = file.createVariable("v", "f4", ("time", "x"))
        v[:] = [[1, 2, 3], [4, 5, 6]]
        for owner in (file, x, v, file["time"]):
            owner.setncatts(LISTS)
        v.setncattr_string("one", ["alone"])


def lists_of(path: Path) -> list[dict[str, object]]:
    ds = esker.open(path)
    assert not [text for text in ds.warnings if "attribute" in text]
    owners = [ds.attrs, ds["v"].attrs, ds.time_attrs, ds.dim_attrs["x"]]
    return [{name: value for name, value in own.items() if name in LISTS} for own in owners]


@pytest.mark.parametrize("format", ["idx", "cdf1", "cdf5", "netcdf4", "zarr"])
def test_conversion_keeps_lists_of_texts(tmp_path: Path, esker_command: Run, format: str) -> None:
    write_netcdf4(tmp_path / "a.nc")
    assert lists_of(tmp_path / "a.nc") == [LISTS] * 4
    assert esker.open(tmp_path / "a.nc")["v"].attrs["one"] == "alone"
    name = {"idx": "b.idx", "zarr": "b.zarr"}.get(format, "b.nc")
    chosen = [] if format in ("idx", "zarr") else ["--format", format]
    done = esker_command("convert", tmp_path / "a.nc", tmp_path / name, *chosen)
    assert "left out" not in done.stderr
    if format != "zarr":
        assert lists_of(tmp_path / name) == [LISTS] * 4
    esker_command("convert", tmp_path / name, tmp_path / "c.nc", "--format", "netcdf4")
    with netCDF4.Dataset(tmp_path / "c.nc") as file:
        for owner in (file, file["v"], file["time"], file["x"]):
            assert {name: owner.getncattr(name) for name in LISTS} == LISTS
    esker_command("diff", tmp_path / "a.nc", tmp_path / "c.nc")


def test_cdf_has_one_text_joined_by_newlines(tmp_path: Path, esker_command: Run) -> None:
    write_netcdf4(tmp_path / "a.nc")
    esker_command("convert", tmp_path / "a.nc", tmp_path / "b.nc", "--format", "cdf1")
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        assert file["v"].meanings == "land\nsea ice\n" and file["v"].esker_lists == "meanings\nutf8"
        assert file["v"].one == "alone"


def test_a_text_with_a_newline_stays_joined_in_cdf(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.nc", {"v": np.zeros((2, 2))}, attrs={"notes": ["a\nb", "c"]})
    assert esker.open(tmp_path / "a.nc").attrs["notes"] == "a\nb\nc"


def test_python_and_xarray(tmp_path: Path) -> None:
    given = xr.Dataset({"v": (("y", "x"), np.zeros((2, 3)), LISTS)}, attrs=LISTS)
    given.to_esker(tmp_path / "a.idx")
    with xr.open_dataset(tmp_path / "a.idx", engine="esker") as found:
        assert found.attrs == LISTS and found["v"].attrs == LISTS
    with esker.Writer(tmp_path / "b.idx", dims={"x": 2}, attrs={"two": ("a", "b")}) as writer:
        writer.field("v", "f4", labels=np.array(["c", "d"]))
    ds = esker.open(tmp_path / "b.idx")
    assert ds.attrs["two"] == ["a", "b"] and ds["v"].attrs["labels"] == ["c", "d"]
    schema = json.loads((tmp_path / "b.schema.json").read_text())
    assert schema["attributes"]["two"] == {"text": "a\nb", "texts": ["a", "b"]}
    with pytest.raises(TypeError, match="'mixed': expected a text, a number or a list of either"):
        esker.Writer(tmp_path / "c.idx", dims={"x": 2}, attrs={"mixed": ["a", 1]})


def test_lists_of_h5py(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        v = file.create_dataset("v", data=np.zeros((2, 3)))
        v.attrs["fixed"] = np.array([b"ab", b"c"], "S4")
        v.attrs["latin1"] = np.array(["é".encode("latin-1"), b"x"], "S4")
        v.attrs["variable"] = np.array(["a", "", "Ü" * 3000], dtype=object)
        v.attrs["many"] = np.array([str(n) for n in range(3000)], dtype=object)
    ds = esker.open(tmp_path / "a.h5")
    assert ds["v"].attrs["fixed"] == ["ab", "c"] and ds["v"].attrs["latin1"] == ["é", "x"]
    assert ds["v"].attrs["variable"] == ["a", "", "Ü" * 3000]
    assert ds["v"].attrs["many"] == [str(n) for n in range(3000)]


def test_an_attribute_with_two_axes_becomes_a_list_with_a_warning(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        v = file.create_dataset("v", data=np.zeros((2, 3)))
        v.attrs["matrix"] = np.arange(6).reshape(2, 3)
        v.attrs["letters"] = np.array([[b"a", b"b"]])
        v.attrs["list"] = np.arange(6)
    ds = esker.open(tmp_path / "a.h5")
    assert ds["v"].attrs["matrix"] == [0, 1, 2, 3, 4, 5] and ds["v"].attrs["letters"] == ["a", "b"]
    assert ds.warnings == [
        "attribute 'letters' of 'v' of shape 1 x 2 becomes a list, row by row",
        "attribute 'matrix' of 'v' of shape 2 x 3 becomes a list, row by row",
    ]
