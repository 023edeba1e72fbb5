"""Esker reads HDF5 files of Esker, netCDF4 and h5py, compared with what these libraries read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest

import esker
from conftest import SHARED
from datasets import samples

RNG = np.random.default_rng(12)
Run = Callable[..., subprocess.CompletedProcess[str]]
ATTRIBUTES = {"units": "m", "long_name": "thickness – Eisdicke", "valid_min": 0.0, "flags": [1, 2, 4]}
AXES = {"time": {"units": "hours since 2000-01-01"}, "x": {"units": "m", "axis": "X"}}


def test_a_version_of_a_newer_library_is_named(tmp_path: Path, esker_command: Run) -> None:
    path = tmp_path / "newer.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file["thk"] = np.ones((4, 5))
    content = bytearray(path.read_bytes())
    content[8] += 1  # the version of the superblock
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"newer\.h5.*superblock.*needs a newer HDF5 than \d+\.\d+\.\d+.*h5repack --low"):
        esker.open(path)
    done = esker_command("convert", path, tmp_path / "run.idx")
    assert done.returncode == 1 and "needs a newer HDF5" in done.stderr


def test_fewer_values_in_the_header_than_the_extents_say(tmp_path: Path) -> None:
    """HDF5 1.10 would read beyond its memory of them."""
    path = tmp_path / "compact.h5"
    with h5py.File(path, "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((11,))
        for name, kind in ((b"numbers", h5py.h5t.NATIVE_DOUBLE), (b"texts", h5py.special_dtype(vlen=str))):
            of_type = kind if isinstance(kind, h5py.h5t.TypeID) else h5py.h5t.py_create(kind, logical=True)
            h5py.h5d.create(file.id, name, of_type, space, properties)
        file["whole"] = np.arange(4.0)
    content = path.read_bytes()
    assert content.count((11).to_bytes(8, "little")) >= 2
    path.write_bytes(content.replace((11).to_bytes(8, "little"), (12).to_bytes(8, "little")))
    dataset = esker.open(path)
    assert list(dataset.fields) == ["whole"]
    left_out = [warning for warning in dataset.warnings if "bytes of its 12 values" in warning]
    assert [warning.split("'")[1] for warning in left_out] == ["numbers", "texts"]


def test_a_chunk_that_is_shorter_than_its_extents_say(tmp_path: Path) -> None:
    """HDF5 1.10 would read beyond its memory of the chunk. Big-endian samples are read by the library."""
    path = tmp_path / "short.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=np.arange(12, dtype=">f8"), chunks=(6,))
    np.testing.assert_array_equal(esker.open(path)["v"].read(), np.arange(12))
    layout = (6).to_bytes(4, "little") + (8).to_bytes(4, "little")  # extents of a chunk, and bytes of a sample
    content = path.read_bytes()
    assert content.count(layout) == 1
    path.write_bytes(content.replace(layout, (12).to_bytes(4, "little") + layout[4:]))
    with pytest.raises(OSError, match="a chunk has 48 bytes, expected 96"):
        esker.open(path)["v"].read()


@pytest.mark.parametrize("form, name", [("netcdf4", "run.nc"), ("hdf5", "run.h5")])
def test_what_esker_writes_it_reads(tmp_path: Path, form: str, name: str, esker_command: Run) -> None:
    path, temp = tmp_path / name, RNG.random((3, 5, 20, 30)).astype("f4")
    vel, topg = RNG.random((20, 30, 2)), RNG.integers(0, 9000, (20, 30), dtype="u2")
    xs = np.arange(30.0) * 1000
    dims, attrs = {"x": 30, "y": 20, "z": 5}, {"title": "a test", "numbers": [1.5, 2.5], **AXES}
    with esker.Writer(path, dims=dims, coords={"x": xs}, attrs=attrs, format=form, chunks="7,20,2") as w:
        w.field("temp", "f4", attrs=ATTRIBUTES)
        xy = w.grid("xy", ("x", "y"), coords={"x": xs})
        w.field("vel", "f8", grid=xy, components=2, every=2)
        w.field("topg", "u2", grid=xy, fixed=True)
        for step in range(3):
            with w.step(step * 0.5) as s:
                s.put("temp", temp[step])
                if step == 0:
                    s.put("topg", topg)
                if step % 2 == 0:
                    s.put("vel", vel + step)
    ds = esker.open(path)
    assert list(ds.fields) == ["temp", "vel", "topg"] and not ds.warnings
    assert list(ds.steps) == [0, 0.5, 1]
    assert dict(ds.attrs) == {"title": "a test", "numbers": [1.5, 2.5]}
    assert dict(ds["temp"].attrs) == ATTRIBUTES
    assert dict(ds.time_attrs) == AXES["time"] and dict(ds.dim_attrs["x"]) == AXES["x"]
    np.testing.assert_array_equal(ds["topg"].read(), topg)
    np.testing.assert_array_equal(ds["vel"].read(step=2), vel + 2)
    with pytest.raises(KeyError, match="not written at step 1"):
        ds["vel"].read(step=1)
    box = ((3, 2, 1), (28, 19, 4))
    for level in range(ds["temp"].max_level + 1):
        whole = ds["temp"].read(step=1, level=level)
        stride = [-(-n // m) for n, m in zip((30, 20, 5), reversed(whole.shape))]
        stride = [1 << (s - 1).bit_length() for s in stride]
        np.testing.assert_array_equal(whole, samples(temp[1], ((0, 0, 0), (30, 20, 5)), stride))
        np.testing.assert_array_equal(
            ds["temp"].read(step=1, level=level, box=box), samples(temp[1], box, stride)
        )
    assert esker.verify(path).good
    facts = json.loads(esker_command("info", path, "--json").stdout)
    assert facts["storage"]["files"] == 1 and len(facts["steps"]) == 3
    assert esker_command("verify", path).returncode == 0


TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("storage", [{"contiguous": True}, {"zlib": True, "fletcher32": True}])
def test_netcdf4_files_of_every_type(tmp_path: Path, endian: str, storage: dict[str, Any]) -> None:
    path = tmp_path / "a.nc"
    values = {}
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", 17)
        file.createDimension("x", 23)
        for name in TYPES:
            info = np.dtype(name)
            array = RNG.integers(0, 100, (17, 23)).astype(info)
            array[3, 4] = np.finfo(info).max if info.kind == "f" else np.iinfo(info).max
            order = {"little": "<", "big": ">"}[endian]
            file.createVariable(name, order + name, ("y", "x"), endian=endian, **storage)[:] = array
            file[name].missing = array[3, 4]
            values[name] = array
    ds = esker.open(path)
    for name, array in values.items():
        read = ds[name].read()
        assert read.dtype == array.dtype
        np.testing.assert_array_equal(read, array)
        assert ds[name].attrs["missing"] == array[3, 4]
        np.testing.assert_array_equal(ds[name].read(box=((5, 2), (20, 16))), array[2:16, 5:20])
        coarse = ds[name].read(level=ds[name].max_level - 2)
        np.testing.assert_array_equal(coarse, array[::2, ::2])
    assert esker.verify(path).good


def test_what_esker_lacks_is_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, length in {"time": None, "obs": None, "x": 4, "n": 3}.items():
            file.createDimension(name, length)
        kind = file.createEnumType(np.uint8, "kind", {"land": 0, "sea": 1, "ice": 2})
        pair = file.createCompoundType(np.dtype([("a", "i4"), ("b", "f4")]), "pair")
        lists = file.createVLType(np.int16, "list_type")
        file.createVariable("time", "f8", ("time",))[:] = [1, 2]
        file.createVariable("mask", kind, ("x",))[:] = [0, 1, 2, 1]
        file.createVariable("pairs", pair, ("x",))
        file.createVariable("lists", lists, ("x",))
        file.createVariable("names", str, ("x",))
        file.createVariable("letters", "S1", ("x", "n"))
        file.createVariable("turned", "f4", ("x", "time"))
        file.createVariable("empty", "f4", ("obs", "x"))
        file.createVariable("a name", "f4", ("x",))[:] = 1
        theta = file.createVariable("theta", "f4", ("time", "x"))
        theta[:] = [[1, 2, 3, 4], [5, 6, 7, 8]]
        theta.setncattr_string("string", "ü")
        theta.setncattr("strings", ["a", "b"])
        file.history = "made by hand"
    ds = esker.open(path)
    assert list(ds.fields) == ["mask", "names", "letters", "a_name", "theta"]
    assert list(ds.steps) == [1, 2] and ds.attrs["history"] == "made by hand"
    np.testing.assert_array_equal(ds["mask"].read(), [0, 1, 2, 1])
    np.testing.assert_array_equal(ds["theta"].read(step=1), [5, 6, 7, 8])
    assert dict(ds["theta"].attrs) == {"string": "ü", "strings": ["a", "b"]}
    assert sorted(ds.warnings) == [
        "variable 'a name' is renamed to 'a_name'",
        "variable 'empty' is left out: its dimension 'obs' has length 0",
        "variable 'lists' is left out: types of variable length are not supported",
        "variable 'pairs' is left out: compound types are not supported",
        "variable 'turned' is left out: it has no values",
    ]


def test_steps_that_are_not_the_slowest_axis(tmp_path: Path, esker_command: Run) -> None:
    values = np.arange(24.0).reshape(3, 4, 2)
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        for name, length in {"time": None, "x": 3, "z": 4}.items():
            file.createDimension(name, length)
        file.createVariable("time", "f8", ("time",))[:] = [5, 6]
        file.createVariable("v", "f8", ("x", "z", "time"))[:] = values
        file.createVariable("w", "f4", ("time", "x"))[:] = 1
    done = esker_command("convert", tmp_path / "a.nc", tmp_path / "b.idx")
    assert done.returncode == 0 and "'v' is read as a fixed field" in done.stderr
    assert esker_command("convert", tmp_path / "b.idx", tmp_path / "c.nc").returncode == 0
    for path in (tmp_path / name for name in ("a.nc", "b.idx", "c.nc")):
        ds = esker.open(path)
        assert ds.steps == [5, 6] and ds["v"].fixed and ds["v"].dims == ("x", "z", "time_2")
        np.testing.assert_array_equal(ds["v"].read(), values)


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF4"])
def test_a_dimension_that_occurs_twice(tmp_path: Path, esker_command: Run, form: Any) -> None:
    cov = np.arange(9.0).reshape(3, 3)
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format=form) as file:
        file.createDimension("country", 3)
        file.createVariable("country", "i4", ("country",))[:] = [3, 5, 7]
        file.createVariable("cov", "f8", ("country", "country"))[:] = cov
        file.createVariable("people", "f4", ("country",))[:] = [1, 2, 3]
    done = esker_command("convert", tmp_path / "a.nc", tmp_path / "b.idx")
    assert done.returncode == 0 and "'country' occurs twice" in done.stderr
    assert esker_command("convert", tmp_path / "b.idx", tmp_path / "c.nc").returncode == 0
    for path in (tmp_path / name for name in ("a.nc", "b.idx", "c.nc")):
        ds = esker.open(path)
        assert ds["cov"].dims == ("country", "country_2") and ds["people"].dims == ("country",)
        np.testing.assert_array_equal(ds["cov"].read(), cov)
        assert ds["cov"].grid.coords["country"].tolist() == [3, 5, 7]


def test_unwritten_samples_are_fill_values(tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, length in {"time": None, "obs": None, "x": 4}.items():
            file.createDimension(name, length)
        file.createVariable("v", "f4", ("time", "x"), fill_value=-1)[1, :2] = [1, 2]
        file.createVariable("long", "i2", ("time", "obs"))[0, :] = np.arange(6)
        file.createVariable("short", "i2", ("time", "obs"), fill_value=-7)[0, :3] = np.arange(3)
    ds = esker.open(path)
    assert list(ds.steps) == [0, 1], "records without times are numbered"
    np.testing.assert_array_equal(ds["v"].read(step=1), [1, 2, -1, -1])
    np.testing.assert_array_equal(ds["v"].read(step=0), [-1, -1, -1, -1])
    np.testing.assert_array_equal(ds["short"].read(step=0), [0, 1, 2, -7, -7, -7])
    with pytest.raises(KeyError, match="not written at step 1"):
        ds["long"].read(step=1)


def test_plain_hdf5_gets_the_dimensions_that_netcdf_gives(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    arrays = {"a": RNG.random((6, 7)), "b": RNG.random((7, 7))}
    arrays["c"] = RNG.integers(0, 9, (2, 6, 7)).astype(">i4")
    with h5py.File(path, "w") as file:
        file["a"] = arrays["a"]
        file.create_dataset("b", data=arrays["b"], maxshape=(None, 7), chunks=(2, 7), compression="gzip")
        file.create_dataset("c", data=arrays["c"], chunks=(1, 4, 4), shuffle=True, scaleoffset=0)
        file["flags"] = np.array([True, False, True])
        file["half"] = np.array([0.5, 1.5], "f2")
        file["complex"] = np.ones(3, "c8")
        file["scalar"] = 1.0
        file["nothing"] = h5py.Empty("f4")
        file["group/inner/d"] = arrays["a"] * 2
        file["soft"] = h5py.SoftLink("/a")
        file["outside"] = h5py.ExternalLink("/etc/passwd", "/")
        file["again"] = file["a"]
        file["group/loop"] = file["group"]
        file.create_dataset("foreign", (4,), "u1", external=[("/etc/passwd", 0, 4)])
        file["a"].attrs.update({"text": "t", "bytes": np.bytes_(b"b"), "yes": True})
        file["a"].attrs.update({"list": [1, 2], "reals": 0.5})
    ds = esker.open(path)
    assert list(ds.steps) == []
    assert list(ds.fields) == ["a", "b", "c", "flags", "group_inner_d", "half"]
    for name, array in {**arrays, "group_inner_d": arrays["a"] * 2}.items():
        np.testing.assert_array_equal(ds[name].read(), array)
    np.testing.assert_array_equal(ds["flags"].read(), [1, 0, 1])
    np.testing.assert_array_equal(ds["half"].read(), [0.5, 1.5])
    assert dict(ds["a"].attrs) == {"text": "t", "bytes": "b", "yes": 1, "list": [1, 2], "reals": 0.5}
    left_out = {warning.split(" is left out")[0]: warning for warning in ds.warnings}
    assert {name.split("'")[1] for name in left_out} == {
        "complex",
        "foreign",
        "nothing",
        "outside",
        "soft",
    }
    assert "in other files" in left_out["variable 'foreign'"]
    assert esker.verify(path).good


def test_dimensions_of_plain_files_have_netcdfs_names(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", track_order=True) as file:
        file["a"], file["b"], file["c"] = np.ones((6, 7)), np.ones((7, 7)), np.ones(6)
    with netCDF4.Dataset(path) as file:
        theirs = {name: variable.dimensions for name, variable in file.variables.items()}
    ds = esker.open(path)
    assert {name: ds[name].dims for name in ds.fields} == theirs


def test_scales_of_h5py_are_dimensions(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    theta = RNG.random((4, 6, 7))
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        file["time"] = np.arange(4.0) * 6
        file.create_dataset("lat", data=np.linspace(-90, 90, 6))
        file["lon"] = np.arange(7)
        dataset = file.create_dataset("theta", data=theta, maxshape=(None, 6, 7), chunks=(1, 6, 7))
        for axis, name in enumerate(("time", "lat", "lon")):
            file[name].make_scale(name)
            dataset.dims[axis].attach_scale(file[name])
    ds = esker.open(path)
    assert list(ds.fields) == ["theta"] and ds["theta"].dims == ("time", "lat", "lon")
    np.testing.assert_array_equal(ds["theta"].read(), theta)


def shared_files() -> list[Path]:
    """HDF5 files of the sample data next to the project, if they exist."""
    names = [
        "atmosphere/colpex_theta_4d.nc",
        "formats/ref_nc_test_netcdf4_4_0.nc",
        "unstructured/geoflow_grid.nc",
        "unstructured/geoflow_v1.nc",
        "amr/enzo_DD0010/moving7_0010.cpu0000",
        "amr/amundsen_3level_checkpoint.2d.h5",
    ]
    return [SHARED / name for name in names if (SHARED / name).exists()]


@pytest.mark.skipif(not shared_files(), reason="there are no sample data next to the project")
@pytest.mark.parametrize("path", shared_files(), ids=lambda path: path.name)
def test_samples_of_other_programs_read_as_h5py_reads_them(path: Path) -> None:
    ds = esker.open(path)
    n_compared = 0
    with h5py.File(path) as file:
        found: dict[str, Any] = {}
        file.visititems(lambda name, item: found.update({esker_name(name): item}))
        for name in ds.fields:
            stored = found[name]
            kind = ds[name].attrs.get("dtype", ds[name].dtype)  # S1 for characters
            if ds[name].fixed:
                np.testing.assert_array_equal(ds[name].read().view(kind), stored[()])
            else:
                for step in range(stored.shape[0]):
                    np.testing.assert_array_equal(ds[name].read(step=step).view(kind), stored[step])
            n_compared += 1
    assert n_compared > 0
    assert esker.verify(path).good


def esker_name(name: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "_" for c in name)


def test_files_that_are_cut_off_are_errors(tmp_path: Path) -> None:
    path, cut = tmp_path / "a.nc", tmp_path / "cut.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 100)
        file.createVariable("v", "f8", ("x",), zlib=True)[:] = np.arange(100)
        file.title = "t"
    whole = path.read_bytes()
    for n_bytes in [8, 9, 47, 48, 96, *range(100, len(whole), 97)]:
        cut.write_bytes(whole[:n_bytes])
        with pytest.raises(OSError, match="cut.nc"):
            esker.open(cut)


def test_export_of_an_hdf5_file(tmp_path: Path, esker_command: Run) -> None:
    path, array = tmp_path / "a.h5", RNG.random((4, 5))
    with h5py.File(path, "w") as file:
        file["v"] = array
    done = esker_command("export", path, "v", "-o", tmp_path / "v.npy")
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "v.npy"), array)


WHILE_OTHERS_ARE_OPEN = """
import sys
import h5py, netCDF4, numpy as np, esker
held = h5py.File(sys.argv[1] + ".other.h5", "w")
assert (esker.open(sys.argv[1])["v"].read() == 1).all()
held["later"] = np.ones(3)
with netCDF4.Dataset(sys.argv[1]) as file:
    assert (file["v"][:] == 1).all()
    assert (esker.open(sys.argv[1])["v"].read() == 1).all()
