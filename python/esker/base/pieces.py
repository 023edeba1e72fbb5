"""Splits arrays that are larger than memory into pieces that fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from esker.base.boxes import Box

PIECE_BYTES = 32 << 20
"""Approximate amount of an array that is held in memory at a time."""


def pieces(
    shape: Sequence[int], itemsize: int, grain: int = 1, max_bytes: int | None = None
) -> Iterator[tuple[slice, ...]]:
    """Slices that together select each item of a C-order array once; each is a contiguous run of bytes, in
    order.

    The slowest axis is split, in multiples of `grain` where that fits. If a single index of it is too large,
    the next axis is split as well, and so on. A piece holds at least one sample, and otherwise at most
    `max_bytes` (None: PIECE_BYTES). An empty array has no pieces.
    """
    if math.prod(shape) == 0:
        return
    max_bytes = PIECE_BYTES if max_bytes is None else max_bytes
    row_bytes = math.prod(shape[1:]) * itemsize
    rows = max(1, max_bytes // max(1, row_bytes))
    if rows > grain:
        rows -= rows % grain
    for first in range(0, shape[0], rows):
        last = min(first + rows, shape[0])
        if row_bytes > max_bytes and len(shape) > 1:
            for rest in pieces(shape[1:], itemsize, 1, max_bytes):
                yield (slice(first, last), *rest)
        else:
            yield (slice(first, last), *(slice(0, n) for n in shape[1:]))


def thickness(size: int) -> int:
    """Thickness of pieces along an axis of `size` samples: chosen so that most pieces end at block boundaries
    and few blocks are read twice."""
    return 1 << max(0, size.bit_length() - 5)


def boxes(box: Box, itemsize: int, max_bytes: int | None = None) -> Iterator[Box]:
    """Boxes that together hold each sample of `box` once: its array in pieces().

    >>> list(boxes(((5, 0), (7, 3)), itemsize=8, max_bytes=32))
    [((5, 0), (7, 2)), ((5, 2), (7, 3))]
    """
    lo, hi = box
    shape = [end - start for start, end in zip(lo, hi)][::-1]
    for where in pieces(shape, itemsize, thickness(shape[0]), max_bytes):
        x_first = where[::-1]
        yield (
            tuple(start + part.start for start, part in zip(lo, x_first)),
            tuple(start + part.stop for start, part in zip(lo, x_first)),
        )


def whole_chunks(shape: Sequence[int], chunk: Sequence[int], itemsize: int) -> Iterator[tuple[slice, ...]]:
    """Slices that together select each item once and never split a chunk: about PIECE_BYTES each, or one
    chunk if that is larger.

    The array of chunks is split like an array of items by pieces().
    """
    counts = [-(-size // edge) for size, edge in zip(shape, chunk)]
    for where in pieces(counts, math.prod(chunk) * itemsize):
        yield tuple(
            slice(part.start * edge, min(part.stop * edge, size))
            for part, edge, size in zip(where, chunk, shape)
        )
