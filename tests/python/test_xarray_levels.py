"""Meshes in xarray: a DataTree with one node per level, against the patches that were put."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker
from conftest import ROOT
from esker.convert.amrex import Plotfile
from esker.convert.meshes import convert_mesh
from esker.dataset.mesh import MeshPatch

PLOTFILE = ROOT / "data/amrex/advect2d_r42_f32_00012"
PATCHES = [MeshPatch(0, (0, 0), (3, 3)), MeshPatch(1, (2, 2), (6, 4)), MeshPatch(2, (4, 8), (8, 12))]
"""The last one only at the second step."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A mesh of 3 levels with gaps, and a grid without levels."""
    with esker.Writer(tmp_path / "run.idx", dims={"q": 3}, attrs={"title": "levels"}) as w:
        mesh = w.mesh("amr", {"x": 4, "y": 3}, [2, (2, 4)], origin=(0.5, 1), spacing=(10, 20))
        rho = w.field("rho", "f4", grid=mesh, attrs={"units": "kg"})
        count = w.field("count", "i2", grid=mesh, attrs={"_FillValue": np.int16(-7)})
        bare = w.field("bare", "i4", grid=mesh)
        flow = w.field("flow", "f8", grid=mesh, components=2)
        line = w.field("line", "f8", grid=w.grid("qs", ["q"]))
        w.scalar("crs", 3)
        for step in range(2):
            with w.step(float(step)) as s:
                s.put(line, np.arange(3.0))
                for patch in PATCHES[: 2 + step]:
                    samples = samples_of(patch, step)
                    where: dict[str, Any] = {"offset": patch.lo, "level": patch.level}
                    s.put(rho, samples.astype("f4"), **where)
                    s.put(count, samples.astype("i2"), **where)
                    s.put(bare, samples.astype("i4"), **where)
                    s.put(flow, np.stack([samples, -samples], axis=-1), **where)
    return tmp_path / "run.idx"


def samples_of(patch: MeshPatch, step: int) -> Any:
    y, x = np.mgrid[patch.lo[1] : patch.hi[1], patch.lo[0] : patch.hi[0]]
    return 2000.0 * patch.level + 1000 * step + 20 * y + x


def expected(level: int, step: int) -> tuple[Any, Any]:
    """The samples of a level, NaN outside its patches, and the coordinate level_cover."""
    ratios = [(1, 1), (2, 2), (4, 8)]
    rx, ry = ratios[level]
    samples, cover = np.full((3 * ry, 4 * rx), np.nan), np.zeros((3 * ry, 4 * rx), np.int8)
    for patch in PATCHES[: 2 + step]:
        fx, fy = (fine / own for fine, own in zip(ratios[patch.level], (rx, ry)))
        own = samples_of(patch, step)
        for y, x in np.argwhere(cover >= (0 if patch.level == level else 1)):
            at = int(y * fy) - patch.lo[1], int(x * fx) - patch.lo[0]
            if patch.level >= level and 0 <= at[0] < own.shape[0] and 0 <= at[1] < own.shape[1]:
                samples[y, x], cover[y, x] = own[at], 1 if patch.level == level else 2
    return samples, cover


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_level_has_the_samples_of_its_patches(path: Path, level: int) -> None:
    tree = xr.open_datatree(path.with_suffix(""), engine="esker")
    node = tree[f"amr/level_{level}"]
    for step in range(2):
        samples, cover = expected(level, step)
        np.testing.assert_array_equal(node["rho"][step], samples.astype("f4"))
        np.testing.assert_array_equal(node["count"][step], samples)
        np.testing.assert_array_equal(node["bare"][step], np.nan_to_num(samples).astype("i4"))
        np.testing.assert_array_equal(node["flow"][step], np.stack([samples, -samples], axis=-1))
        np.testing.assert_array_equal(node["level_cover"][step], cover)
    rx, ry = [(1, 1), (2, 2), (4, 8)][level]
    np.testing.assert_array_equal(node["x"], 0.5 + (np.arange(4 * rx) + 0.5) * 10 / rx)
    np.testing.assert_array_equal(node["y"], 1 + (np.arange(3 * ry) + 0.5) * 20 / ry)
    np.testing.assert_array_equal(node["time"], [0, 1])
    assert node["rho"].attrs["units"] == "kg" and node["flow"].dims == ("time", "y", "x", "component")


def test_indices_select_what_numpy_selects(path: Path) -> None:
    tree = xr.open_datatree(path.with_suffix(""), engine="esker")
    whole = tree["amr/level_1/flow"].copy(deep=True).values
    lazy = xr.open_datatree(path.with_suffix(""), engine="esker")["amr/level_1/flow"]
    for key in (
        (1, slice(None), slice(1, 7, 2), 0),
        (slice(None, None, -1), slice(None, None, -2), 3, slice(None)),
        (slice(0, 0), slice(2, 5), slice(None), 1),
        (0, [5, 2, 2], slice(7, 0, -3), [1]),
        (slice(None), 4, 2, 1),
    ):
        found = xr.open_datatree(path.with_suffix(""), engine="esker")["amr/level_1/flow"].isel(
            dict(zip(lazy.dims, key))
        )
        np.testing.assert_array_equal(found, xr.Variable(lazy.dims, whole).isel(dict(zip(lazy.dims, key))))


