"""What a dataset says of a mesh with several levels (AMR)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

if TYPE_CHECKING:
    from esker.dataset import Box, Field


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


def level_samples(field: Field, step: int, level: int, box: Box) -> NDArray[Any]:
    """The samples of a box in the indices of a level, slowest axis first: those of its patches.

    Under finer patches these are the level's own where the dataset stores whole levels, else the first finer sample
    in each cell. Raises the exceptions of Field.read().
    """
    mesh = field.grid.mesh
    if mesh is None:
        raise ValueError(f"{field.name}: expected a field of a mesh")
    if field.has_whole_levels:
        return field.read(step, box, mesh_level=level)
    ratio = mesh.ratio(level, mesh.num_levels - 1)
    lo, hi = box
    first = [low * r for low, r in zip(lo, ratio)]
    end = [max(begin, (high - 1) * r + 1) for begin, high, r in zip(first, hi, ratio)]
    return field.read(step, (first, end), stride=ratio)


def mesh_of(
    facts: tuple[list[int], list[list[int]], bool, list[float], list[float], bool] | None,
) -> Mesh | None:
    """The mesh of a grid of the compiled module, or None for a grid without levels."""
    if facts is None:
        return None
    extent, ratios, nodes, origin, spacing, nested = facts
    return Mesh(tuple(extent), tuple(map(tuple, ratios)), nodes, tuple(origin), tuple(spacing), nested)
