"""The flame of esker-s3d: adaptive output next to the full checkpoint of the same step."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import esker

ROOT = Path(__file__).parents[2]
DEFAULT_S3D = ROOT / "build" / "release" / "miniapps" / "s3d" / "esker-s3d"
SIZE = "--nx", 64, "--ny", 48, "--nz", 32
SPECIES = "H2 O2 O OH H2O H HO2 CO CO2 HCO N2"


@dataclass
class Runs:
    """The same last step, adaptive and full."""

    adaptive: Path
    full: Path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("s3d")
    runs = Runs(folder / "flame.idx", folder / "full.nc")
    run_s3d(4, *SIZE, "--steps", 20, "--every", 10, "--out", runs.adaptive, "--checkpoint", runs.full)
    return runs


def run_s3d(ranks: int, *arguments: object) -> None:
    """If S3D_PROGRAM names the program, it must exist."""
    program = Path(os.environ.get("S3D_PROGRAM", DEFAULT_S3D))
    if "S3D_PROGRAM" not in os.environ and not program.exists():
        pytest.skip("build/release/miniapps/s3d/esker-s3d is not built")
    command = ["mpiexec.openmpi", "-n", str(ranks), str(program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_checkpoint_has_the_variables_of_s3d(runs: Runs) -> None:
    ds = esker.open(runs.full)
    assert {name: ds[name].components for name in ("T", "P", "u", "Y")} == {"T": 1, "P": 1, "u": 3, "Y": 11}
    assert {ds[name].dtype for name in ("T", "P", "u", "Y")} == {np.dtype("f8")}
    assert ds["Y"].attrs["species"] == SPECIES
    np.testing.assert_allclose(ds["Y"].read().sum(axis=-1), 1, atol=1e-14)


def test_hot_cells_and_two_around_them_are_kept(runs: Runs) -> None:
    full = esker.open(runs.full)["T"].read()
    field = esker.open(runs.adaptive)["T"]
    levels = field.levels(step=-1).astype(int)
    hot = full > 1600
    for axis in range(3):
        for _ in range(2):
            hot |= shifted(hot, axis, 1) | shifted(hot, axis, -1)
    assert (levels == levels.max())[hot].all()
    np.testing.assert_array_equal(field.read(step=-1, missing="nearest")[hot], full[hot])


def shifted(mask: np.ndarray, axis: int, by: int) -> np.ndarray:
    """Moved by one cell; nothing enters at the ends."""
    moved = np.roll(mask, by, axis)
    moved[(slice(None),) * axis + (0 if by > 0 else -1,)] = False
    return moved


def test_cold_regions_are_not_stored_at_full_resolution(runs: Runs) -> None:
    levels = esker.open(runs.adaptive)["T"].levels(step=-1).astype(int)
    assert (levels < levels.max()).mean() > 0.4


def test_stored_bits_shrink_the_output_and_not_the_checkpoint(runs: Runs, tmp_path: Path) -> None:
    small, full = tmp_path / "small.idx", tmp_path / "full.nc"
    to = "--every", 1, "--out", small, "--checkpoint", full
    run_s3d(2, "--restart", runs.full, "--steps", 1, *to, "-o", "stored_bits=8")
    packed, exact = esker.open(small), esker.open(full)
    for name in ("T", "u", "Y"):
        field, expected = packed[name], exact[name].read()
        error = np.abs(field.read() - expected).max()
        assert field.stored_bits == 8
        assert 0 < error <= field.errors().largest < 0.2 * np.ptp(expected)
    assert packed.storage().bytes < 0.3 * sum(field.read().nbytes for field in exact.fields.values())


def test_the_figure_is_drawn(runs: Runs, tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "scripts" / "s3d_figure.py", runs.full, runs.adaptive, tmp_path / "f.png"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "f.png").read_bytes()[1:4] == b"PNG"
    assert "kept at 1/1:" in done.stdout
