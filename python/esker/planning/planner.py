"""Predicts messages, files and memory of a step on N ranks, without MPI or data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from esker import _core
from esker.base.boxes import Box
from esker.dataset.description import StoredSamples
from esker.dataset.mesh import LevelCover
from esker.planning import rank_boxes

PHASES = ("one-phase", "two-phase", "three-phase")


def plan(
    ranks: int,
    *,
    block: Sequence[int] | None = None,
    extent: Sequence[int] | None = None,
    dataset: str | None = None,
    boxes: Iterable[tuple[int, Box]] = (),
    fields: int = 1,
    type: str = "float64",
    stored_bits: int = 0,
    keep: float | Iterable[tuple[int, Box]] | None = None,
    keep_order: str = "z",
    keep_level: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Exact costs of a step of a new dataset in which all fields are written. Sizes in bytes, axes x first.

    ranks:   number of ranks that write
    block:   samples per rank along each axis; the ranks form a grid as nearly cubic as possible
    extent:  instead of block: samples of the full grid, which is split as nearly cubically as possible
    dataset: instead of block or extent: an existing dataset whose grids and fields are planned. Ranks get
             equal parts of the patches that its meshes have at the last step
    boxes:   (rank, (lo, hi)) for all ranks, half open, instead of a split; they must cover the grid exactly
             once. Without block, extent and dataset they also define the extent of the grid
    fields:  number of fields, with `block` or `extent`
    type:    NumPy type of the samples
    stored_bits: bits per sample that are stored, with `block` or `extent`, see Writer.field()
    keep:    what the step keeps: a share of the boxes of the ranks, 0 to 1, completely (the first
             floor(keep * n) of n boxes); or (level, (lo, hi)) for boxes on every grid, see Step.keep()
    keep_order: "z", along the Z curve: a clustered region; or "bit-reversed": a scattered one
    keep_level: the level of everything else, 0 or below; without it, the rest is not stored
    options: as for esker.write()

    Raises ValueError, IndexError (a box or patch leaves the grid, a level that it does not have), MemoryError (a memory
    budget too small), NotImplementedError (`keep` in a format that stores fields completely).

    >>> import esker
    >>> facts = esker.plan(4096, block=(30, 30, 30), restructure="default")
    >>> facts["boxes"], facts["volume_ratio"], facts["receivers"]
    (3375, 3375.0, 3375)
    >>> facts = esker.plan(512, block=(64, 64, 64), keep=0.2, bits_per_block=15)
    >>> round(facts["efficiency"], 3)
    0.994
    """
    given = {
        "block": block,
        "extent": extent,
        "dataset": dataset,
        "boxes": boxes,
        "fields": fields,
        "type": type,
    }
    kept = {"stored_bits": stored_bits, "keep": keep, "keep_order": keep_order, "keep_level": keep_level}
    return _facts(report_of_step(ranks, **given, **kept, **options))


def report_of_step(
    ranks: int,
    *,
    block: Sequence[int] | None = None,
    extent: Sequence[int] | None = None,
    dataset: str | None = None,
    boxes: Iterable[tuple[int, Box]] = (),
    fields: int = 1,
    type: str = "float64",
    stored_bits: int = 0,
    keep: float | Iterable[tuple[int, Box]] | None = None,
    keep_order: str = "z",
    keep_level: int | None = None,
    ranks_per_node: int = 0,
    **options: Any,
) -> _core.PlanReport:
    """The report from which plan() takes its facts; with `ranks_per_node` also the loads of nodes and files."""
    rows = _rows(boxes)
    if rows and block is extent is dataset is None:
        extent = [max(ends) for ends in zip(*(hi for _, _, hi in rows))]
    if sum(given is not None for given in (block, extent, dataset)) != 1:
        raise ValueError("plan: expected exactly one of block, extent and dataset, or only boxes")
    if block is not None:
        extent = [n * size for n, size in zip(_core.cube_of_ranks(len(block), ranks), block)]
    texts = _texts(options)
    if dataset is not None:
        kept = _kept(keep, keep_order, _extents_of(dataset) if keep is not None else {}, rows, ranks)
        return _core.plan_dataset(ranks, dataset, rows, texts, kept, keep_level, ranks_per_node)
    assert extent is not None
    kept = _kept(keep, keep_order, {_GRID: extent}, rows, ranks)
    how = (fields, np.dtype(type).name, stored_bits)
    return _core.plan_grid(ranks, list(extent), *how, rows, texts, kept, keep_level, ranks_per_node)


