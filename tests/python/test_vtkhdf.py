"""Whole levels of meshes in VTKHDF files, as VTK and h5py read them, and their errors."""

from __future__ import annotations

import collections
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

h5py = pytest.importorskip("h5py")


def write(
    path: Path, axes: str, *, nodes: bool = False, format: str = "vtkhdf", ratio: int = 2
) -> dict[tuple[int, tuple[int, ...]], np.ndarray]:
    """Two steps of a mesh of three levels, the last of them without patches. Returns the patches of both fields in
    step 1 by level and lower corner: array (z, y, x, 4), of which the first component is the scalar."""
    extent = dict(zip("xyz", (6, 5, 4)))
    rng = np.random.default_rng(3)
    extra = 1 if nodes else 0
    placed: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}
    with esker.Writer(path, dims={}, format=format, report="none") as w:
        mesh = w.mesh(
            "amr", {a: extent[a] for a in axes}, ratios=[ratio, ratio], nodes=nodes,
            origin=(1,) * len(axes), spacing=(0.5,) * len(axes),
        )
        rho = w.field("rho", "f8", grid=mesh)
        velocity = w.field("velocity", "f4", grid=mesh, components=3)
        for step in range(2):
            with w.step(step * 0.25) as s:
                for level, lo, cells in ((0, (0, 0, 0), (6, 5, 4)), (1, (4, 2, 0), (2, 4, 3)), (1, (8, 2, 0), (3, 2, 2))):
                    offset = lo[: len(axes)]
                    shape = tuple(n + extra for n in cells[: len(axes)])[::-1]
                    values = rng.random((*shape, 4))
                    s.put(rho, np.ascontiguousarray(values[..., 0]), offset=offset, level=level)
                    s.put(velocity, values[..., 1:].astype("f4"), offset=offset, level=level)
                    placed[level, offset] = values
    return placed


@pytest.mark.parametrize(("axes", "nodes"), [("x", False), ("xy", False), ("xyz", False), ("xyz", True)])
def test_vtk_reads_every_patch(tmp_path: Path, axes: str, nodes: bool) -> None:
    vtk = pytest.importorskip("vtk")
    from vtk.util.numpy_support import vtk_to_numpy

    placed = write(tmp_path / "run", axes, nodes=nodes)
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(tmp_path / "run.vtkhdf.steps" / "000001.vtkhdf"))
    reader.SetMaximumLevelsToReadByDefaultForAMR(0)
    reader.Update()
    amr = reader.GetOutput()
    assert amr.IsA("vtkOverlappingAMR")
    found = {}
    for level in range(amr.GetNumberOfLevels()):
        for n in range(amr.GetNumberOfBlocks(level)):
            grid = amr.GetDataSetAsImageData(level, n)
            spacing = grid.GetSpacing()
            lo = tuple(round((grid.GetOrigin()[a] - 1) / spacing[a]) for a in range(len(axes)))
            assert spacing[: len(axes)] == (0.5 / 2**level,) * len(axes)
            found[level, lo] = grid
    assert set(found) == set(placed)
    for place, grid in found.items():
        data = grid.GetPointData() if nodes else grid.GetCellData()
        shape = placed[place].shape[:-1]
        rho = vtk_to_numpy(data.GetArray("rho"))
        velocity = vtk_to_numpy(data.GetArray("velocity"))
        np.testing.assert_array_equal(rho.reshape(shape), placed[place][..., 0])
        np.testing.assert_array_equal(velocity.reshape((*shape, 3)), placed[place][..., 1:].astype("f4"))


