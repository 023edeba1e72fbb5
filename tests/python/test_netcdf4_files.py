"""netCDF4, h5py, xarray, ncdump and h5dump read NetCDF-4 files of Esker."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

RNG = np.random.default_rng(11)
THK = RNG.random((20, 30))
TEMP = RNG.random((4, 20, 30)).astype("f4")
VEL = RNG.random((20, 30, 3)).astype("f4")
MASK = RNG.integers(0, 200, (20, 30)).astype("u1")
XS = np.arange(30.0) * 1000


def write_run(path: Path, **options: Any) -> None:
    with esker.Writer(path, dims={"x": 30, "y": 20, "z": 4}, format="netcdf4", **options) as writer:
        temp = writer.field("temp", "f4", units="K", valid_range=[0, 1])
        xy = writer.grid("xy", ("x", "y"), coords={"x": XS})
        topg = writer.field("topg", "f8", grid=xy, fixed=True, standard_name="bedrock_altitude")
        vel = writer.field("vel", "f4", grid=xy, components=3)
        mask = writer.field("mask", "u1", grid=xy, every=2)
        for number in range(3):
            with writer.step(time=10.0 * number) as step:
                step.put(temp, TEMP + number)
                step.put(vel, VEL * number)
                if number == 0:
                    step.put(topg, THK)
                if number % 2 == 0:
                    step.put(mask, MASK)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("netcdf4") / "run.nc"
    write_run(path)
    return path


def test_netcdf4_reads_values_dimensions_and_attributes(run: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    with netcdf4.Dataset(run) as file:
        assert file.data_model == "NETCDF4"
        lengths = {name: (len(dim), dim.isunlimited()) for name, dim in file.dimensions.items()}
        assert lengths == {
            "time": (3, True),
            "x": (30, False),
            "y": (20, False),
            "z": (4, False),
            "component_3": (3, False),
        }
        assert list(file.dimensions) == list(lengths)
        assert file["temp"].dimensions == ("time", "z", "y", "x")
        assert file["vel"].dimensions == ("time", "y", "x", "component_3")
        assert file["topg"].dimensions == ("y", "x")
        assert file["temp"].units == "K" and file["temp"].valid_range.dtype == np.float32
        assert [file[name].chunking() for name in ("topg", "temp")] == ["contiguous", [1, 4, 20, 30]]
        assert json.loads(file.esker_schema)["format"] == 3 and len(file.esker_schema) < 200
        np.testing.assert_array_equal(file["time"][:], [0, 10, 20])
        np.testing.assert_array_equal(file["x"][:], XS)
        file.set_auto_mask(False)
        np.testing.assert_array_equal(file["topg"][:], THK)
        for number in range(3):
            np.testing.assert_array_equal(file["temp"][number], TEMP + np.float32(number))
            np.testing.assert_array_equal(file["vel"][number], VEL * np.float32(number))
        np.testing.assert_array_equal(file["mask"][:], [MASK, np.full_like(MASK, 255), MASK])


def test_netcdf4_continues_the_file(run: Path, tmp_path: Path) -> None:
    """Defines, writes and appends with netCDF4."""
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    path = shutil.copy(run, tmp_path)
    with netcdf4.Dataset(path, "a") as file:
        file.history = "changed"
        twice = file.createVariable("twice", "f8", ("time", "y", "x"))
        twice[:] = 2 * file["temp"][:, 0]
        file["time"][3] = 30
        file["temp"][3] = TEMP
    with netcdf4.Dataset(path) as file:
        np.testing.assert_array_equal(file["twice"][1], 2 * (TEMP[0] + np.float32(1)).astype("f8"))
        np.testing.assert_array_equal(file["temp"][3], TEMP)
        np.testing.assert_array_equal(file["topg"][:], THK)


def test_h5py_finds_scales_and_no_times(run: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(run) as file:
        temp = file["temp"]
        assert [dim[0] for dim in temp.dims] == [file[name] for name in ("time", "z", "y", "x")]
        assert all(file[name].is_scale for name in ("time", "z", "y", "x"))
        assert file["z"].attrs["NAME"] == b"This is a netCDF dimension but not a netCDF variable.         4"
        assert {entry[1] for entry in file["time"].attrs["REFERENCE_LIST"]} == {0}
        assert h5py.h5o.get_info(temp.id).mtime == 0
        assert temp.maxshape == (None, 4, 20, 30) and temp.dtype == np.dtype("<f4")
        np.testing.assert_array_equal(temp[2], TEMP + np.float32(2))
        assert file["mask"].id.get_num_chunks() == 2, "a step without the field takes no space"


def anatomy(file: Any) -> dict[str, Any]:
    """The properties that make a dataset a dimension or variable of netCDF, by name."""

    def of(dataset: Any) -> tuple[Any, ...]:
        names = {"CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates", "DIMENSION_LIST", "REFERENCE_LIST"}
        attributes = {
            name: (dataset.attrs.get_id(name).dtype, dataset.attrs.get_id(name).shape)
            for name in names & set(dataset.attrs)
        }
        attributes.pop("_Netcdf4Coordinates", None)  # the library writes it where it helps
        scale = [dataset.attrs[name] for name in ("CLASS", "NAME", "_Netcdf4Dimid") if name in dataset.attrs]
        return dataset.dtype, dataset.maxshape, dataset.chunks is None, attributes, scale

    return {name: of(file[name]) for name in file}


def test_it_is_built_as_the_netcdf_library_builds_it(run: Path, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    with netcdf4.Dataset(tmp_path / "theirs.nc", "w") as file:
        for name, length in {"time": None, "x": 30, "y": 20, "z": 4, "component_3": 3}.items():
            file.createDimension(name, length)
        file.createVariable("x", "f8", ("x",))
        file.createVariable("topg", "f8", ("y", "x"), contiguous=True)
        file.createVariable("time", "f8", ("time",))
        file.createVariable("temp", "f4", ("time", "z", "y", "x"))
        file.createVariable("vel", "f4", ("time", "y", "x", "component_3"))
        file.createVariable("mask", "u1", ("time", "y", "x"))
    with h5py.File(run) as ours, h5py.File(tmp_path / "theirs.nc") as theirs:
        assert anatomy(ours) == anatomy(theirs)


def test_xarray_opens_it(run: Path) -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    with xarray.open_dataset(run, engine="netcdf4") as data:
        assert set(data.coords) == {"x", "time"} and set(data) == {"temp", "topg", "vel", "mask"}
        np.testing.assert_array_equal(data["temp"].sel(time=20.0), TEMP + np.float32(2))
        assert data["topg"].attrs["standard_name"] == "bedrock_altitude"


def dumped(program: str, *arguments: Any) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} (Debian: netcdf-bin, hdf5-tools)")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ncdump_and_h5dump_print_it(run: Path) -> None:
    text = dumped("ncdump", "-h", run)
    for line in (
        "time = UNLIMITED ; // (3 currently)",
        "float temp(time, z, y, x) ;",
        'temp:units = "K" ;',
        "float vel(time, y, x, component_3) ;",
        "ubyte mask(time, y, x) ;",
    ):
        assert line in text
    assert dumped("ncdump", "-k", run).strip() == "netCDF-4"
    text = dumped("h5dump", "-H", "-p", run)
    assert text.count("DATASET ") >= 9 and "CHUNKED ( 1, 4, 20, 30 )" in text and "CONTIGUOUS" in text


def test_chunks_are_those_asked_for(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    write_run(tmp_path / "run.h5", chunks="16,8,3", chunk_alignment="4K")
    with h5py.File(tmp_path / "run.h5") as file:
        temp = file["temp"]
        assert temp.chunks == (1, 3, 8, 16) and file["vel"].chunks == (1, 8, 16, 3)
        offsets = [temp.id.get_chunk_info(number).byte_offset for number in range(temp.id.get_num_chunks())]
        assert len(offsets) == 3 * 2 * 3 * 2 and all(offset % 4096 == 0 for offset in offsets)
        np.testing.assert_array_equal(temp[1], TEMP + np.float32(1))
    with pytest.raises(ValueError, match="'temp' has 3 axes, but the option chunks has 2"):
        write_run(tmp_path / "other.nc", chunks="16,8")


def write_boxes(path: Path, cut: int) -> None:
    """THK, in two boxes along x."""
    with esker.Writer(path, dims={"x": 30, "y": 20}, format="netcdf4", chunks="decomposition") as writer:
        thk = writer.field("thk", "f8")
        with writer.step(time=0.0) as step:
            step.put(thk, THK[:, :cut], offset=(0, 0))
            step.put(thk, THK[:, cut:], offset=(cut, 0))


def test_chunks_are_the_boxes_of_ranks_where_these_are_regular(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    write_boxes(tmp_path / "run.nc", 16)
    with h5py.File(tmp_path / "run.nc") as file:
        assert file["thk"].chunks == (1, 20, 16)
        np.testing.assert_array_equal(file["thk"][0], THK)
    with pytest.raises(ValueError, match=r"needs boxes that begin at multiples of the largest box, .*, but .*14,30"):
        write_boxes(tmp_path / "other.nc", 14)


def test_a_field_that_is_named_like_a_dimension(tmp_path: Path) -> None:
    netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    esker.write(tmp_path / "a.nc", {"x": THK}, format="netcdf4")
    np.testing.assert_array_equal(esker.open(tmp_path / "a.nc")["x"].read(), THK)
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        assert file["x"].dimensions[-1] == "x"
        np.testing.assert_array_equal(np.squeeze(file["x"][:]), THK)


WITH_OTHERS = """
import sys
import h5py, netCDF4, numpy as np, esker
path = sys.argv[1]
held = h5py.File(path + ".other.h5", "w")
esker.write(path, {"thk": np.ones((3, 4))}, format="netcdf4")
held["later"] = np.ones(3)
with netCDF4.Dataset(path) as file:
    assert (file["thk"][:] == 1).all()
held.close()
"""


def test_esker_and_wheels_with_another_hdf5_are_separate(tmp_path: Path) -> None:
    pytest.importorskip("h5py", reason="h5py is not installed")
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    command = [sys.executable, "-c", WITH_OTHERS, str(tmp_path / "a.nc")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
