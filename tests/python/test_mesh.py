"""Meshes of several levels (AMR), written from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker


def test_the_finest_patch_is_read_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "amr.idx"
    coarse = np.arange(12.0).reshape(3, 4)
    fine = 100 + np.arange(8.0).reshape(2, 4)
    finest = np.full((4, 4), 1000.0, "f8")
    with esker.Writer(path, dims={}, bits_per_block=3) as w:
        mesh = w.mesh("amr", {"x": 4, "y": 3}, ratios=[2, (2, 4)], origin=(0.5, 1), spacing=(10, 10))
        rho = w.field("rho", "f8", grid=mesh)
        for time in range(2):
            with w.step(float(time)) as s:
                s.put(rho, coarse, level=0)
                s.put(rho, fine, offset=(2, 2), level=1)
                s.put(rho, finest, offset=(4, 8), level=2, buffered=True)
    expected = coarse.repeat(8, axis=0).repeat(4, axis=1)
    expected[8:16, 4:12] = fine.repeat(4, axis=0).repeat(2, axis=1)
    expected[8:12, 4:8] = 1000
    ds = esker.open(path)
    mesh_found = ds.grids["amr"].mesh
    assert mesh_found is not None and mesh_found.num_levels == 3
    assert mesh_found == ((4, 3), ((2, 2), (2, 4)), False, (0.5, 1), (10, 10), False)
    field = ds["rho"]
    assert field.shape == expected.shape
    np.testing.assert_array_equal(field.read(1), expected)
    np.testing.assert_array_equal(field.read(0, box=((3, 7), (13, 14))), expected[7:14, 3:13])
    assert field.patches() == [(0, (0, 0), (4, 3)), (1, (2, 2), (6, 4)), (2, (4, 8), (8, 12))]
    assert field.level_covers(0) == [(1, 12, 2), (1, 8, 2), (1, 16, 0)]
    assert esker.verify(path).good


def test_places_without_patches_are_not_stored(tmp_path: Path) -> None:
    path = tmp_path / "amr.idx"
    with esker.Writer(path, dims={}) as w:
        mesh = w.mesh("amr", {"x": 4, "y": 4}, ratios=[2])
        rho = w.field("rho", "f4", grid=mesh, attrs={"_FillValue": np.float32(-1)})
        with w.step(0.0) as s:
            s.put(rho, np.full((2, 4), 7, "f4"), level=0)
            s.put(rho, np.full((2, 2), 9, "f4"), offset=(6, 6), level=1)
    expected = np.full((8, 8), -1, "f4")
    expected[:4] = 7
    expected[6:, 6:] = 9
    field = esker.open(path)["rho"]
    np.testing.assert_array_equal(field.read(), expected)
    np.testing.assert_array_equal(field.levels() < 0, expected < 0)
    np.testing.assert_array_equal(field.read(missing="nan"), np.where(expected < 0, np.nan, expected))
    assert esker.verify(path).good


def test_info_names_the_levels(tmp_path: Path, esker_command: Any) -> None:
    with esker.Writer(tmp_path / "amr.idx", dims={}) as w:
        rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 4, "y": 4}, ratios=[2, (4, 2)], nodes=True))
        with w.step(0.0) as s:
            s.put(rho, np.zeros((5, 5)), level=0)
    shown = esker_command("info", "amr.idx").stdout
    assert "mesh of 3 levels: 4 × 4 cells, ratios 2, 4 × 2, at nodes" in " ".join(shown.split())
    assert "level 0: patches 1, nodes 25, covered 0" in " ".join(shown.split())


def test_wrong_patches_are_refused(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "amr.idx", dims={"z": 3}) as w:
        rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 4, "y": 4}, ratios=[2]))
        flat = w.field("flat", "f8", grid=w.grid("line", ["z"]))
        patch = np.zeros((2, 2))
        for put, expected, message in (
            (lambda s: s.put(rho, patch, level=2), IndexError, "level 2"),
            (lambda s: s.put(rho, patch, offset=(3, 3), level=0), IndexError, "exceeds the level 0"),
            (lambda s: s.put(rho, patch), ValueError, "put its patches with a level"),
            (lambda s: s.put(flat, np.zeros(3), level=0), ValueError, "not on a mesh"),
            (lambda s: s.put(flat, np.zeros(3), level=-(2**31)), ValueError, "not on a mesh"),
            (lambda s: s.keep(rho, level=-1), ValueError, "keeps what its patches have"),
        ):
            with pytest.raises(expected, match=message), w.step(0.0) as s:
                put(s)
        with pytest.raises(ValueError, match="overlap"), w.step(0.0) as s:
            s.put(rho, patch, level=1)
            s.put(rho, patch, offset=(1, 1), level=1)
            s.put(flat, np.zeros(3))


def test_levels_are_nested_as_promised(tmp_path: Path) -> None:
    path = tmp_path / "amr.idx"
    with esker.Writer(path, dims={}) as w:
        rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 4, "y": 4}, ratios=[2], nested=True))
        with pytest.raises(ValueError, match=r"level 1: the patch \[4,8\) x \[3,6\) is not nested"), w.step(0.0) as s:
            s.put(rho, np.zeros((2, 4)), offset=(0, 2), level=0)
            s.put(rho, np.zeros((3, 4)), offset=(4, 3), level=1)
        with w.step(0.0) as s:
            s.put(rho, np.zeros((2, 4)), offset=(0, 2), level=0)
            s.put(rho, np.ones((3, 4)), offset=(4, 4), level=1)
    mesh = esker.open(path).grids["amr"].mesh
    assert mesh is not None and mesh.nested


def _put_halves(step: Any, field: Any, left: float, right: float) -> None:
    """Two patches of 3 x 3 nodes, which share a column."""
    step.put(field, np.full((3, 3), right, "f8"), offset=(2, 0), level=0)
    step.put(field, np.full((3, 3), left, "f8"), level=0)


def test_the_lowest_of_patches_is_stored_at_nodes_on_their_borders(tmp_path: Path) -> None:
    path = tmp_path / "amr.idx"
    with esker.Writer(path, dims={}) as w:
        rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 4, "y": 2}, ratios=[], nodes=True))
        with w.step(0.0) as s:
            _put_halves(s, rho, 1, 2)
    field = esker.open(path)["rho"]
    np.testing.assert_array_equal(field.read(), np.tile([1.0, 1, 1, 2, 2], (3, 1)))
    assert field.level_covers() == [(2, 15, 0)]


def test_different_values_at_shared_nodes_are_reported_on_request(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "amr.idx", dims={}, compare_shared_nodes=True) as w:
        rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 4, "y": 2}, ratios=[], nodes=True))
        with pytest.raises(ValueError, match=r"at the node \(2, 0\): 1 and 2"), w.step(0.0) as s:
            _put_halves(s, rho, 1, 2)
        with w.step(0.0) as s:
            _put_halves(s, rho, 1, 1)


@pytest.mark.parametrize(
    ("dims", "ratios", "message"),
    [
        ({"x": 4}, [3], "ratio 3 of axis 'x', expected a power of two"),
        ({"x": 0}, [2], "extent 0"),
        ({"x": 4, "y": 4}, [2, 1], "ratio 1 on all axes"),
        ({}, [2], "0 axes"),
        ({"x": 4, "y": 4}, [(2,)], "expected 2 values"),
        ({"x": 2**40, "y": 2**20}, [2, 2], "at most 62"),
    ],
)
def test_wrong_meshes_are_refused(
    tmp_path: Path, dims: dict[str, int], ratios: list[int], message: str
) -> None:
    with (
        pytest.raises((ValueError, IndexError), match=message),
        esker.Writer(tmp_path / "amr.idx", dims={}) as w,
    ):
        w.mesh("amr", dims, ratios)
