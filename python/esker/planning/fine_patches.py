"""Patches of a mesh with two levels as AMR codes make them, for plans: blocks of ranks, and fine patches near
the surfaces of a blob and a ring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from esker import _core
from esker.base.boxes import Box
from esker.planning import rank_boxes

Patch = tuple[int, int, Box]
"""Rank, level, box in the indices of the level."""


def around_surfaces(
    ranks: int, block: Sequence[int], fine: Sequence[int], count: int, ratio: int = 2
) -> list[Patch]:
    """One coarse patch of `block` cells per rank, and `count` patches of `fine` cells of the next level.

    The fine patches are the tiles of the fine level that are nearest to the surface of a blob or a ring, three
    axes. They are dealt to the ranks in equal parts along the Z curve. The last tiles of an axis may be smaller.

    >>> patches = around_surfaces(8, (25, 25, 25), (12, 12, 12), 40)
    >>> len(patches), patches[0], patches[-1][:2]
    (48, (0, 0, ((0, 0, 0), (25, 25, 25))), (7, 1))
    """
    if len(block) != 3 or len(fine) != 3:
        raise ValueError(f"fine patches: expected 3 axes, found {len(block)} and {len(fine)}")
    parts = _core.cube_of_ranks(3, ranks)
    extent = [n * size for n, size in zip(parts, block)]
    coarse = rank_boxes.split(extent, ranks)
    tiles = _tiles([ratio * n for n in extent], fine)
    if not 0 <= count <= len(tiles):
        raise ValueError(f"fine patches: expected 0 to {len(tiles)} patches, found {count}")
    distances = _distances(np.array([np.add(lo, hi) for lo, hi in tiles]) / (2 * ratio * max(extent)), extent)
    nearest = [tiles[n] for n in np.argsort(distances, kind="stable")[:count]]
    along_curve = rank_boxes.first(nearest, 1, "z")
    return [(rank, 0, box) for rank, box in enumerate(coarse)] + [
        (place * ranks // count, 1, box) for place, box in enumerate(along_curve)
    ]


def _tiles(extent: Sequence[int], edges: Sequence[int]) -> list[Box]:
    numbers = [range(-(-n // edge)) for n, edge in zip(extent, edges)]
    return [
        (
            (x * edges[0], y * edges[1], z * edges[2]),
            tuple(min((n + 1) * edge, end) for n, edge, end in zip((x, y, z), edges, extent)),
        )
        for z in numbers[2]
        for y in numbers[1]
        for x in numbers[0]
    ]


def _distances(at: NDArray[np.float64], extent: Sequence[int]) -> NDArray[np.float64]:
    """To the nearer surface. The longest edge of the domain is 1."""
    lengths = np.array(extent) / max(extent)
    scale = lengths.min()
    middle = lengths / 2
    to_blob = np.linalg.norm(at - middle - (0.36 * scale, 0, 0), axis=1) - 0.1 * scale
    offset = at - middle
    across = np.hypot(offset[:, 0], offset[:, 1]) - 0.22 * scale
    to_ring = np.hypot(across, offset[:, 2]) - 0.04 * scale
    return np.minimum(np.abs(to_blob), np.abs(to_ring))