def plan_mesh(
    ranks: int,
    patches: Iterable[tuple[int, int, Box]],
    *,
    ratios: Sequence[int | Sequence[int]] = (),
    extent: Sequence[int] | None = None,
    fields: int = 1,
    type: str = "float64",
    **options: Any,
) -> dict[str, Any]:
    """The same as esker.plan() for a mesh with several levels. What finer patches cover is stored only in whole levels
    (`format="vtkhdf"` or `"vtkhdf+idx"`).

    patches: (rank, level, (lo, hi)) for all ranks, half open, in indices of the level
    ratios:  cells of each finer level in a cell of the level before it, one number or one per axis; powers of two,
             with format="vtkhdf" any integers
    extent:  cells of the coarsest level; without it, the patches of level 0 define it
    fields, type, options: as for plan()

    Raises ValueError (also for patches of a level that overlap), IndexError (a patch exceeds its level),
    MemoryError.

    >>> import esker
    >>> patches = [(0, 0, ((0, 0), (64, 64))), (1, 1, ((8, 8), (40, 40)))]
    >>> esker.plan_mesh(2, patches, ratios=[2])["levels"]
    [LevelCover(patches=1, samples=4096, covered=256), LevelCover(patches=1, samples=1024, covered=0)]
    """
    return _facts(
        report_of_mesh(ranks, patches, ratios=ratios, extent=extent, fields=fields, type=type, **options)
    )


def report_of_mesh(
    ranks: int,
    patches: Iterable[tuple[int, int, Box]],
    *,
    ratios: Sequence[int | Sequence[int]] = (),
    extent: Sequence[int] | None = None,
    fields: int = 1,
    type: str = "float64",
    ranks_per_node: int = 0,
    **options: Any,
) -> _core.PlanReport:
    """The report from which plan_mesh() takes its facts; with `ranks_per_node` also the loads of nodes and files."""
    listed = [(rank, level, list(lo), list(hi)) for rank, level, (lo, hi) in patches]
    extent = extent or _extent_of_level_0(listed)
    each = [list(ratio) if isinstance(ratio, Sequence) else [ratio] * len(extent) for ratio in ratios]
    name = np.dtype(type).name
    return _core.plan_mesh(ranks, list(extent), each, fields, name, listed, _texts(options), ranks_per_node)


def _extent_of_level_0(patches: list[tuple[int, int, list[int], list[int]]]) -> list[int]:
    upper = [hi for _, level, _, hi in patches if level == 0]
    if not upper:
        raise ValueError("plan: no patch of level 0: expected the extent of the coarsest level")
    return [max(ends) for ends in zip(*upper)]


_GRID = "grid"
"""The name that the grid has without a dataset."""
_Row = tuple[int, list[int], list[int]]


def _rows(boxes: Iterable[tuple[int, Box]]) -> list[_Row]:
    return [(number, list(lo), list(hi)) for number, (lo, hi) in boxes]


def _extents_of(path: str) -> dict[str, Sequence[int]]:
    dataset = _core.open(path)
    return {grid.name: [dataset.dims[dim].size for dim in grid.dims] for grid in dataset.grids}


def _kept(
    keep: float | Iterable[tuple[int, Box]] | None,
    order: str,
    grids: dict[str, Sequence[int]],
    rows: list[_Row],
    ranks: int,
) -> dict[str, list[_Row]]:
    """The boxes that are kept of each grid, with their levels; nothing if the step keeps everything."""
    if keep is None:
        return {}
    if not isinstance(keep, Real):
        listed = _rows(keep)
        return {name: listed for name in grids}
    kept = {}
    for name, extent in grids.items():
        held = [(tuple(lo), tuple(hi)) for _, lo, hi in rows] or rank_boxes.split(extent, ranks)
        kept[name] = _rows((0, box) for box in rank_boxes.first(held, float(keep), order))
    return kept


def compare_phases(ranks: int, restructure: str = "default", **arguments: Any) -> dict[str, dict[str, Any]]:
    """plan() for the three ways of writing, by their names in PHASES.

    one-phase: each rank writes its own parts of blocks; two-phase: aggregators collect blocks; three-phase:
    neighbors first collect regular boxes.
    """
    ways = (
        {"aggregate": False, "checksums": False, "restructure": "off"},
        {"restructure": "off"},
        {"restructure": "default" if restructure == "off" else restructure},
    )
    planned = list(zip(PHASES, ways))[1 if arguments.get("stored_bits") else 0 :]  # cells need aggregation
    return {phase: plan(ranks, **(arguments | way)) for phase, way in planned}


def tuning_space(plan: dict[str, Any], options: dict[str, Any]) -> list[dict[str, Any]]:
    """The options that change the speed of a step with this plan, which was made with `options`: option, value as
    configured, cost, values, constraint, is_set.
    """
    aggregators = plan["aggregators"] or plan["writers"]
    sizes = (plan["peak_bytes_per_rank"], plan["bits_per_block"], plan["blocks_per_file"])
    found = _core.tuning_space(plan["ranks"], aggregators, *sizes, _texts(options))
    return [
        {
            "option": option.option,
            "value": option.value,
            "cost": option.cost,
            "values": option.values,
            "constraint": option.constraint,
            "is_set": option.is_set,
        }
        for option in found
    ]


