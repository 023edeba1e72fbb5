"""`esker bench --peers`: runs two programs alternately and compares Esker's speed with that of other
libraries."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAM = "esker-bench-peers"
MISSING = (
    f"{PROGRAM} is not installed; install the Debian packages libpnetcdf-dev, libhdf5-openmpi-dev and "
    "libnetcdf-mpi-dev (scripts/setup.sh peers), and build Esker for Open MPI"
)

REPEATS_IN_TURN = 3
"""Consecutive repetitions of one program before the other one runs."""

LIMITS = ("posix", "posix_shared", "memcpy")
"""Cases that are neither Esker nor another library."""

Measured = dict[str, Any]
"""The output of a program."""


def find_program(bench_program: str) -> str | None:
    """Path of the program that measures the peers: in the directory of esker-bench, or in PATH."""
    found = Path(shutil.which(bench_program) or bench_program).with_name(PROGRAM)
    return str(found) if found.exists() else shutil.which(PROGRAM)


_TIMES = ("write_s", "read_s", "in_steps_s", "computing_s", "total_s")


def turns(repeat: int) -> list[int]:
    """Number of repetitions in each turn, e.g. [3, 3, 1] for 7."""
    full, rest = divmod(repeat, REPEATS_IN_TURN)
    return [REPEATS_IN_TURN] * full + [rest] * bool(rest)


def merged(runs: Sequence[Measured]) -> Measured:
    """Several runs of one program as one: concatenates the repetitions and takes the maximum memory."""
    cases = []
    for same in zip(*(run["cases"] for run in runs), strict=True):
        if len({case["name"] for case in same}) != 1:
            raise ValueError("the runs have different cases")
        times = [key for key in _TIMES if key in same[0]]
        cases.append(
            {
                **same[0],
                **{key: sum((case[key] for case in same), []) for key in (*times, "reports")},
                "levels": [_merged_level(level) for level in zip(*(case.get("levels", ()) for case in same))],
                "bad_values": sum(case["bad_values"] for case in same),
                "extra_bytes_per_rank": max(case["extra_bytes_per_rank"] for case in same),
            }
        )
    return {**runs[0], "repeat": sum(run["repeat"] for run in runs), "cases": cases}


def _merged_level(same: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {**same[0], "read_s": sum((level["read_s"] for level in same), [])}


SUFFIXES = ("_of_peers", "_of_python")
"""For the names of cases that Esker has, too: of esker-bench-peers, and of the peers in Python."""


def names(esker: Measured, others: Measured, suffix: str = SUFFIXES[0]) -> dict[str, str]:
    """Unique names of the peers' cases: "hdf5_of_peers" if Esker also has a case "hdf5"."""
    taken = {case["name"] for case in esker["cases"]}
    of_peers = (case["name"] for case in others["cases"])
    return {name: f"{name}{suffix}" if name in taken else name for name in of_peers}


def is_limit(name: str) -> bool:
    """Whether a case is a limit, of any program."""
    return name in LIMITS or any(name.removesuffix(suffix) in LIMITS for suffix in SUFFIXES)


def suffix_of(runs: Sequence[Measured]) -> str:
    """The suffix for cases of this program."""
    return SUFFIXES["zarr" in runs[0]["libraries"] or "tensorstore" in runs[0]["libraries"]]


def over_peers(esker_runs: Sequence[Measured], peer_runs: Sequence[Measured]) -> list[dict[str, Any]]:
    """Speed of each of Esker's cases relative to each peer, with the peer's name from names().

    It is the quotient of their ratios to posix, each relative to posix in the same process. The result has
    the quotient of the medians over all repetitions, and the range of the quotients of the single turns.
    """
    called = names(esker_runs[0], peer_runs[0], suffix_of(peer_runs))
    return [
        {
            "case": case["name"],
            "peer": called[peer["name"]],
            "write": _quotient(esker_runs, peer_runs, case["name"], peer["name"], "write_s"),
            "read": _quotient(esker_runs, peer_runs, case["name"], peer["name"], "read_s"),
        }
        for case in esker_runs[0]["cases"]
        if case["name"] not in LIMITS
        for peer in peer_runs[0]["cases"]
        if peer["name"] not in LIMITS
    ]


def _quotient(
    esker_runs: Sequence[Measured], peer_runs: Sequence[Measured], case: str, peer: str, key: str
) -> dict[str, float]:
    of_turns = [
        _ratio(ours, case, key) / _ratio(theirs, peer, key)
        for ours, theirs in zip(esker_runs, peer_runs, strict=True)
    ]
    overall = _ratio(merged(esker_runs), case, key) / _ratio(merged(peer_runs), peer, key)
    return {"quotient": overall, "min": min(of_turns), "max": max(of_turns)}


def _ratio(measured: Measured, name: str, key: str) -> float:
    seconds = {case["name"]: case[key] for case in measured["cases"]}
    return statistics.median(limit / own for limit, own in zip(seconds["posix"], seconds[name], strict=True))