@pytest.mark.parametrize(("axes", "nodes"), [("x", False), ("xy", False), ("xyz", False), ("xyz", True)])
def test_paraview_reads_every_patch_of_a_series(tmp_path: Path, axes: str, nodes: bool) -> None:
    pvpython = shutil.which("pvpython")
    if pvpython is None:
        pytest.skip("ParaView is not installed: no program pvpython")
    write(tmp_path / "run", axes, nodes=nodes)
    shape = tuple(n + nodes for n in (6, 5, 4)[: len(axes)])[::-1]
    with esker.Writer.append(tmp_path / "run.vtkhdf.series") as w, w.step(1.0) as s:  # the finer level vanishes
        s.put("rho", np.full(shape, 7.0), level=0)
        s.put("velocity", np.full((*shape, 3), 8, "f4"), level=0)
    script = [pvpython, str(Path(__file__).with_name("paraview_patches.py"))]
    result = subprocess.run(
        [*script, "run.vtkhdf.series", "found.npz"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0 and "ERR|" not in result.stdout + result.stderr, result.stdout + result.stderr
    found = np.load(tmp_path / "found.npz")
    ds = esker.open(tmp_path / "run.vtkhdf.series")
    np.testing.assert_array_equal(found["times"], ds.steps)
    num_patches = 0
    for step in range(3):
        numbers = collections.Counter[int]()
        for level, lo, hi in ds["rho"].patches(step):
            key = f"{step}/{level}/{numbers[level]}"
            numbers[level] += 1
            np.testing.assert_array_equal(found[f"{key}/corner"][: len(axes)], [1 + n * 0.5 / 2**level for n in lo])
            for name in ("rho", "velocity"):
                values = ds[name].read(step, (lo, hi), mesh_level=level)
                np.testing.assert_array_equal(found[f"{key}/{name}"].reshape(values.shape), values)
            num_patches += 1
    assert sum(name.endswith("/corner") for name in found) == num_patches == 7


def test_levels_are_read_in_their_own_indices(tmp_path: Path) -> None:
    placed = write(tmp_path / "run", "xy")
    ds = esker.open(tmp_path / "run.vtkhdf.series")
    field = ds["rho"]
    assert list(ds.steps) == [0, 0.25]
    level = np.full((10, 12), np.nan)
    for (of, (x, y)), values in placed.items():
        if of == 1:
            level[y : y + values.shape[0], x : x + values.shape[1]] = values[..., 0]
    np.testing.assert_array_equal(field.read(1, mesh_level=1, missing="nan"), level)
    part = field.read(1, mesh_level=1, box=((3, 1), (9, 5)), masked=True)
    np.testing.assert_array_equal(part.mask, np.isnan(level[1:5, 3:9]))
    np.testing.assert_array_equal(part.filled(np.nan), level[1:5, 3:9])
    velocity = ds["velocity"].read(1, mesh_level=0)
    np.testing.assert_array_equal(velocity, placed[0, (0, 0)][..., 1:].astype("f4"))
    whole = placed[0, (0, 0)][..., 0].repeat(4, axis=0).repeat(4, axis=1)
    finest = np.where(np.isnan(level), np.nan, level).repeat(2, axis=0).repeat(2, axis=1)
    np.testing.assert_array_equal(field.read(1), np.where(np.isnan(finest), whole, finest))
    np.testing.assert_array_equal(field.read(1, stride=(3, 5)), field.read(1)[::5, ::3])
    with pytest.raises(ValueError, match="mesh level 3, expected 0 to 2"):
        field.read(mesh_level=3)
    assert [tuple(patch) for patch in field.patches()] == [
        (0, (0, 0), (6, 5)), (1, (4, 2), (6, 6)), (1, (8, 2), (11, 4)),
    ]
    assert esker.verify(tmp_path / "run.vtkhdf.series").good


def test_one_exchange_writes_both(tmp_path: Path) -> None:
    write(tmp_path / "run", "xyz", format="vtkhdf+idx")
    full, flat = esker.open(tmp_path / "run.vtkhdf.series"), esker.open(tmp_path / "run.idx")
    for name in ("rho", "velocity"):
        for step in range(2):
            np.testing.assert_array_equal(full[name].read(step), flat[name].read(step))
            assert full[name].patches(step) == flat[name].patches(step)
            assert full[name].level_covers(step) == flat[name].level_covers(step)
            np.testing.assert_array_equal(full[name].levels(step) < 0, flat[name].levels(step) < 0)
    assert full["rho"].has_whole_levels and not flat["rho"].has_whole_levels
    with pytest.raises(NotImplementedError, match="only format=vtkhdf stores whole levels"):
        flat["rho"].read(mesh_level=0)


def test_the_series_is_what_paraview_expects(tmp_path: Path) -> None:
    write(tmp_path / "run", "xy")
    series = json.loads((tmp_path / "run.vtkhdf.series").read_text())
    assert series["file-series-version"] == "1.0"
    assert series["files"] == [
        {"name": f"run.vtkhdf.steps/{step:06}.vtkhdf", "time": 0.25 * step, "sum": series["files"][step]["sum"]}
        for step in (0, 1)
    ]
    with h5py.File(tmp_path / "run.vtkhdf.steps/000000.vtkhdf") as file:
        for name, text in (("Type", b"OverlappingAMR"), ("GridDescription", b"XYZ")):
            assert file["VTKHDF"].attrs[name] == text
            assert file["VTKHDF"].attrs.get_id(name).get_type().get_size() == len(text)  # VTK 9.2 compares all bytes
        np.testing.assert_array_equal(file["VTKHDF/Level1/AMRBox"], [[4, 5, 2, 5, 0, 0], [8, 10, 2, 3, 0, 0]])
        assert "Level2" not in file["VTKHDF"]  # VTK 9.2 aborts if it finds a finest level without patches


def test_levels_may_be_empty_at_some_steps(tmp_path: Path) -> None:
    """All levels of a step file have the same fields: VTK takes the names of level 0."""
    levels_of_steps = ((0, 1, 2), (0,), (0, 2), (1, 2), (2,), (0, 1, 2))
    with esker.Writer(tmp_path / "run", dims={}, format="vtkhdf+idx", report="none") as w:
        mesh = w.mesh("amr", {"x": 4, "y": 3}, ratios=[2, 2])
        rho = w.field("rho", "f4", grid=mesh)
        for step, levels in enumerate(levels_of_steps):
            with w.step(step) as s:
                for level in levels:
                    s.put(rho, np.full((1, 1), 10 * step + level, "f4"), offset=(level, 1), level=level)  # one cell
    full, flat = esker.open(tmp_path / "run.vtkhdf.series")["rho"], esker.open(tmp_path / "run.idx")["rho"]
    for step, levels in enumerate(levels_of_steps):
        with h5py.File(tmp_path / f"run.vtkhdf.steps/{step:06}.vtkhdf") as file:
            stored = [file[f"VTKHDF/Level{level}/CellData/rho"].shape[0] for level in range(max(levels) + 1)]
            assert stored == [int(level in levels) for level in range(max(levels) + 1)]
            assert f"Level{max(levels) + 1}" not in file["VTKHDF"]
        assert [patch.level for patch in full.patches(step)] == list(levels)
        np.testing.assert_array_equal(full.read(step), flat.read(step))
        for level in range(3):
            values = full.read(step, mesh_level=level, masked=True)
            assert values.compressed().tolist() == ([10 * step + level] if level in levels else [])
    assert esker.verify(tmp_path / "run.vtkhdf.series").good


def test_wrong_definitions_are_refused(tmp_path: Path) -> None:
    def attempt(message: str, define: Any, **options: Any) -> None:
        with (
            pytest.raises(NotImplementedError, match=message),
            esker.Writer(tmp_path / "bad", dims={"n": 3}, report="none", **{"format": "vtkhdf", **options}) as w,
        ):
            define(w)

    def mesh(w: esker.Writer, name: str = "amr", axes: str = "xy") -> Any:
        return w.mesh(name, {name + a: 4 for a in axes}, ratios=[2])

    attempt("VTKHDF files hold the fields of a mesh", lambda w: w.field("f", "f8", grid=w.grid("g", ["n"])))
    attempt("holds one mesh", lambda w: [w.field(n, "f8", grid=mesh(w, n)) for n in "ab"])
    four_axes = "mesh 'amr': 4 axes, but VTKHDF files .format=vtkhdf. hold at most 3; .* format=idx"
    attempt(four_axes, lambda w: mesh(w, axes="xyzt"))
    attempt(four_axes, lambda w: mesh(w, axes="xyzt"), format="vtkhdf+idx")
    attempt("stored_bits", lambda w: w.field("f", "f8", grid=mesh(w), stored_bits=16))
    assert not list(tmp_path.iterdir())


def test_only_the_array_is_compressed(tmp_path: Path) -> None:
    def write_field(path: Path, format: str) -> None:
        with esker.Writer(path, dims={}, format=format, report="none", compression="zip") as w:
            mesh = w.mesh("amr", {"x": 32, "y": 32}, ratios=[2])
            f = w.field("f", "f8", grid=mesh)
            for step in range(2):
                with w.step(step) as s:
                    s.put(f, np.full((32, 32), step, "f8"), level=0)
                    s.put(f, np.full((4, 8), 5.0), offset=(2, 2), level=1)

    with pytest.raises(ValueError, match="'f': compression zip: VTKHDF files cannot be compressed; .*format=vtkhdf.idx"):
        write_field(tmp_path / "bad", "vtkhdf")
    assert not list(tmp_path.iterdir())
    write_field(tmp_path / "run", "vtkhdf+idx")
    full, flat = esker.open(tmp_path / "run.vtkhdf.series"), esker.open(tmp_path / "run.idx")
    for step in range(2):
        np.testing.assert_array_equal(full["f"].read(step), flat["f"].read(step))
    blocks = sum(path.stat().st_size for path in (tmp_path / "run").rglob("*.bin"))
    assert blocks < 2 * 64 * 64 * 8 / 4


def test_appending_continues_with_other_patches(tmp_path: Path) -> None:
    write(tmp_path / "run", "xy")
    with esker.Writer.append(tmp_path / "run.vtkhdf.series") as w, w.step(1.0) as s:
        for name, shape in (("rho", (5, 3)), ("velocity", (5, 3, 3))):
            for x in (0, 3):
                s.put(name, np.full(shape, x, "f8" if name == "rho" else "f4"), offset=(x, 0), level=0)
    field = esker.open(tmp_path / "run.vtkhdf.series")["rho"]
    assert field.patches(2) == [(0, (0, 0), (3, 5)), (0, (3, 0), (6, 5))]
    np.testing.assert_array_equal(field.read(2, mesh_level=0)[0], [0, 0, 0, 3, 3, 3])
    with esker.Writer.append(tmp_path / "run.vtkhdf.series") as w:
        w.rewind(0.1)
    assert [p.name for p in (tmp_path / "run.vtkhdf.steps").iterdir()] == ["000000.vtkhdf"]


def test_damage_is_an_error_of_the_file(tmp_path: Path) -> None:
    write(tmp_path / "run", "xy")
    step = tmp_path / "run.vtkhdf.steps/000001.vtkhdf"
    good = step.read_bytes()
    with h5py.File(step, "r+") as file:
        file["VTKHDF/Level1/AMRBox"][1] = [0, 2, 0, 1, 0, 0]  # before the first
    with pytest.raises(OSError, match="000001.*does not follow"):
        esker.open(tmp_path / "run.vtkhdf.series")["rho"].read(1)
    step.write_bytes(good[:-2000])
    with pytest.raises(OSError, match="000001"):
        esker.open(tmp_path / "run.vtkhdf.series")["rho"].read(1)
    report = esker.verify(tmp_path / "run.vtkhdf.series")
    assert not report.good and "000001" in report.findings[0].path
    step.unlink()
    (tmp_path / "run.vtkhdf.steps/000009.vtkhdf").write_bytes(b"")
    report = esker.verify(tmp_path / "run.vtkhdf.series")
    assert any("did not finish" in finding.text for finding in report.findings)


def altered(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 0x10
    file.write_bytes(content)


def test_altered_samples_are_found(tmp_path: Path) -> None:
    """Every byte of every patch is covered by a checksum."""
    placed = write(tmp_path / "run", "xy")
    path, step = tmp_path / "run.vtkhdf.series", tmp_path / "run.vtkhdf.steps/000001.vtkhdf"
    good = step.read_bytes()
    report = esker.verify(path)
    assert report.good and report.blocks == report.blocks_with_checksum == 2 * 2 * 3
    with h5py.File(step) as file:
        fields = [file[f"VTKHDF/Level{level}/CellData/{name}"] for level in (0, 1) for name in ("rho", "velocity")]
        ranges = [(field.id.get_offset(), field.id.get_storage_size()) for field in fields]
        assert file["esker/sums"].attrs["run_bytes"] == 2**20 and file["esker/sums"].shape == (6,)
    assert sum(size for _, size in ranges) == sum(values[..., 0].size for values in placed.values()) * (8 + 12)
    for begin, size in ranges:
        for place in range(begin, begin + size, 7):
            altered(step, place)
            assert not esker.verify(path).good
            ds = esker.open(path, verify=True)
            ds["rho"].read(0), ds["velocity"].read(0)
            with pytest.raises(OSError, match="000001.*do not have the recorded checksum"):
                ds["rho"].read(1), ds["velocity"].read(1)
            step.write_bytes(good)
    altered(step, ranges[1][0] + 200)  # of the velocity; other fields and patches are not read
    ds = esker.open(path, verify=True)
    ds["rho"].read(1), ds["velocity"].read(1, ((0, 0), (3, 2)), mesh_level=1)


def test_no_mutant_reads_as_other_values(tmp_path: Path) -> None:
    write(tmp_path / "run", "xyz")
    path = tmp_path / "run.vtkhdf.series"

    def values() -> list[np.ndarray]:
        ds = esker.open(path, verify=True)
        return [ds[name].read(step, mesh_level=n) for name in ("rho", "velocity") for step in (0, 1) for n in (0, 1)]

    expected = values()
    rng = np.random.default_rng(7)
    refused = 0
    step = tmp_path / "run.vtkhdf.steps/000001.vtkhdf"
    with h5py.File(step) as file:  # metadata, at which the HDF5 library may end the program, are in test_mutants.py
        begin, sums = file["VTKHDF/Level0/CellData/rho"].id.get_offset(), file["esker/sums"].id
        end = sums.get_offset() + sums.get_storage_size()
    for n in range(200):
        file = (path, step)[n % 2]
        good = file.read_bytes()
        altered(file, int(rng.integers(begin, end) if file == step else rng.integers(len(good))))
        try:
            found = values()
            assert all(np.array_equal(a, b) for a, b in zip(found, expected)), file
        except (OSError, ValueError, NotImplementedError):
            refused += 1
            assert not verified(path)
        file.write_bytes(good)
    assert refused > 50
    with h5py.File(step, "r+") as file:
        boxes = file["VTKHDF/Level1/AMRBox"]
        boxes[1] = boxes[1] + [1, 1, 0, 0, 0, 0]  # a patch at another place
    with pytest.raises(OSError, match="not those that the series records"):
        values()
    assert not verified(path)


def verified(path: Path) -> bool:
    try:
        return esker.verify(path).good
    except (OSError, ValueError, NotImplementedError):
        return False


def test_large_patches_have_several_checksums(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run", dims={}, format="vtkhdf", report="none") as w:
        mesh = w.mesh("amr", {"x": 512, "y": 700}, ratios=[2])
        f = w.field("f", "f8", grid=mesh)
        with w.step(0) as s:
            s.put(f, np.random.default_rng(1).random((700, 512)), level=0)
    path, step = tmp_path / "run.vtkhdf.series", tmp_path / "run.vtkhdf.steps/000000.vtkhdf"
    with h5py.File(step) as file:
        begin, count = file["VTKHDF/Level0/CellData/f"].id.get_offset(), file["esker/sums"].shape[0]
    assert count == 3
    altered(step, begin + 512 * 600 * 8)
    ds = esker.open(path, verify=True)
    ds["f"].read(0, ((0, 0), (512, 100)), mesh_level=0)
    with pytest.raises(OSError, match="patch 0: the samples do not have the recorded checksum"):
        ds["f"].read(0, ((0, 590), (512, 610)), mesh_level=0)
    report = esker.verify(path)
    assert report.num_errors == 1 and report.blocks == 3


def test_files_without_checksums_are_read(tmp_path: Path) -> None:
    """As before there were checksums, also when a step with checksums is appended."""
    with esker.Writer(tmp_path / "run", dims={}, format="vtkhdf", report="none", checksums=False) as w:
        mesh = w.mesh("amr", {"x": 4, "y": 3}, ratios=[2])
        f = w.field("f", "f8", grid=mesh)
        with w.step(0) as s:
            s.put(f, np.ones((3, 4)), level=0)
    path = tmp_path / "run.vtkhdf.series"
    with h5py.File(tmp_path / "run.vtkhdf.steps/000000.vtkhdf") as file:
        assert "esker" not in file
    report = esker.verify(path)
    assert report.good and report.blocks == 1 and report.blocks_with_checksum == 0
    with esker.Writer.append(path) as w, w.step(1) as s:
        s.put("f", np.full((3, 4), 2.0), level=0)
    report = esker.verify(path)
    assert report.good and report.blocks == 2 and report.blocks_with_checksum == 1
    ds = esker.open(path, verify=True)
    np.testing.assert_array_equal(ds["f"].read(1, mesh_level=0), np.full((3, 4), 2.0))


def test_an_edited_series_is_refused_until_its_checksum_is_removed(tmp_path: Path) -> None:
    write(tmp_path / "run", "xy")
    path = tmp_path / "run.vtkhdf.series"
    path.write_text(path.read_text().replace('"time": 0.25', '"time": 0.75'))
    with pytest.raises(OSError, match="it was edited or damaged; after an edit, remove 'sum' from 'esker'"):
        esker.open(path)
    series = json.loads(path.read_text())
    del series["esker"]["sum"]
    path.write_text(json.dumps(series))
    assert list(esker.open(path).steps) == [0, 0.75]
