"""netCDF4, h5py and xarray read compressed NetCDF-4 files of Esker; those of zfp and zstd with hdf5plugin."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
import xarray

import esker

Z, Y, X = 30, 40, 50
GRID = np.meshgrid(np.arange(Z), np.arange(Y), np.arange(X), indexing="ij")
SMOOTH = (300 * np.sin(0.11 * GRID[2]) * np.cos(0.07 * GRID[1]) + GRID[0]).astype("f8")
COUNTS = (GRID[0] + 2 * GRID[1]).astype("i4")
BED = SMOOTH[0].astype("f4")
ZFP, ZSTD = 32013, 32015
Command = Callable[..., subprocess.CompletedProcess[str]]


def write_run(path: Path, compression: str = "none", steps: int = 3, first: int = 0, **options: object) -> Path:
    """Integers are compressed without loss. Steps from `first` on are appended."""
    lossless = "zip" if compression.startswith(("bitround", "zfp-accuracy", "zfp-precision")) else compression
    options = {"chunks": "50,40,8", "report": "none", **options}
    if first:
        writer = esker.Writer.append(path, **options)
        smooth, counts = (writer.field(name) for name in ("smooth", "counts"))
    else:
        writer = esker.Writer(path, dims={"x": X, "y": Y, "z": Z}, format="netcdf4", **options)
        smooth = writer.field("smooth", "f8", compression=compression, units="K")
        counts = writer.field("counts", "i4", compression=lossless)
        bed = writer.field("bed", "f4", grid=writer.grid("xy", ("x", "y")), fixed=True, compression=compression)
    with writer:
        for number in range(first, steps):
            with writer.step(time=10.0 * number) as step:
                step.put(smooth, SMOOTH + number)
                step.put(counts, COUNTS + number)
                if number == 0:
                    step.put(bed, BED)
    return path


def filters_of(path: Path, name: str) -> dict[str, tuple[int, ...]]:
    with h5py.File(path) as file:
        return file[name]._filters


@pytest.mark.parametrize("compression", ["zip", "zip-Z_BEST_SPEED", "zip-Z_BEST_COMPRESSION"])
def test_deflated_files_are_read_by_all(tmp_path: Path, compression: str) -> None:
    path = write_run(tmp_path / "run.nc", compression)
    raw = write_run(tmp_path / "raw.nc")
    assert path.stat().st_size < 0.8 * raw.stat().st_size
    level = {"zip": 6, "zip-Z_BEST_SPEED": 1, "zip-Z_BEST_COMPRESSION": 9}[compression]
    with netCDF4.Dataset(path) as file:
        for name in ("smooth", "counts", "bed"):
            found = file[name].filters()
            assert (found["zlib"], found["shuffle"], found["complevel"]) == (True, True, level)
        np.testing.assert_array_equal(file["smooth"][2], SMOOTH + 2)
        np.testing.assert_array_equal(file["bed"][:], BED)
    with h5py.File(path) as file:
        assert file["smooth"].compression == "gzip" and file["smooth"].shuffle
        assert file["smooth"].chunks == (1, 8, Y, X)
        np.testing.assert_array_equal(file["counts"][1], COUNTS + 1)
    with xarray.open_dataset(path, engine="netcdf4") as data:
        np.testing.assert_array_equal(data["smooth"][0], SMOOTH)
    dataset = esker.open(path)
    np.testing.assert_array_equal(dataset["smooth"].read(step=1), SMOOTH + 1)
    np.testing.assert_array_equal(dataset["counts"].read(box=((3, 4, 5), (20, 30, 9))), (COUNTS + 2)[5:9, 4:30, 3:20])
    assert esker.verify(path).good


def test_bits_are_rounded_as_netcdf_says(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.nc", "bitround=9")
    zipped = write_run(tmp_path / "zip.nc", "zip")
    assert path.stat().st_size < 0.7 * zipped.stat().st_size
    with netCDF4.Dataset(path) as file:
        assert file["smooth"].quantization() == (9, "BitRound")
        assert file["smooth"].filters()["zlib"]
        found = file["smooth"][1]
        assert "_QuantizeBitRoundNumberOfSignificantBits" not in file["counts"].ncattrs()
    error = np.abs(found - (SMOOTH + 1))
    assert 0 < error.max() and np.all(error <= np.abs(SMOOTH + 1) * 2.0**-10)
    assert np.all(found.view("u8") & ((1 << 43) - 1) == 0)


def test_netcdf_rounds_to_the_same_values(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.nc", "bitround=7", steps=1)
    with netCDF4.Dataset(tmp_path / "theirs.nc", "w") as file:
        for name, size in (("z", Z), ("y", Y), ("x", X)):
            file.createDimension(name, size)
        options = {"zlib": True, "significant_digits": 7, "quantize_mode": "BitRound"}
        file.createVariable("smooth", "f8", ("z", "y", "x"), **options)[:] = SMOOTH
    with netCDF4.Dataset(tmp_path / "theirs.nc") as theirs, netCDF4.Dataset(path) as ours:
        np.testing.assert_array_equal(theirs["smooth"][:], ours["smooth"][0])


READ_BY_PLUGIN = """
import sys, h5py, hdf5plugin, numpy as np
with h5py.File(sys.argv[1]) as file:
    np.savez(sys.argv[2], smooth=file["smooth"][...], counts=file["counts"][...], bed=file["bed"][...])
    print(file.attrs["esker_filters"].tobytes().decode() if hasattr(file.attrs["esker_filters"], "tobytes")
          else file.attrs["esker_filters"])
