"""The same part of fields on different grids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from esker.base.boxes import Box
from esker.base.characters import has_characters
from esker.dataset.field import Field


@dataclass(frozen=True)
class Part:
    """A part of a field, as arguments of Field.read."""

    box: Box | None = None
    level: int | None = None
    stride: tuple[int, ...] | None = None


def same_part(fields: Sequence[Field], box: Box | None, level: int | None) -> dict[str, Part]:
    """The part of each field, by name, for a `box` and `level` of the (first) field with the most samples
    that are no characters.

    Fields on other grids get the same indices along shared dimensions, and all indices along other
    dimensions.
    """
    if not fields:
        return {}
    numbers = [field for field in fields if not has_characters(field.dtype, field.attrs)]
    largest = max(numbers or fields, key=lambda field: math.prod(field.shape[: len(field.grid.dims)]))
    chosen = largest._lattice(box, level)
    axes = list(chosen.dims)[::-1]
    parts = {}
    for field in fields:
        if field.grid.dims == largest.grid.dims or (box is None and level is None):
            parts[field.name] = Part(box, level)
            continue
        lo, hi = field.box
        dims = list(field.grid.dims)[::-1]
        cut = [
            (box[0][axes.index(dim)], box[1][axes.index(dim)])
            if box and dim in axes
            else (lo[axis], hi[axis])
            for axis, dim in enumerate(dims)
        ]
        stride = tuple(chosen.stride[axes.index(dim)] if dim in axes else 1 for dim in dims)
        parts[field.name] = Part((tuple(l for l, _ in cut), tuple(h for _, h in cut)), None, stride)
    return parts
