"""What a dataset says of a mesh with several levels (AMR)."""

from __future__ import annotations

import math
from typing import NamedTuple


class Mesh(NamedTuple):
    """The levels of a mesh, whose samples are stored in the index space of the finest one. All x first."""

    extent: tuple[int, ...]
    """Cells of the coarsest level."""
    ratios: tuple[tuple[int, ...], ...]
    """Cells of each finer level in a cell of the level before it, per axis."""
    nodes: bool
    """Samples are at the corners of cells, not in their middle."""
    origin: tuple[float, ...]
    """Coordinates of the lower corner of the domain."""
    spacing: tuple[float, ...]
    """Edges of the coarsest cells."""
    nested: bool = False
    """The patches of each level are inside of those of the next coarser level, by promise of the writer."""

    @property
    def num_levels(self) -> int:
        return len(self.ratios) + 1

    def ratio(self, coarse: int, fine: int) -> tuple[int, ...]:
        """Cells of a finer level in a cell of a coarser one, per axis."""
        per_axis = zip(*self.ratios[coarse:fine]) if fine > coarse else [()] * len(self.extent)
        return tuple(math.prod(ratios) for ratios in per_axis)

    def shape(self, level: int) -> tuple[int, ...]:
        """Samples of a level if it covers the domain."""
        return tuple(n * r + self.nodes for n, r in zip(self.extent, self.ratio(0, level)))


class MeshPatch(NamedTuple):
    """A patch of all fields of a mesh, half open, x first, in the indices of its level."""

    level: int
    lo: tuple[int, ...]
    hi: tuple[int, ...]


class LevelCover(NamedTuple):
    """What a level of a mesh has at a step."""

    patches: int
    samples: int
    """Of the patches; nodes that patches share count once."""
    covered: int
    """Of these, under finer patches and thus not stored; parts of cells add up."""


def mesh_of(
    facts: tuple[list[int], list[list[int]], bool, list[float], list[float], bool] | None,
) -> Mesh | None:
    """The mesh of a grid of the compiled module, or None for a grid without levels."""
    if facts is None:
        return None
    extent, ratios, nodes, origin, spacing, nested = facts
    return Mesh(tuple(extent), tuple(map(tuple, ratios)), nodes, tuple(origin), tuple(spacing), nested)
