"""The atmosphere miniapp's two datasets, a CDF file of cells and IDX panels, have the same values in other programs.

`uxarray` has a separate environment, because it is large: scripts/uxarray.sh creates it and runs this file.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker

ROOT = Path(__file__).parents[2]
DEFAULT_GCRM = ROOT / "build" / "release" / "miniapps" / "gcrm" / "esker-gcrm"
LEVEL, LAYERS = 4, 5
SIDE = 2**LEVEL
EARTH_RADIUS = 6.37122e6

Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]


@dataclass
class Runs:
    """The same model, written twice."""

    cells: Path
    panels: Path
    reports: list[dict[str, Any]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Two small runs, on 4 and on 3 ranks."""
    folder = tmp_path_factory.mktemp("gcrm")
    reports = []
    for ranks, name, form in ((4, "run.nc", "cdf5"), (3, "run.idx", "idx")):
        report = folder / f"{name}.json"
        run_gcrm(
            *(ranks, "--output", folder / name, "--format", form, "--report", report),
            *("--level", LEVEL, "--layers", LAYERS, "--days", 0.5, "--output-interval", "1/8"),
        )
        reports.append(json.loads(report.read_text()))
    return Runs(folder / "run.nc", folder / "run.idx", reports)


def run_gcrm(ranks: int, *arguments: object) -> None:
    """If GCRM_PROGRAM names the program, it must exist."""
    program = Path(os.environ.get("GCRM_PROGRAM", DEFAULT_GCRM))
    if "GCRM_PROGRAM" not in os.environ and not program.exists():
        pytest.skip("build/release/miniapps/gcrm/esker-gcrm is not built")
    command = ["mpiexec.openmpi", "-n", str(ranks), str(program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def morton(side: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Number of the cell (j, i) within its panel."""
    i = np.arange(side)
    spread = sum(((i >> b) & 1) << (2 * b) for b in range(side.bit_length()))
    return np.asarray(spread[np.newaxis, :] | (spread[:, np.newaxis] << 1))


def cells_of_panels(ds: esker.Dataset, name: str, step: int, level: int | None = None) -> Floats:
    """A variable of the IDX dataset in the order of cells, at a level of the dataset."""
    parts = []
    for panel in range(10):
        values = ds[f"{name}_p{panel}"].read(step=step, level=level)
        flat = np.empty((values.shape[0] * values.shape[1], *values.shape[2:]), values.dtype)
        flat[morton(values.shape[0]).ravel()] = values.reshape(flat.shape)
        parts.append(flat)
    return np.concatenate([*parts, ds[f"{name}_poles"].read(step=step)])


def test_both_end_in_the_same_state(runs: Runs) -> None:
    states = {run["state"] for report in runs.reports for run in report["runs"]}
    assert len(states) == 1
    for report in runs.reports:
        assert report["cells"] == 10 * 4**LEVEL + 2 and report["goal"] == 0.05
        for run in report["runs"]:
            assert run["mass_change"] < 1e-14 and len(run["norms"]) == LAYERS
            assert 0 < run["share"] < 1


def test_xarray_reads_what_cf_says(runs: Runs) -> None:
    with xr.open_dataset(runs.cells) as ds:
        assert ds["tracer"].dims == ("time", "cells", "layers")
        assert ds["tracer"].shape == (5, 10 * 4**LEVEL + 2, LAYERS) and ds["tracer"].dtype == np.float32
        assert {"lon", "lat", "layers", "time"} <= set(ds["tracer"].coords)
        assert ds["time"].values[1] == np.datetime64("2000-01-01T03:00")
        assert ds["layers"].attrs["positive"] == "up" and ds["layers"].values[0] == 2000
        np.testing.assert_allclose(ds["cell_area"].sum(), 4 * np.pi * EARTH_RADIUS**2, rtol=1e-13)
        np.testing.assert_allclose(ds["tracer_mean"], ds["tracer"].mean("layers"), atol=1e-6)
        mass = (ds["tracer"].astype("f8") * ds["cell_area"]).sum("cells")
        np.testing.assert_allclose(mass, mass.isel(time=0) * xr.ones_like(mass), rtol=1e-6)


def test_the_mesh_is_as_ugrid_says(runs: Runs) -> None:
    with xr.open_dataset(runs.cells, mask_and_scale=False) as ds:
        mesh = ds["mesh"].attrs
        assert mesh["cf_role"] == "mesh_topology" and mesh["topology_dimension"] == 2
        nodes = ds[mesh["face_node_connectivity"]]
        assert nodes.attrs["start_index"] == 0 and nodes.dims == (mesh["face_dimension"], "corners")
        fill = nodes.attrs["_FillValue"]
        assert (nodes.values == fill).sum() == 12
        count = np.bincount(nodes.values[nodes.values != fill], minlength=ds.sizes["nodes"])
        assert (count == 3).all()  # each corner belongs to three cells
        for place in ("lon", "lat"):
            assert mesh["node_coordinates"].split()[place == "lat"] == f"mesh_node_{place}"
        # The corners of a cell lie around its centre, at about the same distance.
        centre = unit_vectors(ds["lon"].values, ds["lat"].values)
        corner = unit_vectors(ds["mesh_node_lon"].values, ds["mesh_node_lat"].values)
        distance = np.linalg.norm(corner[nodes.values] - centre[:, np.newaxis], axis=-1)
        distance = distance[nodes.values != fill]
        assert distance.max() < 1.7 * distance.min()


def unit_vectors(lon: Floats, lat: Floats) -> Floats:
    lon, lat = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def test_panels_hold_the_same_values(runs: Runs) -> None:
    ds = esker.open(runs.panels)
    with xr.open_dataset(runs.cells) as cells:
        for step in range(len(ds.steps)):
            for name in ("tracer", "tracer_mean"):
                found = cells_of_panels(ds, name, step)
                np.testing.assert_array_equal(found, cells[name].isel(time=step).values)
        for name in ("lon", "lat", "cell_area"):
            np.testing.assert_array_equal(cells_of_panels(ds, name, 0), cells[name].values)


@pytest.mark.parametrize("level", range(LEVEL + 1))
def test_a_level_is_the_coarser_grid(runs: Runs, level: int) -> None:
    """Level 2 m of the panels is every 4^(n-m)-th cell of the list: the grid of level m, with all layers."""
    ds = esker.open(runs.panels)
    coarse = cells_of_panels(ds, "tracer", -1, level=2 * level)
    assert coarse.shape == (10 * 4**level + 2, LAYERS)
    with xr.open_dataset(runs.cells) as cells:
        fine = cells["tracer"].isel(time=-1).values
    np.testing.assert_array_equal(coarse[:-2], fine[: -2 : 4 ** (LEVEL - level)])
    np.testing.assert_array_equal(coarse[-2:], fine[-2:])


def test_esker_reads_its_own_cdf_file(runs: Runs) -> None:
    ds = esker.open(runs.cells)
    with xr.open_dataset(runs.cells) as cells:
        np.testing.assert_array_equal(ds["tracer"].read(step=2), cells["tracer"].isel(time=2).values)
    assert ds.time_attrs["units"] == "days since 2000-01-01"


def test_openvisus_reads_the_panels(runs: Runs, openvisus: Any) -> None:
    ds = esker.open(runs.panels)
    other = openvisus.LoadDataset(str(runs.panels.with_suffix("") / "panels.idx"))
    for panel in range(10):
        name = f"tracer_mean_p{panel}"
        for level in (4, 2 * LEVEL):
            found = other.read(time=len(ds.steps) - 1, field=name, max_resolution=level)
            np.testing.assert_array_equal(found, ds[name].read(step=-1, level=level))


def test_aggregators_write_segments_of_megabytes(tmp_path: Path) -> None:
    run_gcrm(
        *(4, "--output", tmp_path / "run.nc", "--format", "cdf5", "--level", 7, "--layers", 26),
        *("--days", 1 / 24, "--output-interval", "1/24"),
    )
    per_rank = json.loads((tmp_path / "run.report.json").read_text())["per_rank"]
    written, writes = per_rank["stored_bytes"]["mean"], per_rank["writes"]["mean"]
    assert 1 << 20 <= written / writes <= per_rank["largest_write_bytes"]["max"] <= 8 << 20


def load_figure() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gcrm_figure", ROOT / "scripts" / "gcrm_figure.py")
    figure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(figure)
    return figure


def test_the_figure_fills_the_cells() -> None:
    """A pixel has the cell with the nearest center, found here without the figure's search by latitude."""
    figure = load_figure()
    rng = np.random.default_rng(3)
    centers = rng.normal(size=(642, 3))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    lon, lat = np.linspace(-3, 3, 41), np.linspace(-1.5, 1.5, 21)
    found = figure.nearest_cells(lon, lat, centers)
    points = figure.unit_vectors(*np.meshgrid(lon, lat))
    np.testing.assert_array_equal(found, (points @ centers.T).argmax(axis=-1))


def test_the_figure_has_the_limits_of_the_data(runs: Runs) -> None:
    figure, ds = load_figure(), esker.open(runs.panels)
    level = ds["lon_p0"].max_level // 2
    axes = figure.plt.figure().add_subplot(projection="mollweide")
    drawn = figure.draw(axes, ds, -1, level)
    values = figure.panels_at(ds, "tracer_mean", -1, level)
    assert not np.ma.is_masked(drawn.get_array())  # also at the poles
    assert drawn.get_array().max() <= values.max() == drawn.get_clim()[1]
    assert drawn.get_clim()[0] == 0


def test_the_figure_is_drawn(runs: Runs, tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "scripts" / "gcrm_figure.py", runs.panels, tmp_path / "figure.png"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figure.png").read_bytes()[1:4] == b"PNG"


def test_uxarray_reads_mesh_and_values(runs: Runs) -> None:
    if "UXARRAY_PYTHON" not in os.environ:
        pytest.skip("needs uxarray, in a separate environment: scripts/uxarray.sh")
    program = """
import sys
import numpy as np, uxarray
ds = uxarray.open_dataset(sys.argv[1], sys.argv[1])
areas = ds.uxgrid.face_areas.values
assert ds.uxgrid.n_face == ds["cell_area"].size and ds.uxgrid.n_node == 2 * (ds.uxgrid.n_face - 2)
assert ds["tracer"].dims == ("time", "n_face", "layers")
np.testing.assert_allclose(areas.sum(), 4 * np.pi, rtol=1e-8)
np.testing.assert_allclose(areas * float(sys.argv[2]) ** 2, ds["cell_area"].values, rtol=1e-6)
mean = ds["tracer"].isel(time=0, layers=0).weighted_mean().item()
np.testing.assert_allclose(mean, np.average(ds["tracer"].values[0, :, 0], weights=areas), rtol=1e-6)
"""
    command = [os.environ["UXARRAY_PYTHON"], "-c", program, str(runs.cells), str(EARTH_RADIUS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def test_two_formats_are_wrong_usage(tmp_path: Path) -> None:
    program = os.environ.get("GCRM_PROGRAM", DEFAULT_GCRM)
    output = tmp_path / "run.nc"
    command = [program, "--output", output, "--format", "cdf5", "-o", "format=netcdf4"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and not output.exists()
    assert "--format cdf5 contradicts -o format=netcdf4" in done.stderr
