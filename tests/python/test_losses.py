"""Copies of lossy fields record all errors that were made, by whatever way they were copied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker
import esker.xarray  # noqa: F401  the method to_esker

GRID = np.linspace(0, 6, 24)
WAVE = np.stack(
    [np.sin(t + GRID[:, None, None] * GRID[None, :, None] + GRID[None, None, :]) for t in (0.0, 1.0)]
)


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    return write(tmp_path / "lossy.idx", compression="zfp-accuracy=0.01")


def write(path: Path, stored_bits: int = 0, **how: Any) -> Path:
    with esker.Writer(path, dims={"x": 24, "y": 24, "z": 24}, **how) as writer:
        field = writer.field("a", "f8", stored_bits=stored_bits)
        bed = writer.field("bed", "f8", fixed=True, stored_bits=stored_bits)
        for step in range(2):
            with writer.step(float(step)) as s:
                s.put(field, WAVE[step])
                if step == 0:
                    s.put(bed, WAVE[1])
    return path


def recorded(path: Path) -> dict[tuple[str, int], float]:
    """The largest error of each field and step."""
    ds = esker.open(path)
    return {(name, step): error for name in ds for step, error in enumerate(ds[name].largest_errors)}


def assert_bounds(path: Path, source: dict[tuple[str, int], float]) -> None:
    """The recorded errors are no smaller than the true ones, and no smaller than those of the source."""
    ds, found = esker.open(path), recorded(path)
    for (name, step), error in source.items():
        original = WAVE[step if name == "a" else 1]
        errors = ds[name].errors(step if name == "a" else -1)
        assert errors is not None and found[name, step] >= errors.largest
        difference = ds[name].read(step if name == "a" else -1) - original
        assert errors.largest >= max(np.abs(difference).max(), error) and error > 0
        assert errors.rms >= np.sqrt(np.mean(difference**2))


def test_errors_of_repeated_compression_add_up(lossy: Path, esker_command: Any, tmp_path: Path) -> None:
    source = lossy
    for turn, compression in enumerate(["zfp-accuracy=0.02", "zip", "zfp-accuracy=0.03"]):
        copy = tmp_path / f"copy{turn}.idx"
        done = esker_command("convert", source, copy, "--compression", compression)
        assert done.returncode == 0, done.stderr
        assert_bounds(copy, recorded(source))
        source = copy
    done = esker_command("verify", source, "--against", write(tmp_path / "exact.idx"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("suffix", [".nc", ".zarr"])
def test_other_formats_keep_the_record(lossy: Path, esker_command: Any, tmp_path: Path, suffix: str) -> None:
    bound = recorded(lossy)
    done = esker_command("convert", lossy, tmp_path / f"copy{suffix}")
    assert done.returncode == 0, done.stderr
    if suffix != ".zarr":
        assert_bounds(tmp_path / f"copy{suffix}", bound)
    done = esker_command("convert", tmp_path / f"copy{suffix}", tmp_path / "back.idx")
    assert done.returncode == 0, done.stderr
    assert_bounds(tmp_path / "back.idx", bound)


def test_stored_bits_are_recorded(esker_command: Any, tmp_path: Path) -> None:
    bits = write(tmp_path / "bits.idx", stored_bits=8)
    bound = recorded(bits)
    done = esker_command("convert", bits, tmp_path / "copy.idx", "--compression", "zip")
    assert done.returncode == 0, done.stderr
    assert_bounds(tmp_path / "copy.idx", bound)


def test_xarray_copies_keep_the_record(lossy: Path, tmp_path: Path) -> None:
    with xr.open_dataset(lossy, engine="esker") as ds:
        ds.to_esker(tmp_path / "copy.idx")
    assert_bounds(tmp_path / "copy.idx", recorded(lossy))


@pytest.mark.parametrize("command", ["cp", "mv"])
def test_moved_files_keep_the_record(lossy: Path, esker_command: Any, tmp_path: Path, command: str) -> None:
    bound = recorded(lossy)
    done = esker_command(command, lossy, tmp_path / "there.idx")
    assert done.returncode == 0, done.stderr
    assert_bounds(tmp_path / "there.idx", bound)


def test_rebuilding_keeps_the_record(lossy: Path, esker_command: Any, tmp_path: Path) -> None:
    copy = tmp_path / "copy.idx"
    assert esker_command("convert", lossy, copy, "--field", "a", "--compression", "zip").returncode == 0
    bound = recorded(copy)
    done = esker_command("repair", "--rebuild", copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_bounds(copy, bound)


def test_unrecorded_losses_stay_unknown(golden_path: Any, esker_command: Any, tmp_path: Path) -> None:
    """OpenVisus compresses with loss, and records no errors."""
    source = golden_path("d2_zfp_accuracy_rm")
    assert esker_command("convert", source, tmp_path / "copy.idx", "--compression", "zip").returncode == 0
    for path in (source, tmp_path / "copy.idx"):
        (field,) = esker.open(path).fields.values()
        errors = field.errors()
        assert errors is not None and np.isnan(errors).all() and np.isnan(field.largest_errors).all()
        facts = json.loads(esker_command("info", path, "--json").stdout, parse_constant=pytest.fail)
        assert facts["fields"][0]["largest_error"] == "unknown"


def test_exact_fields_have_no_record(esker_command: Any, tmp_path: Path) -> None:
    exact = write(tmp_path / "exact.idx", compression="zip")
    assert esker_command("convert", exact, tmp_path / "copy.nc").returncode == 0
    assert esker.open(tmp_path / "copy.nc")["a"].errors() is None
    assert "prior_errors" not in esker.open(tmp_path / "copy.nc")["a"].attrs
