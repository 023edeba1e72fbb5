"""What a step asks of nodes and files: counted by the planner, or of the two usual ways to write without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker import _core
from esker.planning import planner
from esker.tune.machine import Machine

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Stage:
    """Messages of a stage, one element per node. Bytes out and in are exchanged with other nodes."""

    messages_out: Counts
    messages_in: Counts
    bytes_out: Counts
    bytes_in: Counts
    bytes_inside: Counts
    compared: Counts
    """Waiting receives that messages are compared with, of the rank of the node with the most."""

    def backwards(self) -> Stage:
        """The messages the other way, as reading moves them. Queues of receives are short: few ranks send to one."""
        turned = replace(
            self,
            messages_out=self.messages_in,
            messages_in=self.messages_out,
            bytes_out=self.bytes_in,
            bytes_in=self.bytes_out,
        )
        return turned.without_queues()

    def without_queues(self) -> Stage:
        """Samples are put to their places: nothing is received, or matched."""
        return replace(self, compared=np.zeros_like(self.compared))


@dataclass(frozen=True)
class Extents:
    """Consecutive bytes of files, in the order in which they arrive, each written by one rank in one round."""

    file: Counts
    offset: Counts
    size: Counts
    rank: Counts
    round: Counts
    writes: Counts
    """Calls for each."""


@dataclass(frozen=True)
class Loads:
    """A step of `ranks` ranks; rank r is on node r // ranks_per_node."""

    ranks: int
    ranks_per_node: int
    data_bytes: int
    to_relays: Stage
    to_aggregators: Stage
    extents: Extents
    rounds: int = 1
    messages_of_a_rank: int = 0
    """The most that a rank sends."""
    encodes: bool = False
    """Whether ranks code samples before they move (stored_bits)."""
    hashes: bool = False
    """Whether ranks hash what they write (checksums of IDX)."""
    swaps: bool = False
    """Whether ranks convert what they write to another byte order (CDF)."""
    all_to_alls: int = 0
    """In which each rank tells every other one how much it sends."""
    reads: bool = False
    """Whether the step is read: what ranks would write goes from files to them, and on to those that hold it."""

    @property
    def nodes(self) -> int:
        """Nodes that have ranks."""
        return len(self.to_relays.bytes_in)


def of_plan(machine: Machine, ranks: int, ranks_per_node: int, **arguments: Any) -> Loads:
    """The loads of a step with arguments of esker.plan(), or with `patches` of esker.plan_mesh(). A file pattern of
    stripes follows the machine's stripes unless told otherwise."""
    if arguments.get("pattern") == "stripes":
        arguments.setdefault("stripe_size", machine.count("stripe_bytes"))
        arguments.setdefault("stripe_count", min(machine.count("targets_per_file"), machine.count("targets")))
    report_of = planner.report_of_mesh if "patches" in arguments else planner.report_of_step
    return of_report(report_of(ranks, ranks_per_node=ranks_per_node, **arguments), ranks_per_node, arguments)


def of_report(report: _core.PlanReport, ranks_per_node: int, options: Mapping[str, Any]) -> Loads:
    """The loads of a plan that was made with `ranks_per_node` and these options, which also say whether samples are
    coded, hashed or swapped. Refers to the memory of the report."""
    formats = str(options.get("format", "idx")).split("+")
    has_checksums = str(options.get("checksums", True)).lower() == "true"
    columns = report.node_loads.T
    to_relays, to_aggregators = Stage(*columns[:6]), Stage(*columns[6:])
    if str(options.get("transport", "")).startswith("put"):
        to_relays, to_aggregators = to_relays.without_queues(), to_aggregators.without_queues()
    return Loads(
        report.ranks,
        ranks_per_node,
        report.data_bytes,
        to_relays,
        to_aggregators,
        Extents(*report.extents.T),
        report.rounds,
        report.messages.max,
        encodes=bool(options.get("stored_bits")),
        hashes="idx" in formats and has_checksums,
        swaps=any(name.startswith("cdf") for name in formats),
    )


def of_reading(written: Loads) -> Loads:
    """Reading back what a step writes, by as many ranks and with the same exchange."""
    return replace(
        written,
        to_relays=written.to_relays.backwards(),
        to_aggregators=written.to_aggregators.backwards(),
        reads=True,
    )


def of_separate_files(ranks: int, bytes_per_rank: int, ranks_per_node: int) -> Loads:
    """One file per rank, without any exchange."""
    return _without_exchange(ranks, bytes_per_rank, ranks_per_node)


def of_shared_file(ranks: int, bytes_per_rank: int, ranks_per_node: int) -> Loads:
    """One file, of which each rank writes a contiguous part, without any exchange."""
    loads = _without_exchange(ranks, bytes_per_rank, ranks_per_node)
    number = loads.extents.rank
    return replace(
        loads, extents=replace(loads.extents, file=np.zeros_like(number), offset=number * bytes_per_rank)
    )


def _without_exchange(ranks: int, bytes_per_rank: int, ranks_per_node: int) -> Loads:
    none = np.zeros(-(-ranks // ranks_per_node), np.int64)
    number, zero = np.arange(ranks), np.zeros(ranks, np.int64)
    stage = Stage(none, none, none, none, none, none)
    extents = Extents(number, zero, np.full(ranks, bytes_per_rank), number, zero, np.ones_like(number))
    return Loads(ranks, ranks_per_node, ranks * bytes_per_rank, stage, stage, extents)
