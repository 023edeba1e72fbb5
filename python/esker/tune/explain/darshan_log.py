"""Counters of a Darshan log, summed over files. Run as a program, it prints them as JSON.

The library that reads logs is written in C, and may crash on a damaged one. So it runs in another process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from esker.tune.extras import needed

MODULES = ("POSIX", "MPI-IO")
_TIMEOUT_S = 300
_PREFIX = {"POSIX": "POSIX", "MPI-IO": "MPIIO"}


def read(path: Path) -> dict[str, Any]:
    """{"nprocs", "seconds", "modules": {"POSIX": {counter: sum}, ...}}.

    Raises FileNotFoundError, ModuleNotFoundError; ValueError for a log that cannot be read.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    needed("darshan")
    command = [sys.executable, "-W", "ignore", "-m", "esker.tune.explain.darshan_log", str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{path}: reading the Darshan log took more than {_TIMEOUT_S} s") from error
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        said = done.stderr.strip().splitlines()
        reason = said[-1] if said else f"the library that reads it ended with status {done.returncode}"
        raise ValueError(f"{path}: expected a Darshan log: {reason}") from error
    return found


def _counters(path: str) -> dict[str, Any]:
    report = needed("darshan").DarshanReport(path, read_all=False)
    job = report.metadata["job"]
    modules = {}
    for name in MODULES:
        if name in report.modules:
            report.mod_read_all_records(name)
            modules[name] = _sums(report.records[name].to_df(), _PREFIX[name])
    return {"nprocs": int(job["nprocs"]), "seconds": float(job.get("run_time", 0)), "modules": modules}


def _sums(frames: Any, prefix: str) -> dict[str, float]:
    """Of counters, without their prefix; -1 is a counter that was not kept. `files`: different files; `shared_files`:
    those that all ranks opened."""
    counters, times = frames["counters"], frames["fcounters"]
    found = {"files": float(counters["id"].nunique()), "shared_files": float((counters["rank"] == -1).sum())}
    for frame in (counters, times):
        for name in frame.columns:
            if name.startswith(f"{prefix}_"):
                found[name.removeprefix(f"{prefix}_")] = float(frame[name].clip(lower=0).sum())
    slowest = f"{prefix}_F_SLOWEST_RANK_TIME"
    found["slowest_rank_s"] = float(times[slowest].max()) if slowest in times else 0.0
    return found


if __name__ == "__main__":
    print(json.dumps(_counters(sys.argv[1])))
