"""Other programs read CDF files of Esker, and Esker reads theirs."""

import json
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray as xr

import esker

RNG = np.random.default_rng(6)
Run = Callable[..., subprocess.CompletedProcess[str]]
SHAPE = (5, 20, 30)
AXES = {
    "time": {"units": "hours since 2000-01-01", "calendar": "standard"},
    "x": {"units": "m", "axis": "X", "valid_min": 0},
    "z": {"positive": "up"},
}
ATTRIBUTES = {"units": "m", "long_name": "thickness", "valid_min": 0.0}


def run(command: Sequence[str | Path]) -> str:
    """The output of a program that the set-up installs."""
    assert shutil.which(str(command[0])), f"{command[0]} is not installed"
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(params=["cdf1", "cdf2", "cdf5"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, np.ndarray]:
    """A file of three steps of one field, and its values."""
    thk = RNG.random((3, *SHAPE), dtype=np.float32)
    path = tmp_path / "run.nc"
    dims, coords = {"x": 30, "y": 20, "z": 5}, {"x": np.arange(30.0) * 1000}
    attrs = {"title": "a test", **AXES}
    with esker.Writer(path, dims=dims, coords=coords, attrs=attrs, format=request.param) as w:
        w.field("thk", "f4", attrs=ATTRIBUTES)
        for step in range(3):
            with w.step(step * 0.5) as s:
                s.put("thk", thk[step])
    return path, thk


def test_netcdf4_and_xarray(written: tuple[Path, np.ndarray]) -> None:
    path, thk = written
    with netCDF4.Dataset(path) as ds:
        assert ds.title == "a test"
        assert ds["thk"].dimensions == ("time", "z", "y", "x")
        assert ds["thk"].units == "m"
        np.testing.assert_array_equal(ds["thk"][:], thk)
        np.testing.assert_array_equal(ds["time"][:], [0, 0.5, 1])
        assert (ds["x"].units, ds["x"].axis, ds["x"].valid_min) == ("m", "X", 0.0)
    with xr.open_dataset(path) as xds:
        np.testing.assert_array_equal(xds["thk"].sel(x=3000.0, time="2000-01-01T00:30"), thk[1, :, :, 3])


def test_ncdump_and_ncvalidator(written: tuple[Path, np.ndarray]) -> None:
    path, thk = written
    assert "valid" in run(["ncvalidator", path])
    assert 'thk:long_name = "thickness"' in run(["ncdump", "-h", path])
    printed = run(["ncdump", "-v", "thk", "-p", "9,17", path]).split(" thk =")[1].split(";")[0]
    np.testing.assert_array_equal(np.array(printed.split(","), dtype=np.float32), thk.ravel())


def test_cdo_and_nco(written: tuple[Path, np.ndarray], tmp_path: Path) -> None:
    path, thk = written
    cut = tmp_path / "cut.nc"
    run(["ncks", "-O", "-d", "time,1", "-d", "x,2,9", path, cut])
    with netCDF4.Dataset(cut) as ds:
        np.testing.assert_array_equal(ds["thk"][:], thk[1:2, :, :, 2:10])
    # The attribute esker_schema was copied, and does not belong to this file.
    ds = esker.open(cut)
    assert "esker_schema is not used" in ds.warnings[0]
    np.testing.assert_array_equal(ds["thk"].read(), thk[1, :, :, 2:10])
    mean = tmp_path / "mean.nc"
    run(["cdo", "-s", "timmean", path, mean])
    with netCDF4.Dataset(mean) as ds:
        np.testing.assert_allclose(ds["thk"][0], thk.mean(axis=0), rtol=1e-6)


def test_esker_reads_its_files(written: tuple[Path, np.ndarray]) -> None:
    path, thk = written
    ds = esker.open(path)
    assert dict(ds.attrs) == {"title": "a test"} and not ds.warnings
    assert dict(ds["thk"].attrs) == ATTRIBUTES
    assert dict(ds.time_attrs) == AXES["time"]
    assert {name: dict(attrs) for name, attrs in ds.dim_attrs.items() if attrs} == {
        "x": AXES["x"],
        "z": AXES["z"],
    }
    np.testing.assert_array_equal(ds["thk"].read(step=1), thk[1])
    level = ds["thk"].max_level - 4
    coarse = ds["thk"].read(step=2, level=level)
    np.testing.assert_array_equal(coarse, thk[2, ::4, ::2, ::2])
    assert esker.verify(path).good


def test_both_formats_by_one_call(tmp_path: Path) -> None:
    thk = RNG.random(SHAPE)
    esker.write(tmp_path / "run", {"thk": thk}, time=2.5, format="cdf5+idx")
    assert {path.name for path in tmp_path.iterdir()} >= {"run.nc", "run.idx", "run"}
    with netCDF4.Dataset(tmp_path / "run.nc") as ds:
        np.testing.assert_array_equal(ds["thk"][0], thk)
    idx, netcdf = esker.open(tmp_path / "run.idx"), esker.open(tmp_path / "run.nc")
    for level in range(idx["thk"].max_level + 1):
        np.testing.assert_array_equal(netcdf["thk"].read(level=level), idx["thk"].read(level=level))


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"])
def test_esker_reads_files_of_others(tmp_path: Path, form: str) -> None:
    path, theta = tmp_path / "foreign.nc", RNG.random((4, 6, 7))
    with netCDF4.Dataset(path, "w", format=form) as ds:
        for name, size in (("time", None), ("lat", 6), ("lon", 7)):
            ds.createDimension(name, size)
        ds.createVariable("lat", "f4", ("lat",))[:] = np.linspace(-90, 90, 6)
        ds.createVariable("time", "i4", ("time",))[:] = [0, 6, 12, 18]
        ds.createVariable("theta", "f8", ("time", "lat", "lon"))[:] = theta
        ds["theta"].units = "K"
        ds["lat"].units = "degrees_north"
        ds["time"].units = "days since 1990-1-1"
    ds = esker.open(path)
    assert ds.steps == [0, 6, 12, 18]
    assert ds["theta"].attrs["units"] == "K"
    assert ds.time_attrs["units"] == "days since 1990-1-1"
    assert ds.dim_attrs["lat"]["units"] == "degrees_north"
    np.testing.assert_array_equal(ds["theta"].read(step=3), theta[3])
    np.testing.assert_array_equal(ds["theta"].read(step=-2, box=((1, 2), (5, 6))), theta[2, 2:6, 1:5])


def test_info_of_a_file_of_others(tmp_path: Path, esker_command: Run) -> None:
    path = tmp_path / "foreign.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as ds:
        ds.createDimension("x", 4)
        for name in "abcdef":
            ds.createDimension(name, 1)
        ds.createVariable("v", "f4", ("x",))[:] = 1
        ds.createVariable("many", "f4", tuple("abcdef"))
    shown = esker_command("info", path).stdout
    assert "Parts" not in shown and "variable 'many' is left out" in shown
    facts = json.loads(esker_command("info", path, "--json").stdout)
    assert facts["storage"] == {"files": 1, "bytes": path.stat().st_size, "data_bytes": 16}
    assert facts["warnings"] == ["variable 'many' is left out: it has 6 axes; at most 5 are supported"]


def cdf_name(name: bytes) -> bytes:
    return struct.pack(">i", len(name)) + name + bytes(-len(name) % 4)


def test_names_in_latin_1_of_what_is_left_out(esker_command: Run, tmp_path: Path) -> None:
    """No library writes such names; older programs did. A variable of too many axes, and one of numbers."""
    path = tmp_path / "old.nc"
    variables = [(cdf_name(b"a\xe9"), 1, 5, 8), (cdf_name(b"H\xf6he"), 6, 5, 256)]

    def header(begin: int) -> bytes:
        text = b"CDF\1" + struct.pack(">i", 0) + struct.pack(">ii", 10, 1) + cdf_name(b"x")
        text += struct.pack(">i", 2) + struct.pack(">ii", 0, 0) + struct.pack(">ii", 11, len(variables))
        for name, n_dims, kind, size in variables:
            text += name + struct.pack(">i", n_dims) + bytes(4 * n_dims) + bytes(8) + struct.pack(">iii", kind, size, begin)
            begin += size
        return text

    path.write_bytes(header(len(header(0))) + struct.pack(">ff", 1, 2) + bytes(256))
    found = esker.open(path)
    assert list(found) == ["a_"]
    assert found.warnings == [
        "variable 'a?' is renamed to 'a_'",
        "variable 'H?he' is left out: it has 6 axes; at most 5 are supported",
    ]
    done = esker_command("info", path)
    assert done.returncode == 0 and "variable 'H?he' is left out" in done.stdout
