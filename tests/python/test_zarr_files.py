"""esker convert to Zarr and back: the store in xarray, and values that JSON cannot represent."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr

import esker
import esker.xarray

pytest.importorskip("zarr")
Run = Callable[..., subprocess.CompletedProcess[str]]


def test_metadata_are_consolidated(esker_command: Run, tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"v": np.ones((3, 4))}, coords={"x": np.arange(4.0)})
    done = esker_command("convert", tmp_path / "run.idx", tmp_path / "run.zarr")
    assert (done.returncode, done.stderr) == (0, "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with xr.open_zarr(tmp_path / "run.zarr", consolidated=True) as ds:
            assert set(ds.variables) == {"v", "x", "time"} and (ds["v"] == 1).all()


def test_vectors_of_different_numbers_of_components(esker_command: Run, tmp_path: Path) -> None:
    values = {
        "a": np.arange(24.0).reshape(3, 4, 2),
        "b": np.arange(36.0).reshape(3, 4, 3),
        "c": np.ones((3, 4)),
    }
    esker.write(tmp_path / "run.idx", values, components={"a": 2, "b": 3})
    assert esker_command("convert", tmp_path / "run.idx", tmp_path / "run.zarr").returncode == 0
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        assert all(np.array_equal(ds[name][0], values[name]) for name in values)
    assert esker_command("convert", tmp_path / "run.zarr", tmp_path / "back.nc").returncode == 0
    back = esker.open(tmp_path / "back.nc")
    assert {name: back[name].components for name in back} == {"a": 2, "b": 3, "c": 1}
    assert esker_command("diff", tmp_path / "run.idx", tmp_path / "back.nc").returncode == 0


def test_times_of_fixed_fields_are_kept(esker_command: Run, tmp_path: Path) -> None:
    with esker.Writer(
        tmp_path / "run.idx", dims={"x": 3}, attrs={"time": {"units": "days since 2001-01-01"}}, report="none"
    ) as w:
        bed = w.field("bed", "f4", fixed=True)
        with w.step(4.0) as s:
            s.put(bed, np.ones(3, "f4"))
    assert esker_command("convert", tmp_path / "run.idx", tmp_path / "run.zarr").returncode == 0
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        assert ds["time"].values == [np.datetime64("2001-01-05", "ns")] and ds["bed"].dims == ("x",)
    assert esker_command("convert", tmp_path / "run.zarr", tmp_path / "back.idx").returncode == 0
    assert dict(esker.open(tmp_path / "back.idx").time_attrs) == {"units": "days since 2001-01-01"}


@pytest.mark.filterwarnings("ignore:variable 'a' has")
@pytest.mark.parametrize(
    ("dtype", "attributes", "missing"),
    [
        ("i2", {"missing_value": np.float64("nan")}, None),
        ("i1", {"missing_value": np.int16(-9999)}, None),
        ("f4", {"missing_value": np.float64(-1e34)}, -1e34),
        ("f4", {"missing_value": np.float32("nan")}, np.nan),
        ("f4", {"_FillValue": np.float32("nan")}, np.nan),
        ("i2", {"missing_value": np.float32(7)}, 7),
    ],
)
def test_fill_values(
    esker_command: Run, tmp_path: Path, dtype: str, attributes: dict[str, Any], missing: float | None
) -> None:
    with netCDF4.Dataset(tmp_path / "run.nc", "w") as file:
        file.createDimension("x", 2)
        variable = file.createVariable("a", dtype, ("x",), fill_value=attributes.get("_FillValue"))
        variable.setncatts({name: value for name, value in attributes.items() if name != "_FillValue"})
        variable.set_auto_maskandscale(False)
        variable[:] = [-15 if missing is None else missing, 3]
    assert esker_command("convert", tmp_path / "run.nc", tmp_path / "run.zarr").returncode == 0
    json.loads((tmp_path / "run.zarr/a/zarr.json").read_text(), parse_constant=pytest.fail)
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        assert np.isnan(ds["a"].values.squeeze()).tolist() == [missing is not None, False]


@pytest.mark.parametrize(
    ("dtype", "fill"), [("f4", -999.0), ("i2", -999), ("f8", np.nan), ("f4", np.nan), ("u1", 255)]
)
def test_fill_values_of_version_2(esker_command: Run, tmp_path: Path, dtype: str, fill: float) -> None:
    """xarray keeps _FillValue in the array's fill_value, not in its attributes."""
    values = np.array([fill, 3, 0], dtype)
    ds = xr.Dataset({"a": ("x", values, {"_FillValue": values[0], "units": "K"})}, {"x": [0.0, 1.0, 2.0]})
    ds.to_zarr(tmp_path / "theirs.zarr", zarr_format=2)
    assert_reads_like_xarray(esker_command, tmp_path, [True, False, False])


