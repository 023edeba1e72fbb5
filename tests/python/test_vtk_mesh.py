"""Meshes (AMR) in VTK: patches, places, values, hidden cells, levels and pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.dataset.levels import level_samples

pytest.importorskip("vtkmodules")

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkAMRBox, vtkDataSetAttributes

from esker.vtk import Reader

CASES = [
    (("x", "y"), [2, 2], False, "idx"),
    (("x", "y", "z"), [2, 4], False, "idx"),
    (("x",), [2, 2], False, "idx"),
    (("x", "y"), [(2, 4), (2, 2)], False, "idx"),
    (("x", "y", "z"), [2, 2], True, "vtkhdf"),
    (("x", "y"), [2, 2], False, "vtkhdf"),
]


def write_mesh(path: Path, axes: tuple[str, ...], ratios: list[Any], nodes: bool, format: str) -> Path:
    """Two steps of random samples: level 0 in two patches, and a patch of each finer level."""
    rank = len(axes)
    path = path.with_suffix(".idx" if format == "idx" else "")
    random = np.random.default_rng(1)
    with esker.Writer(path, dims={}, format=format, report="none") as w:
        mesh = w.mesh(
            "amr",
            dict(zip(axes, (8, 6, 5))),
            ratios,
            nodes=nodes,
            origin=(1.0, 2, 3)[:rank],
            spacing=(0.5, 0.25, 1)[:rank],
        )
        w.field("rho", "f4", grid=mesh)
        w.field("velocity", "f8", grid=mesh, components=2)
        for step in range(2):
            with w.step(float(step)) as s:

                def put(level: int, lo: Any, hi: Any, s: Any = s) -> None:
                    shape = tuple((hi - lo + nodes)[::-1])
                    s.put("rho", random.random(shape, "f4"), offset=lo.tolist(), level=level)
                    s.put("velocity", random.random((*shape, 2)), offset=lo.tolist(), level=level)

                lo, hi = np.zeros(rank, int), np.array((8, 6, 5)[:rank])
                first, last = hi.copy(), lo.copy()
                first[0] = last[0] = 4
                put(0, lo, first)
                put(0, last, hi)
                for level, ratio in enumerate(ratios):
                    lo, hi = (lo + 1) * ratio, (hi - 1) * ratio
                    put(level + 1, lo, hi)
    return path if format == "idx" else path.with_suffix(".vtkhdf.series")


def output_of(reader: Reader, time: float = 0.0) -> Any:
    reader.UpdateTimeStep(time)
    assert reader.error is None
    found = reader.GetOutputDataObject(0)
    assert found.GetClassName() == "vtkOverlappingAMR"
    return found


def grids(amr: Any) -> dict[tuple[int, tuple[int, ...]], Any]:
    """The grids by level and lower corner."""
    found = {}
    for level in range(amr.GetNumberOfLevels()):
        for index in range(amr.GetNumberOfBlocks(level)):
            lo, hi = [0] * 3, [0] * 3
            vtkAMRBox(amr.GetAMRBox(level, index)).GetDimensions(lo, hi)
            grid = amr.GetDataSetAsImageData(level, index)
            if grid is not None:
                found[level, tuple(lo)] = grid
    return found


@pytest.mark.parametrize(("axes", "ratios", "nodes", "format"), CASES)
def test_all_patches_have_their_values_at_their_place(
    tmp_path: Path, axes: tuple[str, ...], ratios: list[Any], nodes: bool, format: str
) -> None:
    path = write_mesh(tmp_path / "run.idx", axes, ratios, nodes, format)
    source = esker.open(path)
    mesh = source["rho"].grid.mesh
    assert mesh is not None
    reader = Reader()
    reader.SetFileName(path)
    reader.SetLevel("full")
    for step in range(2):
        found = grids(output_of(reader, step))
        patches = source["rho"].patches(step)
        three = [0] * (3 - len(axes))
        assert set(found) == {(patch.level, (*patch.lo, *three)) for patch in patches}
        for patch in patches:
            grid = found[patch.level, (*patch.lo, *three)]
            data = grid.GetPointData() if nodes else grid.GetCellData()
            shape = tuple(high - low for low, high in zip(patch.lo, patch.hi))[::-1]
            rho = level_samples(source["rho"], step, patch.level, (patch.lo, patch.hi))
            np.testing.assert_array_equal(vtk_to_numpy(data.GetArray("rho")).reshape(shape), rho)
            velocity = level_samples(source["velocity"], step, patch.level, (patch.lo, patch.hi))
            vectors = vtk_to_numpy(data.GetArray("velocity")).reshape((*shape, 3))
            np.testing.assert_array_equal(vectors[..., :2], velocity)
            edges = np.divide(mesh.spacing, mesh.ratio(0, patch.level))
            lower = np.add(mesh.origin, patch.lo * edges)
            upper = np.add(mesh.origin, np.subtract(patch.hi, int(nodes)) * edges)
            bounds = np.reshape(grid.GetBounds(), (3, 2))[: len(axes)]
            np.testing.assert_allclose(bounds, np.stack([lower, upper], axis=1), rtol=1e-12)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_cells_under_finer_patches_are_hidden(tmp_path: Path, level: int) -> None:
    """All visible cells together cover the domain once, whichever level is the finest."""
    path = write_mesh(tmp_path / "run.idx", ("x", "y"), [2, 2], False, "idx")
    reader = Reader()
    reader.SetFileName(path)
    reader.SetLevel(level)
    found = grids(output_of(reader))
    assert max(of for of, _ in found) == level == reader.GetReadLevel()
    area = 0.0
    for grid in found.values():
        flags = grid.GetCellData().GetArray("vtkGhostType")
        cells = grid.GetNumberOfCells()
        hidden = vtk_to_numpy(flags) == vtkDataSetAttributes.REFINEDCELL if flags else np.zeros(cells, bool)
        area += np.count_nonzero(~hidden) * np.prod(grid.GetSpacing()[:2])
    assert area == pytest.approx(8 * 0.5 * 6 * 0.25)


def test_the_automatic_level_counts_samples_of_patches(tmp_path: Path) -> None:
    path = write_mesh(tmp_path / "run.idx", ("x", "y"), [2, 2], False, "idx")
    counts = np.cumsum([cover.samples for cover in esker.open(path)["rho"].level_covers(0)])
    reader = Reader()
    reader.SetFileName(path)
    for most, expected in ((counts[2], 2), (counts[2] - 1, 1), (counts[1] - 1, 0), (1, 0)):
        reader.SetMaxSamples(int(most))
        output_of(reader)
        assert reader.GetReadLevel() == expected


def test_pieces_have_each_patch_once(tmp_path: Path) -> None:
    path = write_mesh(tmp_path / "run.idx", ("x", "y"), [2, 2], False, "idx")
    places = []
    for piece in range(3):
        reader = Reader()
        reader.SetFileName(path)
        reader.UpdatePiece(piece, 3, 0)
        amr = reader.GetOutputDataObject(0)
        assert [amr.GetNumberOfBlocks(level) for level in range(3)] == [2, 1, 1]
        places.append(set(grids(amr)))
    assert not places[0] & places[1] and not places[1] & places[2] and len(set.union(*places)) == 4


def test_selected_fields_and_other_grids(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run", dims={"x": 4, "y": 3}, report="none") as w:
        w.field("map", "f4")
        w.field("rho", "f4", grid=w.mesh("amr", {"u": 4, "v": 3}, [2]))
        with w.step(0.0) as s:
            s.put("map", np.ones((3, 4), "f4"))
            s.put("rho", np.ones((3, 4), "f4"), level=0)
    reader = Reader()
    reader.SetFileName(tmp_path / "run")
    (grid,) = grids(output_of(reader)).values()
    assert grid.GetCellData().GetNumberOfArrays() == 1
    reader.GetFieldSelection().DisableArray("rho")
    (grid,) = grids(output_of(reader)).values()
    assert grid.GetCellData().GetNumberOfArrays() == 0
    reader.SetGrid(esker.open(tmp_path / "run")["map"].grid.name)
    reader.Update()
    assert reader.GetOutputDataObject(0).GetPointData().GetArrayName(0) == "map"
