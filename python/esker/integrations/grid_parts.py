"""Which samples other programs get of each grid, and where they are: an axis order x, y, z, and ascending coordinates."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.base.characters import has_characters
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.dataset.same_part import Part, same_part
from esker.dataset.selection import Selection

AXES = 3
MAX_SAMPLES = 1 << 24
"""Of the largest field that the automatic level reads: 64 MiB of float32."""
AUTOMATIC, FULL = "automatic", "full"
_INSIDE = ("esker.json", "zarr.json", ".zgroup", ".zmetadata")
"""Files in the directory of a dataset, which file dialogs offer in its place."""

Level = int | str
"""A level, AUTOMATIC or FULL."""
Extent = tuple[int, ...]
"""(first, last) of each of three axes, x first, as VTK has them: the last one is included."""


@dataclass(frozen=True)
class Axis:
    """An axis of another program: ascending coordinates of the samples that are read."""

    coords: NDArray[np.float64]
    is_reversed: bool = False
    """The dataset's coordinates descend, so that its samples are read in the opposite order."""

    @cached_property
    def spacing(self) -> float:
        size = self.coords.size
        return float(self.coords[-1] - self.coords[0]) / (size - 1) if size > 1 else 1.0

    @cached_property
    def is_even(self) -> bool:
        """Whether the samples are equally far apart, but for the rounding of single precision."""
        if self.coords.size < 3:
            return True
        even = self.coords[0] + self.spacing * np.arange(self.coords.size)
        rounding = 4 * np.finfo(np.float32).eps * float(np.abs(self.coords).max())
        allowed = min(max(1e-6 * self.spacing, rounding), 1e-2 * self.spacing)
        return bool(np.abs(self.coords - even).max() <= allowed)


def axis_of(field: Field, dim: str, indices: NDArray[np.int64]) -> Axis:
    """The axis of a dimension at some indices. Coordinates that neither ascend nor descend along the whole grid are replaced
    by the indices."""
    values = field.grid.coords.get(dim)
    if values is None or np.asarray(values).dtype.kind not in "iuf":
        return Axis(indices.astype(np.float64))
    coords = np.asarray(values, np.float64)
    with np.errstate(invalid="ignore"):
        ahead = np.diff(coords)
    if not np.isfinite(coords).all() or not ((ahead > 0).all() or (ahead < 0).all()):
        return Axis(indices.astype(np.float64))
    chosen = coords[indices]
    return Axis(chosen[::-1], True) if ahead.size and ahead[0] < 0 else Axis(chosen)


@dataclass(frozen=True)
class GridPart:
    """The samples that are read of the fields of one grid."""

    name: str
    fields: tuple[Field, ...]
    selection: Selection
    axes: tuple[Axis, ...]
    """Three, x first; those that the grid does not have consist of one sample at 0."""

    @property
    def extent(self) -> Extent:
        """Of all samples; empty if there are none."""
        if any(axis.coords.size == 0 for axis in self.axes):
            return (0, -1) * AXES
        return tuple(index for axis in self.axes for index in (0, axis.coords.size - 1))

    def box_of(self, extent: Extent) -> Box:
        """The box of the grid that has exactly the samples of an extent."""
        lo = [0] * len(self.selection.dims)
        hi = [1] * len(self.selection.dims)
        for n, axis in enumerate(self.axes[: len(lo)]):
            first, last = extent[2 * n], extent[2 * n + 1]
            if axis.is_reversed:
                first, last = axis.coords.size - 1 - last, axis.coords.size - 1 - first
            lo[n], hi[n] = first, last + 1
        return self.selection.box_of((lo, hi))


def dataset_path(name: str | os.PathLike[str]) -> str:
    """The path to open for a file that a user chose."""
    path = os.fspath(name)
    return os.path.dirname(path) or "." if os.path.basename(path) in _INSIDE else path


