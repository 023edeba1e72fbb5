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
from esker.conversion import convert_mesh
from esker.plotfile import Plotfile, is_plotfile

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


def write_plotfile(path: Path, dtype: str = ">f4", ghosts: int = 1, per_file: int = 1) -> None:
    """Two levels with ratio 2 on 8 x 4 cells that begin at (2, -1), 1/2 by 1 in size; patches have ghost cells."""
    levels = [[((2, -1), (5, 2)), ((6, -1), (9, 2))], [((6, 0), (9, 3)), ((12, 2), (13, 5))]]
    path.mkdir()
    header = ["HyperCLaw-V1.1", "2", "rho", "u", "2", "0.25", "1", "1 -1 ", "5 3 ", "2 "]
    header += ["((2,-1) (9,2) (0,0)) ((4,-2) (19,5) (0,0)) ", "3 6 ", "0.5 1 ", "0.25 0.5 ", "0", "0"]
    for level, boxes in enumerate(levels):
        header += [f"{level} {len(boxes)} 0.25", "3", *["0 1"] * (2 * len(boxes)), f"Level_{level}/Cell"]
        folder = path / f"Level_{level}"
        folder.mkdir()
        places = [write_patch(folder, n // per_file, level, box, dtype, ghosts) for n, box in enumerate(boxes)]
        cells = ["1", "1", "2", str(ghosts), f"({len(boxes)} 0"]
        cells += [f"({corner(lo)} {corner(hi)} (0,0))" for lo, hi in boxes]
        cells += [")", str(len(boxes)), *(f"FabOnDisk: {name} {offset}" for name, offset in places), ""]
        (folder / "Cell_H").write_text("\n".join(cells))
    (path / "Header").write_text("\n".join(header) + "\n")


def write_patch(folder: Path, file: int, level: int, box: Any, dtype: str, ghosts: int) -> tuple[str, int]:
    (x0, y0), (x1, y1) = box
    x0, y0, x1, y1 = x0 - ghosts, y0 - ghosts, x1 + ghosts, y1 + ghosts
    y, x = np.mgrid[y0 : y1 + 1, x0 : x1 + 1]
    samples = np.stack([1000 * level + 10 * y + x, -(1000 * level + 10 * y + x)]).astype(dtype)
    size = samples.dtype.itemsize
    order = range(1, size + 1) if dtype.startswith(">") else range(size, 0, -1)
    kind = "32 8 23 0 1 9 0 127" if size == 4 else "64 11 52 0 1 12 0 1023"
    line = f"FAB ((8, ({kind})),({size}, ({' '.join(map(str, order))})))"
    line += f"({corner((x0, y0))} {corner((x1, y1))} (0,0)) 2\n"
    path = folder / f"Cell_D_{file:05d}"
    offset = path.stat().st_size if path.exists() else 0
    with path.open("ab") as stream:
        stream.write(line.encode() + samples.tobytes())
    return path.name, offset


def corner(place: tuple[int, int]) -> str:
    return f"({place[0]},{place[1]})"


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
    assert stored is not None
    assert stored.primary < sum(np.prod(patch.shape) for patch in source.patches) + 8 * 8 * 30
    assert esker.verify(tmp_path / "mesh.idx").good


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
        ("Level_1/Cell_H", "FabOnDisk: Cell_D_00000 3144", "FabOnDisk: Cell_D_00000 3145", "begins with 'FAB'"),
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
