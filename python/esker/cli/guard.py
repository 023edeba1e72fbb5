"""Runs commands on HDF5 files in a child process: a damaged file can crash or hang the HDF5 library.

All other formats are read by Esker's own code, which checks its input.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from esker.base.system import address_space_bytes, end_with_parent

_HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
_SECONDS_TO_DESCRIBE = 60
"""Processor time. Describing a file takes milliseconds, and seconds for ten thousand variables."""
_BYTES_TO_DESCRIBE = 8 << 30
"""Address space, in addition to what the interpreter has."""
_SECONDS_TO_STOP = 3
"""Time for an interrupted command to stop; a library call may never return."""


def run(command: Callable[[], NoReturn], arguments: Sequence[str]) -> NoReturn:
    """Runs `command`, which exits; in a child process if `arguments` name an HDF5 file. Exits with the same
    status."""
    named = [argument for argument in arguments if _is_hdf5(argument)]
    if not named or not hasattr(os, "fork"):
        command()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})  # until both are ready
    child = os.fork()
    if child == 0:
        _end_with(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if "info" in arguments:
            _limit()
        _end_at_once(command)
    status, was_interrupted = _wait(child, mask)
    if not os.WIFSIGNALED(status):
        sys.exit(os.WEXITSTATUS(status))
    reason = "interrupted" if was_interrupted else _reason(os.WTERMSIG(status))
    click.echo(f"esker: {named[0]}: {reason}", err=True)
    sys.exit(130 if was_interrupted else 1)


def _end_at_once(command: Callable[[], NoReturn]) -> NoReturn:
    """Exits with the command's status. After an error it skips the HDF5 library's exit handlers, which would
    print long messages about objects that they cannot close."""
    try:
        command()
    except SystemExit as end:
        if end.code:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else 1)
        raise


def _is_hdf5(path: str) -> bool:
    try:
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            return file.read(len(_HDF5_MAGIC)) == _HDF5_MAGIC
    except (OSError, ValueError):
        return False


def _end_with(parent: int) -> None:
    """Makes this process end when its parent is killed, if the system supports it."""
    end_with_parent()
    if os.getppid() != parent:
        os._exit(1)


def _limit() -> None:
    for kind, most in (
        (resource.RLIMIT_CPU, _SECONDS_TO_DESCRIBE),
        (resource.RLIMIT_AS, address_space_bytes() + _BYTES_TO_DESCRIBE),
    ):
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY or hard > most:
            resource.setrlimit(kind, (most, hard))


def _wait(child: int, mask: Collection[int]) -> tuple[int, bool]:
    """The child's status, and whether it was interrupted. Signals that would end this process are sent to the
    child. `mask`: of the signals that are blocked meanwhile."""
    was_interrupted = False

    def pass_on(number: int, frame: FrameType | None) -> None:
        nonlocal was_interrupted
        was_interrupted = True
        os.kill(child, number)

    signal.signal(signal.SIGTERM, pass_on)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return os.waitpid(child, 0)[1], was_interrupted
    except KeyboardInterrupt:  # the terminal also interrupts the child
        end = time.monotonic() + _SECONDS_TO_STOP
        while time.monotonic() < end:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status, True
            time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
        return os.waitpid(child, 0)[1], True


def _reason(number: int) -> str:
    if number == signal.SIGKILL:
        return "killed, possibly because memory ran out"
    if number == signal.SIGXCPU:
        return f"describing it takes more than {_SECONDS_TO_DESCRIBE} s: the file is damaged"
    return f"the file is damaged: the HDF5 library ended with {signal.Signals(number).name}"
