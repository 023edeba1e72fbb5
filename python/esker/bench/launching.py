"""Programs that a command starts, with their ranks: they end with the command, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

_SECONDS_TO_STOP = 0.5
"""Time of a launcher to stop its ranks, before they are killed."""


@contextmanager
def ending_with_signals() -> Iterator[None]:
    """Within it, SIGTERM and SIGHUP raise SystemExit, as Ctrl-C raises KeyboardInterrupt, so that programs are ended and
    files removed. Without effect outside of the main thread, which alone gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, _end) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


@contextmanager
def removed_at_end(directory: str) -> Iterator[None]:
    """Removes a directory at the end, also after an error or a signal."""
    with ending_with_signals():
        try:
            yield
        finally:
            shutil.rmtree(directory, ignore_errors=True)


def call(
    command: Sequence[str],
    timeout_s: float | None = None,
    *,
    env: dict[str, str] | None = None,
    stdout: IO[str] | None = None,
    stderr: IO[str] | None = None,
) -> int:
    """Runs a launcher and returns its exit status. After a signal, or `timeout_s`, its ranks are ended first, since they
    write files.

    The launcher runs in a separate session, because a launcher that receives a second signal leaves its ranks
    running. Raises subprocess.TimeoutExpired.
    """
    with ending_with_signals():
        process = subprocess.Popen(command, env=env, stdout=stdout, stderr=stderr, start_new_session=True)
        try:
            return process.wait(timeout_s)
        except BaseException:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_SECONDS_TO_STOP)
            _kill_session(process.pid)
            process.wait()
            raise


def _kill_session(session: int) -> None:
    """Kills the processes of a session, and waits until they are gone: Open MPI gives ranks separate process groups."""
    deadline = time.monotonic() + _SECONDS_TO_STOP
    while members := _members(session):
        for process in members:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    with suppress(OSError):  # without /proc
        os.killpg(session, signal.SIGKILL)


def _members(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            # state, parent, group, session ...
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(folder.name))
    return found
