"""What commands leave that are ended by a signal while programs that they started run."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def restore_interrupts() -> None:
    """Processes that a shell starts in the background ignore Ctrl-C, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def assert_ends_with_its_programs(
    command: list[str],
    folder: Path,
    number: signal.Signals,
    written: str = "esker-bench-*/esker-bench-*/*",
    starts: bool = True,
) -> None:
    """A command that writes to the folder ends soon after a signal, and nothing that it started or wrote is left.

    written: pattern of files after which the signal comes
    starts:  whether programs run then
    """
    # In a process group, which gets the signal as a terminal sends it.
    bench = subprocess.Popen(
        [sys.executable, "-c", "from esker.cli import main; main()", *command],
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=restore_interrupts,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not list(folder.glob(written)):
            assert bench.poll() is None, bench.communicate()
            assert time.monotonic() < deadline, "no file was written"
            time.sleep(0.05)
        assert running_in(folder) if starts else bench.poll() is None
        os.killpg(bench.pid, number)
        bench.communicate(timeout=5)
    finally:
        if bench.poll() is None:
            os.killpg(bench.pid, signal.SIGKILL)
    assert bench.returncode == (130 if number == signal.SIGINT else 128 + number)
    assert running_in(folder) == []
    assert list(folder.iterdir()) == []


def running_in(folder: Path) -> list[str]:
    """The command lines of processes with the folder among their arguments."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in (line := file.read_bytes()):
                found.append(line.decode(errors="replace"))
    return found
