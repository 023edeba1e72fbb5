"""Appending and repairing: the format is known from the files, both halves of a dataset in two formats are handled
together, links are kept, and a writer in another container keeps its lock."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

TIMES = [0.0, 10.0, 20.0, 30.0]
FORMATS = {"cdf5": "run.nc", "netcdf4": "run.nc", "hdf5": "run.h5", "idx": "run.idx"}


def values(step: int) -> np.ndarray:
    return np.full((5, 8), step, "f4")


def write_run(path: Path, form: str, times: list[float] = TIMES) -> None:
    with esker.Writer(path, dims={"x": 8, "y": 5}, format=form) as w:
        thk = w.field("thk", "f4")
        for step, time in enumerate(times):
            with w.step(time) as s:
                s.put(thk, values(step))


def add_step(path: Path, time: float, **options: Any) -> None:
    n_steps = len(esker.open(path).steps)
    with esker.Writer.append(path, **options) as w:
        with w.step(time) as s:
            s.put("thk", values(n_steps))


def lock_of_the_dead(folder: Path) -> Path:
    """A lock of an earlier version of Esker, left by a killed process."""
    lock = folder / "run.esker-lock"
    lock.write_text(f"{socket.gethostname()} 999999999 -\n")
    return lock


@pytest.mark.parametrize("form", FORMATS)
def test_the_format_is_that_of_the_file(form: str, tmp_path: Path, esker_command: Any) -> None:
    path = tmp_path / FORMATS[form]
    write_run(path, form)
    lock = lock_of_the_dead(tmp_path)
    done = esker_command("repair", path, "--to-time", 15)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "run.esker-lock" in done.stdout and "2 steps, 2 dropped" in done.stdout
    assert not lock.exists()
    add_step(path, 20.0)
    ds = esker.open(path)
    assert ds.steps == TIMES[:3]
    np.testing.assert_array_equal(ds["thk"].read(step=2), values(2))
    assert not [file.name for file in tmp_path.iterdir() if "lock" in file.name or "tmp" in file.name]


@pytest.mark.parametrize("name", ["run.nc", "run.idx", "run"])
@pytest.mark.parametrize("form", ["cdf5+idx", "netcdf4+idx"])
def test_both_halves_are_repaired_and_appended_to(form: str, name: str, tmp_path: Path) -> None:
    write_run(tmp_path / "run.idx", form)
    esker.repair(tmp_path / name, 15)
    for half in ("run.nc", "run.idx"):
        assert esker.open(tmp_path / half).steps == TIMES[:2]
    add_step(tmp_path / name, 25.0)
    for half in ("run.nc", "run.idx"):
        assert esker.open(tmp_path / half).steps == [0.0, 10.0, 25.0]
        assert esker.verify(tmp_path / half).findings == ()


@pytest.mark.parametrize("other", ["longer", "shorter", "unrelated"])
def test_halves_of_different_steps_are_refused(other: str, tmp_path: Path, esker_command: Any) -> None:
    path, netcdf = tmp_path / "run.idx", tmp_path / "run.nc"
    write_run(path, "cdf5+idx")
    times = {"longer": [*TIMES, 40.0, 50.0], "shorter": TIMES[:2], "unrelated": [0.0, 1.0, 2.0, 3.0]}[other]
    write_run(tmp_path / "elsewhere" / "run.nc", "cdf5", times)
    shutil.copy(tmp_path / "elsewhere" / "run.nc", netcdf)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(OSError, match="--to-time") as refused:
        esker.Writer.append(path)
    for part in (str(netcdf), str(tmp_path / "run "), str(len(times)), str(len(TIMES))):
        assert part in str(refused.value)
    done = esker_command("repair", path)
    assert done.returncode == 1 and "--to-time" in done.stderr
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before

    common = [time for time, theirs in zip(TIMES, times) if time == theirs]
    done = esker_command("repair", path, "--to-time", common[-1])
    assert done.returncode == 0, done.stderr
    for half in (path, netcdf):
        assert esker.open(half).steps == common


def test_a_half_that_is_not_noted_is_named(tmp_path: Path, esker_command: Any) -> None:
    """Earlier versions did not note that a NetCDF file is written with the dataset."""
    for form in ("idx", "cdf5"):
        write_run(tmp_path / FORMATS[form], form)
    done = esker_command("repair", tmp_path / "run.idx", "--to-time", 15)
    assert done.returncode == 0
    assert "warning" in done.stderr and "run.nc" in done.stderr
    assert esker.open(tmp_path / "run.nc").steps == TIMES


def test_links_and_foreign_files_stay(tmp_path: Path, esker_command: Any) -> None:
    path, foreign = tmp_path / "run.idx", tmp_path / "foreign"
    write_run(path, "idx")
    foreign.mkdir()
    for name in ("0000.bin", "beef"):
        (foreign / name).write_text("another's")
    (tmp_path / "run" / "time_0004").symlink_to(foreign)
    (tmp_path / "run" / "time_0005").mkdir()
    (tmp_path / "run" / "time_0005" / "cafe").write_text("another's")
    done = esker_command("repair", path)
    assert done.returncode == 0 and "0 files removed" in done.stdout
    with pytest.raises(FileExistsError, match="time_0004"):
        add_step(path, 40.0)
    assert [file.read_text() for file in foreign.iterdir()] == ["another's"] * 2
    assert (tmp_path / "run" / "time_0005" / "cafe").exists()
    assert esker.open(path).steps == TIMES


HOLD = """
import sys, esker
w = esker.Writer.append(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
w.close()
"""


def test_a_lock_in_another_pid_namespace_is_kept(tmp_path: Path) -> None:
    """As in containers with one host name, where the holder's number is unused or belongs to another process."""
    unshare = ["unshare", "--pid", "--fork"]
    permitted = shutil.which("unshare") and subprocess.run([*unshare, "true"], capture_output=True).returncode == 0
    if not permitted:
        pytest.skip("making a PID namespace is not permitted here")
    path = tmp_path / "run.nc"
    write_run(path, "cdf5")
    command = [sys.executable, "-c", HOLD, str(path)]
    for here, there in ((command, [*unshare, *command]), ([*unshare, *command], command)):
        holder = subprocess.Popen(here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert holder.stdin and holder.stdout
        assert holder.stdout.readline() == "held\n"
        thief = subprocess.run(there, input="", capture_output=True, text=True, timeout=60)
        assert "is held by another writer" in thief.stderr and "another container" in thief.stderr
        assert thief.returncode == 1
        holder.communicate("")
        assert holder.returncode == 0
    add_step(path, 40.0)
