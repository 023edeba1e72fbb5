"""Attributes, coordinates, times and scalars keep type and name, through every format and convert."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker import _core
from esker.files.comparison import compare

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
Run = Callable[..., subprocess.CompletedProcess[str]]

ATTRIBUTES: dict[str, Any] = {
    "flag_values": np.array([0, 1, 2], "i1"),
    "level": np.int16(-7),
    "scale_factor": np.float32(0.1),
    "add_offset": np.float64(0.1),
    "number": np.int32(9),
    "valid_range": np.array([0, 0.5], "f4"),
    "missing_value": np.float64(-9999),
}
ONLY_IN_NETCDF4 = {
    "big": np.uint64(2**64 - 1),
    "long": np.int64(2**60 + 1),
    "byte": np.uint8(255),
    "words": np.array([1, 65535], "u2"),
}


def write_foreign(path: Path, format: str) -> None:
    """A file of the netCDF library: a packed field, coordinates and times of other types than float64, scalars, series."""
    with netCDF4.Dataset(path, "w", format=format) as file:
        has_all = format in ("NETCDF4", "NETCDF3_64BIT_DATA")
        file.createDimension("forecast", None)
        file.createDimension("lat", 3)
        file.createDimension("lon", 4)
        file.createDimension("depth", 2)
        time = file.createVariable("forecast", "i4", ("forecast",))
        time.units = "hours since 2000-01-01"
        time.setncattr("leap", np.int16(3))
        lat = file.createVariable("lat", "f4", ("lat",))
        lat.setncattr("valid_min", np.float32(-90))
        lon = file.createVariable("lon", "i8" if has_all else "i2", ("lon",))
        depth = file.createVariable("depth", "f4", ("depth",))
        packed = file.createVariable("t", "i2", ("forecast", "lat", "lon"), fill_value=np.int16(-1))
        packed.grid_mapping = "polar_stereographic"
        for name, value in {**ATTRIBUTES, **(ONLY_IN_NETCDF4 if has_all else {})}.items():
            packed.setncattr(name, value)
        mapping = file.createVariable("polar_stereographic", "i4", ())
        mapping.grid_mapping_name = "polar_stereographic"
        mapping.setncattr("standard_parallel", np.float64(71))
        crs = file.createVariable("crs", "S1", ())
        crs.note = "a character"
        period = file.createVariable("forecast_period", "f8", ("forecast",))
        period.units = "hours"
        packed.set_auto_maskandscale(False)
        lat[:] = [0.1, 0.2, 0.3]
        lon[:] = [1, 2, 2**53 + 1] + [2**60] if has_all else [1, 2, 3, 4]
        depth[:] = [5, 10]
        mapping[...] = 7
        crs[...] = b"c"
        time[:] = [6, 12]
        packed[:] = np.arange(24).reshape(2, 3, 4)
        period[:] = [0.5, 1.5]


def described(path: Path) -> dict[str, Any]:
    """The content of a file as the netCDF library reads it, without Esker's own attributes."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        variables = {
            name: (
                str(variable.dtype),
                variable.dimensions,
                np.asarray(variable[...]).tolist(),
                {key: typed(variable.getncattr(key)) for key in variable.ncattrs()},
            )
            for name, variable in file.variables.items()
        }
        return {"unlimited": [name for name, dim in file.dimensions.items() if dim.isunlimited()], **variables}


def typed(value: Any) -> Any:
    return value if isinstance(value, str) else (str(np.asarray(value).dtype), np.asarray(value).tolist())


