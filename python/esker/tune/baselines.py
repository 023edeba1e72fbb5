"""Ways to write a step without Esker's exchange, to simulate next to it.

arguments = baselines.arguments_of("pnetcdf", machine, ranks, ranks_per_node, step)
asked = baselines.loads_of("pnetcdf", machine, ranks, ranks_per_node, arguments)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from esker.tune import loads
from esker.tune.machine import Machine

CASES = ("esker", "one-phase", "file-per-process", "shared-file", "pnetcdf")
"""one-phase: each rank writes its own parts of blocks of IDX; file-per-process: each rank writes its samples as they
are; shared-file: the same, to one file, rank by rank; pnetcdf: a CDF-5 file by the collective writes of ROMIO."""

_PLAIN = ("file-per-process", "shared-file")
_OTHER_SAMPLES = ("boxes", "dataset", "keep", "keep_level", "patches", "stored_bits")
"""Arguments with which ranks do not write all samples of equal boxes."""
_BUFFER_BYTES = 16 << 20
"""Of an aggregator of ROMIO in a round (cb_buffer_size)."""
_ALL_TO_ALLS = 2
"""Of a round in ROMIO: how much each rank sends to each aggregator, and how many pieces."""


def arguments_of(
    case: str, machine: Machine, ranks: int, ranks_per_node: int, step: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a step for esker.plan() with those that one of CASES decides. Raises ValueError for another case,
    and for arguments that contradict it."""
    if case not in CASES:
        raise ValueError(f"simulate: unknown case {case!r}: expected one of {', '.join(CASES)}")
    decided = _decided(case, machine, ranks, ranks_per_node, step)
    names = _OTHER_SAMPLES if case in _PLAIN else [name for name in decided if name != "stripe_count"]
    for name in names:
        if step.get(name) is not None:
            raise ValueError(
                f"simulate: the case {case} does not go together with {name}: leave one of them out"
            )
    return {**step, **decided}


def _decided(
    case: str, machine: Machine, ranks: int, ranks_per_node: int, step: Mapping[str, Any]
) -> dict[str, Any]:
    """Files that all ranks write are on all targets, unless the step says on how many. ROMIO has an aggregator per
    target, or per node if that is less, which owns whole stripes."""
    targets = int(step.get("stripe_count") or machine.count("targets"))
    if case == "one-phase":
        return {"aggregate": False, "checksums": False, "restructure": "off"}
    if case == "shared-file":
        return {"stripe_count": targets}
    if case == "pnetcdf":
        aggregators = min(targets, -(-ranks // ranks_per_node))
        layout = {"format": "cdf5", "pattern": "stripes", "stripe_count": targets}
        return {**layout, "aggregators": aggregators, "max_fan_in": ranks}
    return {}


def loads_of(
    case: str, machine: Machine, ranks: int, ranks_per_node: int, arguments: Mapping[str, Any]
) -> loads.Loads:
    """The loads of a step with arguments_of() the case. Raises ValueError without a block or extent where the case needs
    one, and what esker.plan() raises."""
    if case in _PLAIN:
        make = loads.of_separate_files if case == "file-per-process" else loads.of_shared_file
        return make(ranks, -(-_data_bytes(case, ranks, arguments) // ranks), ranks_per_node)
    planned = loads.of_plan(machine, ranks, ranks_per_node, **arguments)
    if case != "pnetcdf":
        return planned
    rounds = math.ceil(planned.data_bytes / arguments["aggregators"] / _BUFFER_BYTES)
    return replace(planned, all_to_alls=_ALL_TO_ALLS * rounds)


def _data_bytes(case: str, ranks: int, step: Mapping[str, Any]) -> int:
    if not (step.get("block") or step.get("extent")):
        raise ValueError(f"simulate: the case {case}: expected block or extent")
    samples = ranks * math.prod(step["block"]) if step.get("block") else math.prod(step["extent"])
    return samples * int(step.get("fields", 1)) * np.dtype(step.get("type", "float64")).itemsize
