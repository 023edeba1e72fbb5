"""Grids and fields of a writer, as it returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class WriterGrid:
    """A grid of a writer, returned by Writer.grid()."""

    name: str
    dims: Mapping[str, int]
    """Name to size, x first."""
    number: int
    """Position among the writer's grids."""


@dataclass(frozen=True)
class WriterField:
    """A field of a writer, returned by Writer.field()."""

    name: str
    dtype: np.dtype[Any]
    components: int
    grid: str
    fixed: bool
    """Whether the field is written only in the first step."""
    every: int
    """The field is written at steps 0, every, 2 * every, ... only."""
    number: int
    """Position among the writer's fields."""
    shape: tuple[int, ...]
    """Shape of an array of the full grid: (z, y, x[, component])."""


def grid_name(dims: Mapping[str, Any] | Sequence[str]) -> str:
    """Default name of the grid with these dimensions: "xyz", "lon_lat"."""
    return ("" if all(len(dim) == 1 for dim in dims) else "_").join(dims)
