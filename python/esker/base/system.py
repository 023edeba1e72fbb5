"""What only some operating systems can do, and what the package does elsewhere. No other module names such functions
(tests/names/portable.py)."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def usable_processors() -> int:
    """How many processors this process may use; where the system does not say, how many there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def one_processor() -> Iterator[None]:
    """This thread, and those that it starts, run on one of its processors, if the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usable)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


def reserve(descriptor: int, n_bytes: int) -> None:
    """Makes a file as long, with space on the disk for all of it where the system supports that. Raises OSError if the
    disk lacks the space."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, n_bytes)
    else:
        os.ftruncate(descriptor, n_bytes)


def end_with_parent() -> None:
    """Makes this process end when its parent is killed, if the system supports it."""
    set_death_signal = 1
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL, 0, 0, 0)


def address_space_bytes() -> int:
    """The address space that this process has; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
