"""Zarr groups with levels: every second sample, every fourth ..., in a group for each level."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker

zarr = pytest.importorskip("zarr", reason="zarr-python reads the groups")
pytestmark = pytest.mark.filterwarnings("error")

RNG = np.random.default_rng(35)
TEMP = RNG.normal(size=(5, 20, 31)).astype("f4")
THK = RNG.random((20, 31))
VEL = RNG.integers(-99, 99, (20, 31, 3)).astype("i2")
XS = np.arange(31.0) * 1000
TIMES = {"units": "days since 2001-01-01"}


def put_step(w: esker.Writer, number: int) -> None:
    with w.step(time=float(number)) as step:
        step.put("temp", TEMP + number)
        step.put("volume", np.full(1, 10.0 * number))
        if number == 0:
            step.put("topg", THK)
        if number % 2 == 0:
            step.put("vel", VEL + np.int16(number))


def write_run(path: Path, steps: int = 3, **options: Any) -> None:
    how = {"report": "none", "format": "zarr", "levels": 2, **options}
    dims, attrs = {"x": 31, "y": 20, "z": 5}, {"title": "a run", "time": TIMES, "x": {"units": "m"}}
    with esker.Writer(path, dims=dims, coords={"x": XS}, attrs=attrs, **how) as w:
        w.field("temp", "f4", units="K")
        xy, none = w.grid("xy", ("x", "y")), w.grid("none", ())
        w.field("topg", "f8", grid=xy, fixed=True)
        w.field("vel", "i2", grid=xy, components=3, every=2, _FillValue=np.int16(-999))
        w.field("volume", "f8", grid=none)
        w.scalar("gravity", 9.81, {"units": "m s-2"})
        for number in range(steps):
            put_step(w, number)


def expect_level(ds: xr.Dataset, level: int, steps: int = 3) -> None:
    some = (slice(None, None, 2**level),) * 3
    for number in range(steps):
        np.testing.assert_array_equal(ds["temp"][number], (TEMP + number)[some])
        vel = (VEL + np.int16(number))[some[:2]] if number % 2 == 0 else np.nan
        np.testing.assert_array_equal(ds["vel"][number], vel * np.ones(ds["vel"].shape[1:]))
    np.testing.assert_array_equal(ds["topg"], THK[some[:2]])
    np.testing.assert_array_equal(ds["x"], XS[some[0]])
    assert ds["temp"].dims == ("time", "z", "y", "x") and ds["temp"].attrs["units"] == "K"
    assert ds["gravity"].item() == 9.81 and ds.attrs["title"] == "a run" and ds.sizes["time"] == steps
    assert ("volume" in ds) == (level == 0)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"compression": "zstd"},
    {"compression": "zip", "chunks": "7,6,2"},
    {"chunks": "3,20,1"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_xarray_reads_each_level(tmp_path: Path, options: dict[str, Any]) -> None:
    write_run(tmp_path / "run.zarr", **options)
    for level in range(3):
        for consolidated in (None, False):
            path = tmp_path / "run.zarr"
            with xr.open_zarr(path, group=str(level), consolidated=consolidated) as ds:
                expect_level(ds, level)
    with xr.open_datatree(tmp_path / "run.zarr", engine="zarr") as tree:
        assert set(tree.children) == {"0", "1", "2"}
        for level in range(3):
            expect_level(tree[str(level)].to_dataset(), level)
    assert esker.verify(tmp_path / "run.zarr").good


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_run(tmp_path / "run.zarr", compression="zstd", chunks="7,6,2")
    return tmp_path / "run.zarr"


def test_zarr_python_finds_the_levels_by_the_convention(path: Path) -> None:
    group = zarr.open_group(path, mode="r")
    (convention,) = group.attrs["zarr_conventions"]
    assert convention["name"] == "multiscales"
    assert convention["uuid"] == "d35379db-88df-4056-af3a-620245f8e347"
    multiscales = group.attrs["multiscales"]
    assert multiscales["resampling_method"] == "nearest"
    levels = multiscales["layout"]
    assert [level["asset"] for level in levels] == ["0", "1", "2"]
    assert [level.get("derived_from") for level in levels] == [None, "0", "1"]
    assert [level["transform"]["scale"] for level in levels] == [[1, 1, 1], [2, 2, 2], [2, 2, 2]]
    for level in levels:
        temp = group[level["asset"]]["temp"]
        between = 2 ** int(level["asset"])
        np.testing.assert_array_equal(temp[1], (TEMP + 1)[::between, ::between, ::between])
    assert {name for name, _ in group.groups()} == {"0", "1", "2"} and not list(group.arrays())


def test_levels_until_no_axis_is_long(tmp_path: Path) -> None:
    values = RNG.random((3, 70, 300)).astype("f4")
    esker.write(tmp_path / "a.zarr", {"v": values}, levels="auto")
    group = zarr.open_group(tmp_path / "a.zarr", mode="r")
    assert [group[f"{k}/v"].shape[1:] for k in range(4)] == [(3, 70, 300), (2, 35, 150), (1, 18, 75), (1, 9, 38)]
    assert "4" not in group
    esker.write(tmp_path / "b.zarr", {"v": values[:, :64, :64]}, levels="auto")
    assert "v" in zarr.open_group(tmp_path / "b.zarr", mode="r")


def test_more_levels_than_the_grid_halves(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.zarr", {"v": np.arange(6.0).reshape(2, 3)}, levels=5)
    group = zarr.open_group(tmp_path / "a.zarr", mode="r")
    assert group["5/v"].shape == (1, 1, 1) and group["5/v"][0, 0, 0] == 0
    assert esker.open(tmp_path / "a.zarr")["v"].read().tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_esker_reads_what_it_reads_without_levels(tmp_path: Path, compression: str) -> None:
    write_run(tmp_path / "a.zarr", compression=compression, chunks="7,6,2")
    write_run(tmp_path / "b.zarr", compression=compression, chunks="7,6,2", levels=0)
    with_levels, without = esker.open(tmp_path / "a.zarr"), esker.open(tmp_path / "b.zarr")
    assert list(with_levels) == list(without) and with_levels.steps == without.steps
    for name in without:
        a, b = with_levels[name], without[name]
        assert dict(a.attrs) == dict(b.attrs) and (a.shape, a.steps) == (b.shape, b.steps)
        for level in range(b.max_level + 1):
            np.testing.assert_array_equal(a.read(0, level=level), b.read(0, level=level))
    box = ((3, 5, 1), (22, 19, 4))
    for level in range(without["temp"].max_level + 1):
        expected = without["temp"].read(1, box=box, level=level)
        np.testing.assert_array_equal(with_levels["temp"].read(1, box=box, level=level), expected)


def test_a_coarse_read_takes_the_coarse_arrays(path: Path) -> None:
    for level in ("0", "1"):
        for file in (path / level / "temp/c").rglob("*"):
            if file.is_file():
                file.unlink()
    field = esker.open(path)["temp"]
    np.testing.assert_array_equal(field.read(1, level=field.max_level - 6), (TEMP + 1)[::4, ::4, ::4])


def test_append_and_rewind(path: Path, tmp_path: Path) -> None:
    with esker.Writer.append(path, report="none") as w:
        w.rewind(0)
        for number in range(1, 5):
            put_step(w, number)
    (tmp_path / "whole").mkdir()
    write_run(tmp_path / "whole/run.zarr", 5, compression="zstd", chunks="7,6,2")
    assert files_below(path) == files_below(tmp_path / "whole/run.zarr")
    with xr.open_zarr(path, group="1") as ds:
        expect_level(ds, 1, 5)


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(("before", "after"), [(0, 2), (2, 0), (3, 1)])
def test_replacing_a_dataset_with_other_levels(tmp_path: Path, before: int, after: int) -> None:
    write_run(tmp_path / "run.zarr", levels=before)
    write_run(tmp_path / "run.zarr", levels=after, overwrite=True)
    write_run(tmp_path / "alone.zarr", levels=after)
    assert files_below(tmp_path / "run.zarr") == files_below(tmp_path / "alone.zarr")


def test_next_to_an_idx_dataset(tmp_path: Path) -> None:
    write_run(tmp_path / "run", format="zarr+idx")
    write_run(tmp_path / "alone.zarr")
    assert files_below(tmp_path / "run.zarr") == files_below(tmp_path / "alone.zarr")
    np.testing.assert_array_equal(esker.open(tmp_path / "run.idx")["temp"].read(2), TEMP + 2)


def test_steps_in_flight(tmp_path: Path) -> None:
    write_run(tmp_path / "a.zarr", **{"async": True})
    write_run(tmp_path / "b.zarr")
    assert files_below(tmp_path / "a.zarr") == files_below(tmp_path / "b.zarr")


def test_the_report_counts_what_was_put(tmp_path: Path) -> None:
    write_run(tmp_path / "run.zarr", report=str(tmp_path / "report.json"))
    report = json.loads((tmp_path / "report.json").read_text())
    put = TEMP.nbytes + 8
    assert report["steps"][1]["data_bytes"] == put
    assert put < report["steps"][1]["stored_bytes"] < 1.5 * put


def test_the_plan_counts_the_levels(tmp_path: Path) -> None:
    values = RNG.random((30, 40, 50)).astype("f4")
    esker.write(tmp_path / "run.zarr", {"v": values}, levels=2, chunks="8,8,8", report=str(tmp_path / "report.json"))
    (step,) = json.loads((tmp_path / "report.json").read_text())["steps"]
    for ranks in (1, 4, 1000):
        facts = esker.plan(ranks, extent=(50, 40, 30), type="f4", format="zarr", levels=2, chunks="8,8,8")
        assert (facts["data_bytes"], facts["stored_bytes"]) == (values.nbytes, step["stored_bytes"])
        assert facts["files"] == 3


def test_info(path: Path, esker_command: Callable[..., Any]) -> None:
    done = esker_command("info", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in ("temp", "topg", "vel", "volume"))


def test_a_link_in_place_of_a_level_is_not_followed(tmp_path: Path) -> None:
    write_run(tmp_path / "run.zarr")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/precious").write_text("mine")
    (tmp_path / "run.zarr/1").rename(tmp_path / "away")
    (tmp_path / "run.zarr/1").symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic link"):
        esker.Writer.append(tmp_path / "run.zarr", report="none")
    write_run(tmp_path / "run.zarr", overwrite=True)
    assert (tmp_path / "other/precious").read_text() == "mine" and len(list((tmp_path / "other").iterdir())) == 1
    assert not (tmp_path / "run.zarr/1").is_symlink() and esker.verify(tmp_path / "run.zarr").good


def test_a_map_of_a_user_is_that_of_the_full_resolution(tmp_path: Path) -> None:
    attrs = {"v": {"spatial:transform": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0], "proj:code": "EPSG:3413", "zarr_conventions": "mine"}}
    esker.write(tmp_path / "run.zarr", {"v": np.zeros((6, 8))}, levels=1, attrs=attrs)
    group = zarr.open_group(tmp_path / "run.zarr", mode="r")
    assert "spatial:transform" in group["0/v"].attrs and "spatial:transform" not in group["1/v"].attrs
    assert dict(esker.open(tmp_path / "run.zarr")["v"].attrs) == attrs["v"]