@pytest.mark.parametrize("fill", [0, None])
def test_a_version_2_store_masks_its_default_fill_value(
    esker_command: Run, tmp_path: Path, fill: int | None
) -> None:
    """0 unless the store says otherwise; xarray takes it as missing, too."""
    import zarr

    group = zarr.open_group(tmp_path / "theirs.zarr", mode="w", zarr_format=2)
    array = group.create_array("a", shape=(3,), dtype="f4", fill_value=fill)
    array[:] = [0, 3, 4]
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    assert_reads_like_xarray(esker_command, tmp_path, [fill == 0, False, False])


def assert_reads_like_xarray(esker_command: Run, folder: Path, missing: list[bool]) -> None:
    """theirs.zarr, after conversion to each format."""
    with xr.open_zarr(folder / "theirs.zarr", consolidated=False) as theirs:
        assert np.isnan(theirs["a"].values).tolist() == missing
        for name in ("ours.idx", "ours.nc", "ours.zarr"):
            done = esker_command("convert", folder / "theirs.zarr", folder / name)
            assert done.returncode == 0, done.stderr
            how: dict[str, Any] = {} if name.endswith("zarr") else {"engine": "esker"}
            with xr.open_dataset(folder / name, **how) as found:
                np.testing.assert_array_equal(found["a"].values.squeeze(), theirs["a"].values)


def test_attributes_are_valid_json(esker_command: Run, tmp_path: Path) -> None:
    attrs = {
        "a": {"valid_max": np.inf, "valid_range": [-np.inf, 0.5], "odd": np.nan, "note": "NaN to ignore"},
        "least": -np.inf,
    }
    esker.write(tmp_path / "run.idx", {"a": np.ones((2, 3), "f4")}, attrs=attrs)
    assert esker_command("convert", tmp_path / "run.idx", tmp_path / "run.zarr").returncode == 0
    for file in (tmp_path / "run.zarr").rglob("zarr.json"):
        json.loads(file.read_text(), parse_constant=pytest.fail)
    assert esker_command("convert", tmp_path / "run.zarr", tmp_path / "back.idx").returncode == 0
    back = esker.open(tmp_path / "back.idx")
    assert back.attrs["least"] == -np.inf
    found = dict(back["a"].attrs)
    assert np.isnan(found.pop("odd")) and list(found.pop("valid_range")) == [-np.inf, 0.5]
    assert found == {"valid_max": np.inf, "note": "NaN to ignore"}


def test_a_text_with_a_fill_value_can_be_opened(esker_command: Run, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "run.nc", "w") as file:
        file.createDimension("x", 2)
        file.createDimension("length", 4)
        file.createVariable("a", "f4", ("x",))[:] = 1
        name = file.createVariable("name", "S1", ("length",), fill_value=b" ")
        name[:] = np.array(list("site"), "S1")
    assert esker_command("convert", tmp_path / "run.nc", tmp_path / "run.zarr").returncode == 0
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        assert ds["name"].item() == "site"


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_arrays_without_names_of_dimensions(esker_command: Run, tmp_path: Path, zarr_format: int) -> None:
    import zarr

    shapes = {"map": (4, 5), "other": (4, 5), "volume": (3, 4, 5), "wide": (4, 7), "line": (6,)}
    group = zarr.open_group(tmp_path / "theirs.zarr", mode="w", zarr_format=zarr_format)
    for name, shape in shapes.items():
        group.create_array(name, shape=shape, dtype="f4", fill_value=-1)[...] = np.arange(
            np.prod(shape)
        ).reshape(shape)
    done = esker_command("convert", tmp_path / "theirs.zarr", tmp_path / "ours.idx")
    assert done.returncode == 0, done.stderr
    ds = esker.open(tmp_path / "ours.idx")
    assert {name: ds[name].read().shape for name in shapes} == shapes
    assert ds["map"].dims == ds["other"].dims == ds["volume"].dims[1:] == ("y", "x")
    assert ds["wide"].dims == ("y", "x_2") and ds["line"].dims == ("x_3",)


def test_coordinates_that_no_array_uses(esker_command: Run, tmp_path: Path) -> None:
    ds = xr.Dataset(
        {"bed": ("x", [1.0, 2.0])}, {"lon": ("lon", np.arange(3, dtype="f4"), {"units": "degrees"})}
    )
    ds.to_zarr(tmp_path / "theirs.zarr", zarr_format=3, consolidated=False)
    for name in ("ours.idx", "ours.nc", "ours.zarr"):
        done = esker_command("convert", tmp_path / "theirs.zarr", tmp_path / name)
        assert done.returncode == 0, done.stderr
        how: dict[str, Any] = {} if name.endswith("zarr") else {"engine": "esker"}
        with xr.open_dataset(tmp_path / name, **how) as found:
            assert found["lon"].identical(ds["lon"])