def test_only_what_is_selected_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from esker.integrations.xarray import levels

    read: list[Any] = []
    actual = levels.level_samples

    def counted(field: Any, step: int, level: int, box: Any) -> Any:
        read.append((field.name, step, level, box))
        return actual(field, step, level, box)

    monkeypatch.setattr(levels, "level_samples", counted)
    tree = xr.open_datatree(path.with_suffix(""), engine="esker")
    assert repr(tree) and read == []
    assert tree["amr/level_1/rho"][1, 3, 4:].values[0] == 2000 + 1000 + 60 + 4
    assert read == [("rho", 1, 1, ([4, 3], [6, 4]))]


def test_the_other_nodes(path: Path) -> None:
    tree = xr.open_datatree(path.with_suffix(""), engine="esker", drop_variables=["count", "level_cover"])
    assert tree.attrs["title"] == "levels" and int(tree["crs"]) == 3
    assert sorted(tree.groups) == ["/", "/amr", "/amr/level_0", "/amr/level_1", "/amr/level_2", "/qs"]
    np.testing.assert_array_equal(tree["qs/line"], [np.arange(3.0)] * 2)
    assert set(tree["qs"].data_vars) == {"line"} and "title" not in tree["qs"].attrs
    assert {*tree["amr/level_0"].variables} == {"rho", "bare", "flow", "time", "x", "y"}
    groups = xr.open_groups(path.with_suffix(""), engine="esker")
    assert sorted(groups) == sorted(tree.groups)


def test_chunks_are_computed_in_other_processes(path: Path) -> None:
    pytest.importorskip("dask")
    lazy = xr.open_datatree(path.with_suffix(""), engine="esker", chunks={})
    assert lazy["amr/level_2/rho"].chunks == ((1, 1), (24,), (16,))
    again = pickle.loads(pickle.dumps(lazy))
    np.testing.assert_array_equal(again["amr/level_2/rho"][1], expected(2, 1)[0].astype("f4"))


def test_nodes_are_at_the_corners_of_cells(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "amr.idx", dims={}) as w:
        rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 2, "y": 2}, [2], nodes=True))
        with w.step(0.0) as s:
            s.put(rho, np.arange(9.0).reshape(3, 3), level=0)
            s.put(rho, 100 + np.arange(9.0).reshape(3, 3), offset=(1, 1), level=1)
    tree = xr.open_datatree(tmp_path / "amr.idx", engine="esker")
    np.testing.assert_array_equal(tree["amr/level_0/x"], [0, 1, 2])
    np.testing.assert_array_equal(tree["amr/level_1/y"], [0, 0.5, 1, 1.5, 2])
    np.testing.assert_array_equal(tree["amr/level_0/rho"][0], [[0, 1, 2], [3, 104, 5], [6, 7, 8]])
    np.testing.assert_array_equal(tree["amr/level_0/level_cover"][0], [[1, 1, 1], [1, 2, 1], [1, 1, 1]])


def test_levels_that_are_stored_whole(tmp_path: Path) -> None:
    coarse, fine = np.arange(12.0).reshape(3, 4), 100 + np.arange(24.0).reshape(4, 6)
    with esker.Writer(tmp_path / "amr", dims={}, format="vtkhdf") as w:
        rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 5, "y": 3}, [2]))
        with w.step(0.0) as s:
            s.put(rho, coarse, level=0)
            s.put(rho, fine, offset=(1, 2), level=1)
    tree = xr.open_datatree(tmp_path / "amr.vtkhdf.series", engine="esker").isel(time=0)
    np.testing.assert_array_equal(tree["amr/level_0/rho"], np.pad(coarse, ((0, 0), (0, 1)), constant_values=np.nan))
    cover = [[1, 1, 1, 1, 0], [1, 2, 2, 2, 0], [1, 2, 2, 2, 0]]
    np.testing.assert_array_equal(tree["amr/level_0/level_cover"], cover)
    expected = np.full((6, 10), np.nan)
    expected[2:6, 1:7] = fine
    np.testing.assert_array_equal(tree["amr/level_1/rho"], expected)


def test_levels_of_a_plotfile(tmp_path: Path) -> None:
    source = Plotfile(PLOTFILE)
    convert_mesh(source, tmp_path / "mesh.idx", lambda _: None)
    tree = xr.open_datatree(tmp_path / "mesh.idx", engine="esker")
    for level in range(3):
        node = tree[f"mesh/level_{level}"].to_dataset().isel(time=0)
        cells = sum(np.prod(patch.shape) for patch in source.patches if patch.level == level)
        assert int((node["level_cover"] > 0).sum()) == cells == int(node["phi"].notnull().sum())
        for patch in (patch for patch in source.patches if patch.level == level):
            where = {axis: slice(lo, lo + n) for axis, lo, n in zip("xy", patch.lo, patch.shape)}
            part = node[["phi", "level_cover"]].isel(where)
            own = (part["level_cover"] == 1).values
            np.testing.assert_array_equal(part["phi"].values[own], np.asarray(source.read(patch)["phi"])[own])


def test_an_unknown_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        xr.open_datatree(tmp_path / "none.idx", engine="esker")
