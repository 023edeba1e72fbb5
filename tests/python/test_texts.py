"""Texts of files that other programs wrote: with NULs, in Latin-1, empty."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

import esker

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
Run = Callable[..., subprocess.CompletedProcess[str]]

LATIN1 = "Grönland °C".encode("latin-1")
TEXTS = {"units": b"m s-1\0", "long_name": LATIN1, "empty": b"\0", "utf8": "Grönland".encode(), "two": b"a\0\0"}


def write_cdf(path: Path) -> None:
    """A CDF-1 file with these bytes, which no library writes: as a C program does that counts the NUL."""
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 2)
        variable = file.createVariable("v", "f4", ("x",))
        for name, text in TEXTS.items():
            variable.setncattr(name, "?" * len(text))
        variable[:] = [1, 2]
    data = path.read_bytes()
    for name, text in TEXTS.items():
        at = data.index(name.encode()) + (len(name) + 3) // 4 * 4 + 8
        assert data[at : at + len(text)] == b"?" * len(text)
        data = data[:at] + text + data[at + len(text) :]
    path.write_bytes(data)


def stored(path: Path) -> dict[str, bytes]:
    attrs = esker.open(path)["v"].attrs
    return {
        name: value.bytes if isinstance(value, esker.Text) else str(value).encode()
        for name, value in attrs.items()
    }


def test_texts_of_a_cdf_file_are_decoded(tmp_path: Path) -> None:
    write_cdf(tmp_path / "a.nc")
    dataset = esker.open(tmp_path / "a.nc")
    assert dict(dataset["v"].attrs) == {
        "units": "m s-1",
        "long_name": "Grönland °C",
        "empty": "",
        "utf8": "Grönland",
        "two": "a",
    }
    assert dataset.warnings == ["attribute 'long_name' of 'v' is not UTF-8: read as Latin-1"]
    assert stored(tmp_path / "a.nc") == TEXTS


@pytest.mark.parametrize("format", ["idx", "cdf1", "netcdf4"])
def test_their_bytes_survive(esker_command: Run, tmp_path: Path, format: str) -> None:
    write_cdf(tmp_path / "a.nc")
    for source, target, kind in (("a.nc", "b", format), ("b", "c.nc", "cdf1")):
        done = esker_command("convert", tmp_path / source, tmp_path / target, "--format", kind)
        assert done.returncode == 0, done.stderr
    expected = {**TEXTS, "two": b"a"} if format == "netcdf4" else TEXTS  # HDF5 pads with NULs
    assert stored(tmp_path / "c.nc") == expected
    same = esker_command("diff", tmp_path / "a.nc", tmp_path / "c.nc")
    assert same.returncode == (format == "netcdf4"), same.stdout


def test_diff_sees_other_texts_and_other_bytes(esker_command: Run, tmp_path: Path) -> None:
    write_cdf(tmp_path / "a.nc")
    data = (tmp_path / "a.nc").read_bytes()
    (tmp_path / "text.nc").write_bytes(data.replace(LATIN1, LATIN1.replace(b"\xb0", b"K")))
    (tmp_path / "bytes.nc").write_bytes(data.replace(b"a\0\0", b"\0\0a"))
    done = esker_command("diff", tmp_path / "a.nc", tmp_path / "text.nc")
    assert done.returncode == 1 and "attribute 'long_name' is 'Grönland °C' and 'Grönland KC'" in done.stdout
    done = esker_command("diff", tmp_path / "a.nc", tmp_path / "bytes.nc")
    assert done.returncode == 1 and "attribute 'two' is stored as b'a\\x00\\x00'" in done.stdout


def test_texts_of_an_hdf5_file_are_decoded(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        values = file.create_dataset("v", data=np.ones((2, 3), "f4"))
        values.attrs["latin1"] = np.bytes_(LATIN1)
        values.attrs["empty"] = ""
        values.attrs["none"] = h5py.Empty("S1")
    dataset = esker.open(tmp_path / "a.h5")
    assert dict(dataset["v"].attrs) == {"latin1": "Grönland °C", "empty": "", "none": ""}
    assert dataset.warnings == ["attribute 'latin1' of 'v' is not UTF-8: read as Latin-1"]


def test_texts_that_cannot_be_kept_are_named(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 2)
        file.createVariable("v", "f4", ("x",)).setncattr("abc", np.array([1], "i4"))
    data = (tmp_path / "a.nc").read_bytes()
    (tmp_path / "a.nc").write_bytes(data.replace(b"abc", b"\xe4bc"))
    (warning,) = esker.open(tmp_path / "a.nc").warnings
    assert "attribute '?bc' of 'v' is left out" in warning
