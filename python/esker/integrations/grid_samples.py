"""The values of a field as other programs get them, and which of them are missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.dataset.decoding import decoded
from esker.dataset.field import Field
from esker.integrations.grid_parts import AXES, Extent, GridPart


def read_extent(
    part: GridPart, field: Field, step: int, extent: Extent
) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
    """The values of an extent (z, y, x, component), decoded, and which samples are missing (z, y, x).

    Missing values are NaN in floating-point fields, and as they are in others. A field without samples at the step is
    missing everywhere.
    """
    counts = tuple(last - first + 1 for first, last in zip(extent[::2], extent[1::2]))[::-1]
    if 0 in counts or not field.has(step):
        kind = decoded(field, np.zeros(1, field.dtype)).dtype
        return _filled(kind, (*counts, field.components)), np.ones(counts, np.bool_)
    values = _decoded(field, step, part.box_of(extent), part.selection.stride)
    reversed_axes = [axis.is_reversed for axis in part.axes]
    flips = tuple(slice(None, None, -1 if flip else 1) for flip in reversed_axes[::-1])
    shaped = values.reshape((*counts, field.components))[flips]
    missing = np.ma.getmaskarray(shaped).any(axis=-1)
    plain = np.ma.getdata(shaped)
    if plain.dtype.kind == "f" and missing.any():
        plain = np.where(np.ma.getmaskarray(shaped), np.asarray(np.nan, plain.dtype), plain)
    return np.ascontiguousarray(plain), missing


def _decoded(
    field: Field, step: int, box: Box, stride: tuple[int, ...]
) -> np.ma.MaskedArray[tuple[int, ...], np.dtype[np.generic]]:
    """Decoded values; those that no block has are masked. In a sparse step these have the values of coarser samples, where
    there are such, and are not masked then."""
    read = field.read(step, box, stride=stride, masked=True)
    absent = np.ma.getmaskarray(read)
    stored = ~(absent[..., 0] if field.components > 1 else absent)
    if not stored.all() and field.grid.mesh is None and field.is_sparse(step):
        stored |= field.levels(step, box, stride=stride) >= 0
    values = decoded(field, np.ma.getdata(read))
    if field.components > 1:
        stored = np.broadcast_to(stored[..., np.newaxis], values.shape)
    return np.ma.masked_where(~stored, values)


def _filled(kind: np.dtype[np.generic], shape: tuple[int, ...]) -> NDArray[np.generic]:
    return np.full(shape, np.nan if kind.kind == "f" else 0, kind)


def as_vectors(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """With 2 components, a third one that is 0, as filters of VTK expect vectors; others unchanged."""
    if values.shape[-1] != AXES - 1:
        return values
    return np.concatenate([values, np.zeros((*values.shape[:-1], 1), values.dtype)], axis=-1)