def test_what_is_left_out_is_named(esker_command: Run, tmp_path: Path) -> None:
    import zarr

    group = zarr.open_group(tmp_path / "theirs.zarr", mode="w", zarr_format=3)
    group.attrs["history"] = ["one", "two"]
    for name, dtype in {"v": "f4", "half": "f2", "mask": "bool", "wave": "c8"}.items():
        array = group.create_array(name, shape=(2, 3), dtype=dtype, dimension_names=("y", "x"))
        array[:] = np.ones((2, 3), dtype)
    group["v"].attrs["parts"] = {"a": 1}
    done = esker_command("convert", tmp_path / "theirs.zarr", tmp_path / "ours.idx")
    assert done.returncode == 0, done.stderr
    assert "history" not in done.stderr
    assert esker.open(tmp_path / "ours.idx").attrs["history"] == ["one", "two"]
    assert "attribute 'parts' of 'v' is left out" in done.stderr
    assert "array 'wave' is left out: complex64 samples cannot be stored" in done.stderr
    found = esker.open(tmp_path / "ours.idx")
    assert sorted(found) == ["half", "mask", "v"] and found["mask"].attrs["dtype"] == "bool"
    assert found["half"].dtype == np.float32 and found["half"].read().min() == 1  # as HDF5's
    with xr.open_dataset(tmp_path / "ours.idx", engine="esker") as ds:
        assert ds["mask"].dtype == bool and ds["mask"].all()


def test_what_a_dataset_has_comes_back(esker_command: Run, tmp_path: Path) -> None:
    """Scalars, texts, time series, the name and type of the times, the types of coordinates."""
    ds = xr.Dataset(
        {
            "v": (
                ("run", "x"),
                np.arange(6, dtype="i2").reshape(2, 3),
                {"grid_mapping": "crs", "valid_min": np.int16(0)},
            ),
            "volume": ("run", np.array([0.5, 1.5], "f4"), {"units": "m3"}),
            "crs": ((), np.int8(-1), {"grid_mapping_name": "latitude_longitude"}),
            "model": ((), "spherical", {"long_name": "of the Earth"}),
        },
        {
            "run": ("run", np.array([4, 9], "i4"), {"units": "days since 2001-01-01"}),
            "x": ("x", np.array([0.1, 0.2, 0.3], "f4"), {"units": "m"}),
        },
        {"title": "all"},
    )
    ds.to_esker(tmp_path / "run.nc", time_dim="run")
    for source, target in [("run.nc", "a.zarr"), ("a.zarr", "b.zarr"), ("b.zarr", "c.nc")]:
        done = esker_command("convert", tmp_path / source, tmp_path / target)
        assert (done.returncode, done.stderr) == (0, "")
    with xr.open_dataset(tmp_path / "c.nc", engine="esker", decode_times=False) as back:
        assert back.encoding["unlimited_dims"] == {"run"}
        for name in ds.variables:
            assert back[name].dims == ds[name].dims and np.array_equal(back[name], ds[name]), name
            assert name == "model" or back[name].dtype == ds[name].dtype, name
            for attribute, value in ds[name].attrs.items():
                assert {**back[name].attrs, **back[name].encoding}[attribute] == value
    for target in ("a.zarr", "b.zarr"):
        with xr.open_zarr(tmp_path / target, decode_times=False) as found:
            assert (
                found["volume"].dims == ("run",) and found["crs"].dims == () and found["model"] == "spherical"
            )
            assert found["x"].dtype == np.float32 and found["run"].dtype == np.int32


def test_options_of_the_writer_apply(esker_command: Run, tmp_path: Path) -> None:
    values = np.random.default_rng(3).random((10, 48, 64))
    esker.write(tmp_path / "run.idx", {"v": values})
    options = ["--compression", "zstd", "--option", "chunks=32,16,5"]
    done = esker_command("convert", tmp_path / "run.idx", tmp_path / "run.zarr", *options)
    assert (done.returncode, done.stderr) == (0, "")
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        assert ds["v"].encoding["chunks"] == (1, 5, 16, 32) and ds["v"].encoding["shards"]
        np.testing.assert_array_equal(ds["v"][0], values)
    assert esker.verify(tmp_path / "run.zarr").good


def test_texts_along_axes_take_no_options(esker_command: Run, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "run.nc", "w") as file:
        file.createDimension("station", 2)
        file.createDimension("length", 4)
        file.createVariable("name", "S1", ("station", "length"))[:] = np.array([list("abcd")] * 2, "S1")
    for name in ("a.zarr", "b"):
        done = esker_command("convert", tmp_path / "run.nc", tmp_path / name, "--format", "zarr")
        assert (done.returncode, done.stderr) == (0, "")
        with xr.open_zarr(tmp_path / f"{name[0]}.zarr") as ds:
            assert ds["name"].values.tolist() == ["abcd", "abcd"]
    done = esker_command("convert", tmp_path / "run.nc", tmp_path / "c.zarr", "--option", "chunks=2")
    assert done.returncode != 0 and "not supported for Zarr with texts along axes" in done.stderr
