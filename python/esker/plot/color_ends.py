"""The ends of the colors for the least and the greatest value that they show."""

from __future__ import annotations

import math

LOG_DECADES = 4
"""Logarithmic colors cover these below the largest value."""
_COLORS = 256


def drawn_ends(low: float, high: float, *, log: bool) -> tuple[float, float]:
    """The ends for values from `low` to `high`: a single value is in the middle of a range around it.

    With `log`, at most LOG_DECADES below `high`, which must be above 0.

    >>> drawn_ends(0.0, 8.0, log=False), drawn_ends(4.0, 4.0, log=False), drawn_ends(-1.0, 100.0, log=True)
    ((0.0, 8.0), (2.0, 6.0), (0.01, 100.0))
    """
    if log:
        low = max(low, high * 10.0**-LOG_DECADES) or high
    return (low, high) if low < high else _around(low, log)


def _around(value: float, log: bool) -> tuple[float, float]:
    if log:
        return value / 10**0.5, value * 10**0.5
    half = max(abs(value) / 2, math.ulp(abs(value)) * _COLORS, 0.5 if value == 0 else 0)
    return value - half, value + half
