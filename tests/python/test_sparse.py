"""Sparse steps: what is kept, how it is read, and that other programs open it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import esker
import numpy as np
import OpenVisus
import pytest
import xarray as xr

SHAPE = 20, 33, 50  # z, y, x


def samples() -> np.ndarray:
    """A linear field."""
    z, y, x = np.meshgrid(*(np.linspace(0, 1, n) for n in SHAPE), indexing="ij")
    return 3 * x + 2 * y - z


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A coarse step with a fine sheet, and a step that is stored completely."""
    made = tmp_path_factory.mktemp("sparse") / "run.idx"
    with esker.Writer(made, dims={"x": 50, "y": 33, "z": 20}, bits_per_block=9) as writer:
        field = writer.field("T", "f8")
        for time in 0.0, 1.0:
            with writer.step(time) as step:
                step.put(field, samples())
                if time == 0.0:
                    step.keep(level=-6)
                    step.keep(field, values=(field, 1.0, 1.4), dilate=1)
    return made


def test_stored_samples(path: Path) -> None:
    field = esker.open(path)["T"]
    stored = field.stored(0)
    assert field.is_sparse(0) and 0 < stored.efficiency < 1
    mask = field.read(0, masked=True).mask
    assert stored.primary + stored.secondary == (~mask).sum()
    in_range = (samples() >= 1.0) & (samples() <= 1.4)
    assert not mask[in_range].any()
    whole, part = field.stored(1), field.dataset.parts[0]
    assert not field.is_sparse(1) and whole.efficiency == 1
    assert whole.primary == samples().size and whole.blocks == part.num_blocks > stored.blocks
    assert whole.primary + whole.padding == whole.blocks << part.bits_per_block


@pytest.mark.parametrize("name", ["run.nc", "run.nc4"])
def test_without_blocks_all_samples_are_stored(tmp_path: Path, name: str) -> None:
    esker.write(tmp_path / name, {"T": samples()}, format="cdf5" if name == "run.nc" else "netcdf4")
    field = esker.open(tmp_path / name)["T"]
    assert field.stored() == (samples().size, 0, 0, 0) and not field.is_sparse()


def test_missing_samples(path: Path) -> None:
    field, expected = esker.open(path)["T"], samples()
    mask = field.read(0, masked=True).mask
    nearest, linear = field.read(0), field.read(0, missing="linear")
    assert (nearest[~mask] == expected[~mask]).all()
    assert np.abs(linear - expected).max() < 1e-12
    assert np.isnan(field.read(0, missing="nan")[mask]).all()
    assert (field.read(0, missing="fill")[mask] == 0).all()
    for box in ((7, 3, 2), (8, 4, 3)), ((31, 5, 6), (50, 33, 20)):
        part = tuple(slice(low, high) for low, high in zip(*(corner[::-1] for corner in box)))
        for missing in None, "nearest", "linear":
            whole = linear if missing == "linear" else nearest
            assert (field.read(0, box, missing=missing) == whole[part]).all()
    assert (field.read(0, stride=(5, 3, 2)) == nearest[::2, ::3, ::5]).all()


def test_level_map(path: Path) -> None:
    field = esker.open(path)["T"]
    levels = field.levels(0)
    mask = field.read(0, masked=True).mask
    assert levels.shape == SHAPE and levels.max() == field.max_level and levels.min() >= field.max_level - 6
    assert not mask[levels == field.max_level].any()
    assert (field.levels(1) == field.max_level).all()


def test_openvisus_reads_what_is_stored(path: Path) -> None:
    mask = esker.open(path)["T"].read(0, masked=True).mask
    read = OpenVisus.LoadDataset(str(path)).read(time=0)
    assert (read[~mask] == samples()[~mask]).all()
    assert (read[mask] == 0).all()


def test_coordinate_of_xarray(path: Path) -> None:
    dataset = xr.open_dataset(path, engine="esker", stored_levels=True)
    found = dataset["T"].coords["T_stored_level"]
    field = esker.open(path)["T"]
    assert (found.isel(time=0).values == field.levels(0)).all()
    assert (found.isel(x=slice(3, 9), z=2).values[0] == field.levels(0)[2, :, 3:9]).all()
    coarse = xr.open_dataset(path, engine="esker", level=12, stored_levels=True)
    assert (coarse["T_stored_level"].values[0] == field.levels(0, level=12)).all()
    assert "T_stored_level" not in xr.open_dataset(path, engine="esker").coords


