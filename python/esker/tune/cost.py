"""The closed form: seconds of each phase of a step, from its statistics and the parameters of a machine.

    T = T_plan + T_encode + T_restructure + T_aggregate + T_convert + T_create + T_write + T_sync - T_hidden

Phases follow each other. In a phase the slowest node or target counts, and of resources that work at the same
time the slowest. With R rounds, exchange and writing of different rounds overlap: the machine's `overlap` times
(R - 1) / R of the shorter one is hidden. Topology, placement, other jobs and caches of clients are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from esker.tune.machine import Machine
from esker.tune.parameters import DEFINITIONS
from esker.tune.statistics import Amounts, StepStatistics

Parameters = Mapping[str, NDArray[np.float64]]
"""The rates, costs and shares of a machine by name, each with one element per parameter set."""

PHASES = ("plan", "encode", "restructure", "aggregate", "convert", "create", "write", "sync")
"""Of a step that is written."""
_AGREEMENTS = 4
"""Reductions over all ranks in a step: opening, closing, commit and report."""
_BYTES_OF_A_COUNT = 4
_BYTES_OF_A_BOX = 24
"""That a rank sends to others when a plan is made."""


@dataclass(frozen=True)
class Phase:
    """Seconds of a phase by parameter set, and those of the resources that may bound it.

    Where resources work at the same time, the phase takes as long as the slowest, else as long as all.
    """

    seconds: NDArray[np.float64]
    parts: Mapping[str, NDArray[np.float64]]

    def bound(self, number: int) -> str:
        """The resource that takes longest in a parameter set; "nothing" if none takes any time."""
        name = max(self.parts, key=lambda part: self.parts[part][number])
        return name if self.parts[name][number] > 0 else "nothing"


@dataclass(frozen=True)
class Cost:
    """Of all parameter sets."""

    phases: Mapping[str, Phase]
    hidden: NDArray[np.float64]

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Of the whole step."""
        return sum(phase.seconds for phase in self.phases.values()) - self.hidden


def corners(machine: Machine) -> dict[str, NDArray[np.float64]]:
    """Three parameter sets: all of them at the end of their ranges where steps are fastest, their values, and all of
    them at the other end. Every phase is fastest in the first one and slowest in the last."""
    sets = {}
    for known in DEFINITIONS:
        if known.kind == "count":
            continue
        parameter = machine.parameters[known.name]
        ends = [parameter.low, parameter.value, parameter.high]
        is_faster_if_larger = known.kind == "rate" or known.name == "overlap"
        sets[known.name] = np.array(ends[::-1] if is_faster_if_larger else ends, np.float64)
    return sets