"""


@pytest.mark.parametrize(
    ("compression", "filter_id", "bound"),
    [
        ("zfp-reversible", ZFP, 0.0),
        ("zfp-accuracy=1e-3", ZFP, 1e-3),
        ("zfp-precision=24", ZFP, 1e-2),
        ("zstd", ZSTD, 0.0),
    ],
)
def test_named_filters_are_read_by_hdf5plugin(
    tmp_path: Path, compression: str, filter_id: int, bound: float
) -> None:
    path = write_run(tmp_path / "run.nc", compression, steps=2)
    assert str(filter_id) in filters_of(path, "smooth")
    values = tmp_path / "values.npz"
    done = subprocess.run(
        [sys.executable, "-c", READ_BY_PLUGIN, path, values], capture_output=True, text=True, check=True
    )
    assert str(filter_id) in done.stdout
    dataset = esker.open(path)
    with np.load(values) as found:
        for number in range(2):
            assert np.abs(found["smooth"][number] - (SMOOTH + number)).max() <= bound
            np.testing.assert_array_equal(dataset["smooth"].read(step=number), found["smooth"][number])
            np.testing.assert_array_equal(found["counts"][number], COUNTS + number)
        assert np.abs(found["bed"] - BED).max() <= bound
    assert esker.verify(path).good


WRITE_BY_PLUGIN = """
import sys, h5py, hdf5plugin, numpy as np
values = np.load(sys.argv[2])
with h5py.File(sys.argv[1], "w") as file:
    for name, options in {"rate": hdf5plugin.Zfp(rate=16), "exact": hdf5plugin.Zfp(reversible=True),
                          "zstd": hdf5plugin.Zstd(clevel=5)}.items():
        file.create_dataset(name, data=values, chunks=(10, 40, 25), **options)
    np.save(sys.argv[3], file["rate"][...])
