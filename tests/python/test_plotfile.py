"""Plotfiles of AMReX: one that AMReX wrote, and some that a writer here makes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import esker
from esker.convert.amrex import Plotfile, is_plotfile
from esker.convert.meshes import convert_mesh
from plotfiles import write_plotfile

REAL = Path(__file__).parents[2] / "data/amrex/advect2d_r42_f32_00012"
Run = Callable[..., Any]


def composite(source: Plotfile, field: str) -> NDArray[Any]:
    """The samples of the finest patches, at the resolution of the finest level."""
    ratio = int(np.prod(source.ratios))
    whole = np.full([n * ratio for n in reversed(source.extent)], np.nan)
    for level in range(len(source.ratios) + 1):
        scale = int(np.prod(source.ratios[level:]))
        for patch in (patch for patch in source.patches if patch.level == level):
            fine = source.read(patch)[field]
            for axis in range(fine.ndim):
                fine = fine.repeat(scale, axis)
            places = zip(reversed(patch.lo), reversed(patch.shape))
            whole[tuple(slice(lo * scale, (lo + n) * scale) for lo, n in places)] = fine
    return whole


def test_a_plotfile_of_amrex_becomes_its_composite(esker_command: Run, tmp_path: Path) -> None:
    done = esker_command("convert", REAL, "mesh.idx", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    source = Plotfile(REAL)
    assert facts["fields"] == ["phi", "x_velocity", "y_velocity"] and facts["bytes"] == source.nbytes
    ds = esker.open(tmp_path / "mesh.idx")
    assert ds.steps == [source.time]
    for name in source.fields:
        np.testing.assert_array_equal(ds[name].read(), composite(source, name))
    stored = ds["phi"].stored()
    assert ds["phi"].is_sparse()
    assert stored.primary < sum(np.prod(patch.shape) for patch in source.patches) + 8 * 8 * 30
    assert esker.verify(tmp_path / "mesh.idx").good


@pytest.mark.parametrize(
    ("system", "attrs"), [(0, {}), (1, {"geometry": "cylindrical"}), (2, {"geometry": "spherical"})]
)
def test_the_coordinate_system_is_an_attribute(tmp_path: Path, system: int, attrs: dict[str, str]) -> None:
    write_plotfile(tmp_path / "plt", system=system)
    convert_mesh(Plotfile(tmp_path / "plt"), tmp_path / "mesh.idx", lambda _: None)
    ds = esker.open(tmp_path / "mesh.idx")
    assert dict(ds.attrs) == attrs
    np.testing.assert_array_equal(ds["rho"].read(), composite(Plotfile(tmp_path / "plt"), "rho"))


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8"])
@pytest.mark.parametrize(("ghosts", "per_file"), [(0, 1), (1, 1), (2, 2)])
def test_any_order_of_bytes_and_files(tmp_path: Path, dtype: str, ghosts: int, per_file: int) -> None:
    path = tmp_path / "plt"
    write_plotfile(path, dtype, ghosts, per_file)
    source = Plotfile(path)
    assert is_plotfile(path) and not is_plotfile(tmp_path)
    assert (source.extent, source.origin, source.spacing) == ((8, 4), (1, -1), (0.5, 1))
    made = convert_mesh(source, tmp_path / "mesh.idx", lambda _: None)
    assert made
    ds = esker.open(tmp_path / "mesh.idx")
    assert ds["rho"].dtype == np.dtype(dtype).newbyteorder("=")
    rho = ds["rho"].read()
    np.testing.assert_array_equal(rho, composite(source, "rho"))
    np.testing.assert_array_equal(ds["u"].read(), -rho)
    assert rho[0, 0] == 10 * -1 + 2 and rho[2, 2] == 1000 + 6


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8"])
def test_yt_reads_what_is_written_here(tmp_path: Path, dtype: str) -> None:
    yt = pytest.importorskip("yt")
    yt.set_log_level("critical")
    write_plotfile(tmp_path / "plt", dtype, ghosts=0)
    source = Plotfile(tmp_path / "plt")
    grids = yt.load(tmp_path / "plt").index.grids
    assert [grid.Level for grid in grids] == [patch.level for patch in source.patches]
    for grid, patch in zip(grids, source.patches):
        samples = np.asarray(grid["boxlib", "rho"])[..., 0].T
        np.testing.assert_array_equal(samples, source.read(patch)["rho"])


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8"])
def test_vtk_reads_what_is_written_here(tmp_path: Path, dtype: str) -> None:
    amr = pytest.importorskip("vtkmodules.vtkIOAMR")
    to_numpy = pytest.importorskip("vtkmodules.util.numpy_support").vtk_to_numpy
    write_plotfile(tmp_path / "plt", dtype, ghosts=0)
    source = Plotfile(tmp_path / "plt")
    reader = amr.vtkAMReXGridReader()
    reader.SetFileName(str(tmp_path / "plt"))
    reader.UpdateInformation()
    reader.SetMaxLevel(1)
    reader.SetCellArrayStatus("rho", 1)
    reader.Update()
    found = reader.GetOutput()
    corners = []  # VTK counts indices from 0, not from the lower corner of the domain
    for number, patch in enumerate(source.patches):
        block = found.GetDataSetAsImageData(patch.level, number % 2)
        samples = to_numpy(block.GetCellData().GetArray("rho")).reshape(patch.shape[::-1])
        np.testing.assert_array_equal(samples, source.read(patch)["rho"])
        spacing = np.divide(source.spacing, 2**patch.level)
        np.testing.assert_allclose(block.GetSpacing()[:2], spacing)
        corners.append(np.subtract(block.GetOrigin()[:2], np.multiply(patch.lo, spacing)))
    np.testing.assert_allclose(corners, [corners[0]] * len(corners))


@pytest.mark.parametrize("form", ["vtkhdf", "vtkhdf+idx"])
def test_whole_levels(esker_command: Run, tmp_path: Path, form: str) -> None:
    pytest.importorskip("h5py")
    write_plotfile(tmp_path / "plt", "<f8", ghosts=1)
    source = Plotfile(tmp_path / "plt")
    path = tmp_path / "run.vtkhdf.series"
    for attempt in ([], ["--overwrite"]):
        done = esker_command("convert", "plt", path.name, "--format", form, "--json", *attempt)
        assert done.returncode == 0, done.stderr
        made = {Path(name).name for name in json.loads(done.stdout)["files"]}
        expected = {"run.vtkhdf.series", "run.vtkhdf.steps"}
        assert made == (expected if form == "vtkhdf" else expected | {"run", "run.idx", "run.schema.json"})
        assert {entry.name for entry in tmp_path.iterdir()} == made | {"plt"}
    assert (
        "exists; choose another path" in esker_command("convert", "plt", path.name, "--format", form).stderr
    )
    field = esker.open(path)["rho"]
    assert field.has_whole_levels and field.dataset.steps == [source.time]
    for patch in source.patches:
        hi = [low + n for low, n in zip(patch.lo, patch.shape)]
        np.testing.assert_array_equal(
            field.read(box=(patch.lo, hi), mesh_level=patch.level), source.read(patch)["rho"]
        )
    np.testing.assert_array_equal(field.read(), composite(source, "rho"))
    if form == "vtkhdf+idx":
        flat = esker.open(tmp_path / "run.idx")["rho"]
        assert not flat.has_whole_levels
        np.testing.assert_array_equal(flat.read(), field.read())


def test_a_ratio_of_three_needs_whole_levels(esker_command: Run, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    boxes = [[((0, 0), (3, 3))], [((3, 0), (8, 5))]]
    write_plotfile(tmp_path / "plt", "<f8", ghosts=0, boxes=boxes, domain=((0, 0), (3, 3)), ratio=3)
    source = Plotfile(tmp_path / "plt")
    assert source.ratios == (3,)
    done = esker_command("convert", "plt", "run.idx")
    assert done.returncode == 2 and "format vtkhdf" in done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["plt"]
    assert esker_command("convert", "plt", "run.vtkhdf.series").returncode == 0
    np.testing.assert_array_equal(
        esker.open(tmp_path / "run.vtkhdf.series")["rho"].read(), composite(source, "rho")
    )


def test_whole_levels_are_not_compressed(esker_command: Run, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    write_plotfile(tmp_path / "plt", "<f8", ghosts=0)
    done = esker_command("convert", "plt", "run.vtkhdf.series", "--compression", "zip")
    assert done.returncode == 2
    assert "compression zip: VTKHDF files cannot be compressed" in done.stderr and "format=idx" in done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["plt"]


def test_wrong_usage(esker_command: Run, tmp_path: Path) -> None:
    done = esker_command("convert", REAL, "mesh.nc")
    assert done.returncode == 2 and "is converted to IDX" in done.stderr
    done = esker_command("convert", REAL, "mesh.idx", "--field", "phi")
    assert done.returncode == 2 and "--field: not supported" in done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("Header", "3\nphi", "70000\nphi", "expected 1 to 4096"),
        ("Header", "((0,0) (31,23) (0,0))", "((0,0) (31,-1) (0,0))", "is empty"),
        ("Header", "Level_1/Cell", "../Level_1/Cell", "outside of the plotfile"),
        ("Level_1/Cell_H", "((32,0) (47,15) (0,0))", "((32,0) (48,15) (0,0))", "does not hold the box"),
        (
            "Level_1/Cell_H",
            "FabOnDisk: Cell_D_00000 3144",
            "FabOnDisk: Cell_D_00000 3145",
            "begins with 'FAB'",
        ),
        ("Level_2/Cell_H", "FabOnDisk", "", "cut off|expected"),
    ],
)
def test_damage_is_an_error(
    esker_command: Run, tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    damaged = tmp_path / "plt"
    shutil.copytree(REAL, damaged)
    text = (damaged / file).read_text()
    assert old in text
    (damaged / file).write_text(text.replace(old, new) if new else text[: text.index(old)])
    with pytest.raises(OSError, match=message):
        Plotfile(damaged)
    done = esker_command("convert", damaged, "mesh.idx")
    assert done.returncode == 1 and not (tmp_path / "mesh.idx").exists()
