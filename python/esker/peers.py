"""What `esker bench --peers` adds: two programs in turn, and Esker's speed over that of other libraries."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAM = "esker-bench-peers"
MISSING = (
    f"the program {PROGRAM} is not installed: it is built for Open MPI where the Debian packages "
    "libpnetcdf-dev, libhdf5-openmpi-dev and libnetcdf-mpi-dev are (scripts/setup.sh peers)"
)

REPEATS_IN_TURN = 3
"""Repetitions of one program before it is the other's turn."""

LIMITS = ("posix", "posix_shared", "memcpy")
"""Cases that are neither Esker nor another library."""

Measured = dict[str, Any]
"""What a program printed."""


def find_program(beside: str) -> str | None:
    """The program that measures the peers: the one beside esker-bench, or one in PATH."""
    found = Path(shutil.which(beside) or beside).with_name(PROGRAM)
    return str(found) if found.exists() else shutil.which(PROGRAM)


def turns(repeat: int) -> list[int]:
    """Repetitions of each turn, e.g. [3, 3, 1] of 7."""
    whole, rest = divmod(repeat, REPEATS_IN_TURN)
    return [REPEATS_IN_TURN] * whole + [rest] * bool(rest)


def merged(runs: Sequence[Measured]) -> Measured:
    """Several runs of one program as one: repetitions one after the other, the largest memory."""
    cases = []
    for same in zip(*(run["cases"] for run in runs), strict=True):
        if len({case["name"] for case in same}) != 1:
            raise ValueError("the runs have different cases")
        cases.append(
            {
                **same[0],
                **{key: sum((case[key] for case in same), []) for key in ("write_s", "read_s", "reports")},
                "levels": [_merged_level(level) for level in zip(*(case.get("levels", ()) for case in same))],
                "bad_values": sum(case["bad_values"] for case in same),
                "extra_bytes_per_rank": max(case["extra_bytes_per_rank"] for case in same),
            }
        )
    return {**runs[0], "repeat": sum(run["repeat"] for run in runs), "cases": cases}


def _merged_level(same: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {**same[0], "read_s": sum((level["read_s"] for level in same), [])}


def names(esker: Measured, others: Measured) -> dict[str, str]:
    """What the peers' cases are called beside Esker's: "hdf5_of_peers" where Esker has a case "hdf5", too."""
    taken = {case["name"] for case in esker["cases"]}
    of_peers = (case["name"] for case in others["cases"])
    return {name: f"{name}_of_peers" if name in taken else name for name in of_peers}


def over_peers(esker_runs: Sequence[Measured], peer_runs: Sequence[Measured]) -> list[dict[str, Any]]:
    """Speed of each of Esker's cases over that of each peer, by the peer's name in names().

    It is the quotient of their ratios to posix, each to the posix of the same process: of the medians over
    all repetitions, with the range of the quotients of single turns.
    """
    called = names(esker_runs[0], peer_runs[0])
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
    whole = _ratio(merged(esker_runs), case, key) / _ratio(merged(peer_runs), peer, key)
    return {"quotient": whole, "min": min(of_turns), "max": max(of_turns)}


def _ratio(measured: Measured, name: str, key: str) -> float:
    seconds = {case["name"]: case[key] for case in measured["cases"]}
    return statistics.median(limit / own for limit, own in zip(seconds["posix"], seconds[name], strict=True))
