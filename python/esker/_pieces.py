"""Cutting arrays that are larger than memory into pieces that are not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

PIECE_BYTES = 32 << 20
"""About how much of an array is in memory at once."""


def pieces(
    shape: Sequence[int], itemsize: int, grain: int = 1, max_bytes: int | None = None
) -> Iterator[tuple[slice, ...]]:
    """Slices that together select each item of a C-order array once; each is one run of its bytes, in their order.

    The slowest axis is cut, in multiples of `grain` where that fits; if one index of it is too much, so is the next
    axis, and so on. A single sample is the least that a piece holds, `max_bytes` (None: PIECE_BYTES) else the most. No
    pieces for an array without items.
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
    """Of pieces of an axis of so many samples: they end where blocks do, mostly, so that few blocks are read twice."""
    return 1 << max(0, size.bit_length() - 5)


def whole_chunks(shape: Sequence[int], chunk: Sequence[int], itemsize: int) -> Iterator[tuple[slice, ...]]:
    """Slices that together select each item once, and of each chunk all or nothing: about PIECE_BYTES each, if a chunk is no more.

    Chunks are counted as items, and their array is cut as pieces() does it.
    """
    counts = [-(-size // edge) for size, edge in zip(shape, chunk)]
    for where in pieces(counts, math.prod(chunk) * itemsize):
        yield tuple(
            slice(part.start * edge, min(part.stop * edge, size))
            for part, edge, size in zip(where, chunk, shape)
        )
