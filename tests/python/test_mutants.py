"""Damaged datasets: read or refused, in bounded time and memory, whatever the damage."""

from __future__ import annotations

import atexit
import faulthandler
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

pytest.importorskip("netCDF4")
pytest.importorskip("h5py")
pytest.importorskip("xarray")

import mutants
from esker.cli import guard


@pytest.mark.slow
def test_some_mutants_of_every_format(tmp_path: Path) -> None:
    assert mutants.run(tmp_path / "some", 60, 11) == []


@pytest.mark.long
def test_many_mutants_of_every_format(tmp_path: Path) -> None:
    assert mutants.run(tmp_path / "many", 6000, 12) == []


@pytest.mark.slow
def test_sizes_without_bound_are_found(tmp_path: Path) -> None:
    """The run above detects a dataset that takes too much memory."""
    huge = tmp_path / "huge"
    huge.mkdir()

    def take_memory(path: Path) -> None:
        bytearray(mutants.MOST_BYTES + (64 << 20))

    def wait(path: Path) -> None:
        signal.pause()

    def compute(path: Path) -> None:
        while True:
            pass

    def end(path: Path) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    bytearray(mutants.MOST_BYTES + (128 << 20))  # excludes memory that this process has freed
    expected = {take_memory: "of memory taken", wait: "did not end", compute: "processor time", end: "ended by signal 11"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutants, "PROCESSOR_SECONDS", 1)
        for use, text in expected.items():
            patch.setattr(mutants, "SECONDS", 2 if use is wait else 60)
            patch.setattr(mutants, "use", use)
            assert text in mutants.use_in_child(huge)


@pytest.fixture
def hdf5_file(tmp_path: Path) -> Path:
    path = tmp_path / "a.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    return path


def _crash() -> NoReturn:
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError("unreachable")


def _loop() -> NoReturn:
    while True:
        pass


def _take_memory() -> NoReturn:
    try:
        bytearray(2 << 30)
    except MemoryError:
        os._exit(7)
    os._exit(0)


@pytest.mark.parametrize(
    "command, status, text",
    [
        (_crash, 1, "the HDF5 library ended with SIGSEGV"),
        (_loop, 1, "takes more than 1 s"),
        (_take_memory, 7, ""),
        (lambda: os._exit(2), 2, ""),
    ],
)
def test_commands_on_hdf5_files_outlive_the_library(
    hdf5_file: Path,
    command: Callable[[], NoReturn],
    status: int,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: Any,
) -> None:
    monkeypatch.setattr(guard, "_SECONDS_TO_DESCRIBE", 1)
    monkeypatch.setattr(guard, "_BYTES_TO_DESCRIBE", 1 << 30)
    with pytest.raises(SystemExit) as ended:
        guard.run(command, ["info", str(hdf5_file)])
    assert ended.value.code == status
    assert text in capfd.readouterr().err


def test_an_error_ends_the_child_without_closing_the_library(hdf5_file: Path, capfd: Any) -> None:
    def command() -> NoReturn:
        atexit.register(os.write, 2, b"closing")
        sys.exit(3)

    with pytest.raises(SystemExit) as ended:
        guard.run(command, ["verify", str(hdf5_file)])
    assert ended.value.code == 3 and "closing" not in capfd.readouterr().err


DEAF = """
import signal, sys, time
from esker.cli import guard

def command():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # like a call of the library that does not return
    print("deaf", flush=True)
    while True:
        pass

wait = guard._wait

def wait_late(*arguments):
    time.sleep(float(sys.argv[2]))
    return wait(*arguments)

guard._wait = wait_late
guard._SECONDS_TO_STOP = 1
guard.run(command, ["verify", sys.argv[1]])
"""


@pytest.mark.parametrize("late_s", [0, 1])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_commands_on_hdf5_files_can_be_ended(hdf5_file: Path, number: signal.Signals, late_s: float) -> None:
    """Also before the process that waits is ready to."""
    with subprocess.Popen(
        [sys.executable, "-c", DEAF, str(hdf5_file), str(late_s)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where tests run in the background
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == b"deaf\n"
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=60)  # the end of the child's output: it has ended, too
        if number == signal.SIGKILL:
            assert process.returncode == -signal.SIGKILL
        else:
            assert process.returncode == 130 and b"interrupted" in said
