"""What is known of a setting before it is measured: sizes, options, statistics of its plan, and the cost model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from esker.planning import planner
from esker.tune import cost, loads, statistics
from esker.tune.characterize import workloads
from esker.tune.characterize.design import Work
from esker.tune.machine import Machine
from esker.tune.simulation import default_ranks_per_node, usual_layout

LITERATURE = (
    *("global_x", "global_y", "global_z", "local_x", "local_y", "local_z"),
    *("fields", "files", "ranks", "aggregators", "aggregation_factor", "memory", "restructured"),
)
"""The attributes of the literature: extents in samples, memory in bytes of all buffers of a rank."""
PLAN = (
    *("messages", "message_bytes", "max_messages_of_a_rank", "fan_in", "rounds", "sent_bytes_of_a_rank"),
    *("extents", "extent_bytes", "written_bytes_of_a_rank", "stored_bytes", "blocks"),
)
"""What the planner adds. An extent: consecutive bytes of a file that a rank writes in a round."""

_NETWORK_PHASES = ("plan", "encode", "restructure", "aggregate")
_STORAGE_PHASES = ("create", "write", "sync")


@dataclass(frozen=True)
class Known:
    """Of a setting. `model_s`: seconds of a step by the cost model, one element for each set of parameters."""

    literature: Mapping[str, float]
    plan: Mapping[str, float]
    model_s: np.ndarray
    data_bytes: int

    def row(self) -> dict[str, float]:
        return {**self.literature, **self.plan, "data_bytes": self.data_bytes}


def known(
    work: Work, setting: Mapping[str, str], machine: Machine, given: cost.Parameters | None = None
) -> Known:
    """All that is known of a setting. `given`: the parameters for which `model_s` is computed; by default those of the
    machine. Raises what esker.plan() raises."""
    sets = given if given is not None else values_of(machine)
    parts = workloads.parts_of(work.workload, work.points, work.ranks)
    per_node = default_ranks_per_node(machine, work.ranks)
    data_bytes = sum(part.data_bytes for part in parts)
    if work.mode == "storage":
        files, write_bytes = (int(setting.get(key, "0")) for key in ("files", "write_bytes"))
        packed = packed_loads(work.ranks, data_bytes, files or work.ranks, per_node)
        seconds = _seconds(machine, packed, sets, _STORAGE_PHASES)
        return Known(
            _packed_literature(parts, work, packed), _packed_plan(packed, write_bytes), seconds, data_bytes
        )
    options: dict[str, Any] = {**setting, **({"format": work.format} if work.format != "idx" else {})}
    reports = [
        planner.report_of_step(work.ranks, **part.arguments(), ranks_per_node=per_node, **options)
        for part in parts
    ]
    phases = cost.PHASES if work.mode == "both" else _NETWORK_PHASES
    of_parts = [loads.of_report(report, per_node, options) for report in reports]
    seconds = sum(_seconds(machine, asked, sets, phases) for asked in of_parts)
    return Known(_literature(parts, work, setting, reports), _plan(work, reports), seconds, data_bytes)


def values_of(machine: Machine) -> cost.Parameters:
    """The values of a machine's rates and costs, as one set of parameters."""
    return {name: np.array([parameter.value]) for name, parameter in machine.parameters.items()}


NUMBERS = ("aggregators", "collective_buffer", "compress_threads", "max_fan_in")
"""Options that are numbers; 0: the choice of Esker."""


def option_attributes(setting: Mapping[str, str], ranks: int, aggregators: float) -> dict[str, float]:
    """Options as numbers: sizes in bytes, "option=value" is 1 for the value of an option that is no number.

    aggregators: those in effect where Esker chooses them

    >>> option_attributes({"collective_buffer": "64K", "transport": "put"}, 4, 2)["ranks_per_aggregator"]
    2.0
    """
    found = {name: float(bytes_of(setting.get(name, "0"))) for name in NUMBERS}
    found["ranks_per_aggregator"] = ranks / max(1.0, found["aggregators"] or aggregators)
    for option, value in setting.items():
        if option not in NUMBERS:
            found[f"{option}={value}"] = 1.0
    return found


def bytes_of(text: str) -> int:
    """A count, or a size such as 64K.

    >>> bytes_of("64K"), bytes_of("8")
    (65536, 8)
    """
    power = "KMGT".find(text[-1:].upper()) + 1
    return int(text[:-1] if power else text) << 10 * power


