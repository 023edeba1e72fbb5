"""Medians of repetitions on a busy machine, and how well they are known."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """A value, and the ends between which it may be."""

    low: float
    middle: float
    high: float

    def order(self, noise: float) -> int:
        """Of a ratio of two times: -1: the first is smaller; 1: the other one; 0: all of it may be noise."""
        return int(self.low > noise) - int(self.high < 1 / noise)

    def __str__(self) -> str:
        return f"{self.middle:.2f} ({self.low:.2f} to {self.high:.2f})"


def interval(values: Sequence[float]) -> Range:
    """The median, and an interval that holds the true one with a probability of 95 % (sign test). Unlike the range of
    all values, it does not grow with the number of repetitions that another job disturbs."""
    ranked, n = sorted(values), len(values)
    below, outside = 0.0, 0
    for k in range(n // 2):
        below += math.comb(n, k) / 2**n
        if below > 0.025:
            break
        outside = k
    return Range(ranked[outside], statistics.median(ranked), ranked[n - 1 - outside])