"""


def test_files_of_hdf5plugin_are_read(tmp_path: Path) -> None:
    path, values, rate = tmp_path / "theirs.h5", tmp_path / "values.npy", tmp_path / "rate.npy"
    np.save(values, SMOOTH)
    subprocess.run([sys.executable, "-c", WRITE_BY_PLUGIN, path, values, rate], check=True)
    dataset = esker.open(path)
    np.testing.assert_array_equal(dataset["exact"].read(), SMOOTH)
    np.testing.assert_array_equal(dataset["zstd"].read(), SMOOTH)
    np.testing.assert_array_equal(dataset["rate"].read(), np.load(rate))


@pytest.mark.parametrize("compression", ["zip", "bitround=9", "zstd", "zfp-accuracy=1e-3"])
def test_appended_and_rewound_runs_give_the_file_of_one_run(
    tmp_path: Path, compression: str, esker_command: Command
) -> None:
    expected = write_run(tmp_path / "whole.nc", compression, steps=4).read_bytes()
    path = write_run(tmp_path / "run.nc", compression, steps=2)
    write_run(path, compression, first=2, steps=4)
    assert path.read_bytes() == expected
    assert esker_command("repair", path, "--to-time", 10).returncode == 0
    assert path.read_bytes() == write_run(tmp_path / "two.nc", compression, steps=2).read_bytes()
    write_run(path, compression, first=2, steps=4)
    assert path.read_bytes() == expected


def test_values_that_are_not_finite_and_noise_are_kept(tmp_path: Path) -> None:
    noise = np.random.default_rng(3).integers(0, 2**63, (Z, Y, X)).view("f8")
    special = SMOOTH.copy()
    special[3, 4, 5], special[6, 7, 8], special[9, 10, 11] = np.nan, np.inf, 9.969209968386869e36
    for compression in ("zip", "bitround=12", "zfp-accuracy=1e-3"):
        path = tmp_path / f"{compression}.nc"
        options = {"compression": compression, "format": "netcdf4", "report": "none"}
        with esker.Writer(path, dims={"x": X, "y": Y, "z": Z}, **options) as writer:
            fields = [writer.field(name, "f8") for name in ("noise", "special")]
            with writer.step(time=0.0) as step:
                step.put(fields[0], noise)
                step.put(fields[1], special)
        dataset = esker.open(path)
        if compression == "zip":
            np.testing.assert_array_equal(dataset["noise"].read().view("u8"), noise.view("u8"))
        found = dataset["special"].read()
        for at in ((3, 4, 5), (6, 7, 8), (9, 10, 11)):
            assert np.array_equal(found[at], special[at], equal_nan=True), compression


def test_convert_and_diff(tmp_path: Path, esker_command: Command) -> None:
    path = write_run(tmp_path / "run.nc", "zip")
    assert esker_command("convert", path, tmp_path / "copy.idx").returncode == 0
    assert esker_command("diff", path, tmp_path / "copy.idx").returncode == 0
    done = esker_command("info", "--json", path)
    assert done.returncode == 0 and json.loads(done.stdout)


@pytest.mark.parametrize(
    ("format", "compression", "words"),
    [
        ("netcdf4", "lz4", "field 't': compression lz4: NetCDF-4 files do not have it; expected none, zip, zfp-reversible"),
        ("netcdf4", "bitround=30", "field 't': bitround: 30 bits of float32, expected 1 to 23"),
        ("cdf5", "zip", "field 't': compression zip: CDF files cannot be compressed"),
        ("idx", "zstd", "compression zstd: only NetCDF-4 and Zarr files have it"),
        ("idx", "bitround=5", "compression bitround=5: only NetCDF-4 and Zarr files have it"),
    ],
)
def test_errors_come_before_a_byte_is_written(tmp_path: Path, format: str, compression: str, words: str) -> None:
    path = tmp_path / ("run.idx" if format == "idx" else "run.nc")
    with pytest.raises((ValueError, RuntimeError, NotImplementedError), match=words.replace("(", "\\(")):
        with esker.Writer(path, dims={"x": X, "y": Y}, format=format, compression=compression) as writer:
            field = writer.field("t", "f4")
            with writer.step(time=0.0) as step:
                step.put(field, BED)
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == []
