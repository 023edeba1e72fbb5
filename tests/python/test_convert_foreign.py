"""esker convert and export: valid files of other programs, and formats that other programs read."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.files.comparison import compare

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
Run = Callable[..., subprocess.CompletedProcess[str]]


def write(path: Path, times: Any, *, fixed: bool = False, dtype: str = "f8", format: str = "NETCDF4") -> None:
    """A field of two cells along `times`, and perhaps a fixed one."""
    with netCDF4.Dataset(path, "w", format=format) as file:
        file.createDimension("time", None)
        file.createDimension("x", 2)
        time = file.createVariable("time", dtype, ("time",))
        time.units = "days since 2000-01-01"
        v = file.createVariable("v", "f4", ("time", "x"))
        if len(times):
            time[:] = times
            v[:] = np.arange(2 * len(times)).reshape(-1, 2)
        if fixed:
            file.createVariable("bed", "f4", ("x",))[:] = [7, 8]


def converted(run: Run, source: Path, target: Path, *more: str) -> list[str]:
    """The warnings."""
    done = run("convert", source, target, "--json", *more)
    assert done.returncode == 0, done.stderr
    warnings: list[str] = json.loads(done.stdout)["warnings"]
    return warnings


@pytest.mark.parametrize("target", ["b.idx", "b.nc", "b.h5"])
def test_files_without_records(esker_command: Run, tmp_path: Path, target: str) -> None:
    write(tmp_path / "a.nc", [])
    assert converted(esker_command, tmp_path / "a.nc", tmp_path / target) == []
    dataset = esker.open(tmp_path / target)
    assert (dataset.steps, list(dataset), dataset["v"].shape) == ([], ["v"], (2,))
    assert dataset.time_attrs["units"] == "days since 2000-01-01"
    done = esker_command("export", tmp_path / "a.nc", "v", "-o", tmp_path / "v.npy")
    assert done.returncode == 2 and "the dataset has no steps, so 'v' has no samples" in done.stderr


def test_fixed_fields_without_records(esker_command: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.nc", [], fixed=True)
    warnings = converted(esker_command, tmp_path / "a.nc", tmp_path / "b.nc")
    assert warnings == ["left out, because they have no records: v"]
    assert esker.open(tmp_path / "b.nc")["bed"].read().tolist() == [7, 8]


def test_a_variable_that_was_never_written(esker_command: Run, tmp_path: Path) -> None:
    write(tmp_path / "a.nc", [1, 2])
    with netCDF4.Dataset(tmp_path / "a.nc", "a") as file:
        file.createVariable("late", "i2", ("time", "x"), fill_value=np.int16(-5))
        file.createVariable("never", "f4", ("time", "x"))
    warnings = converted(esker_command, tmp_path / "a.nc", tmp_path / "b.idx")
    assert warnings == [
        "late: not written at 2 of 2 steps; these are filled with -5",
        "never: not written at 2 of 2 steps; these are filled with 9.969209968386869e+36",
    ]
    dataset = esker.open(tmp_path / "b.idx")
    assert dataset["late"].read(1).tolist() == [-5, -5]
    assert dataset["v"].read(1).tolist() == [2, 3]


def test_a_fill_value_that_the_type_cannot_hold(esker_command: Run, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 2)
        v = file.createVariable("v", "i2", ("x",))
        v.setncattr("_FillValuf", np.float64("nan"))
        v[:] = [0, 1]
    data = (tmp_path / "a.nc").read_bytes()
    (tmp_path / "a.nc").write_bytes(data.replace(b"_FillValuf", b"_FillValue"))
    warnings = converted(esker_command, tmp_path / "a.nc", tmp_path / "b.nc")
    assert warnings == ["v: _FillValue nan is left out, because int16 cannot represent it"]
    assert esker.open(tmp_path / "b.nc")["v"].read().tolist() == [0, 1]


@pytest.mark.parametrize("times", [[3, 2, 1], [1, 1, 2], [0, np.nan, 2], [np.inf, 1, 2]])
def test_times_that_do_not_increase(esker_command: Run, tmp_path: Path, times: list[float]) -> None:
    write(tmp_path / "a.nc", times)
    (warning,) = converted(esker_command, tmp_path / "a.nc", tmp_path / "b.idx")
    assert "the steps get their numbers as times, and the field 'time_value' holds the original times" in warning
    dataset = esker.open(tmp_path / "b.idx")
    assert dataset.steps == [0.0, 1.0, 2.0] and not dataset.time_attrs
    kept = [dataset["time_value"].read(step)[0] for step in range(3)]
    np.testing.assert_array_equal(kept, times)
    assert dataset["time_value"].attrs["units"] == "days since 2000-01-01"
    assert dataset["v"].read(2).tolist() == [4, 5]
    converted(esker_command, tmp_path / "b.idx", tmp_path / "c.nc")
    with netCDF4.Dataset(tmp_path / "c.nc") as file:
        assert file["time_value"].dimensions == ("time",)


@pytest.mark.parametrize("first, second", [("netcdf4", "cdf5"), ("cdf5", "netcdf4"), ("cdf1", "cdf2")])
def test_a_file_of_one_format_replaces_that_of_another(
    esker_command: Run, tmp_path: Path, first: str, second: str
) -> None:
    path = tmp_path / "a.nc"
    esker.write(path, {"v": np.zeros(4, "f4")}, format=first)
    esker.write(path, {"v": np.ones(4, "f4")}, format=second, overwrite=True)
    assert esker.open(path)["v"].read().tolist() == [1] * 4 and esker.verify(path).good
    assert [name.name for name in tmp_path.iterdir()] == ["a.nc"]
    write(path, [1], format="NETCDF4" if first == "netcdf4" else "NETCDF3_CLASSIC")
    with pytest.raises(FileExistsError, match="was not written by Esker"):
        esker.write(path, {"v": np.ones(4, "f4")}, format=second, overwrite=True)


def model_of(path: Path) -> str:
    with netCDF4.Dataset(path) as file:
        return str(file.data_model)


@pytest.mark.parametrize(
    "field, coords, model",
    [
        ("f4", np.arange(4, dtype="f4"), "NETCDF3_CLASSIC"),
        ("u1", np.arange(4, dtype="f4"), "NETCDF4"),
        ("f4", np.arange(4, dtype="i8"), "NETCDF4"),
    ],
)
def test_the_smallest_format_that_holds_the_data(
    esker_command: Run, tmp_path: Path, field: str, coords: np.ndarray, model: str
) -> None:
    esker.write(tmp_path / "a.idx", {"v": np.arange(4, dtype=field)}, coords={"x": coords})
    done = esker_command("convert", tmp_path / "a.idx", tmp_path / "b.nc", "--json")
    assert done.returncode == 0, done.stderr
    assert model_of(tmp_path / "b.nc") == model
    assert json.loads(done.stdout)["format"] == ("cdf1" if model == "NETCDF3_CLASSIC" else "netcdf4")
    done = esker_command("export", tmp_path / "a.idx", "v", "-o", tmp_path / "c.nc")
    assert done.returncode == 0, done.stderr
    assert model_of(tmp_path / "c.nc") == model


def test_large_files_are_cdf2() -> None:
    from esker.convert.netcdf import smallest_netcdf
    from esker.convert.source import Source, SourceField

    def field(name: str, n: int) -> SourceField:
        return SourceField(name, ("y", "x"), (n, 1 << 15), np.dtype("f4"), lambda *_: np.empty(0))

    source = Source((field("a", 1 << 13), field("b", 1 << 13), field("c", 1 << 13)), time_dim="")
    assert smallest_netcdf(source) == "cdf2"
    source = Source((field("a", 1 << 16), field("b", 1 << 16)), time_dim="")
    assert smallest_netcdf(source) == "netcdf4", "two variables of 8 GiB"


@pytest.mark.parametrize("format", ["cdf2", "netcdf4"])
def test_components_as_separate_variables(esker_command: Run, tmp_path: Path, format: str) -> None:
    wind = np.arange(2 * 5 * 4 * 3, dtype="f4").reshape(2, 5, 4, 3)
    with esker.Writer(tmp_path / "a.idx", dims={"x": 4, "y": 5}) as writer:
        field = writer.field("wind", "f4", components=3, units="m s-1")
        height = writer.field("height", "f4")
        for number in range(2):
            with writer.step(number) as step:
                step.put(field, wind[number])
                step.put(height, np.full((5, 4), number, "f4"))
    more = ("--components", "separate", "--format", format)
    converted(esker_command, tmp_path / "a.idx", tmp_path / "b.nc", *more)
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        assert file["wind_1"].dimensions == ("time", "y", "x") and file["wind_1"].units == "m s-1"
        assert file["wind_1"].esker_component_of == "wind" and file["wind_1"].esker_component == 1
        np.testing.assert_array_equal(file["wind_2"][:], wind[..., 2])
    dataset = esker.open(tmp_path / "b.nc")
    assert set(dataset) == {"wind", "height"} and set(dataset.parts[0].fields) == {"wind", "height"}
    np.testing.assert_array_equal(dataset["wind"].read(1, box=((1, 2), (4, 5))), wind[1, 2:5, 1:4])
    np.testing.assert_array_equal(dataset["wind"].read(1, level=2), dataset["wind"].read(1)[::4, ::2])
    assert compare(esker.open(tmp_path / "a.idx"), dataset).same
    together = esker.Reader(tmp_path / "b.nc").read({"wind": None}, 0)
    np.testing.assert_array_equal(together["wind"], wind[0])


def test_components_of_which_one_is_missing_stay_apart(esker_command: Run, tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"v": np.zeros((3, 4, 2), "f4")}, components={"v": 2})
    converted(esker_command, tmp_path / "a.idx", tmp_path / "b.nc", "--components", "separate")
    converted(esker_command, tmp_path / "b.nc", tmp_path / "again.idx")
    assert esker.open(tmp_path / "again.idx")["v"].components == 2
    with netCDF4.Dataset(tmp_path / "b.nc", "a") as file:
        file.renameVariable("v_1", "w")
        file["w"].esker_component = np.int32(0)
    assert set(esker.open(tmp_path / "b.nc")) == {"v_0", "w"}


def test_cdo_takes_separate_components(esker_command: Run, tmp_path: Path) -> None:
    if not shutil.which("cdo"):
        pytest.skip("cdo is not installed")
    data = np.random.default_rng(3).random((3, 5, 4, 2)).astype("f4")
    esker.write(tmp_path / "a.idx", {"v": data}, components={"v": 2})
    converted(esker_command, tmp_path / "a.idx", tmp_path / "b.nc", "--components", "separate")
    shown = subprocess.run(["cdo", "-s", "showname", tmp_path / "b.nc"], capture_output=True, text=True)
    assert shown.stdout.split() == ["v_0", "v_1"], shown.stderr
