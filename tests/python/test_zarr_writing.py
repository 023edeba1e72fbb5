"""zarr-python, xarray, TensorStore and Esker read Zarr groups that esker.Writer wrote."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker
from conftest import run_program

zarr = pytest.importorskip("zarr", reason="zarr-python reads the groups")
pytestmark = pytest.mark.filterwarnings("error")

RNG = np.random.default_rng(17)
TEMP = RNG.normal(size=(5, 20, 30)).astype("f4")
THK = RNG.random((20, 30))
VEL = RNG.integers(-99, 99, (20, 30, 3)).astype("i2")
MASK = RNG.integers(0, 200, (20, 30)).astype("u1")
XS = np.arange(30.0) * 1000
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
ATTRS = {
    "title": "a run",
    "levels": [1, 2],
    "x": {"units": "m", "standard_name": "projection_x_coordinate"},
    "time": {"units": "days since 2001-01-01", "calendar": "standard"},
}
CRS = {"grid_mapping_name": "polar_stereographic", "straight_vertical_longitude_from_pole": -45.0}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"compression": "zstd"},
    {"compression": "zstd", "checksums": False},
    {"compression": "zip"},
    {"compression": "none", "chunks": "7,6,2"},
    {"compression": "zstd", "chunks": "7,6,2"},
    {"compression": "zip", "chunks": "30,1,1"},
    {"compression": "blosc"},
    {"compression": "blosc", "chunks": "7,6,2"},
]


def temp_at(number: int) -> np.ndarray:
    """With missing values."""
    values = TEMP + number
    values[0, number] = -9
    return values


def put_step(w: esker.Writer, number: int) -> None:
    with w.step(time=float(number)) as step:
        step.put("temp", temp_at(number))
        step.put("vel", VEL + np.int16(number))
        step.put("volume", np.full(1, 10.0 * number))
        step.put("count", np.full(1, number, "i4"))
        if number == 0:
            step.put("topg", THK)
        if number % 2 == 0:
            step.put("mask", MASK)


def write_run(path: Path, steps: int = 3, **options: Any) -> None:
    how = {"report": "none", "format": "zarr", **options}
    with esker.Writer(path, dims={"x": 30, "y": 20, "z": 5}, coords={"x": XS}, attrs=ATTRS, **how) as w:
        fill = np.float32(-9)
        w.field("temp", "f4", units="K", _FillValue=fill, grid_mapping="crs", valid_range=[-50.0, 50.0])
        xy, none = w.grid("xy", ("x", "y")), w.grid("none", ())
        w.field("topg", "f8", grid=xy, fixed=True, standard_name="bedrock_altitude")
        w.field("vel", "i2", grid=xy, components=3)
        w.field("mask", "u1", grid=xy, every=2, _FillValue=np.uint8(255))
        w.field("volume", "f8", grid=none, units="m3")
        w.field("count", "i4", grid=none)
        w.scalar("crs", "polar", CRS)
        w.scalar("gravity", 9.81, {"units": "m s-2"})
        w.scalar("name", "Jökull")
        for number in range(steps):
            put_step(w, number)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_run(tmp_path / "run.zarr", compression="zstd", chunks="7,6,2")
    return tmp_path / "run.zarr"


def expect_values(ds: xr.Dataset, steps: int = 3) -> None:
    """As xarray decodes them."""
    for number in range(steps):
        masked = np.where(temp_at(number) == -9, np.nan, temp_at(number))
        np.testing.assert_array_equal(ds["temp"][number], masked)
        np.testing.assert_array_equal(ds["vel"][number], VEL + np.int16(number))
        mask = MASK.astype("f4") if number % 2 == 0 else np.full(MASK.shape, np.nan, "f4")
        np.testing.assert_array_equal(ds["mask"][number], mask)
    np.testing.assert_array_equal(ds["topg"], THK)
    np.testing.assert_array_equal(ds["volume"], 10.0 * np.arange(steps))
    np.testing.assert_array_equal(ds["count"], np.arange(steps))
    np.testing.assert_array_equal(ds["x"], XS)
    start = np.datetime64("2001-01-01", "ns")
    np.testing.assert_array_equal(ds["time"], start + np.arange(steps) * np.timedelta64(1, "D"))


def read_by_tensorstore(array: Path) -> np.ndarray:
    tensorstore = pytest.importorskip("tensorstore", reason="TensorStore is not installed")
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(array)}}
    return tensorstore.open(spec, read=True).result().read().result()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_xarray_reads_the_values(tmp_path: Path, options: dict[str, Any]) -> None:
    write_run(tmp_path / "run.zarr", **options)
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        expect_values(ds)
    with xr.open_dataset(tmp_path / "run.zarr", engine="zarr") as ds:
        expect_values(ds)
    with xr.open_zarr(tmp_path / "run.zarr", consolidated=False) as ds:
        expect_values(ds)
    assert esker.verify(tmp_path / "run.zarr").good


def test_xarray_reads_attributes_and_dimensions(path: Path) -> None:
    with xr.open_zarr(path) as ds:
        assert ds["temp"].dims == ("time", "z", "y", "x") and ds["topg"].dims == ("y", "x")
        assert ds["vel"].dims[:3] == ("time", "y", "x") and ds["vel"].sizes[ds["vel"].dims[3]] == 3
        assert ds["volume"].dims == ("time",) and ds["gravity"].dims == ()
        assert ds["temp"].attrs["units"] == "K" and ds["temp"].attrs["valid_range"] == [-50, 50]
        assert ds["temp"].encoding["_FillValue"] == -9 and "crs" in (
            ds["temp"].attrs.get("grid_mapping"),
            ds["temp"].encoding.get("grid_mapping"),
        )
        assert ds["crs"].attrs == CRS
        assert ds["name"].item() == "Jökull" and ds["gravity"].item() == 9.81
        assert ds["x"].attrs == ATTRS["x"]
        assert ds.attrs["title"] == "a run" and ds.attrs["levels"] == [1, 2]


def test_zarr_python_reads_the_arrays(path: Path) -> None:
    group = zarr.open_group(path, mode="r")
    assert {name for name, _ in group.arrays()} >= {"temp", "topg", "vel", "mask", "x", "time", "crs"}
    for number in range(3):
        np.testing.assert_array_equal(group["temp"][number], temp_at(number))
    assert (group["mask"][1] == 255).all() and group["mask"].fill_value == 255
    temp = zarr.open_array(path / "temp", mode="r")
    assert temp.metadata.dimension_names == ("time", "z", "y", "x")
    assert temp.chunks == (1, 2, 6, 7) and temp.shards == (1, 6, 24, 35)
    np.testing.assert_array_equal(
        temp[1:, 1:3, 5:9, 6:15], np.stack([TEMP[1:3, 5:9, 6:15] + n for n in (1, 2)])
    )


@pytest.mark.parametrize("compression", ["none", "zstd", "zip", "blosc"])
def test_every_type(tmp_path: Path, compression: str) -> None:
    values = {f"v_{dtype}": (np.arange(600) % 101).reshape(20, 30).astype(dtype) for dtype in DTYPES}
    esker.write(tmp_path / "run.zarr", values, compression=compression, chunks="7,6")
    ds = esker.open(tmp_path / "run.zarr")
    group = zarr.open_group(tmp_path / "run.zarr", mode="r")
    for name, expected in values.items():
        assert group[name].dtype == expected.dtype == ds[name].dtype
        np.testing.assert_array_equal(group[name][0], expected)
        np.testing.assert_array_equal(ds[name].read(), expected)
        np.testing.assert_array_equal(read_by_tensorstore(tmp_path / "run.zarr" / name)[0], expected)


@pytest.mark.parametrize(("dtype", "bits"), [("f4", 7), ("f8", 12)])
def test_bit_rounding(tmp_path: Path, dtype: str, bits: int) -> None:
    values = np.cumsum(RNG.normal(size=(9, 20, 30)), axis=2).astype(dtype)
    values[0, :3, 0] = np.nan, np.inf, -9.123
    how = {"attrs": {"v": {"_FillValue": values.dtype.type(-9.123)}}, "compression": f"bitround={bits}"}
    esker.write(tmp_path / "run.zarr", {"v": values}, chunks="7,6,2", **how)
    found = zarr.open_array(tmp_path / "run.zarr/v", mode="r")[0]
    finite = np.isfinite(values)
    off = np.abs(found[finite] - values[finite])
    assert 0 < off.max() and (off <= np.abs(values[finite]) * 2.0 ** -(bits + 1)).all()
    np.testing.assert_array_equal(found[0, :3, 0], values[0, :3, 0])
    np.testing.assert_array_equal(esker.open(tmp_path / "run.zarr")["v"].read(), found)
    np.testing.assert_array_equal(read_by_tensorstore(tmp_path / "run.zarr/v")[0], found)
    with xr.open_zarr(tmp_path / "run.zarr", mask_and_scale=False) as ds:
        np.testing.assert_array_equal(ds["v"][0], found)
        assert ds["v"].attrs["_QuantizeBitRoundNumberOfSignificantBits"] == bits
    esker.write(tmp_path / "run.nc", {"v": values}, format="netcdf4", **how)
    np.testing.assert_array_equal(esker.open(tmp_path / "run.nc")["v"].read(), found)
    assert esker.verify(tmp_path / "run.zarr").good


def test_errors_of_rounding_are_arrays(tmp_path: Path, esker_command: Callable[..., Any]) -> None:
    with esker.Writer(tmp_path / "run.zarr", dims={"x": 30, "y": 20}, compression="bitround=5") as w:
        w.field("thk", "f8", units="m")
        w.field("snow", "f4", every=2)
        w.field("bed", "f4", fixed=True)
        w.field("mask", "u1", compression="zstd")
        for number in range(3):
            with w.step(time=float(number)) as step:
                step.put("thk", THK * (number + 1))
                step.put("mask", MASK)
                if number % 2 == 0:
                    step.put("snow", THK.astype("f4"))
                if number == 0:
                    step.put("bed", TEMP[0])
    ds = esker.open(tmp_path / "run.zarr")
    assert list(ds) == ["thk", "snow", "bed", "mask"]
    with xr.open_zarr(tmp_path / "run.zarr", chunks=None) as found:
        off = [np.abs(found["thk"][n] - THK * (n + 1)).max().item() for n in range(3)]
        np.testing.assert_allclose(found["thk_max_error"], off, rtol=1e-6)
        assert found["thk_max_error"].dims == ("time",) and found["thk_max_error"].attrs["units"] == "m"
        assert (found["thk_max_error"] >= off).all() and np.isnan(found["snow_max_error"][1])
        assert found["bed_max_error"].item() == ds["bed"].errors().largest > 0
        assert ds["thk"].largest_errors == found["thk_max_error"].values.tolist()
        assert ds["snow"].largest_errors[1] == 0 < ds["snow"].largest_errors[2]
        assert "mask_max_error" not in found and ds["mask"].errors() is None
    assert ds["thk"].errors(1).largest == ds["thk"].errors(1).rms == ds["thk"].largest_errors[1]
    done = esker_command("info", tmp_path / "run.zarr")
    assert f"{max(ds['thk'].largest_errors):.3g}" in done.stdout
    done = esker_command("convert", tmp_path / "run.zarr", tmp_path / "copy.idx")
    assert done.returncode == 0, done.stderr
    copy = esker.open(tmp_path / "copy.idx")["thk"]
    assert copy.errors(0).largest >= max(ds["thk"].largest_errors)


def test_numbers_that_json_lacks(tmp_path: Path) -> None:
    attrs = {"v": {"_FillValue": np.nan, "odd": np.nan, "range": [-np.inf, 0.5], "note": "NaN to ignore"}}
    esker.write(tmp_path / "run.zarr", {"v": np.array([[1.0, np.nan], [2.0, np.inf]])}, attrs=attrs)
    for file in (tmp_path / "run.zarr").rglob("zarr.json"):
        json.loads(file.read_text(), parse_constant=pytest.fail)
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        np.testing.assert_array_equal(ds["v"][0], [[1, np.nan], [2, np.inf]])
        assert np.isnan(ds["v"].encoding["_FillValue"])
    found = dict(esker.open(tmp_path / "run.zarr")["v"].attrs)
    assert np.isnan(found["_FillValue"]) and np.isnan(found["odd"])
    assert list(found["range"]) == [-np.inf, 0.5] and found["note"] == "NaN to ignore"


def test_several_shards(tmp_path: Path) -> None:
    """Files hold at most 128 MiB before compression."""
    values = np.zeros((34, 2048, 2048), "u1")
    values[:, ::100, ::100] = np.arange(1, 35, dtype="u1")[:, None, None]
    esker.write(tmp_path / "run.zarr", {"v": values}, compression="zstd")
    shards = [file for file in (tmp_path / "run.zarr/v/c").rglob("*") if file.is_file()]
    assert len(shards) > 1
    array = zarr.open_array(tmp_path / "run.zarr/v", mode="r")
    ds = esker.open(tmp_path / "run.zarr")
    for z in (0, 16, 17, 33):
        np.testing.assert_array_equal(array[0, z], values[z])
        np.testing.assert_array_equal(ds["v"].read(box=((0, 0, z), (2048, 2048, z + 1)))[0], values[z])
    assert esker.verify(tmp_path / "run.zarr").good


@pytest.mark.slow
def test_a_million_chunks(tmp_path: Path) -> None:
    """Metadata do not grow with chunks, and a chunk is found by the index of its shard."""
    values = RNG.integers(0, 255, (4096, 4096)).astype("u1")
    path = tmp_path / "run.zarr"
    esker.write(path, {"v": values}, chunks="4,4")
    shards = [file for file in (path / "v/c").rglob("*") if file.is_file()]
    assert len(shards) == 16
    assert sum(file.stat().st_size for file in shards) == values.nbytes + 16 * 4096**2 // 16 + 4 * len(shards)
    assert sum(file.stat().st_size for file in path.rglob("zarr.json")) < 8192
    cost = esker.ReadStatistics()
    part = esker.open(path)["v"].read(box=((400, 8), (408, 12)), statistics=cost)
    np.testing.assert_array_equal(part, values[8:12, 400:408])
    assert cost.bytes == 2**20 + 4 + 2 * 16  # an index, two chunks
    np.testing.assert_array_equal(zarr.open_array(path / "v", mode="r")[0, 8:12, 400:408], part)


def test_a_dataset_without_times(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.zarr", dims={"x": 30, "y": 20}, time_dim="", report="none") as w:
        topg = w.field("topg", "f8", fixed=True)
        with w.step(0) as step:
            step.put(topg, THK)
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        assert ds["topg"].dims == ("y", "x") and "time" not in ds.variables
        np.testing.assert_array_equal(ds["topg"], THK)
    np.testing.assert_array_equal(esker.open(tmp_path / "run.zarr")["topg"].read(), THK)


def test_metadata_are_renewed_after_an_append(path: Path) -> None:
    with xr.open_zarr(path) as before:
        with esker.Writer.append(path, report="none") as w:
            put_step(w, 3)
            put_step(w, 4)
        with xr.open_zarr(path) as after:
            expect_values(after, 5)
        assert before.sizes["time"] == 3
        expect_values(before)
    assert zarr.open_array(path / "temp", mode="r").shape[0] == 5
    assert esker.open(path).steps == [0, 1, 2, 3, 4]


def test_the_appended_files_are_those_of_one_run(path: Path, tmp_path: Path) -> None:
    with esker.Writer.append(path, report="none") as w:
        w.rewind(0)
        put_step(w, 1)
        put_step(w, 2)
        put_step(w, 3)
    (tmp_path / "whole").mkdir()
    write_run(tmp_path / "whole/run.zarr", 4, compression="zstd", chunks="7,6,2")
    assert files_below(path) == files_below(tmp_path / "whole/run.zarr")


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("compression", ["none", "zip"])
def test_esker_reads_what_it_reads_from_idx(tmp_path: Path, compression: str) -> None:
    write_run(tmp_path / "a.zarr", compression=compression, chunks="7,6,2")
    write_run(tmp_path / "b.idx", compression=compression, format="idx")
    ours, idx = esker.open(tmp_path / "a.zarr"), esker.open(tmp_path / "b.idx")
    assert ours.steps == idx.steps and list(ours) == list(idx)
    assert {k: v.value for k, v in ours.scalars.items()} == {k: v.value for k, v in idx.scalars.items()}
    assert dict(ours.attrs) == dict(idx.attrs) and dict(ours.time_attrs) == dict(idx.time_attrs)
    for name in ours:
        a, b = ours[name], idx[name]
        assert (a.dtype, a.shape, a.components, a.fixed, a.steps) == (
            b.dtype,
            b.shape,
            b.components,
            b.fixed,
            b.steps,
        )
        assert dict(a.attrs) == dict(b.attrs) and a.max_level == b.max_level
        for step in range(3):
            assert a.has(step) == b.has(step)
            for level in range(a.max_level + 1) if a.has(step) else ():
                np.testing.assert_array_equal(a.read(step, level=level), b.read(step, level=level))
    box = ((3, 5, 1), (22, 19, 4))
    for level in range(ours["temp"].max_level + 1):
        expected = idx["temp"].read(1, box=box, level=level)
        np.testing.assert_array_equal(ours["temp"].read(1, box=box, level=level), expected)
    np.testing.assert_array_equal(ours["topg"].coords("x"), XS)


@pytest.mark.parametrize("compression", ["none", "zip"])
def test_next_to_an_idx_dataset(tmp_path: Path, compression: str) -> None:
    write_run(tmp_path / "run", format="zarr+idx", compression=compression)
    write_run(tmp_path / "alone.zarr", compression=compression)
    assert files_below(tmp_path / "run.zarr") == files_below(tmp_path / "alone.zarr")
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        expect_values(ds)
    np.testing.assert_array_equal(esker.open(tmp_path / "run.idx")["temp"].read(2), temp_at(2))


@pytest.mark.parametrize("form", ["cdf5+zarr", "netcdf4+zarr"])
def test_next_to_a_netcdf_file(tmp_path: Path, form: str) -> None:
    write_run(tmp_path / "run", format=form, compression="zip")
    write_run(tmp_path / "alone.zarr", compression="zip")
    alone, half = files_below(tmp_path / "alone.zarr"), files_below(tmp_path / "run.zarr")
    group = json.loads(half["zarr.json"])
    ours = json.loads(group["attributes"]["esker"])
    assert ours.pop("other") == ".nc"
    group["attributes"]["esker"] = json.dumps(ours, separators=(",", ":"))
    half["zarr.json"] = (json.dumps(group, indent=1, ensure_ascii=False) + "\n").encode()
    assert half == alone
    with esker.Writer.append(tmp_path / "run.zarr", report="none") as w:
        put_step(w, 3)
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        expect_values(ds, 4)
    with xr.open_dataset(tmp_path / "run.nc") as ds:
        expect_values(ds, 4)
    for name in ("run.zarr", "run.nc"):
        assert len(esker.open(tmp_path / name).steps) == 4 and esker.verify(tmp_path / name).good


def test_a_raw_field_next_to_a_compressed_one(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.zarr", dims={"x": 30, "y": 20}) as w:
        for name, compression in (("a", "zstd"), ("b", "none")):
            w.field(name, "f8", compression=compression)
        with w.step(time=0.0) as step:
            step.put("a", THK)
            step.put("b", THK + 1)
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        np.testing.assert_array_equal(ds["a"][0], THK)
        np.testing.assert_array_equal(ds["b"][0], THK + 1)


def test_a_fixed_field_that_is_written_again_is_smaller(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.zarr", dims={"x": 30, "y": 20}, compression="zstd") as w:
        w.field("bed", "f8", fixed=True)
        for values in (THK, np.ones((20, 30))):
            with w.step(time=0.0) as step:
                step.put("bed", values)
            if values is THK:
                w.rewind(-1.0)
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        np.testing.assert_array_equal(ds["bed"], np.ones((20, 30)))


def test_characters_on_one_axis(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.zarr", dims={"n": 8}) as w:
        w.field("name", "S1", fixed=True)
        w.field("t", "f8")
        with w.step(time=0.0) as step:
            step.put("name", np.array(list(b"greenlan"), "u1").view("S1"))
            step.put("t", np.ones(8))
    assert esker.open(tmp_path / "run.zarr")["name"].read().tobytes() == b"greenlan"


def test_info_and_verify(path: Path, esker_command: Callable[..., Any]) -> None:
    done = esker_command("info", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in ("temp", "topg", "vel", "mask", "volume"))
    done = esker_command("verify", path)
    assert (done.returncode, done.stderr) == (0, "") and "good: 3 steps" in done.stdout


@pytest.mark.parametrize("place", ["chunk", "index"])
def test_verify_finds_a_changed_byte(path: Path, place: str, esker_command: Callable[..., Any]) -> None:
    shard = path / "temp/c/1/0/0/0"
    content = bytearray(shard.read_bytes())
    content[{"chunk": 300, "index": -30}[place]] ^= 4
    shard.write_bytes(content)
    found = esker.verify(path)
    assert not found.good and found.num_errors == 1 and "temp/c/1/0/0/0" in found.findings[0].text
    done = esker_command("verify", path)
    assert done.returncode == 1 and "DAMAGED" in done.stdout and "temp/c/1/0/0/0" in done.stdout
    with pytest.raises(OSError, match="temp/c/1/0/0/0"):
        esker.open(path)["temp"].read(1)
    np.testing.assert_array_equal(esker.open(path)["temp"].read(2), temp_at(2))


@pytest.mark.parametrize("file", ["time/c/0", "x/c/0", "crs/c"])
def test_a_missing_file_of_values_is_an_error(path: Path, file: str) -> None:
    (path / file).unlink()
    with pytest.raises(OSError, match=file):
        esker.open(path)


def test_verify_finds_a_missing_shard(path: Path) -> None:
    (path / "temp/c/1/0/0/0").unlink()
    assert esker.verify(path).num_errors == 1


def test_xarray_writes_it_to_netcdf(path: Path, tmp_path: Path) -> None:
    with xr.open_zarr(path) as ds:
        ds.drop_vars(["name", "crs"]).to_netcdf(tmp_path / "copy.nc")
    with xr.open_dataset(tmp_path / "copy.nc") as ds:
        expect_values(ds)
    np.testing.assert_array_equal(esker.open(tmp_path / "copy.nc")["topg"].read(), THK)


COPIES: dict[str, Callable[[xr.Dataset], xr.Dataset]] = {
    "all": lambda ds: ds,
    "steps": lambda ds: ds.isel(time=slice(0, 2)),
    "part": lambda ds: ds.isel(x=slice(3, 20)),
    "chunks": lambda ds: ds.drop_encoding(),
    "fields": lambda ds: ds[["temp", "topg"]],
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_by_xarray_is_read_correctly_or_not_at_all(path: Path, tmp_path: Path, name: str) -> None:
    """It has the attributes that tell Esker's groups, and maybe other arrays."""
    with xr.open_zarr(path) as ds, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about consolidated metadata
        COPIES[name](ds.load()).to_zarr(tmp_path / "copy.zarr", consolidated=True)
    try:
        ours = esker.open(tmp_path / "copy.zarr")
    except (OSError, NotImplementedError):
        assert name != "all"
        return
    with xr.open_zarr(tmp_path / "copy.zarr", mask_and_scale=False) as ds:
        assert len(ours.steps) == ds.sizes["time"]
        for step in range(len(ours.steps)):
            np.testing.assert_array_equal(ours["temp"].read(step), ds["temp"][step])


