"""Levels of Zarr as means (level_values=mean), compared with NumPy: missing values, integers, coordinates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

zarr = pytest.importorskip("zarr", reason="zarr-python reads the groups")
pytestmark = pytest.mark.filterwarnings("error")

RNG = np.random.default_rng(49)
HOW: dict[str, Any] = {"report": "none", "format": "zarr", "level_values": "mean"}


def means(samples: np.ndarray, level: int, missing: tuple[Any, ...] = (), axes: int | None = None) -> np.ndarray:
    """The means of the cells of a level, from all samples; those of integers as exact fractions of sum and count."""
    axes = samples.ndim if axes is None else axes
    is_real = samples.dtype.kind == "f"
    valid = ~np.isnan(samples) if is_real else np.ones(samples.shape, bool)
    for value in missing:
        valid &= samples != value
    sums = np.where(valid, samples, 0).astype("f8" if is_real else object)
    counts = valid.astype("i8")
    for axis in range(axes):
        starts = np.arange(0, samples.shape[axis], 2**level)
        sums, counts = np.add.reduceat(sums, starts, axis), np.add.reduceat(counts, starts, axis)
    if is_real:
        empty = missing[0] if missing else np.nan
        return np.where(counts > 0, sums / np.maximum(counts, 1), empty).astype(samples.dtype)
    result = np.empty(sums.shape, samples.dtype)
    for at in np.ndindex(sums.shape):
        result[at] = rounded(int(sums[at]), int(counts[at])) if counts[at] else missing[0]
    return result


def rounded(total: int, count: int) -> int:
    """To the nearest integer, of two such to the even one."""
    mean, rest = divmod(total, count)
    return mean + (2 * rest > count or (2 * rest == count and mean % 2))


def expect_means(path: Path, name: str, samples: np.ndarray, levels: int, **how: Any) -> None:
    group = zarr.open_group(path, mode="r")
    for level in range(levels + 1):
        found = group[f"{level}/{name}"][0]
        expected = means(samples, level, **how) if level else samples
        assert found.dtype == expected.dtype
        if samples.dtype.kind == "f":
            rtol = 1e-12 if samples.dtype.itemsize == 8 else 1e-6
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.nanmax(np.abs(samples)))
        else:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(1,), (37,), (20, 31), (5, 20, 31), (8, 16, 32), (1, 1, 9), (7, 3, 2)], ids=str)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_reals(tmp_path: Path, shape: tuple[int, ...], dtype: str) -> None:
    samples = (RNG.normal(size=shape) * 10.0 ** RNG.integers(-3, 4, shape)).astype(dtype)
    esker.write(tmp_path / "run.zarr", {"v": samples}, levels=4, **HOW)
    expect_means(tmp_path / "run.zarr", "v", samples, 4)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers(tmp_path: Path, dtype: str) -> None:
    ends = np.iinfo(dtype)
    samples = RNG.integers(ends.min, ends.max, (5, 9, 14), dtype=dtype, endpoint=True)
    samples[:2] = ends.max
    esker.write(tmp_path / "run.zarr", {"v": samples}, levels=3, **HOW)
    expect_means(tmp_path / "run.zarr", "v", samples, 3)
    few = RNG.integers(0, 4, (13, 14)).astype(dtype)
    esker.write(tmp_path / "few.zarr", {"v": few}, levels=3, attrs={"v": {"_FillValue": few.dtype.type(3)}}, **HOW)
    expect_means(tmp_path / "few.zarr", "v", few, 3, missing=(3,))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "attrs",
    [{}, {"_FillValue": -999.0}, {"missing_value": 1e20}, {"_FillValue": -999.0, "missing_value": 1e20}],
    ids=str,
)
def test_missing_values(tmp_path: Path, dtype: str, attrs: dict[str, float]) -> None:
    samples = RNG.random((9, 20, 31)).astype(dtype)
    of = {name: np.dtype(dtype).type(value) for name, value in attrs.items()}
    for value in (np.nan, *of.values()):
        samples[RNG.random(samples.shape) < 0.3] = value
        samples[:5, 6:13, :9] = value
    esker.write(tmp_path / "run.zarr", {"v": samples}, levels=3, attrs={"v": of}, **HOW)
    expect_means(tmp_path / "run.zarr", "v", samples, 3, missing=tuple(of.values()))
    coarse = zarr.open_group(tmp_path / "run.zarr", mode="r")["2/v"][0]
    assert np.isnan(coarse).any() == (not attrs)


def write_run(path: Path, steps: int, **options: Any) -> None:
    with esker.Writer(
        path, dims={"x": 11, "y": 7}, coords={"x": np.arange(11.0)}, **{**HOW, "levels": 2, **options}
    ) as w:
        w.field("vel", "f4", components=3)
        w.field("topg", "f8", fixed=True)
        w.field("count", "i2", every=2)
        for number in range(steps):
            put_step(w, number)


VEL, TOPG, COUNT = RNG.random((7, 11, 3)).astype("f4"), RNG.random((7, 11)), RNG.integers(0, 99, (7, 11)).astype("i2")


def put_step(w: esker.Writer, number: int) -> None:
    with w.step(time=float(number)) as step:
        step.put("vel", VEL + np.float32(number))
        if number == 0:
            step.put("topg", TOPG)
        if number % 2 == 0:
            step.put("count", COUNT + np.int16(number))


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_vectors_fixed_fields_and_cadence(tmp_path: Path) -> None:
    write_run(tmp_path / "run.zarr", 3)
    group = zarr.open_group(tmp_path / "run.zarr", mode="r")
    for level in (1, 2):
        for number in range(3):
            expected = means(VEL + np.float32(number), level, axes=2)
            np.testing.assert_allclose(group[f"{level}/vel"][number], expected, rtol=1e-6)
        np.testing.assert_allclose(group[f"{level}/topg"], means(TOPG, level), rtol=1e-12)
        np.testing.assert_array_equal(group[f"{level}/count"][2], means(COUNT + np.int16(2), level))


@pytest.mark.parametrize(
    "options", [{"async": True}, {"compression": "zstd"}, {"tune": "auto", "tune_cache": False}], ids=str
)
def test_other_ways_to_store(tmp_path: Path, options: dict[str, Any]) -> None:
    write_run(tmp_path / "a.zarr", 3, **options)
    write_run(tmp_path / "b.zarr", 3, **{name: value for name, value in options.items() if name == "compression"})
    assert files_below(tmp_path / "a.zarr") == files_below(tmp_path / "b.zarr")


@pytest.mark.parametrize("format", ["zarr+idx", "cdf5+zarr", "netcdf4+zarr"])
def test_two_formats(tmp_path: Path, format: str) -> None:
    write_run(tmp_path / "run", 3, format=format)
    write_run(tmp_path / "alone.zarr", 3)
    found, expected = files_below(tmp_path / "run.zarr"), files_below(tmp_path / "alone.zarr")
    if format != "zarr+idx":  # the group names the other half
        assert found.pop("zarr.json") != expected.pop("zarr.json")
    assert found == expected
    other = {"zarr+idx": "run.idx"}.get(format, "run.nc")
    np.testing.assert_array_equal(esker.open(tmp_path / other)["vel"].read(2), VEL + 2)


def test_append(tmp_path: Path) -> None:
    write_run(tmp_path / "run.zarr", 2)
    with esker.Writer.append(tmp_path / "run.zarr", report="none") as w:
        for number in (2, 3):
            put_step(w, number)
    write_run(tmp_path / "whole.zarr", 4)
    assert files_below(tmp_path / "run.zarr") == files_below(tmp_path / "whole.zarr")


def test_esker_reads_samples_and_a_level_as_its_own_dataset(tmp_path: Path) -> None:
    path = tmp_path / "run.zarr"
    write_run(path, 2)
    field = esker.open(path)["vel"]
    for level in range(field.max_level + 1):
        write_run(tmp_path / "plain.zarr", 2, levels=0, overwrite=True)
        expected = esker.open(tmp_path / "plain.zarr")["vel"].read(1, level=level)
        np.testing.assert_array_equal(field.read(1, level=level), expected)
    of_level = esker.open(path / "1")["vel"].read(1)
    np.testing.assert_allclose(of_level, means(VEL + 1, 1, axes=2), rtol=1e-6)
    assert esker.verify(path).good


def test_the_convention_says_how(tmp_path: Path) -> None:
    write_run(tmp_path / "run.zarr", 1)
    multiscales = zarr.open_group(tmp_path / "run.zarr", mode="r").attrs["multiscales"]
    layout = multiscales["layout"]
    assert multiscales["resampling_method"] == "average"
    assert [one["transform"]["scale"] for one in layout] == [[1, 1, 1], [2, 2, 1], [2, 2, 1]]
    assert [one["transform"]["translation"] for one in layout] == [[0, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]]


def test_coordinates_are_means(tmp_path: Path) -> None:
    xs, ys = (10 * np.arange(7)).astype("i4"), (RNG.random(5) + np.arange(5)).astype("f4")
    esker.write(tmp_path / "run.zarr", {"v": np.zeros((5, 7))}, coords={"x": xs, "y": ys}, levels=2, **HOW)
    group = zarr.open_group(tmp_path / "run.zarr", mode="r")
    assert group["0/x"].dtype == "i4" and group["1/x"].dtype == "f8" and group["1/y"].dtype == "f4"
    assert group["1/x"][:].tolist() == [5, 25, 45, 60] and group["2/x"][:].tolist() == [15, 50]
    np.testing.assert_allclose(group["2/y"][:], [ys[:4].mean(), ys[4]], rtol=1e-6)


def test_without_levels_nothing_changes(tmp_path: Path) -> None:
    for name, values in (("a", "mean"), ("b", "sample")):
        write_run(tmp_path / f"{name}.zarr", 1, levels=0, level_values=values)
    assert files_below(tmp_path / "a.zarr") == files_below(tmp_path / "b.zarr")
    with pytest.raises(ValueError, match="level_values"):
        write_run(tmp_path / "c.zarr", 1, level_values="median")


def test_memory(tmp_path: Path) -> None:
    samples = RNG.random((64, 64, 64))
    report = tmp_path / "report.json"
    with pytest.raises(MemoryError, match="level_values=mean: [0-9]+ bytes are for averages"):
        esker.write(tmp_path / "run.zarr", {"v": samples}, levels=3, memory_budget="300K", **HOW)
    esker.write(tmp_path / "run.zarr", {"v": samples}, levels=3, **{**HOW, "report": str(report)})
    per_rank = json.loads(report.read_text())["per_rank"]["plan_bytes"]
    assert per_rank["max"] > samples.nbytes / 7