def packed_loads(ranks: int, data_bytes: int, files: int, ranks_per_node: int) -> loads.Loads:
    """Of ranks that write equal parts of a step, one after the other, to files of equal sizes. No exchange."""
    plain = loads.of_separate_files(ranks, max(1, data_bytes // ranks), ranks_per_node)
    file_bytes = -(-data_bytes // files)
    of_files = np.arange(files + 1) * file_bytes
    of_ranks = np.append(np.arange(ranks) * (data_bytes // ranks), data_bytes)
    ends = np.unique(np.minimum(np.concatenate([of_files, of_ranks]), data_bytes))
    begin, size = ends[:-1], np.diff(ends)
    rank = np.minimum(begin // max(1, data_bytes // ranks), ranks - 1)
    file = begin // file_bytes
    none, one = np.zeros_like(rank), np.ones_like(rank)
    extents = loads.Extents(file, begin - file * file_bytes, size, rank, none, one)
    return replace(plain, data_bytes=data_bytes, extents=extents)


def _seconds(
    machine: Machine, asked: loads.Loads, given: cost.Parameters, phases: Sequence[str]
) -> np.ndarray:
    found = cost.cost_of(statistics.of_loads(asked, usual_layout(machine)), given)
    hidden = found.hidden if tuple(phases) == cost.PHASES else 0 * found.hidden
    return sum(found.phases[name].seconds for name in phases) - hidden


def _extents(parts: Sequence[workloads.Part]) -> dict[str, float]:
    """Of the first grid, which is the largest."""
    found: dict[str, float] = {}
    for which, sizes in (("global", parts[0].extent), ("local", parts[0].local)):
        padded = (*sizes, 1, 1)[:3]
        found |= {f"{which}_{axis}": float(size) for axis, size in zip("xyz", padded)}
    return found


def _literature(
    parts: Sequence[workloads.Part], work: Work, setting: Mapping[str, str], reports: Sequence[Any]
) -> dict[str, float]:
    aggregators = max(report.aggregators or report.writers for report in reports)
    return {
        **_extents(parts),
        "fields": sum(part.fields for part in parts),
        "files": sum(report.files for report in reports),
        "ranks": work.ranks,
        "aggregators": aggregators,
        "aggregation_factor": work.ranks / max(1, aggregators),
        "memory": max(report.buffer_bytes.max for report in reports),
        "restructured": float(setting.get("restructure", "off") != "off"),
    }


def _plan(work: Work, reports: Sequence[Any]) -> dict[str, float]:
    messages = sum(report.messages.mean for report in reports) * work.ranks
    sent = sum(report.sent_bytes.mean for report in reports) * work.ranks
    extents = sum(len(report.extents) for report in reports)
    stored = sum(report.stored_bytes for report in reports)
    return {
        "messages": messages,
        "message_bytes": sent / messages if messages else 0.0,
        "max_messages_of_a_rank": sum(report.messages.max for report in reports),
        "fan_in": max(report.senders.max for report in reports),
        "rounds": sum(report.rounds for report in reports),
        "sent_bytes_of_a_rank": sum(report.sent_bytes.max for report in reports),
        "extents": extents,
        "extent_bytes": stored / max(1, extents),
        "written_bytes_of_a_rank": sum(report.written_bytes.max for report in reports),
        "stored_bytes": stored,
        "blocks": sum(report.blocks for report in reports),
    }


def _packed_literature(parts: Sequence[workloads.Part], work: Work, packed: loads.Loads) -> dict[str, float]:
    return {
        **_extents(parts),
        "fields": sum(part.fields for part in parts),
        "files": len(np.unique(packed.extents.file)),
        "ranks": work.ranks,
        "aggregators": work.ranks,
        "aggregation_factor": 1.0,
        "memory": packed.data_bytes / work.ranks,
        "restructured": 0.0,
    }


def _packed_plan(packed: loads.Loads, write_bytes: int) -> dict[str, float]:
    size = packed.extents.size
    writes = int((-(-size // write_bytes)).sum()) if write_bytes else len(size)
    none = dict.fromkeys(PLAN, 0.0)
    return none | {
        "rounds": 1,
        "extents": writes,
        "extent_bytes": packed.data_bytes / writes,
        "written_bytes_of_a_rank": float(np.bincount(packed.extents.rank, size).max()),
        "stored_bytes": packed.data_bytes,
    }
