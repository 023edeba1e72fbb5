"""What is written: the workloads of esker-bench, as parts that the planner knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from esker import _core
from esker.base.boxes import Box
from esker.planning import rank_boxes

BYTES_PER_SAMPLE = 8
"""Workloads are float64."""


@dataclass(frozen=True)
class Part:
    """A grid with some scalar fields. `local`: samples of the first rank along each axis."""

    extent: tuple[int, ...]
    local: tuple[int, ...]
    fields: int
    boxes: tuple[tuple[int, Box], ...] = ()
    """Of all ranks; empty: the ranks form a grid as nearly cubic as possible."""

    def arguments(self) -> dict[str, Any]:
        """For esker.plan()."""
        return {"extent": self.extent, "fields": self.fields, "boxes": self.boxes}

    @property
    def data_bytes(self) -> int:
        return prod(self.extent) * self.fields * BYTES_PER_SAMPLE


_FIELDS = {"boxes_1": 1, "boxes_4": 4, "boxes_16": 16, "s3d": 16}
"""Scalar fields of workloads whose ranks hold equal boxes."""
MICROBENCHMARK = ("boxes_1", "boxes_4", "boxes_16")
APPLICATIONS = ("s3d", "icesheet", "ocean", "geodesic")


def parts_of(workload: str, points: Sequence[int], ranks: int) -> list[Part]:
    """The grids of a workload of esker-bench whose --points are `points`. Raises ValueError for others."""
    if workload in _FIELDS:
        counts = _core.cube_of_ranks(3, ranks)
        extent = tuple(count * size for count, size in zip(counts, points))
        return [Part(extent, tuple(points), _FIELDS[workload])]
    if workload in ("icesheet", "ocean"):
        x, y, z = points
        columns = rank_boxes.split((x, y), ranks)
        volumes = [((*lo, 0), (*hi, z)) for lo, hi in columns]
        n_volumes, n_maps = (1, 10) if workload == "icesheet" else (4, 4)
        return [_part((x, y, z), volumes, n_volumes), _part((x, y), columns, n_maps)]
    if workload == "geodesic":
        x, y, layers = points
        n_cells = 10 * x * y + 2
        piece = -(-n_cells // ranks)
        cells = [((min(n_cells, r * piece),), (min(n_cells, (r + 1) * piece),)) for r in range(ranks)]
        slabs = [((0, *lo), (layers, *hi)) for lo, hi in cells]
        return [_part((layers, n_cells), slabs, 4), _part((n_cells,), cells, 2)]
    raise ValueError(f"{workload}: expected a workload of {', '.join((*_FIELDS, *APPLICATIONS[1:]))}")


def _part(extent: tuple[int, ...], boxes: Sequence[Box], fields: int) -> Part:
    lo, hi = boxes[0]
    local = tuple(last - first for first, last in zip(lo, hi))
    held = tuple((rank, box) for rank, box in enumerate(boxes) if all(b > a for a, b in zip(*box)))
    return Part(extent, local, fields, held)