def test_it_is_converted(path: Path, tmp_path: Path, esker_command: Callable[..., Any]) -> None:
    given = esker.open(path)
    for name in ("back.idx", "back.nc", "back.zarr"):
        done = esker_command("convert", path, tmp_path / name)
        assert done.returncode == 0, done.stderr
        back = esker.open(tmp_path / name)
        assert {one: back[one].every for one in back} == {one: given[one].every for one in given}
        np.testing.assert_array_equal(back["temp"].read(1), temp_at(1))
        np.testing.assert_array_equal(back["topg"].read(0), THK)


def test_attributes_and_names_that_are_taken(tmp_path: Path) -> None:
    for attribute in ("esker", "esker_schema"):
        with pytest.raises(ValueError, match=f"attribute '{attribute}'"):
            esker.write(tmp_path / "run.zarr", {"v": THK}, attrs={attribute: "mine"})
    with pytest.raises(ValueError, match="zarr.json"):
        esker.write(tmp_path / "run.zarr", {"zarr.json": THK})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"compression": "zfp-accuracy=1e-3"}, NotImplementedError, "none, zip, zstd, bitround=N .*blosc"),
        ({"compression": "bitround=9"}, ValueError, "field 'vel': bitround: values of type int16"),
        ({"chunks": "7"}, ValueError, "chunks"),
        ({"chunks": "decomposition"}, NotImplementedError, "chunks=decomposition"),
    ],
)
def test_options_that_zarr_lacks(
    tmp_path: Path, options: dict[str, str], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        write_run(tmp_path / "run.zarr", **options)
    assert list(tmp_path.iterdir()) == []


def test_only_esker_groups_are_overwritten(path: Path, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        write_run(path)
    write_run(path, 2, overwrite=True)
    with xr.open_zarr(path) as ds:
        expect_values(ds, 2)
    zarr.open_group(tmp_path / "other.zarr", mode="w").create_array("v", shape=(3,), dtype="f4")
    with pytest.raises(FileExistsError):
        write_run(tmp_path / "other.zarr", overwrite=True)


def test_tensorstore_reads_the_arrays(path: Path) -> None:
    for name in ("temp", "vel", "mask", "volume"):
        array = zarr.open_array(path / name, mode="r")[:]
        np.testing.assert_array_equal(read_by_tensorstore(path / name), array)


RANKS = """
import sys
from pathlib import Path
import numpy as np
from mpi4py import MPI
import esker
folder, comm = Path(sys.argv[1]), MPI.COMM_WORLD
temp, vel = np.load(folder / "temp.npy"), np.load(folder / "vel.npy")
for compression in ("none", "zstd", "zip", "blosc"):
    how = {"dims": {"x": 30, "y": 20, "z": 5}, "compression": compression, "chunks": "7,6,2", "report": "none"}
    with esker.Writer(folder / f"{compression}_{comm.size}.zarr", comm, **how) as w:
        w.field("temp", "f4")
        w.field("vel", "i2", grid=w.grid("xy", ("x", "y")), components=3)
        part = slice(20 * comm.rank // comm.size, 20 * (comm.rank + 1) // comm.size)
        for number in range(2):
            with w.step(number) as s:
                s.put("temp", temp[:, part] + np.float32(number), offset=(0, part.start, 0))
                s.put("vel", vel[part], offset=(0, part.start))
"""


def test_ranks_write_the_same_bytes(tmp_path: Path) -> None:
    np.save(tmp_path / "temp.npy", TEMP)
    np.save(tmp_path / "vel.npy", VEL)
    for ranks in (1, 4, 16):
        run_program(RANKS, ranks, tmp_path)
    for compression in ("none", "zstd", "zip", "blosc"):
        alone = files_below(tmp_path / f"{compression}_1.zarr")
        assert len(alone) > 5
        for ranks in (4, 16):
            assert files_below(tmp_path / f"{compression}_{ranks}.zarr") == alone
        with xr.open_zarr(tmp_path / f"{compression}_4.zarr") as ds:
            np.testing.assert_array_equal(ds["temp"][1], TEMP + np.float32(1))


@pytest.mark.parametrize(
    ("options", "word", "is_found"),
    [
        ({"compression": "zstd"}, "checksums", True),
        ({"compression": "zip"}, "checksums", True),
        ({"compression": "zstd", "checksums": False}, "readable", None),
        ({}, "readable", False),
    ],
    ids=str,
)
def test_what_verify_and_info_can_check(
    esker_command: Callable[..., Any],
    tmp_path: Path,
    options: dict[str, Any],
    word: str,
    is_found: bool | None,
) -> None:
    esker.write(tmp_path / "run.zarr", {"temp": TEMP, "thk": THK}, chunks="7,6,2", **options)
    facts = json.loads(esker_command("info", tmp_path / "run.zarr", "--json").stdout)
    assert facts["checked"] == word == esker.verify(tmp_path / "run.zarr").checked
    (shard,) = (path for path in (tmp_path / "run.zarr/temp/c").rglob("*") if path.is_file())
    stored = bytearray(shard.read_bytes())
    stored[40] ^= 0x10  # in the first chunk
    shard.write_bytes(stored)
    done = esker_command("verify", tmp_path / "run.zarr")
    if is_found is not None:
        assert (done.returncode == 1) == is_found, done.stdout
        assert ("temp" in done.stdout) == is_found
        assert ("changed values are not detected" in done.stdout) != is_found


def test_leftovers_are_named_and_removed(
    path: Path, tmp_path: Path, esker_command: Callable[..., Any]
) -> None:
    """As a kill between the samples and the commit of a step leaves them."""
    before = files_below(path)
    shutil.copytree(path / "temp/c/2", path / "temp/c/3")
    array = json.loads((path / "temp/zarr.json").read_text())
    array["shape"][0] = 4
    (path / "temp/zarr.json").write_text(json.dumps(array))
    assert esker.open(path).steps == [0, 1, 2]
    with xr.open_zarr(path) as ds:
        expect_values(ds)
    with pytest.raises(ValueError, match="conflicting sizes for dimension 'time'"):
        xr.open_zarr(path, consolidated=False)
    done = esker_command("verify", path)
    assert done.returncode == 0, done.stdout
    warnings_ = [line for line in done.stdout.splitlines() if line.startswith("warning: ")]
    assert [line.partition("run.zarr/")[2].split(": ")[0] for line in warnings_] == [
        "temp/c/3",
        "temp/zarr.json",
    ]
    done = esker_command("repair", path)
    assert done.returncode == 0, done.stderr
    assert "temp/c/3/0/0/0" in done.stdout and "1 file removed, no leftovers" in done.stdout
    assert files_below(path) == before
    assert "warning" not in esker_command("verify", path).stdout
