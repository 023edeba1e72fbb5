"""Checks of the files that killed runs leave, with Esker, OpenVisus, netCDF4, h5py and h5dump."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np

import esker

NAMES = {"idx": "run.idx", "cdf5": "run.nc", "netcdf4": "run.nc", "hdf5": "run.h5"}
NAMES |= {f"{netcdf}+idx": "run.idx" for netcdf in ("cdf5", "netcdf4")}
NAMES |= {"vtkhdf": "run.vtkhdf.series", "vtkhdf+idx": "run.idx"}
"""The path that a run of a format is given, by format."""


def has_idx(form: str) -> bool:
    return form.endswith("idx")


def netcdf_of(path: Path) -> Path:
    """The NetCDF file next to the .idx if a run writes both formats; otherwise the path."""
    return path.with_suffix(".nc") if path.suffix == ".idx" else path


def has_levels(form: str) -> bool:
    return form.startswith("vtkhdf")


def has_netcdf(form: str) -> bool:
    return form != "idx" and not has_levels(form)


def series_of(path: Path) -> Path:
    """The series of VTKHDF files of a run that is given this path."""
    return path.with_name(path.name.split(".")[0] + ".vtkhdf.series")


def files_below(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def expect_same_files(directory: Path, expected_directory: Path) -> None:
    files, expected = files_below(directory), files_below(expected_directory)
    assert sorted(files) == sorted(expected)
    assert [name for name in files if files[name] != expected[name]] == []


def processes_of(path: Path) -> list[str]:
    """Command lines that name the path."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if str(path).encode() in words:
            found.append(b" ".join(words).decode())
    return found


def expect_killed(done: subprocess.CompletedProcess[str], path: Path) -> None:
    """Expects an end by a signal, without remaining ranks."""
    assert done.returncode != 0, "the run never came to the phase"
    assert "signal 9" in done.stdout + done.stderr
    deadline = time.monotonic() + 10
    while processes_of(path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of(path) == []


def named_in_shared_memory() -> set[str]:
    """Files in the node's shared memory with Esker's names; directories are those of benchmarks."""
    folder = Path("/dev/shm")
    return {str(p) for p in folder.glob("*esker*") if p.is_file()} if folder.is_dir() else set()


def expect_nothing_new_in_shared_memory(before: set[str]) -> None:
    """Tests that run in parallel name files there for a moment; those of a killed run would remain."""
    left = named_in_shared_memory() - before
    deadline = time.monotonic() + 10
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left &= named_in_shared_memory()
    assert left == set()


def expect_same_arrays(ds: esker.Dataset, whole: esker.Dataset) -> None:
    assert ds.steps == whole.steps[: len(ds.steps)]
    for name, field in ds.fields.items():
        for step in range(len(ds.steps)):
            if field.has(step):
                np.testing.assert_array_equal(field.read(step=step), whole[name].read(step=step))


def expect_openvisus_agrees(
    ds: esker.Dataset, whole: esker.Dataset, openvisus: Any, may_be_ahead: bool
) -> None:
    compared = 0
    for part in ds.parts:
        db = openvisus.LoadDataset(part.path)
        lo, hi = part.box
        times = db.getTimesteps()
        assert len(times) == part.num_steps or (may_be_ahead and len(times) == part.num_steps + 1)
        for name in part.fields:
            if name not in db.getFields():  # several columns, because OpenVisus cannot read it as one
                continue
            for step, number in enumerate(times):
                if not whole[name].has(step):
                    continue
                theirs = db.read(logic_box=(list(lo), list(hi)), time=number, field=name)
                ours = whole[name].read(step=step)  # also of a step that is not committed yet
                np.testing.assert_array_equal(ours, theirs.reshape(ours.shape), f"{name} {step}")
                compared += 1
    assert compared >= len(ds.steps)


def expect_netcdf_steps(path: Path, whole_path: Path, n_steps: int) -> None:
    """netCDF4, and for HDF5 files also h5py and h5dump, read these steps of the whole run."""
    with netCDF4.Dataset(path) as file, netCDF4.Dataset(whole_path) as whole:
        for ds in (file, whole):
            ds.set_auto_maskandscale(False)
        assert list(file.variables) == list(whole.variables)
        for name, variable in file.variables.items():
            if "time" in variable.dimensions:
                assert len(variable) == n_steps, name
                np.testing.assert_array_equal(variable[:], whole[name][:n_steps], name)
            elif n_steps > 0:
                np.testing.assert_array_equal(variable[:], whole[name][:], name)
        if not file.data_model.startswith("NETCDF4"):
            return
    with h5py.File(path) as file:
        assert file["time"].shape == (n_steps,)
        assert file["thk"][...].shape[0] == n_steps
    if shutil.which("h5dump"):
        command = ["h5dump", "-d", "/time", str(path)]
        dumped = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert dumped.returncode == 0, dumped.stderr


def expect_levels(path: Path, whole_path: Path, n_steps: int) -> None:
    """Esker reads these steps of the series as in the whole run, and h5py opens the file of each."""
    series, whole = esker.open(path), esker.open(whole_path)
    assert len(series.steps) == n_steps
    expect_same_arrays(series, whole)
    named = [path.parent / file["name"] for file in json.loads(path.read_text())["files"]]
    assert len(named) == n_steps
    for step_file in named:
        same = whole_path.parent / step_file.relative_to(path.parent)
        with h5py.File(step_file) as file, h5py.File(same) as expected:
            for level in (name for name in expected["VTKHDF"] if name.startswith("Level")):
                for name, samples in expected["VTKHDF"][level]["CellData"].items():
                    np.testing.assert_array_equal(file["VTKHDF"][level]["CellData"][name], samples)


READ_ALL = """
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1]) as file:
    for variable in file.variables.values():
        variable[:]
"""


def netcdf_reads(path: Path) -> bool:
    """Whether the netCDF library, in a separate process, reads a file that may be torn."""
    done = subprocess.run([sys.executable, "-c", READ_ALL, str(path)], capture_output=True, timeout=60)
    return done.returncode == 0
