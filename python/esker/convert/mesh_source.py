"""What files of adaptive meshes have in common: patches of all fields on several levels, at one time."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

AXES = "xyz"
GEOMETRIES = ("cartesian", "cylindrical", "spherical")
"""Of AMReX's numbers of coordinate systems. Axes are r and z, or r and theta, in the last two."""


@dataclass(frozen=True)
class MeshPatch:
    """A patch of all fields at one level."""

    level: int
    lo: tuple[int, ...]
    """Index of its first cell, x first, where the domain of the level begins at 0."""
    shape: tuple[int, ...]
    """Cells without ghost cells, x first."""


PatchType = TypeVar("PatchType", bound=MeshPatch)


class MeshSource(ABC, Generic[PatchType]):
    """A file or directory of an adaptive mesh. Subclasses set the attributes when they open it."""

    path: Path
    axes: tuple[str, ...]
    """Names of the axes, x first, as in all that follows."""
    extent: tuple[int, ...]
    """Cells of the coarsest level."""
    ratios: tuple[int, ...]
    """Cells of each finer level in a cell of the level before it, along each axis."""
    origin: tuple[float, ...]
    """Lower corner of the domain."""
    spacing: tuple[float, ...]
    """Edges of the coarsest cells."""
    time: float
    fields: tuple[str, ...]
    """Their names in the source."""
    dtypes: tuple[np.dtype[Any], ...]
    """Types of the fields, in native byte order."""
    patches: tuple[PatchType, ...]
    geometry: str = GEOMETRIES[0]

    @property
    def nbytes(self) -> int:
        """Size of the samples of all patches."""
        cells = sum(math.prod(patch.shape) for patch in self.patches)
        return cells * sum(dtype.itemsize for dtype in self.dtypes)

    @abstractmethod
    def read(self, patch: PatchType) -> Mapping[str, NDArray[Any]]:
        """Field to samples of a patch, slowest axis first, in any byte order.

        Views of mapped files, if possible: they need no memory.
        """


def refinement_ratio(where: str, ratios: Iterable[int]) -> int:
    """The ratio of all axes. Raises ValueError, which names `where`, if it is not one integer above 1."""
    distinct = sorted(set(ratios))
    ratio = distinct[0]
    if len(distinct) > 1 or ratio < 2:
        raise ValueError(
            f"{where}: expected one ratio of at least 2 for all axes, found {distinct}; "
            "other ratios are not supported"
        )
    return ratio
