"""Statistics of a step on a machine with so many nodes, servers, targets and stripes: all that its cost depends on.

Of nodes and targets only those are kept that may be the slowest one for some bandwidths and costs. So the cost of
another set of parameters takes microseconds, whatever the number of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from esker.tune.loads import Counts, Extents, Loads, Stage

Amounts = NDArray[np.float64]

_PAIRS_AT_A_TIME = 1 << 22
"""Pairs of extent and stripe for which arrays are held; one file may exceed it."""


@dataclass(frozen=True)
class Layout:
    """The counts of a machine that shape the statistics."""

    cores_per_node: int
    nodes_per_io_node: int
    servers: int
    targets: int
    targets_in_a_row: int
    targets_per_file: int
    stripe_bytes: int

    def targets_of(self, file: Counts, stripe: Counts, stripes_of_a_file: int) -> Counts:
        """The targets of files' stripes. A file begins behind the last target of the one before; all files have
        about `stripes_of_a_file`."""
        per_file = min(self.targets_per_file, self.targets)
        first = file * min(per_file, max(1, stripes_of_a_file))
        return (first + stripe % per_file) % self.targets

    def server_of(self, target: Counts) -> Counts:
        """The server of a target."""
        return target // self.targets_in_a_row % self.servers


@dataclass(frozen=True)
class StepStatistics:
    """What the cost of a step depends on, apart from bandwidths and costs."""

    ranks: int
    ranks_per_node: int
    nodes: int
    data_bytes: int
    stored_bytes: int
    files: int
    rounds: int
    messages_of_a_rank: int
    max_messages_in: int
    """Of a node, both stages together."""
    pairs: int
    """Of a writer and an object that it writes, an object being the part of a file on one target."""
    objects: int
    encoded_bytes_of_a_core: float
    hashed_bytes_of_a_core: float
    swapped_bytes_of_a_core: float
    all_to_alls: int
    reads: bool
    # One row per node that may be the slowest: messages that arrive, bytes to or from the network (the larger), bytes
    # that a core copies, and receives that messages are compared with.
    restructure: Amounts
    aggregate: Amounts
    # One row per target that may be the slowest: bytes, new writers of its objects, changes of writers, and requests
    # for locks that others are compared with.
    target: Amounts
    max_objects_of_a_target: int
    max_bytes_of_a_server: int
    max_bytes_of_a_file: int
    max_bytes_of_an_io_node: int
    max_bytes_of_a_node: int
    """That it writes."""
    max_written_bytes_of_a_core: float
    max_files_of_a_rank: int
    opened_files: int
    """Of all ranks together."""
    max_writes_of_a_core: float


def of_loads(loads: Loads, layout: Layout) -> StepStatistics:
    """The statistics of a step. Time and memory follow the numbers of nodes, extents and stripes."""
    extents = loads.extents
    cores = min(layout.cores_per_node, loads.ranks_per_node)
    written = _sums(extents.rank // loads.ranks_per_node, extents.size, loads.nodes)
    first, second = loads.to_relays, loads.to_aggregators
    relayed = first.bytes_out + first.bytes_in + first.bytes_inside
    targets = _Targets(extents, layout)
    io_nodes = np.arange(loads.nodes) // layout.nodes_per_io_node
    of_file = _sums(extents.file, extents.size)
    written_by_a_core = _of_a_core(extents, extents.size, loads, cores)
    files_of_ranks = _files_of_ranks(extents)
    return StepStatistics(
        ranks=loads.ranks,
        ranks_per_node=loads.ranks_per_node,
        nodes=loads.nodes,
        data_bytes=loads.data_bytes,
        stored_bytes=int(extents.size.sum()),
        files=int(np.count_nonzero(of_file)),
        rounds=max(1, loads.rounds),
        messages_of_a_rank=loads.messages_of_a_rank,
        max_messages_in=int((first.messages_in + second.messages_in).max()),
        pairs=int(targets.pairs.sum()),
        objects=int(targets.objects.sum()),
        encoded_bytes_of_a_core=loads.data_bytes / loads.nodes / cores if loads.encodes else 0.0,
        hashed_bytes_of_a_core=written_by_a_core if loads.hashes else 0.0,
        swapped_bytes_of_a_core=written_by_a_core if loads.swaps else 0.0,
        all_to_alls=loads.all_to_alls,
        reads=loads.reads,
        restructure=_nodes(first, relayed / cores),
        aggregate=_nodes(second, (second.bytes_out + written) / cores),
        target=slowest(
            np.stack(
                (targets.bytes, targets.pairs - targets.objects, targets.changes, targets.compared), axis=1
            )
        ),
        max_objects_of_a_target=int(targets.objects.max()),
        max_bytes_of_a_server=int(
            _sums(layout.server_of(np.arange(layout.targets)), targets.bytes, layout.servers).max()
        ),
        max_bytes_of_a_file=int(of_file.max(initial=0)),
        max_bytes_of_an_io_node=int(_sums(io_nodes, written).max()),
        max_bytes_of_a_node=int(written.max()),
        max_written_bytes_of_a_core=written_by_a_core,
        max_files_of_a_rank=int(files_of_ranks.max(initial=0)),
        opened_files=int(files_of_ranks.sum()),
        max_writes_of_a_core=_of_a_core(extents, extents.writes, loads, cores),
    )


def slowest(rows: NDArray[np.generic]) -> Amounts:
    """The rows that no other row exceeds or equals in all columns: for costs of at least 0, one of them has the
    largest weighted sum.

    >>> slowest(np.array([[1, 5], [2, 2], [4, 1], [1, 1]])).tolist()
    [[1.0, 5.0], [4.0, 1.0], [2.0, 2.0]]
    """
    left = np.unique(np.asarray(rows, np.float64), axis=0)
    scale = np.maximum(left.max(axis=0), 1)
    left = left[np.argsort(-(left / scale).sum(axis=1), kind="stable")]
    kept = []
    while len(left):
        kept.append(left[0])
        left = left[(left > left[0]).any(axis=1)]
    return np.array(kept)


def _nodes(stage: Stage, copied: NDArray[np.float64]) -> Amounts:
    network = np.maximum(stage.bytes_in, stage.bytes_out)
    return slowest(np.stack((stage.messages_in, network, copied, stage.compared), axis=1))


def _of_a_core(extents: Extents, amounts: Counts, loads: Loads, cores: int) -> float:
    """The sum of amounts of extents that the busiest core has: that of a rank, or its part of those of a node."""
    of_rank = _sums(extents.rank, amounts, loads.ranks)
    of_node = _sums(extents.rank // loads.ranks_per_node, amounts, loads.nodes)
    return max(float(of_rank.max()), float(of_node.max()) / cores)


def _sums(of: Counts, amounts: Counts, count: int = 0) -> Counts:
    """Sums of amounts by number; exact up to 2^53."""
    return np.bincount(of, amounts, count).astype(np.int64)


def _files_of_ranks(extents: Extents) -> Counts:
    """The number of files of each rank."""
    num_files = int(extents.file.max(initial=0)) + 1
    pairs = np.unique(extents.rank.astype(np.int64) * num_files + extents.file)
    return np.bincount(pairs // num_files)


@dataclass(frozen=True)
class Stripes:
    """The parts of extents on one target each, extent by extent."""

    extent: Counts
    """Its number."""
    turn: Counts
    """The number of the stripe among those of the extent."""
    target: Counts
    size: Counts


def stripes_of(extents: Extents, layout: Layout) -> Stripes:
    """Those of all extents. Memory follows the number of stripes."""
    return _stripes(extents, layout, np.arange(len(extents.file)), _stripes_of_a_file(extents, layout))


def _stripes(extents: Extents, layout: Layout, part: Counts, stripes_of_a_file: int) -> Stripes:
    stripe_bytes = layout.stripe_bytes
    begin, size = extents.offset[part], extents.size[part]
    count = (begin + size - 1) // stripe_bytes - begin // stripe_bytes + 1
    of = np.repeat(np.arange(len(part)), count)
    turn = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count)
    stripe = begin[of] // stripe_bytes + turn
    last = np.minimum((stripe + 1) * stripe_bytes, begin[of] + size[of])
    extent = part[of]
    target = layout.targets_of(extents.file[extent], stripe, stripes_of_a_file)
    return Stripes(extent, turn, target, last - np.maximum(stripe * stripe_bytes, begin[of]))


def _stripes_of_a_file(extents: Extents, layout: Layout) -> int:
    return int((extents.offset + extents.size).max(initial=0) // layout.stripe_bytes)


class _Targets:
    """Sums of each storage target."""

    def __init__(self, extents: Extents, layout: Layout) -> None:
        self._layout = layout
        self._stripes_of_a_file = _stripes_of_a_file(extents, layout)
        self.bytes, self.objects, self.pairs, self.changes, self.compared = np.zeros(
            (5, layout.targets), np.int64
        )
        for part in _by_files(extents, layout.stripe_bytes):
            self._add(extents, part)

    def _add(self, extents: Extents, part: Counts) -> None:
        """Adds the stripes of some extents, which are all those of their files."""
        found = _stripes(extents, self._layout, part, self._stripes_of_a_file)
        of = found.extent
        self.bytes += _sums(found.target, found.size, self._layout.targets)
        self._add_writers(found.target, extents.file[of], extents.rank[of], extents.round[of], found.turn)

    def _add_writers(self, target: Counts, file: Counts, rank: Counts, round: Counts, turn: Counts) -> None:
        """Writers progress at the same speed: stripes arrive by round, then by number of stripe of the writer."""
        n = self._layout.targets
        order = np.lexsort((rank, turn, round, target, file))
        target, file, rank = target[order], file[order], rank[order]
        is_same = (np.diff(target) == 0) & (np.diff(file) == 0)
        changes = is_same & (np.diff(rank) != 0)
        self.changes += np.bincount(target[1:], changes, n).astype(np.int64)
        self.objects += np.bincount(target[np.r_[True, ~is_same]], minlength=n)
        by_writer = np.lexsort((rank, target, file))
        target, file, rank = target[by_writer], file[by_writer], rank[by_writer]
        is_new_object = (np.diff(target) != 0) | (np.diff(file) != 0)
        first = np.flatnonzero(np.r_[True, is_new_object | (np.diff(rank) != 0)])
        self.pairs += np.bincount(target[first], minlength=n)
        object_of = np.r_[0, np.cumsum(is_new_object)][first]
        writers = np.bincount(object_of)
        self.compared += _sums(target[first[np.diff(object_of, prepend=-1) > 0]], writers * writers // 4, n)


def _by_files(extents: Extents, stripe_bytes: int) -> Iterator[Counts]:
    """Positions of extents: those of whole files, about _PAIRS_AT_A_TIME stripes at a time."""
    by_file = np.argsort(extents.file, kind="stable")
    stripes = np.cumsum(extents.size[by_file] // stripe_bytes + 2)
    file = extents.file[by_file]
    first = 0
    while first < len(by_file):
        before = stripes[first - 1] if first else 0
        last = int(np.searchsorted(stripes, before + _PAIRS_AT_A_TIME, side="right"))
        last = int(np.searchsorted(file, file[max(first, last - 1)], side="right"))
        yield by_file[first:last]
        first = last
