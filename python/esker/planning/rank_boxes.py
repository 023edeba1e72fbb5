"""Boxes of ranks in the order of the Z curve, and the share of them that a planned step keeps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from esker import _core
from esker.base.boxes import Box

ORDERS = ("z", "bit-reversed")
"""Neighbors on the curve first: clustered; or far from each other on the curve: scattered."""


def split(extent: Sequence[int], ranks: int) -> list[Box]:
    """The boxes of a grid that is split over ranks as nearly cubically as possible."""
    return [(tuple(lo), tuple(hi)) for lo, hi in _core.split_boxes(list(extent), ranks).tolist()]


def first(boxes: Sequence[Box], share: float, order: str) -> list[Box]:
    """The first floor(share * n) of n boxes in Z order, or in the order of bit-reversed places on the curve.

    share: 0 to 1; taken as the decimal number that it prints as

    >>> first([((x,), (x + 1,)) for x in range(8)], 0.5, "bit-reversed")
    [((0,), (1,)), ((4,), (5,)), ((2,), (3,)), ((6,), (7,))]
    """
    if not 0 <= share <= 1:
        raise ValueError(f"keep: expected a share of the boxes from 0 to 1, found {share}")
    if order not in ORDERS:
        raise ValueError(f"keep_order: expected {' or '.join(ORDERS)}, found {order!r}")
    places = np.argsort(_z_codes(boxes), kind="stable")
    if order == "bit-reversed":
        places = places[_bit_reversed(len(boxes))]
    return [boxes[place] for place in places[: int(Fraction(str(share)) * len(boxes))]]


def _z_codes(boxes: Sequence[Box]) -> NDArray[np.int64]:
    """Z addresses of the lower corners, by the mask of the grid from 0 to the largest upper corner."""
    corners = np.array([lo for lo, _ in boxes], np.int64).reshape(len(boxes), -1)
    digits = [(max(ends) - 1).bit_length() for ends in zip(*(hi for _, hi in boxes))]
    codes = np.zeros(len(boxes), np.int64)
    for bit in reversed(range(max(digits, default=0))):
        for axis in (a for a, n in enumerate(digits) if n > bit):
            codes = codes << 1 | corners[:, axis] >> bit & 1
    return codes


def _bit_reversed(n: int) -> NDArray[np.int64]:
    """0 ... n - 1 in the order of their reversed bits."""
    bits = max(n - 1, 0).bit_length()
    numbers = np.arange(1 << bits)
    places = np.zeros_like(numbers)
    for bit in range(bits):
        places |= (numbers >> bit & 1) << (bits - 1 - bit)
    return places[places < n]
