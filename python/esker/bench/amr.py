"""`esker bench amr`: ways to write the patches of an AMR code, timed in turn by esker-bench-amr and, for
parallel HDF5, by esker-bench-amr-peers."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from esker import _core
from esker.bench import jobs

PROGRAM = "esker-bench-amr"
PEER_PROGRAM = "esker-bench-amr-peers"

TARGETS = (("flat", "posix", 0.3), ("full", "posix_shared", 0.8), ("flat", "level-by-level", 2.0))
"""A case, the one that it is compared with, and the least ratio that it should reach."""

Measured = dict[str, Any]
"""The output of a program."""


def find_program(name: str, program: str | None = None) -> str | None:
    """Path of a program: next to `program`, in this package, or in PATH."""
    folders = [Path(program).parent] if program else []
    packaged = [folder / name for folder in (*folders, jobs.PACKAGED)]
    return next((str(path) for path in packaged if path.exists()), shutil.which(name))


def command(program: str, mpiexec: str, ranks: int, arguments: Sequence[str]) -> list[str]:
    """The command line that starts the ranks."""
    return [mpiexec, "-n", str(ranks), program, *arguments]


def merged(runs: Sequence[Measured]) -> Measured:
    """Several runs of one program as one, with the repetitions of all."""
    cases = [
        {**same[0], **{key: sum((case[key] for case in same), []) for key in ("write_s", "read_s")}}
        for same in zip(*(run["cases"] for run in runs), strict=True)
    ]
    return {**runs[0], "repeat": sum(run["repeat"] for run in runs), "cases": cases}


def results(runs: Sequence[Measured], directory: str, peer_runs: Sequence[Measured] = ()) -> dict[str, Any]:
    """Rates of samples that are stored, each once, and ratios to the limits in the same repetition.

    runs:      the output of esker-bench-amr, one element per turn
    peer_runs: that of esker-bench-amr-peers, whose cases are relative to its own limits
    """
    measured = merged(runs)
    keys = ("workload", "ranks", "steps", "repeat", "levels", "coarse_patches")
    made: dict[str, Any] = {
        "machine": {
            **jobs.machine(directory),
            "mpi": measured["mpi"].split(",")[0].strip().splitlines()[0],
        },
        "config": {**{key: measured[key] for key in keys}, "esker": _core.version()},
        "cases": _cases(measured),
        "targets": _targets(measured),
    }
    if peer_runs:
        others = merged(peer_runs)
        made["config"]["peers"] = others["libraries"]
        made["cases"] += [{**case, "name": _name_of_peer(case["name"])} for case in _cases(others)]
    return made


def _name_of_peer(name: str) -> str:
    return f"{name}_of_peers" if name.startswith("posix") else name


def _cases(measured: Measured) -> list[dict[str, Any]]:
    by_name = {case["name"]: case for case in measured["cases"]}
    return [
        {
            "name": case["name"],
            "data_MiB_per_step": case["data_bytes_per_step"] / 2**20,
            "write_GBps": _rate(case, measured, "write_s"),
            "read_GBps": _rate(case, measured, "read_s"),
            "over_posix": rate_ratio(case, by_name.get("posix")),
            "over_posix_shared": rate_ratio(case, by_name.get("posix_shared")),
            "stored_over_data": case["stored_bytes_per_step"] / case["data_bytes_per_step"],
            "files": case["files"],
            "write_s": case["write_s"],
        }
        for case in measured["cases"]
    ]


def _rate(case: dict[str, Any], measured: Measured, key: str) -> float:
    return case["data_bytes_per_step"] * measured["steps"] / 1e9 / statistics.median(case[key])


def rate_ratio(case: dict[str, Any], limit: dict[str, Any] | None) -> dict[str, float] | None:
    """Samples per second of `case` relative to `limit`, from pairs of the same repetition."""
    if limit is None:
        return None
    share = case["data_bytes_per_step"] / limit["data_bytes_per_step"]
    pairs = zip(case["write_s"], limit["write_s"], strict=True)
    return _spread([share * other / own for own, other in pairs])


def _targets(measured: Measured) -> list[dict[str, Any]]:
    """For modes that write the same mesh the ratio is that of their times."""
    by_name = {case["name"]: case for case in measured["cases"]}
    found = []
    for name, other, target in TARGETS:
        if name not in by_name or other not in by_name:
            continue
        case, limit = by_name[name], by_name[other]
        if other.startswith("posix"):
            ratio = rate_ratio(case, limit)
        else:
            ratio = _spread([t / own for own, t in zip(case["write_s"], limit["write_s"], strict=True)])
        assert ratio is not None
        found.append({"case": name, "over": other, "target": target, **ratio})
    return found


def _spread(values: Sequence[float]) -> dict[str, float]:
    quarter = sorted(values)[len(values) // 4]
    return {"median": statistics.median(values), "quarter": quarter, "min": min(values), "max": max(values)}