held.close()
"""


def test_reading_with_other_hdf5_libraries_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    esker.write(path, {"v": np.ones((3, 4))}, format="netcdf4")
    shutil.copy(path, tmp_path / "b.nc")
    command = [sys.executable, "-c", WHILE_OTHERS_ARE_OPEN, str(tmp_path / "b.nc")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_booleans_and_enumerations_keep_their_meaning(tmp_path: Path, esker_command: Run) -> None:
    mask, kinds = np.array([[True, False, True]]), np.array([[0, 3, 1]], "i2")
    with h5py.File(tmp_path / "flags.h5", "w") as file:
        file["mask"] = mask
        names = {"open water": 0, "ice": 1, "land": 3}
        file.create_dataset("kind", data=kinds, dtype=h5py.enum_dtype(names, basetype=">i2"))
        file.create_dataset("known", data=kinds, dtype=h5py.enum_dtype(names, basetype="i2"))
        file["known"].attrs["flag_meanings"] = "a b c"
    for path in (tmp_path / "flags.h5", tmp_path / "copy.idx", tmp_path / "copy.nc"):
        if not path.exists():
            assert esker_command("convert", tmp_path / "flags.h5", path).returncode == 0
        ds = esker.open(path)
        assert dict(ds["mask"].attrs)["dtype"] == "bool"
        np.testing.assert_array_equal(ds["mask"].read(), mask)
        np.testing.assert_array_equal(ds["kind"].read(), kinds)
        assert sorted(zip(ds["kind"].attrs["flag_values"], ds["kind"].attrs["flag_meanings"].split())) == [
            (0, "open_water"), (1, "ice"), (3, "land"),
        ]  # fmt: skip
        assert {np.asarray(value).dtype for value in ds["kind"].attrs["flag_values"]} == {np.dtype("i2")}
        assert ds["known"].attrs["flag_meanings"] == "a b c"


def test_enumerations_of_netcdf(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "cloud.nc", "w") as file:
        file.createDimension("x", 2)
        kind = file.createEnumType(np.uint8, "cloud_t", {"Clear": 0, "Cumulus": 4, "Missing": 255})
        file.createVariable("cloud", kind, ("x",), fill_value=255)[:] = [4, 0]
    cloud = esker.open(tmp_path / "cloud.nc")["cloud"]
    assert cloud.read().tolist() == [4, 0]
    assert cloud.attrs["flag_meanings"].split() == ["Clear", "Cumulus", "Missing"]
    assert list(cloud.attrs["flag_values"]) == [0, 4, 255]
