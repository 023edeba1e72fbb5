"""Selection: the samples that a query selects, and the arguments of queries as the extension takes them."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box


@dataclass(frozen=True)
class Selection:
    """The samples selected by a query: a hyperslab with the points origin + i * stride of the full grid.

    `origin` and `stride` list x first; `shape` is the shape of the array that read() returns. The samples are
    aligned to index 0 of the grid, not to the corner of the box. `shape` contains a 0 if no sample is in the
    box.
    """

    dims: tuple[str, ...]
    """Names of the grid's dimensions, slowest first (without the component dimension)."""
    origin: tuple[int, ...]
    stride: tuple[int, ...]
    shape: tuple[int, ...]
    level: int
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Bytes of the array that read() returns."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def box_of(self, part: Box) -> Box:
        """The box of the full grid that contains exactly the samples at the indices `part` of this
        selection."""
        corners = [
            (origin + first * stride, origin + (last - 1) * stride + 1)
            for origin, stride, first, last in zip(self.origin, self.stride, *part)
        ]
        return tuple(lo for lo, _ in corners), tuple(hi for _, hi in corners)

    def slices_of(self, coarser: Selection) -> tuple[slice, ...]:
        """The slices of this selection's array that hold the samples of a coarser selection of the same
        box."""
        axes = zip(
            self.origin,
            self.stride,
            coarser.origin,
            coarser.stride,
            reversed(coarser.shape[: len(self.dims)]),
        )
        slices = []
        for origin, stride, first, step, count in axes:
            start, ratio = (first - origin) // stride, step // stride
            slices.append(slice(start, start + count * ratio, ratio))
        return tuple(slowest_first(slices))

    def places_of(self, coarser: Selection) -> tuple[slice, ...]:
        """Deprecated name of slices_of()."""
        warnings.warn("Selection.places_of is called slices_of now", DeprecationWarning, stacklevel=2)
        return self.slices_of(coarser)

    def indices(self, dim: str) -> NDArray[np.int64]:
        """Index in the full grid of each sample along `dim`."""
        position = position_of(dim, self.dims)
        axis = len(self.dims) - 1 - position
        return self.origin[axis] + self.stride[axis] * np.arange(self.shape[position], dtype=np.int64)


def slowest_first(x_first: Sequence[Any]) -> list[Any]:
    """What is listed x first, in the order of shapes; and the other way."""
    return list(reversed(x_first))


def position_of(dim: str, dims: tuple[str, ...]) -> int:
    """The position of a dimension. Raises KeyError if there is none of that name."""
    if dim not in dims:
        raise KeyError(f"no dimension {dim!r}; the grid has {', '.join(dims)}")
    return dims.index(dim)


def query_of(
    step: int, box: Box | None, level: int | None
) -> tuple[int, tuple[list[int], list[int]] | None, int | None]:
    """The arguments converted for the extension, to plain integers; NumPy integers are accepted, floats are
    not."""
    corners = None
    if box is not None:
        lo, hi = box
        corners = ([operator.index(i) for i in lo], [operator.index(i) for i in hi])
        if any(l > h for l, h in zip(*corners)):
            raise ValueError(
                f"box: expected a lower and an upper corner, found {tuple(corners[0])} and "
                f"{tuple(corners[1])}"
            )
    return operator.index(step), corners, None if level is None else operator.index(level)
