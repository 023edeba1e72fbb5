"""NetCDF-4 datasets with one file per partition: netCDF4, xarray, h5py and ncdump read them as one file."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from conftest import run_program

RNG = np.random.default_rng(3)
TEMP = RNG.random((2, 6, 11, 17)).astype("f4")
VEL = RNG.random((2, 6, 11, 17, 3)).astype("f4")
THK = RNG.random((2, 11, 17))
LATS = np.linspace(-80, -70, 11).astype("f4")


def write_run(path: Path, parts: int, **options: Any) -> None:
    if parts:
        options |= {"partitions": parts, "partition_index": "local"}
    with esker.Writer(path, dims={"x": 17, "y": 11, "z": 6}, format="netcdf4", report="none", **options) as writer:
        volume = writer.grid("xyz", ("x", "y", "z"), coords={"y": LATS})
        temp = writer.field("temp", "f4", grid=volume, units="K")
        vel = writer.field("vel", "f4", grid=volume, components=3)
        base = writer.field("base", "f4", grid=volume, fixed=True)
        thk = writer.field("thk", "f8", grid=writer.grid("xy", ("x", "y")))
        for number in range(2):
            with writer.step(time=10.0 * number) as step:
                step.put(temp, TEMP[number])
                step.put(vel, VEL[number])
                step.put(thk, THK[number])
                if number == 0:
                    step.put(base, TEMP[1] * 2)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parts") / "out" / "run.nc"
    write_run(path, 4)
    assert sorted(p.name for p in path.parent.rglob("*.nc")) == [*(f"part_000{n}.nc" for n in range(5)), "run.nc"]
    return path


def expect_all(path: Path) -> None:
    data = esker.open(path)
    assert data.steps == [0.0, 10.0]
    for number in range(2):
        np.testing.assert_array_equal(data["temp"].read(step=number), TEMP[number])
        np.testing.assert_array_equal(data["vel"].read(step=number), VEL[number])
        np.testing.assert_array_equal(data["thk"].read(step=number), THK[number])
    np.testing.assert_array_equal(data["base"].read(), TEMP[1] * 2)
    assert data["temp"].attrs["units"] == "K"


def test_esker_reads_boxes_levels_and_strides(run: Path, tmp_path: Path) -> None:
    expect_all(run)
    data = esker.open(run)
    box = ((3, 2, 1), (15, 10, 6))
    np.testing.assert_array_equal(data["temp"].read(step=1, box=box), TEMP[1, 1:6, 2:10, 3:15])
    np.testing.assert_array_equal(data["temp"].read(step=1, stride=(4, 2, 2)), TEMP[1, ::2, ::2, ::4])
    write_run(tmp_path / "one.nc", 0)
    one = esker.open(tmp_path / "one.nc")
    assert data.attrs == one.attrs
    for level in range(0, 9, 2):
        np.testing.assert_array_equal(data["vel"].read(step=0, level=level), one["vel"].read(step=0, level=level))
    assert esker.verify(run).good


def test_netcdf4_shows_what_one_file_shows(run: Path, tmp_path: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    write_run(tmp_path / "one.nc", 0)
    with netcdf4.Dataset(run) as parted, netcdf4.Dataset(tmp_path / "one.nc") as one:
        assert list(parted.variables) == list(one.variables)
        lengths = [{n: (len(d), d.isunlimited()) for n, d in file.dimensions.items()} for file in (parted, one)]
        assert lengths[0] == lengths[1]
        for name in one.variables:
            assert parted[name].dimensions == one[name].dimensions
            assert parted[name].__dict__ == one[name].__dict__
            np.testing.assert_array_equal(parted[name][:], one[name][:])


def test_each_part_opens_alone(run: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    samples = 0
    for number in range(4):
        with netcdf4.Dataset(run.with_name("run.nc.parts") / f"part_000{number}.nc") as part:
            assert part["temp"].dimensions == ("time", "z", "y", "x")
            assert set(part["y"][:]) <= set(LATS)
            samples += part["temp"][0].size
    assert samples == TEMP[0].size


@pytest.mark.parametrize("moved", [False, True])
def test_it_opens_from_another_directory_and_after_a_move(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    if moved:
        run = Path(shutil.copytree(run.parent, tmp_path / "elsewhere")) / "run.nc"
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    for path in (run, Path(os.path.relpath(run))):
        with netcdf4.Dataset(path) as file:
            np.testing.assert_array_equal(file["vel"][:], VEL)
        with h5py.File(path) as file:
            assert file["temp"].is_virtual and file["temp"].maxshape == (None, 6, 11, 17)
            np.testing.assert_array_equal(file["temp"][:], TEMP)
        with xarray.open_dataset(path, engine="netcdf4") as data:
            np.testing.assert_array_equal(data["temp"].sel(time=10.0), TEMP[1])
            np.testing.assert_array_equal(data["thk"], THK)
        if shutil.which("ncdump"):
            shown = subprocess.run(["ncdump", "-v", "temp", path], capture_output=True, text=True, check=True).stdout
            last = shown.rstrip("}\n ;").rsplit(",", 1)[1]
            assert float(last) == pytest.approx(TEMP[1, -1, -1, -1])
            assert "_" not in shown.split("data:")[1]
        expect_all(path)


def test_a_missing_part_is_refused(run: Path, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    copy = Path(shutil.copytree(run.parent, tmp_path / "copy")) / "run.nc"
    part = copy.with_name("run.nc.parts") / "part_0002.nc"
    part.unlink()
    with h5py.File(copy) as file:
        assert (file["temp"][:] > 9e36).any(), "HDF5 shows fill values"
    with pytest.raises(OSError, match=r"part 2 of 5 is missing: .*part_0002\.nc"):
        esker.open(copy)
    shutil.copy(part.with_name("part_0001.nc"), part)
    with pytest.raises(OSError, match=r"part_0002\.nc: not part 2 of 5 of this dataset"):
        esker.open(copy)


def test_a_renamed_virtual_file_and_links_find_the_parts(run: Path, tmp_path: Path) -> None:
    renamed = Path(shutil.copytree(run.parent, tmp_path / "copy")) / "run.nc"
    renamed = renamed.rename(renamed.with_name("other.nc"))
    expect_all(renamed)
    (tmp_path / "link.nc").symlink_to("copy/other.nc")
    expect_all(tmp_path / "link.nc")
    with esker.Writer.append(tmp_path / "link.nc", report="none") as writer, writer.step(time=20.0) as step:
        step.put("temp", TEMP[0])
        step.put("vel", VEL[0])
        step.put("thk", THK[0])
    assert (tmp_path / "link.nc").is_symlink()
    assert esker.open(renamed).steps == [0.0, 10.0, 20.0]
    assert not list(tmp_path.glob("*.parts"))


def test_a_copy_with_all_values_is_one_file(run: Path, tmp_path: Path) -> None:
    if shutil.which("nccopy") is None:
        pytest.skip("nccopy is not installed")
    subprocess.run(["nccopy", run, tmp_path / "one.nc"], check=True)
    expect_all(tmp_path / "one.nc")
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    foreign = Path(shutil.copytree(run.parent, tmp_path / "foreign")) / "run.nc"
    with h5py.File(foreign, "a") as file:
        del file.attrs["esker_schema"]
    assert any("temp" in text and "other files" in text for text in esker.open(foreign).warnings)


@pytest.mark.parametrize("compression", ["zip", "zstd", "bitround=7"])
def test_compressed_parts(tmp_path: Path, compression: str) -> None:
    write_run(tmp_path / "run.nc", 3, compression=compression)
    write_run(tmp_path / "one.nc", 0, compression=compression)
    parted, one = esker.open(tmp_path / "run.nc"), esker.open(tmp_path / "one.nc")
    for name in ("temp", "vel", "base", "thk"):
        np.testing.assert_array_equal(parted[name].read(), one[name].read())
    if compression != "zstd":
        netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
        with netcdf4.Dataset(tmp_path / "run.nc") as file:
            np.testing.assert_array_equal(file["vel"][1], one["vel"].read(step=1))


PROGRAM = """
import sys
import numpy as np
from mpi4py import MPI
import esker
comm = MPI.COMM_WORLD
z, y, x = np.mgrid[0:6, 0:20, 0:32]
values = (x + 100.0 * y + 10000.0 * z).astype("f4")
lo, hi = 16 * comm.rank, 16 * comm.rank + 16
for index, parts in ("global", 0), ("local", 3):
    options = {"partitions": parts, "partition_index": index} if parts else {}
    with esker.Writer(f"{sys.argv[1]}/{index}.nc", comm=comm, dims={"x": 32, "y": 20, "z": 6}, format="netcdf4",
                      **options) as writer:
        field = writer.field("thk", "f4")
        for step in range(2):
            with writer.step(time=float(step)) as s:
                s.put(field, np.ascontiguousarray(values[:, :, lo:hi]) + step, offset=(lo, 0, 0))
for aggregate in "true", "false":
    reader = esker.Reader(f"{sys.argv[1]}/local.nc", comm=comm, aggregate_reads=aggregate)
    for level in None, 7:
        box = ((lo, 3, 1), (hi, 17, 5))
        found = reader.read({"thk": box}, step=1, level=level)["thk"]
        expected = esker.open(f"{sys.argv[1]}/global.nc")["thk"].read(step=1, level=level, box=box)
        np.testing.assert_array_equal(found, expected)
"""


def test_parallel_runs_and_reads(tmp_path: Path) -> None:
    run_program(PROGRAM, 2, tmp_path)
    parted, one = esker.open(tmp_path / "local.nc"), esker.open(tmp_path / "global.nc")
    np.testing.assert_array_equal(parted["thk"].read(step=1), one["thk"].read(step=1))
