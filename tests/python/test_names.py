"""Names that Esker does not have: readers show them, they find fields, and conversion gives them back."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import plotfiles
import pytest
import xarray as xr

import esker
import esker.xarray  # noqa: F401  the method to_esker
from esker.base.names import NAME_IN_SOURCE, schema_names

Run = Callable[..., subprocess.CompletedProcess[str]]
NAMES = ["wind speed", "T+1", "T 1", "Ångström", "Y(H2)", "p'", "plain", "a" * 129]


def theirs() -> xr.Dataset:
    fields = {name: (("y", "x"), np.full((2, 3), number, "f4")) for number, name in enumerate(NAMES)}
    return xr.Dataset({**fields, "two words": ((), 7)}, {"x": [1.0, 2.0, 3.0]})


def test_names_are_deterministic_and_differ() -> None:
    made = schema_names(["T+1", "T-1", "T 1", "T_1", ".hidden", "x/y"])
    assert made == {
        "T+1": "T_1_2",
        "T-1": "T-1",
        "T 1": "T_1_3",
        "T_1": "T_1",
        ".hidden": "_hidden",
        "x/y": "x_y",
    }
    assert all(len(name) <= 120 for name in schema_names(NAMES).values())


@pytest.mark.parametrize("form", ["NETCDF3_64BIT", "NETCDF4"])
def test_names_of_netcdf_files(esker_command: Run, tmp_path: Path, form: Any) -> None:
    ds = theirs()
    ds.to_netcdf(tmp_path / "theirs.nc", format=form)
    check(esker_command, tmp_path, "theirs.nc", ds)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_names_of_zarr(esker_command: Run, tmp_path: Path, zarr_format: Any) -> None:
    ds = theirs()
    ds.to_zarr(tmp_path / "theirs.zarr", zarr_format=zarr_format, consolidated=False)
    check(esker_command, tmp_path, "theirs.zarr", ds)


def check(run: Run, folder: Path, name: str, ds: xr.Dataset) -> None:
    if name.endswith(".nc"):
        with xr.open_dataset(folder / name, engine="esker", drop_variables=["T 1", "two words"]) as found:
            assert set(found.variables) == set(ds.variables) - {"T 1", "two words"}
    for target in ("ours.idx", "ours.nc", "back.nc", "ours.zarr"):
        source = folder / ("ours.idx" if target == "back.nc" else name)
        done = run("convert", source, folder / target)
        assert done.returncode == 0, done.stderr
        assert ("'wind speed' is renamed to 'wind_speed'" in done.stderr) == (target != "back.nc")
        with xr.open_dataset(folder / target, engine="esker") as found:
            assert set(found.variables) == set(ds.variables), target
            for number, field in enumerate(NAMES):
                assert found[field].values.squeeze().tolist() == np.full((2, 3), number).tolist()
                assert NAME_IN_SOURCE not in found[field].attrs
    for target, engine in [("back.nc", "netcdf4"), ("ours.zarr", "zarr")]:
        with xr.open_dataset(folder / target, engine=engine) as found:
            assert {"wind speed", "Ångström", "p'", "two words"} < set(found.variables)
    opened = esker.open(folder / "ours.idx")
    assert set(opened) == {schema_names(NAMES)[field] for field in NAMES}  # one rule for all sources
    assert opened["wind speed"] is opened["wind_speed"] and "T+1" in opened
    done = run("convert", folder / name, folder / "one.idx", "--field", "T 1")
    assert done.returncode == 0, done.stderr
    assert esker.open(folder / "one.idx")["T 1"].read().ravel()[0] == NAMES.index("T 1")


def test_names_of_xarray(tmp_path: Path) -> None:
    ds = theirs().rename({"x": "lon (deg)"})
    for name in ("run.idx", "run.nc"):
        ds.to_esker(tmp_path / name, encoding={"wind speed": {"dtype": "f8"}})
        with xr.open_dataset(tmp_path / name, engine="esker") as found:
            xr.testing.assert_equal(found.load(), ds)
            assert found["wind speed"].dtype == np.float64


def test_names_of_sparse_fields_and_hostile_ones(tmp_path: Path) -> None:
    """Level maps belong to renamed fields, too; a name that two fields claim, or a dimension has, is given to none but the
    first."""
    with esker.Writer(tmp_path / "run.idx", dims={"x": 32, "y": 32}, bits_per_block=4) as writer:
        for name, own in {"a": "same name", "b": "same name", "c": "x", "d": ""}.items():
            writer.field(name, "f4", attrs={NAME_IN_SOURCE: own})
        with writer.step(0.0) as step:
            for name in "abcd":
                step.put(name, np.ones((32, 32), "f4"))
            step.keep("a", level=-4)
    with xr.open_dataset(tmp_path / "run.idx", engine="esker", stored_levels=True) as found:
        assert set(found.data_vars) == {"same name", "b", "c", "d"}
        assert "a_stored_level" in found.coords


@pytest.mark.parametrize(
    "names", [("Y(H2)", "mass fraction"), ("X(P_nse)", "p'"), ("x/y", "x y"), ("a" * 129, "a")]
)
def test_names_of_plotfiles(esker_command: Run, tmp_path: Path, names: tuple[str, str]) -> None:
    plotfiles.write_plotfile(tmp_path / "plt", names=names)
    done = esker_command("convert", tmp_path / "plt", tmp_path / "run.idx")
    assert done.returncode == 0, done.stderr
    assert f"{names[0]!r} is renamed to" in done.stderr
    ds = esker.open(tmp_path / "run.idx")
    assert all(name in ds for name in names) and len(ds) == len(names)


@pytest.mark.parametrize("form", ["netcdf4", "cdf5"])
def test_files_with_other_names_can_be_appended_to(tmp_path: Path, form: str) -> None:
    attrs = {NAME_IN_SOURCE: "wind speed"}
    with esker.Writer(tmp_path / "run.nc", dims={"x": 3}, format=form) as writer:
        field = writer.field("wind_speed", "f4", attrs=attrs)
        with writer.step(0.0) as step:
            step.put(field, np.zeros(3, "f4"))
    with esker.Writer.append(tmp_path / "run.nc") as writer, writer.step(1.0) as step:
        step.put("wind_speed", np.ones(3, "f4"))
    with xr.open_dataset(tmp_path / "run.nc", engine="netcdf4", decode_times=False) as found:
        assert found["wind speed"].values.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert esker.open(tmp_path / "run.nc")["wind speed"].read(step=1).tolist() == [1, 1, 1]


def test_variables_with_the_name_of_a_dimension(esker_command: Run, tmp_path: Path) -> None:
    """As netCDF-C writes them: siglay(siglay, node) of FVCOM, and a name along another dimension first."""
    import netCDF4

    with netCDF4.Dataset(tmp_path / "theirs.nc", "w") as file:
        file.createDimension("elapsed", None)
        for name, size in {"siglay": 2, "node": 3, "aName": 2}.items():
            file.createDimension(name, size)
        file.createVariable("siglay", "f4", ("siglay", "node"))[:] = np.arange(6).reshape(2, 3)
        file.createVariable("aName", "f8", ("elapsed", "aName"))[:] = [[1, 2], [3, 4]]
    done = esker_command("convert", tmp_path / "theirs.nc", tmp_path / "ours.nc", "--format", "netcdf4")
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(tmp_path / "ours.nc") as file:
        assert file["siglay"].dimensions == ("siglay", "node")
        assert file["siglay"][:].tolist() == [[0, 1, 2], [3, 4, 5]]
        assert file["aName"].dimensions[1] == "aName" and file["aName"][:].tolist() == [[1, 2], [3, 4]]
    ds = esker.open(tmp_path / "ours.nc")
    assert ds["siglay"].read().tolist() == [[0, 1, 2], [3, 4, 5]] and ds["aName"].read(step=1).tolist() == [
        3,
        4,
    ]
    with esker.Writer.append(tmp_path / "ours.nc") as writer, writer.step(9.0) as step:
        step.put("aName", np.array([5.0, 6.0]))
    assert subprocess.run(["ncdump", "-h", tmp_path / "ours.nc"], capture_output=True, check=True)
    assert esker.open(tmp_path / "ours.nc")["aName"].read().tolist() == [5, 6]
