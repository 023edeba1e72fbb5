"""The levels of meshes (AMR) for `xarray.open_datatree("run.idx", engine="esker")`. All arrays are lazy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray.backends import BackendArray
from xarray.core import indexing

from esker.base.dimensions import component_dims
from esker.base.fill_values import fill_values
from esker.dataset.description import Grid
from esker.dataset.field import Field
from esker.dataset.levels import level_samples
from esker.dataset.mesh import Mesh, MeshPatch
from esker.dataset.opening import Dataset
from esker.integrations.xarray.attributes import attributes_for_xarray, field_attributes
from esker.integrations.xarray.times import TimeDims

COVER = "level_cover"
"""Name of the coordinate that tells whose samples a level has."""
_COVER_ATTRIBUTES = {
    "long_name": "patches of this level and of finer ones",
    "flag_values": np.array([0, 1, 2], np.int8),
    "flag_meanings": "outside_patches sample_of_this_level under_a_finer_patch",
}
_CHUNK = 128
"""Preferred size of chunks along each axis."""
_MOST_COORDINATES = 1 << 24
"""Longer axes have no coordinates, which xarray would keep in memory."""

Slices = tuple[slice, ...]


def level_datasets(source: Dataset, grid: Grid, dropped: set[str]) -> dict[str, xr.Dataset]:
    """The levels of a mesh, `level_0` the coarsest: raw, as xarray.decode_cf() takes them."""
    assert grid.mesh is not None
    fields = [f for f in source.fields.values() if f.grid.name == grid.name and f.name not in dropped]
    return {
        f"level_{level}": _level_dataset(source, grid.mesh, fields, level, dropped)
        for level in range(grid.mesh.num_levels)
    }


def _level_dataset(
    source: Dataset, mesh: Mesh, fields: Sequence[Field], level: int, dropped: set[str]
) -> xr.Dataset:
    times = TimeDims(source)
    variables: dict[str, xr.Variable] = {}
    covers: dict[str, xr.Variable] = {}
    of_components = component_dims((f.components for f in fields), {d for f in fields for d in f.grid.dims})
    for field in fields:
        array = _LevelSamples(field, level)
        dims = [*field.grid.dims]
        if not field.fixed:
            dims.insert(0, times.of(field, variables, dropped))
        if COVER not in covers and COVER not in dropped:
            covers[COVER] = _variable(dims, _LevelCover(field, level), _COVER_ATTRIBUTES)
        if field.components > 1:
            dims.append(of_components[field.components])
        variables[field.name] = _variable(dims, array, field_attributes(field))
    for axis, dim in enumerate(reversed(list(fields[0].grid.dims)) if fields else ()):
        if dim not in dropped and mesh.shape(level)[axis] <= _MOST_COORDINATES:
            attributes = attributes_for_xarray(source.dim_attrs.get(dim, {}))
            variables[dim] = xr.Variable(dim, _coordinates(mesh, level, axis), attributes)
    return xr.Dataset(variables, coords=covers)


def _variable(dims: Sequence[str], array: _LevelArray, attributes: Any) -> xr.Variable:
    first = 0 if array.field.fixed else 1
    sizes = [1] * first + [min(size, _CHUNK) for size in array.shape[first:]]
    encoding = {"preferred_chunks": dict(zip(dims, sizes))}
    return xr.Variable(dims, indexing.LazilyIndexedArray(array), attributes, encoding)


def _coordinates(mesh: Mesh, level: int, axis: int) -> NDArray[np.float64]:
    """Those of the samples of a level along an axis."""
    spacing = mesh.spacing[axis] / mesh.ratio(0, level)[axis]
    middle = 0.0 if mesh.nodes else 0.5
    return mesh.origin[axis] + (np.arange(mesh.shape(level)[axis]) + middle) * spacing


class _LevelArray(BackendArray):
    """What a level of a mesh has of a field, at all steps, for xarray's lazy indexing."""

    def __init__(self, field: Field, level: int, dtype: np.dtype[Any], components: int) -> None:
        assert field.grid.mesh is not None
        self.field, self.dtype = field, dtype
        self._mesh, self._level = field.grid.mesh, level
        self._axes = self._mesh.shape(level)[::-1]
        self._inner = (components,) if components > 1 else ()
        self._steps = [0] if field.fixed else [s for s in range(len(field.dataset.steps)) if field.has(s)]
        self._patches: dict[int, list[MeshPatch]] = {}  # of the steps that were read
        self.shape = (*([] if field.fixed else [len(self._steps)]), *self._axes, *self._inner)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._read
        )

    def _read(self, key: tuple[int | slice, ...]) -> NDArray[Any]:
        """Slices along all axes, then the indices among `key`."""
        slices = tuple(slice(i, i + 1) if not isinstance(i, slice) else i for i in key)
        times = (slice(0, 1), *slices) if self.field.fixed else slices
        steps = [self._steps[at] for at in range(*times[0].indices(len(self._steps)))]
        axes, inner = times[1 : 1 + len(self._axes)], times[1 + len(self._axes) :]
        ranges = [range(*part.indices(size)) for part, size in zip(axes, self._axes)]
        out = np.empty((len(steps), *map(len, ranges), *self._inner), self.dtype)
        for step, part in zip(steps, out):
            if part.size:
                self._fill(step, ranges, part)
        found = out[(slice(None),) * (1 + len(ranges)) + inner]
        found = found[0] if self.field.fixed else found
        return found[tuple(slice(None) if isinstance(i, slice) else 0 for i in key)]

    def _fill(self, step: int, ranges: Sequence[range], out: NDArray[Any]) -> None:
        raise NotImplementedError

    def _patches_of(self, step: int) -> list[MeshPatch]:
        if step not in self._patches:
            self._patches[step] = self.field.patches(step)
        return self._patches[step]