def fields_of(dataset: Dataset, grid: str) -> list[Field]:
    """The fields that are read together: those of a grid; without its name those of the first mesh, or of all grids of a
    dataset without meshes. Raises ValueError if there are none."""
    if grid and grid not in dataset.grids:
        raise ValueError(f"{dataset.path}: no grid {grid!r}; the dataset has {', '.join(dataset.grids)}")
    fields = drawable(dataset)
    mesh = next((field.grid.name for field in fields if field.grid.mesh is not None), "")
    found = [field for field in fields if (grid or mesh) in ("", field.grid.name)]
    if not found:
        raise ValueError(f"{dataset.path}: no field of numbers on a grid")
    return found


def drawable(dataset: Dataset) -> list[Field]:
    """The fields that have numbers on a grid."""
    return [
        field
        for field in dataset.fields.values()
        if not field.is_series and not has_characters(field.dtype, field.attrs)
    ]


def grid_parts(
    fields: Sequence[Field],
    box: Box | None = None,
    level: Level = AUTOMATIC,
    indices: Sequence[int] = (),
    max_samples: int = MAX_SAMPLES,
) -> tuple[int, list[GridPart]]:
    """The level of the largest field, and the part of each grid. `box` is one of the largest field and may exceed it, or have
    more axes. `indices` are the positions along the axes after the third one, 0 by default."""
    if not fields:
        return 0, []
    largest = largest_of(fields)
    if box is not None:
        box = _clipped(box, largest.box)
    chosen = _level_of(largest, box, level, max_samples)
    parts = same_part(fields, box, chosen)
    grids: dict[str, list[Field]] = {}
    for field in fields:
        grids.setdefault(field.grid.name, []).append(field)
    return chosen, [_grid_part(name, on, parts[on[0].name], indices) for name, on in grids.items()]


def largest_of(fields: Iterable[Field]) -> Field:
    """The (first) field with the most samples."""
    return max(fields, key=lambda field: math.prod(field.shape[: len(field.grid.dims)]))


def _clipped(box: Box, limits: Box) -> Box:
    corners = []
    for axis, (lo, hi) in enumerate(zip(*limits)):
        first = int(box[0][axis]) if axis < len(box[0]) else lo
        end = int(box[1][axis]) if axis < len(box[1]) else hi
        first = min(max(first, lo), hi)
        corners.append((first, max(first, min(end, hi))))
    return tuple(lo for lo, _ in corners), tuple(hi for _, hi in corners)


def _level_of(field: Field, box: Box | None, level: Level, max_samples: int) -> int:
    """Raises ValueError for a text that is no level."""
    if level == FULL:
        return field.max_level
    if level != AUTOMATIC:
        if isinstance(level, str):
            raise ValueError(f"level: expected a number, {AUTOMATIC!r} or {FULL!r}, found {level!r}")
        return min(max(level, 0), field.max_level)
    for finest in range(field.max_level, 0, -1):
        shape = field._lattice(box, finest).shape[: len(field.grid.dims)]
        if math.prod(shape[-AXES:]) <= max_samples:
            return finest
    return 0


def _grid_part(name: str, fields: Sequence[Field], part: Part, indices: Sequence[int]) -> GridPart:
    field = fields[0]
    stride = list(part.stride or field._lattice(part.box, part.level).stride)
    lo, hi = (list(corner) for corner in part.box or field.box)
    for further, axis in enumerate(range(AXES, len(lo))):
        index = indices[further] if further < len(indices) else 0
        lo[axis] = min(max(index, field.box[0][axis]), field.box[1][axis] - 1)
        hi[axis], stride[axis] = lo[axis] + 1, 1
    selection = field._lattice((lo, hi), None, tuple(stride))
    dims = list(selection.dims)[::-1][:AXES]
    axes = [axis_of(field, dim, selection.indices(dim)) for dim in dims]
    axes += [Axis(np.zeros(1))] * (AXES - len(axes))
    return GridPart(name, tuple(fields), selection, tuple(axes))


def is_even(field: Field) -> bool:
    """Whether the samples of the whole grid are equally far apart along each of the three axes."""
    dims = list(field.grid.dims.items())[::-1][:AXES]
    return all(axis_of(field, dim, np.arange(size)).is_even for dim, size in dims)
