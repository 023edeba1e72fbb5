"""The IOOS compliance checker for CF has no findings of high priority in the miniapps' files.

The checker has a separate environment, because it is large; scripts/test.sh makes it.
Standard names are those of the table that it ships; it needs no network.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import netCDF4
import pytest
import xarray as xr

ROOT = Path(__file__).parents[2]
MINIAPPS = ROOT / "build" / "release" / "miniapps"
DEFAULT_CHECKER = ROOT / "build" / "cf" / "bin" / "compliance-checker"

UNKNOWN_TO_THE_CHECKER = {
    f"{role} is not a valid cf_role value. It must be one of timeseries_id, profile_id, trajectory_id"
    for role in ("mesh_topology", "face_node_connectivity")
} | {
    "There may only be one variable containing the cf_role attribute. "
    "Currently the following variables have cf_role attributes: ['mesh', 'mesh_face_nodes']"
}
"""Roles of UGRID, which CF has taken over in 1.11 (section 5.9), the checker not in 6.1."""


@pytest.fixture(scope="module")
def checker() -> Path:
    """The program; if CF_CHECKER names it, it must exist."""
    program = Path(os.environ.get("CF_CHECKER", DEFAULT_CHECKER))
    if "CF_CHECKER" not in os.environ and not program.exists():
        pytest.skip("build/cf is missing: run scripts/test.sh python")
    return program


def miniapp(variable: str, name: str) -> Path:
    program = Path(os.environ.get(variable, MINIAPPS / name.removeprefix("esker-") / name))
    if variable not in os.environ and not program.exists():
        pytest.skip(f"build/release has no {name}")
    return program


def run(*command: str | Path, **environment: str) -> None:
    done = subprocess.run(
        ["mpiexec.openmpi", "-n", "2", *map(str, command)],
        env={**os.environ, "ESKER_REPORT": "none", **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def findings(checker: Path, path: Path) -> dict[str, list[str]]:
    """The findings of the checker, by priority."""
    report = path.with_suffix(".json")
    command = [checker, "--test=cf:1.11", "--criteria=strict", "--format=json", f"--output={report}", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert report.exists(), done.stdout + done.stderr
    (checked,) = json.loads(report.read_text()).values()
    assert checked["scored_points"] > 0, "nothing was checked"
    return {
        priority: [message for entry in checked[f"{priority}_priorities"] for message in entry["msgs"]]
        for priority in ("high", "medium", "low")
    }


@pytest.mark.parametrize("form", ["cdf5", "netcdf4"])
def test_cells_of_the_atmosphere(form: str, checker: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    size = ["--level", "3", "--layers", "4", "--days", "0.25", "--output-interval", "1/8"]
    run(miniapp("GCRM_PROGRAM", "esker-gcrm"), "--output", path, "--format", form, *size)
    assert set(findings(checker, path)["high"]) <= UNKNOWN_TO_THE_CHECKER


@pytest.mark.parametrize("form", ["cdf5", "netcdf4"])
def test_greenland(form: str, checker: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    size = ["--grid-coarsen", "8", "--levels", "5", "--output-steps", "2"]
    source = ROOT / "data" / "greenland_5km.nc"
    run(
        miniapp("PISM_PROGRAM", "esker-pism"),
        "--input",
        source,
        "--output",
        path,
        "-o",
        f"format={form}",
        *size,
    )
    assert findings(checker, path)["high"] == []
    with xr.open_dataset(path) as ds:
        assert [str(time)[:10] for time in ds["time"].values] == ["2000-01-01", "2010-01-01"]
        assert ds[ds["temp"].attrs["grid_mapping"]].attrs["straight_vertical_longitude_from_pole"] == -39


def test_greenland_in_zarr(checker: Path, tmp_path: Path) -> None:
    """As xarray writes it to a netCDF file."""
    pytest.importorskip("zarr")
    size = ["--grid-coarsen", "8", "--levels", "5", "--output-steps", "2"]
    source = ROOT / "data" / "greenland_5km.nc"
    run(miniapp("PISM_PROGRAM", "esker-pism"), "--input", source, "--output", tmp_path / "run.zarr", *size)
    with xr.open_zarr(tmp_path / "run.zarr") as ds:
        assert ds["temp"].dims == ("time", "z", "y", "x") and ds.sizes["time"] == 2
        assert ds["temp"].attrs["spatial:transform"] == [40e3, 0, -820e3, 0, 40e3, -3420e3]
        assert ds["temp"].attrs["proj:wkt2"] == ds["mapping"].attrs["crs_wkt"]
        for variable in ds.variables.values():
            variable.attrs.pop("zarr_conventions", None)
        # xarray gives reals a fill value, which CF does not allow for coordinates.
        ds.to_netcdf(tmp_path / "run.nc", encoding={name: {"_FillValue": None} for name in ds.coords})
    assert findings(checker, tmp_path / "run.nc")["high"] == []


@pytest.mark.slow
@pytest.mark.parametrize("form", ["cdf5", "netcdf4"])
def test_files_of_the_ocean(form: str, checker: Path, tmp_path: Path) -> None:
    (tmp_path / "pop_in").write_text(f'&pop nx=37 ny=22 nz=5 num_steps=6 directory="{tmp_path}" /\n')
    run(miniapp("POP_PROGRAM", "esker-pop"), tmp_path / "pop_in", ESKER_FORMAT=form)
    files = sorted(tmp_path.glob("*.nc"))
    assert [path.stem for path in files] == ["average", "history", "movie", "restart"]
    for path in files:
        assert findings(checker, path)["high"] == []


def test_what_is_wrong_is_found(checker: Path, tmp_path: Path) -> None:
    path = tmp_path / "wrong.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 2)
        thk = file.createVariable("thk", "f8", ("x",))
        thk.setncatts({"units": "parsnips", "standard_name": "thickness_of_ice"})
    assert len(findings(checker, path)["high"]) >= 2