def test_command_line(path: Path, tmp_path: Path) -> None:
    facts = json.loads(subprocess.run(["esker", "info", "--json", path], check=True, capture_output=True).stdout)
    assert facts["fields"][0]["stored"] is None  # of the last step
    picture = tmp_path / "levels.png"
    subprocess.run(["esker", "plot", path, "T", "--step", "0", "--levels", "-o", picture], check=True)
    assert picture.stat().st_size > 1000
    assert subprocess.run(["esker", "verify", path], capture_output=True).returncode == 0


def test_info_names_places_without_levels(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.idx", dims={"x": 8, "y": 8}, bits_per_block=2) as writer:
        field = writer.field("f", "f4")
        with writer.step(0.0) as step:
            step.put(field, np.ones((8, 8), np.float32))
            step.keep(boxes=[((5, 5), (6, 6))])  # one block of the finest level
    assert (esker.open(tmp_path / "run.idx")["f"].levels() == -1).all()
    shown = subprocess.run(["esker", "info", tmp_path / "run.idx"], check=True, capture_output=True, text=True)
    assert "none: 100 %" in shown.stdout and "-1:" not in shown.stdout


def test_levels_of_samples(tmp_path: Path) -> None:
    levels = np.full((32, 32), -128, np.int8)
    levels[:16, :16] = 0
    with esker.Writer(tmp_path / "run.idx", dims={"x": 32, "y": 32}, bits_per_block=4) as writer:
        field = writer.field("f", "f4")
        with writer.step(0.0) as step:
            step.put(field, np.ones((32, 32), np.float32))
            step.keep(levels=levels)
    mask = esker.open(tmp_path / "run.idx")["f"].read(masked=True).mask
    assert not mask[:16, :16].any()
    assert mask.any()


@pytest.mark.parametrize(
    ("error", "text", "rule"),
    [
        (ValueError, "one of boxes", {"boxes": [], "levels": np.zeros((8, 8), np.int8)}),
        (TypeError, "expected no level", {"level": -3, "levels": np.zeros((8, 8), np.int8)}),
        (IndexError, "level 1", {"level": 1}),
        (IndexError, "exceeds the grid", {"levels": np.zeros((9, 8), np.int8)}),
        (ValueError, "expected int8", {"levels": np.zeros((8, 8), np.int16)}),
        (ValueError, "low <= high", {"values": ("f", 2, 1)}),
    ],
)
def test_wrong_rules(tmp_path: Path, error: type[Exception], text: str, rule: dict) -> None:
    error = TypeError if text == "one of boxes" else error
    with esker.Writer(tmp_path / "run.idx", dims={"x": 8, "y": 8}) as writer:
        writer.field("f", "f4")
        with pytest.raises((error, ValueError), match=text), writer.step(0.0) as step:
            step.put("f", np.ones((8, 8), np.float32))
            step.keep(**rule)


def test_other_formats_store_fields_completely(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.nc", dims={"x": 8, "y": 8}) as writer:
        writer.field("f", "f4")
        with pytest.raises(NotImplementedError, match="stores fields completely"), writer.step(0.0) as step:
            step.put("f", np.ones((8, 8), np.float32))
            step.keep(level=-1)


def test_partial_steps_have_fill_values(tmp_path: Path) -> None:
    for name in "run.idx", "run.nc":
        with esker.Writer(tmp_path / name, dims={"x": 8, "y": 8}, partial=True) as writer:
            writer.field("f", "f4", _FillValue=np.float32(-3))
            with writer.step(0.0) as step:
                step.put("f", np.ones((4, 8), np.float32))
        read = esker.open(tmp_path / name)["f"].read()
        assert (read[:4] == 1).all() and (read[4:] == -3).all()


@pytest.mark.parametrize("drop_nan", [False, True])
def test_nan_is_kept_at_the_finest_level_or_dropped(tmp_path: Path, drop_nan: bool) -> None:
    values = np.zeros((32, 32))
    values[16:24, 8:16] = np.nan
    values[0:8, 24:32] = 7
    path = tmp_path / "run.idx"
    with esker.Writer(path, dims={"x": 32, "y": 32}, bits_per_block=2) as w:
        t = w.field("t", "f8")
        with w.step(0.0) as s:
            s.put(t, values)
            s.keep(t, level=-6)
            s.keep(t, level=-2, values=(t, 6, 8), drop_nan=drop_nan)
    field = esker.open(path)["t"]
    levels = field.levels()
    assert levels[4, 28] == field.max_level - 2
    assert levels[20, 12] == field.max_level - (6 if drop_nan else 0)
    assert np.isnan(field.read()[21, 13])
