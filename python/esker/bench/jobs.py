"""The programs that `esker bench` runs: where they are, what they are called with, and the machine they run on."""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from esker.bench import launching

WORKLOADS = {"s3d": 5, "s3d_adaptive": 5, "s3d_whole": 5, "icesheet": 1, "icesheet_yxz": 1, "ocean": 5, "geodesic": 3}
"""Steps per repetition, by name."""

CASES = {
    "s3d_adaptive": ("posix", "idx_two_phase", "idx_adaptive", *(f"idx_1_of_{2**n}" for n in range(1, 7))),
}
"""Cases of workloads that do not run the program's default ones."""

HALVINGS = (1, 2, 3, 6)
"""Levels that --levels also reads, as numbers of halvings: 1/2, 1/4, 1/8 and 1/64 of the samples."""

_PROGRAM = "esker-bench"

PACKAGED = Path(__file__).parents[1] / "bin"
"""The programs in this package: present if it was built with MPI."""


def find_program() -> str | None:
    """Path of esker-bench: the one in this package, or the one in PATH."""
    packaged = PACKAGED / _PROGRAM
    return str(packaged) if packaged.exists() else shutil.which(_PROGRAM)


@dataclass(frozen=True)
class Job:
    """A run of esker-bench or esker-bench-peers."""

    program: str
    workload: str
    ranks: int
    repeat: int
    directory: str
    block: tuple[int, int, int] | None = None
    steps: int | None = None
    """None: the default of the workload."""
    mpiexec: str | None = None
    """None: the launcher of the program's MPI."""
    writer_options: Sequence[str] = ()
    cases: Sequence[str] = ()
    """None given: the program's default cases."""
    halvings: Sequence[int] = ()
    smooth: bool = False
    store_rate: float | None = None
    """Bytes per second that storage takes from each rank; None: as many as it can."""
    store_contention: float = 0
    """Part of its time by which each other rank that writes at the same time slows a rank down."""
    overlap_ms: float | None = None
    """A model computes so long before each step; None: it does not."""

    def command(self) -> list[str]:
        """The command line that starts the ranks."""
        steps = self.steps or WORKLOADS[self.workload]
        line = [self.mpiexec or output_of(self.program, "--mpiexec"), "-n", str(self.ranks), self.program]
        line += [self.workload, "--steps", str(steps), "--repeat", str(self.repeat), "--dir", self.directory]
        if self.block:
            line += ["--points", ",".join(map(str, self.block))]
        if self.halvings:
            line += ["--halvings", ",".join(map(str, self.halvings))]
        if self.smooth:
            line += ["--smooth"]
        if self.store_rate:
            line += ["--store-rate", str(self.store_rate), "--store-contention", str(self.store_contention)]
        if self.overlap_ms:
            line += ["--overlap", str(self.overlap_ms)]
        for option in self.writer_options:
            line += ["--option", option]
        for case in self.cases:
            line += ["--case", case]
        return line


def output_of(*command: str) -> str:
    """What a program prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def cases_of(program: str) -> list[str]:
    """All cases of a program, in the order in which it runs them."""
    return output_of(program, "--cases").split()


def environment() -> dict[str, str]:
    """The environment, with settings for Open MPI: idle ranks yield when there are more ranks than cores, and
    running as root (as in containers) is allowed."""
    settings = {
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    return {**settings, **os.environ}


def make_scratch(directory: str) -> str:
    """Makes a directory below `directory` for the files of ranks, to be used with launching.removed_at_end(). Raises OSError."""
    return tempfile.mkdtemp(prefix="esker-bench-", dir=directory)


def call(command: Sequence[str], timeout_s: float | None = None, stderr: IO[str] | None = None) -> int:
    """launching.call() in environment()."""
    return launching.call(command, timeout_s, env=environment(), stderr=stderr)


def machine(directory: str) -> dict[str, Any]:
    """The properties of the machine that results depend on; `directory` is where the files are stored."""
    return {
        "date": datetime.date.today().isoformat(),
        "processor": _line_of("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "memory_GiB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "file_system": _file_system(directory),
    }


def _line_of(path: str, key: str) -> str | None:
    for line in Path(path).read_text().splitlines() if Path(path).exists() else []:
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return None


def _file_system(directory: str) -> str:
    """The type of the file system that holds `directory`, e.g. "tmpfs"."""
    found = subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True)
    return found.stdout.strip() or "unknown"
