"""The peers of `esker bench --peers` in Python, zarr-python and TensorStore: which can run, and how they are started."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from esker.bench import jobs, zarr_cases

PROGRAM = "esker.bench.zarr_program"
"""The module that measures them, in the place of a program's path."""


def cases(on_request: bool = True) -> list[str]:
    """All cases, also those of packages that are not installed, or without those that run on request."""
    return zarr_cases.cases(on_request)


def skipped(names: Sequence[str]) -> dict[str, str]:
    """The cases that cannot run, and the package that each lacks."""
    return {name: str(zarr_cases.package_of(name)) for name in names if zarr_cases.lacks(name)}


def command(job: jobs.Job, bench_program: str) -> list[str]:
    """The command line that starts a process per rank; `bench_program` tells what each holds."""
    path = Path(job.directory) / "parts.json"
    steps = job.steps or jobs.WORKLOADS[job.workload]
    # A run of one process, which measures nothing.
    asked = replace(
        job, program=bench_program, ranks=1, cases=(), halvings=(), writer_options=(), overlap_ms=None
    )
    printing = [*asked.command(), "--parts", str(job.ranks), "--json", str(path)]
    subprocess.run(printing, check=True, env=jobs.environment())
    line = [sys.executable, "-m", PROGRAM, "--parts", str(path), "--dir", job.directory]
    line += ["--steps", str(steps), "--repeat", str(job.repeat)]
    for case in job.cases:
        line += ["--case", case]
    return line + ["--smooth"] * job.smooth