def drawn(machine: Machine, count: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Parameter sets from the ranges of a machine, log-uniform where both ends are above 0. Deterministic."""
    random = np.random.default_rng(seed)
    sets = {}
    for name, ends in corners(machine).items():
        low, high = sorted((ends[0], ends[2]))
        at = random.random(count)
        if low == high:
            sets[name] = np.full(count, low)
        else:
            sets[name] = low * (high / low) ** at if low > 0 else low + (high - low) * at
    return sets


def cost_of(statistics: StepStatistics, given: Parameters, sync: bool = False) -> Cost:
    """The cost of a step for each parameter set. Pure. `sync`: files are synced before the step is committed. Where a
    step is read, its phases are open and read instead of create, write and sync."""
    phases = {
        "plan": _plan(statistics, given),
        "encode": _encode(statistics, given),
        "restructure": _of_nodes(statistics.restructure, given),
        "aggregate": _aggregate(statistics, given),
        "convert": _convert(statistics, given),
    }
    if statistics.reads:
        phases |= {"open": _open(statistics, given), "read": _read(statistics, given)}
    else:
        nothing = _sum({"sync": 0 * given["sync_cost"]})
        phases |= {
            "create": _create(statistics, given),
            "write": _write(statistics, given),
            "sync": _sync(statistics, given) if sync else nothing,
        }
    exchange = phases["restructure"].seconds + phases["aggregate"].seconds
    shorter = np.minimum(exchange, phases["read" if statistics.reads else "write"].seconds)
    return Cost(phases, given["overlap"] * (statistics.rounds - 1) / statistics.rounds * shorter)


def _plan(statistics: StepStatistics, given: Parameters) -> Phase:
    """Boxes of all ranks; only a step whose boxes differ from the step before plans."""
    ranks = statistics.ranks
    return _sum(
        {
            "latency": given["latency"] * np.log2(ranks),
            "network": (ranks > 1) * _BYTES_OF_A_BOX * ranks / given["network_bandwidth"],
        }
    )


def _encode(statistics: StepStatistics, given: Parameters) -> Phase:
    return _sum({"coding": statistics.encoded_bytes_of_a_core / given["encode_bandwidth"]})


def _of_nodes(rows: Amounts, given: Parameters) -> Phase:
    """The slowest node: messages that arrive, which many others wait for at the same rank, then bytes on the network,
    then copies in memory."""
    messages, network, copied, compared = (column[:, None] for column in rows.T)
    parts = {
        "messages": messages * given["message_cost"],
        "queues": compared * given["match_cost"],
        "network": network / given["network_bandwidth"],
        "memory": copied / given["copy_bandwidth"],
    }
    return _slowest_row(parts)


def _aggregate(statistics: StepStatistics, given: Parameters) -> Phase:
    """As fast as nodes receive, or as ranks send; with the agreements of a step."""
    nodes = _of_nodes(statistics.aggregate, given)
    sends = statistics.messages_of_a_rank * given["send_cost"]
    agreements = _AGREEMENTS * given["latency"] * np.log2(statistics.ranks)
    told = _all_to_alls(statistics, given)
    parts = {**nodes.parts, "sends": sends, "latency": agreements, "all-to-all": told}
    return Phase(np.maximum(nodes.seconds, sends) + agreements + told, parts)


def _all_to_alls(statistics: StepStatistics, given: Parameters) -> NDArray[np.float64]:
    """Each rank tells every other one a count, in log2 N messages that pass on half of all counts (Bruck et al.,
    1997)."""
    steps = np.log2(statistics.ranks)
    bytes_of_a_node = statistics.ranks_per_node * statistics.ranks / 2 * _BYTES_OF_A_COUNT * steps
    once = steps * given["latency"] + bytes_of_a_node / given["network_bandwidth"]
    return statistics.all_to_alls * once


def _convert(statistics: StepStatistics, given: Parameters) -> Phase:
    """What the ranks that write do with the samples before."""
    return _sum(
        {
            "hashing": statistics.hashed_bytes_of_a_core / given["hash_bandwidth"],
            "byte order": statistics.swapped_bytes_of_a_core / given["swap_bandwidth"],
        }
    )


def _create(statistics: StepStatistics, given: Parameters) -> Phase:
    return _sum(
        {
            "files": statistics.files * given["create_cost"],
            "objects": statistics.max_objects_of_a_target * given["object_cost"],
        }
    )


def _open(statistics: StepStatistics, given: Parameters) -> Phase:
    """One after the other, as files are created; without objects on targets."""
    return _sum({"files": statistics.opened_files * given["create_cost"]})


def _read(statistics: StepStatistics, given: Parameters) -> Phase:
    """As writing, without locks: readers share them."""
    stored = statistics.target[:, :1]
    return _from_end_to_end(_slowest_row({"targets": stored / given["target_bandwidth"]}), statistics, given)


def _write(statistics: StepStatistics, given: Parameters) -> Phase:
    stored, new_writers, changes, compared = (column[:, None] for column in statistics.target.T)
    handed_over = new_writers + given["lock_contention"] * np.maximum(changes - new_writers, 0)
    locks = handed_over * given["lock_cost"] + compared * given["queue_cost"]
    target = _slowest_row({"targets": stored / given["target_bandwidth"], "locks": locks})
    return _from_end_to_end(target, statistics, given)


def _from_end_to_end(target: Phase, statistics: StepStatistics, given: Parameters) -> Phase:
    """As fast as the slowest of all resources between memory and storage, `target` being the slowest target."""
    calls = statistics.max_writes_of_a_core * given["request_cost"]
    parts = {
        **target.parts,
        "writers": calls + statistics.max_written_bytes_of_a_core / given["write_bandwidth"],
        "network": statistics.max_bytes_of_a_node / given["network_bandwidth"],
        "I/O nodes": statistics.max_bytes_of_an_io_node / given["io_node_bandwidth"],
        "servers": statistics.max_bytes_of_a_server / given["server_bandwidth"],
        "file": statistics.max_bytes_of_a_file / given["file_bandwidth"],
        "file system": statistics.stored_bytes / given["system_bandwidth"],
    }
    others = [seconds for name, seconds in parts.items() if name not in target.parts]
    longest = np.maximum.reduce([target.seconds, *others])
    is_target = target.seconds >= longest
    return Phase(
        longest, {name: s if name not in target.parts else s * is_target for name, s in parts.items()}
    )


def _sync(statistics: StepStatistics, given: Parameters) -> Phase:
    return _sum(
        {
            "data": statistics.stored_bytes / given["sync_bandwidth"],
            "files": statistics.max_files_of_a_rank * given["sync_cost"],
        }
    )


def _sum(parts: dict[str, NDArray[np.float64]]) -> Phase:
    return Phase(np.sum(list(parts.values()), axis=0), parts)


def _slowest_row(parts: dict[str, NDArray[np.float64]]) -> Phase:
    """Of rows (nodes or targets) by parameter sets, the row with the largest sum of each set."""
    sums = np.sum([np.broadcast_to(part, _shape(parts)) for part in parts.values()], axis=0)
    slowest = sums.argmax(axis=0)
    columns = np.arange(sums.shape[1])
    chosen = {name: np.broadcast_to(part, sums.shape)[slowest, columns] for name, part in parts.items()}
    return Phase(sums[slowest, columns], chosen)


def _shape(parts: dict[str, NDArray[np.float64]]) -> tuple[int, ...]:
    return np.broadcast_shapes(*(part.shape for part in parts.values()))