@pytest.mark.parametrize("format", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA", "NETCDF4"])
@pytest.mark.parametrize("between", ["b.idx", "b.nc"])
def test_types_and_names_survive(
    esker_command: Run, tmp_path: Path, format: str, between: str
) -> None:
    kind = {"NETCDF3_CLASSIC": "cdf1", "NETCDF3_64BIT_DATA": "cdf5", "NETCDF4": "netcdf4"}[format]
    a, c = tmp_path / "a.nc", tmp_path / "c.nc"
    b = tmp_path / between
    write_foreign(a, format)
    middle = ["--format", "netcdf4" if between == "b.nc" else "idx"]
    for source, target, how in ((a, b, middle), (b, c, ["--format", kind])):
        done = esker_command("convert", source, target, *how)
        assert done.returncode == 0, done.stderr
    assert described(c) == described(a)
    assert compare(esker.open(a), esker.open(c)).structure == []


def test_what_the_reader_gives(tmp_path: Path) -> None:
    write_foreign(tmp_path / "a.nc", "NETCDF4")
    dataset = esker.open(tmp_path / "a.nc")
    assert (dataset.time_dim, dataset.time_dtype, dataset.steps) == ("forecast", np.dtype("i4"), [6.0, 12.0])
    assert dataset.time_attrs["leap"].dtype == np.int16
    field = dataset["t"]
    for name, value in {**ATTRIBUTES, **ONLY_IN_NETCDF4}.items():
        found = np.asarray(field.attrs[name])
        assert (found.dtype, found.tolist()) == (value.dtype, value.tolist()), name
    assert field.grid.coords["lon"].dtype == np.int64 and field.grid.coords["lon"][2] == 2**53 + 1
    assert field.grid.coords["lat"].dtype == np.float32
    assert set(dataset.scalars) == {"polar_stereographic", "crs"}
    mapping = dataset.scalars["polar_stereographic"]
    assert mapping.value == 7 and mapping.value.dtype == np.int32
    assert mapping.attrs["standard_parallel"] == 71.0
    assert dataset.scalars["crs"].value == "c"
    period = dataset["forecast_period"]
    assert period.is_series and period.read(1).tolist() == [1.5] and period.attrs["units"] == "hours"
    assert dataset["depth"].read().tolist() == [5, 10], "coordinates of a dimension that no field has"


def test_plain_numbers_get_the_type_that_files_expect(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "a.nc", dims={"x": 4}, format="cdf1", attrs={"n": 3, "r": 0.5}) as writer:
        field = writer.field("t", "i2", valid_range=[0, 100], missing_value=-9, scale_factor=0.5, flag_values=[1, 2])
        with writer.step(0) as step:
            step.put(field, np.zeros(4, "i2"))
    attrs = esker.open(tmp_path / "a.nc")["t"].attrs
    types = {name: np.asarray(value).dtype.name for name, value in attrs.items()}
    assert types == {
        "valid_range": "int16",
        "missing_value": "int16",
        "scale_factor": "float64",
        "flag_values": "int32",
    }
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        assert file.data_model == "NETCDF3_CLASSIC" and file.n.dtype == np.int32


def test_explicit_classic_formats_narrow_what_they_lack(tmp_path: Path) -> None:
    with esker.Writer(
        tmp_path / "a.nc",
        dims={"x": 3},
        coords={"x": np.array([1, 2, 3])},
        format="cdf2",
        time_dim="t",
        time_dtype="i8",
        attrs={"long": np.int64(5), "byte": np.uint8(255)},
    ) as writer:
        field = writer.field("v", "f4")
        with writer.step(4) as step:
            step.put(field, np.zeros(3, "f4"))
    dataset = esker.open(tmp_path / "a.nc")
    assert dataset.attrs["long"].dtype == np.int32 and dataset.attrs["byte"] == 255
    assert dataset["v"].grid.coords["x"].dtype == np.int32
    assert (dataset.time_dim, dataset.steps) == ("t", [4.0])
    with esker.Writer.append(tmp_path / "a.nc", format="cdf2") as writer, writer.step(5) as step:
        step.put("v", np.ones(3, "f4"))
    assert esker.open(tmp_path / "a.nc").steps == [4.0, 5.0]


def test_times_are_values_of_their_type(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "a.nc", dims={"x": 3}, format="cdf5", time_dtype="i2") as writer:
        field = writer.field("v", "f4")
        with writer.step(1) as step:
            step.put(field, np.zeros(3, "f4"))
        with pytest.raises(ValueError, match="time 1.5 does not fit the type of the times, int16"), writer.step(1.5):
            pass


def test_times_beyond_float64_give_a_warning(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 2)
        file.createVariable("time", "i8", ("time",))[:] = [2**53 + 1, 2**53 + 3]
        file.createVariable("v", "f4", ("time", "x"))[:] = np.zeros((2, 2))
    assert any("rounded to float64" in warning for warning in esker.open(tmp_path / "a.nc").warnings)


@pytest.mark.parametrize("format", ["cdf1", "cdf5", "netcdf4", "idx"])
def test_fixed_fields_alone_have_no_time(esker_command: Run, tmp_path: Path, format: str) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 4)
        file.createVariable("bed", "f4", ("x",))[:] = [1, 2, 3, 4]
        file.createVariable("crs", "i4", ())[...] = 1
    done = esker_command("convert", tmp_path / "a.nc", tmp_path / "b", "--format", format)
    assert done.returncode == 0, done.stderr
    done = esker_command("convert", tmp_path / "b", tmp_path / "c.nc", "--format", "netcdf4")
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(tmp_path / "c.nc") as file:
        assert list(file.dimensions) == ["x"] and set(file.variables) == {"bed", "crs"}
        assert file["bed"][:].tolist() == [1, 2, 3, 4]
    assert esker.verify(tmp_path / "c.nc").good


def test_a_dataset_without_times_has_one_step(tmp_path: Path) -> None:
    for format in ("idx", "cdf2", "netcdf4"):
        path = tmp_path / f"{format}.{'idx' if format == 'idx' else 'nc'}"
        with (
            pytest.raises(ValueError, match="the dataset has no times"),
            esker.Writer(path, dims={"x": 4}, format=format, time_dim="") as writer,
        ):
            writer.field("v", "f4")
        with esker.Writer(path, dims={"x": 4}, format=format, time_dim="", overwrite=True) as writer:
            bed = writer.field("bed", "f4", fixed=True)
            with writer.step(0) as step:
                step.put(bed, np.arange(4, dtype="f4"))
        with (
            pytest.raises(ValueError, match="one step, at time 0"),
            esker.Writer.append(path, format=format) as writer,
            writer.step(1),
        ):
            pass
        dataset = esker.open(path)
        assert dataset["bed"].read().tolist() == [0, 1, 2, 3]
        assert dataset.time_dim == ""


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("a\ud800", UnicodeEncodeError, "surrogates not allowed"),
        (("text", "a\ud800", b"a"), UnicodeEncodeError, "surrogates not allowed"),
        (("f8\ud800", bytes(8)), UnicodeEncodeError, "surrogates not allowed"),
        (("text", "a\0b", b"a\0b"), ValueError, "'a.b' is not UTF-8 text"),
        (("float64\0", bytes(8)), ValueError, "float64"),
        (("float64", bytes(12)), ValueError, "expected numbers of 8 bytes, found 12 bytes"),
        ((1, bytes(8)), ValueError, "expected a str"),
    ],
)
def test_values_that_the_extension_module_cannot_take(
    tmp_path: Path, value: Any, error: type[Exception], message: str
) -> None:
    writer = _core.create(str(tmp_path / "a.idx"), {"report": "none"})
    with pytest.raises(error, match=message):
        writer.put_att("a", value)
