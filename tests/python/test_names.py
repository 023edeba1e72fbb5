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
from esker.names import NAME_IN_SOURCE, schema_names

Run = Callable[..., subprocess.CompletedProcess[str]]
NAMES = ["wind speed", "T+1", "T 1", "Ångström", "Y(H2)", "p'", "plain", "a" * 129]


def theirs() -> xr.Dataset:
    fields = {name: (("y", "x"), np.full((2, 3), number, "f4")) for number, name in enumerate(NAMES)}
    return xr.Dataset({**fields, "two words": ((), 7)}, {"x": [1.0, 2.0, 3.0]})


def test_names_are_deterministic_and_differ() -> None:
    made = schema_names(["T+1", "T-1", "T 1", "T_1", ".hidden", "x/y"])
    assert made == {"T+1": "T_1_2", "T-1": "T-1", "T 1": "T_1_3", "T_1": "T_1", ".hidden": "_hidden", "x/y": "x_y"}
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
    for target in ("ours.idx", "ours.nc", "back.nc", "ours.zarr"):
        source = folder / ("ours.idx" if target == "back.nc" else name)
        done = run("convert", source, folder / target)
        assert done.returncode == 0, done.stderr
        assert ("'wind speed' is renamed to 'wind_speed'" in done.stderr) == (target != "back.nc")
        how: dict[str, Any] = {} if target.endswith("zarr") else {"engine": "esker"}
        with xr.open_dataset(folder / target, **how) as found:
            assert set(found.variables) == set(ds.variables), target
            for number, field in enumerate(NAMES):
                assert found[field].values.squeeze().tolist() == np.full((2, 3), number).tolist()
                assert NAME_IN_SOURCE not in found[field].attrs
    with xr.open_dataset(folder / "back.nc", engine="netcdf4") as found:
        assert {"wind speed", "Ångström", "p'", "two words"} < set(found.variables)
    opened = esker.open(folder / "ours.idx")
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


@pytest.mark.parametrize("names", [("Y(H2)", "mass fraction"), ("X(P_nse)", "p'"), ("x/y", "x y"), ("a" * 129, "a")])
def test_names_of_plotfiles(esker_command: Run, tmp_path: Path, names: tuple[str, str]) -> None:
    plotfiles.write_plotfile(tmp_path / "plt", names=names)
    done = esker_command("convert", tmp_path / "plt", tmp_path / "run.idx")
    assert done.returncode == 0, done.stderr
    assert f"{names[0]!r} is renamed to" in done.stderr
    ds = esker.open(tmp_path / "run.idx")
    assert all(name in ds for name in names) and len(ds) == len(names)
