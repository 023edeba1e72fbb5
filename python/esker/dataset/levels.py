"""The samples of one level of a mesh (AMR)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.dataset.field import Field


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