def read_boxes(path: str | Path) -> list[tuple[int, Box]]:
    """Reads boxes from a text file: one line `rank x0 y0 z0 x1 y1 z1` per box, half open; # begins a comment.

    Raises OSError, or ValueError with the line.
    """
    return [(rank, _box(corners)) for rank, *corners in _read_numbers(path, 1, "a rank and two corners")]


def read_patches(path: str | Path) -> list[tuple[int, int, Box]]:
    """Reads patches of a mesh from a text file: one line `rank level x0 y0 z0 x1 y1 z1` per patch, half open, in
    indices of the level; # begins a comment.

    Raises OSError, or ValueError with the line.
    """
    lines = _read_numbers(path, 2, "a rank, a level and two corners")
    return [(rank, level, _box(corners)) for rank, level, *corners in lines]


def _box(corners: Sequence[int]) -> Box:
    half = len(corners) // 2
    return tuple(corners[:half]), tuple(corners[half:])


def _read_numbers(path: str | Path, first: int, expected: str) -> list[list[int]]:
    """The numbers of each line: `first` ones, then those of two corners."""
    found = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            numbers = list(map(int, words))
        except ValueError:
            numbers = []
        if len(numbers) <= first or (len(numbers) - first) % 2:
            raise ValueError(f"{path}:{number}: expected {expected}, found {line!r}")
        found.append(numbers)
    return found


def histogram_figure(plans: dict[str, dict[str, Any]]) -> Any:
    """A matplotlib figure with a histogram of message sizes for each plan, side by side."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(4.0 * len(plans), 3.6), layout="constrained")
    axes = made.subplots(1, len(plans), sharex=True, sharey=True, squeeze=False)[0]
    for axis, (phase, facts) in zip(axes, plans.items()):
        sizes = facts["message_sizes"]
        edges = [size["least_bytes"] for size in sizes]
        below = [0] * len(sizes)
        for kind, label in (("to_aggregators", _SECOND[phase == PHASES[0]]), ("to_relays", "to relays")):
            counts = [size[kind] for size in sizes]
            if any(counts):
                axis.bar(edges, counts, width=edges, bottom=below, align="edge", label=label)
            below = [low + count for low, count in zip(below, counts)]
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_title(phase)
        axis.set_xlabel("bytes")
        axis.legend()
    axes[0].set_ylabel("messages")
    return made


_SECOND = ("to aggregators", "written by the ranks")


def _facts(report: _core.PlanReport) -> dict[str, Any]:
    stored = report.samples
    samples = StoredSamples(stored.primary, stored.secondary, stored.padding, stored.blocks)
    spread = {
        name: _spread(getattr(report, name))
        for name in ("messages", "senders", "sent_bytes", "written_bytes", "buffer_bytes")
    }
    single = (
        *("ranks", "aggregators", "writers", "files", "blocks", "rounds", "data_bytes", "stored_bytes"),
        *("burst_bytes", "boxes", "volume_ratio", "receivers", "bits_per_block", "blocks_per_file"),
    )
    return {
        **{name: getattr(report, name) for name in single},
        "samples": samples._asdict(),
        "efficiency": samples.efficiency,
        "levels": [LevelCover(*cover) for cover in report.levels],
        **_partition_facts(report.in_partitions),
        "write_imbalance": report.write_imbalance,
        "max_fan_in": report.senders.max,
        "peak_bytes_per_rank": report.buffer_bytes.max,
        "pinned_bytes_per_rank": report.buffer_bytes.max,  # if the fields are on a GPU: all of its buffers
        **spread,
        "imbalance": {
            name: spread[name]["max"] / spread[name]["mean"] if spread[name]["mean"] else 1.0
            for name in ("messages", "sent_bytes", "written_bytes")
        },
        "message_sizes": [
            {
                "least_bytes": size.least_bytes,
                "to_relays": size.to_relays,
                "to_aggregators": size.to_aggregators,
            }
            for size in report.message_sizes
        ],
        "exact": True,
        "text": report.to_string(),
    }


def _partition_facts(traffic: _core.PartitionTraffic) -> dict[str, Any]:
    """What crosses borders, the coarse part, and the costs of all other messages."""
    if traffic.partitions == 0:
        return {"partitions": 0}
    names = ("messages", "senders", "sent_bytes", "buffer_bytes")
    return {
        "partitions": traffic.partitions,
        "in_partitions": {
            **{name: _spread(getattr(traffic, name)) for name in names},
            "max_fan_in": traffic.senders.max,
            "peak_bytes_per_rank": traffic.buffer_bytes.max,
        },
        "crossing": {"messages": traffic.crossing_messages, "bytes": traffic.crossing_bytes},
        "coarse": {"messages": traffic.coarse_messages, "bytes": traffic.coarse_bytes},
    }


def _spread(amount: _core.OverRanks) -> dict[str, Any]:
    return {"min": amount.min, "mean": amount.mean, "max": amount.max}


def _texts(options: dict[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in options.items()}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