class _LevelSamples(_LevelArray):
    """The samples of the patches of a level; others are the fill value, or NaN without one, or 0."""

    def __init__(self, field: Field, level: int) -> None:
        super().__init__(field, level, field.dtype, field.components)

    def _fill(self, step: int, ranges: Sequence[range], out: NDArray[Any]) -> None:
        out[...] = self._missing()
        for patch in self._patches_of(step):
            if patch.level != self._level:
                continue
            if (cut := _cut(ranges, patch.lo[::-1], patch.hi[::-1])) is not None:
                where, lo, hi, every = cut
                box = (lo[::-1], hi[::-1])
                out[where] = level_samples(self.field, step, self._level, box)[every]

    def _missing(self) -> Any:
        given = self.field.attrs.get("_FillValue")
        found = fill_values(given, self.dtype) if given is not None else np.empty(0)
        return found.flat[0] if found.size else math.nan if self.dtype.kind == "f" else 0


class _LevelCover(_LevelArray):
    """For each sample of a level: 0 outside its patches, 1 in them, 2 where a finer patch covers it."""

    def __init__(self, field: Field, level: int) -> None:
        super().__init__(field, level, np.dtype(np.int8), 1)

    def _fill(self, step: int, ranges: Sequence[range], out: NDArray[Any]) -> None:
        out[...] = 0
        for patch in self._patches_of(step):
            if patch.level == self._level:
                self._mark(patch, ranges, out, lambda marks: 1)
        for patch in self._patches_of(step):
            if patch.level > self._level:
                self._mark(patch, ranges, out, lambda marks: 2 * (marks > 0))

    def _mark(
        self,
        patch: MeshPatch,
        ranges: Sequence[range],
        out: NDArray[Any],
        change: Callable[[NDArray[Any]], Any],
    ) -> None:
        ratio = self._mesh.ratio(self._level, patch.level)[::-1]
        lo, hi = ([-(-i // r) for i, r in zip(corner[::-1], ratio)] for corner in (patch.lo, patch.hi))
        if (cut := _cut(ranges, lo, hi)) is not None:
            out[cut[0]] = change(out[cut[0]])


def _cut(
    ranges: Sequence[range], lo: Sequence[int], hi: Sequence[int]
) -> tuple[Slices, list[int], list[int], Slices] | None:
    """What indices along each axis select of a box: positions among the indices, the box of the selected part,
    and the slices of that box. None if they select nothing."""
    where, first, end, every = [], [], [], []
    for indices, low, high in zip(ranges, lo, hi):
        begin = max(0, -((indices.start - low) // indices.step))
        stop = min(len(indices), -((indices.start - high) // indices.step))
        if stop <= begin:
            return None
        where.append(slice(begin, stop))
        first.append(indices[begin])
        end.append(indices[stop - 1] + 1)
        every.append(slice(None, None, indices.step))
    return tuple(where), first, end, tuple(every)
