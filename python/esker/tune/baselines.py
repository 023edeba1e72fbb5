"""Ways to write a step without Esker's exchange, to simulate next to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from esker.tune import loads
from esker.tune.machine import Machine

PlanLoads = Callable[..., loads.Loads]
"""simulation.plan_loads()"""

CASES = ("esker", "one-phase", "file-per-process", "shared-file", "pnetcdf")
"""one-phase: each rank writes its own parts of blocks of IDX; file-per-process: each rank writes its samples as they
are; shared-file: the same, to one file, rank by rank; pnetcdf: a CDF-5 file by the collective writes of ROMIO."""

_BUFFER_BYTES = 16 << 20
"""Of an aggregator of ROMIO in a round (cb_buffer_size)."""
_ALL_TO_ALLS = 2
"""Of a round in ROMIO: how much each rank sends to each aggregator, and how many pieces."""


def loads_of(
    case: str,
    machine: Machine,
    ranks: int,
    ranks_per_node: int,
    step: Mapping[str, Any],
    plan_loads: PlanLoads,
) -> loads.Loads:
    """The loads of a step, given as arguments of esker.plan(), written in one of CASES. Raises ValueError for an
    unknown case, and what esker.plan() raises."""
    if case == "esker":
        return plan_loads(machine, ranks, ranks_per_node, **step)
    if case == "one-phase":
        own = {"aggregate": False, "checksums": False, "restructure": "off"}
        return plan_loads(machine, ranks, ranks_per_node, **{**step, **own})
    if case == "pnetcdf":
        return _collective(machine, ranks, ranks_per_node, step, plan_loads)
    if case not in CASES:
        raise ValueError(f"simulate: unknown case {case!r}: expected one of {', '.join(CASES)}")
    make = loads.of_separate_files if case == "file-per-process" else loads.of_shared_file
    return make(ranks, -(-_data_bytes(ranks, step) // ranks), ranks_per_node)


def _collective(
    machine: Machine, ranks: int, ranks_per_node: int, step: Mapping[str, Any], plan_loads: PlanLoads
) -> loads.Loads:
    """Two phases with an aggregator per target, or per node if that is less, which own whole stripes; rounds in which
    all ranks tell all others what they send."""
    targets = int(step.get("stripe_count") or machine.count("targets"))
    aggregators = min(targets, -(-ranks // ranks_per_node))
    given = {"format": "cdf5", "pattern": "stripes", "aggregators": aggregators, "stripe_count": targets}
    planned = plan_loads(machine, ranks, ranks_per_node, **{**step, **given, "max_fan_in": ranks})
    rounds = math.ceil(planned.data_bytes / aggregators / _BUFFER_BYTES)
    return replace(planned, all_to_alls=_ALL_TO_ALLS * rounds)


def _data_bytes(ranks: int, step: Mapping[str, Any]) -> int:
    if not (step.get("block") or step.get("extent")):
        raise ValueError("simulate: a file per process and a shared file: expected block or extent")
    samples = ranks * math.prod(step["block"]) if step.get("block") else math.prod(step["extent"])
    return samples * int(step.get("fields", 1)) * np.dtype(step.get("type", "float64")).itemsize
