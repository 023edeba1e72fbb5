"""HZ levels of a 16 x 16 grid: which samples each level adds, and their order.

usage: hz_levels.py PNG
"""

from __future__ import annotations

import sys

from matplotlib import colormaps
from matplotlib.axes import Axes

from style import INK, LINE, QUIET, canvas, note, save

MASK = "01010101"
"""Which axis each digit of the bitmask V01010101 splits, the coarsest first: 0 is x, 1 is y."""

LEVELS = len(MASK)
SHOWN = (2, 4, 6, 8)
SIZE = 16


def point(hz: int) -> tuple[int, int]:
    """The sample at an HZ address (docs/formats/idx.md, section 2)."""
    z = (((hz << 1 | 1) << (LEVELS - hz.bit_length())) % (1 << LEVELS)) if hz else 0
    position = [0, 0]
    for digit, axis in enumerate(MASK):
        if z >> (LEVELS - 1 - digit) & 1:
            position[int(axis)] += 1 << MASK[digit + 1 :].count(axis)
    return position[0], position[1]


def main(png: str) -> None:
    points = [point(hz) for hz in range(SIZE * SIZE)]
    assert len(set(points)) == SIZE * SIZE
    fig, ax = canvas(10.5, 3.5, (84, 28))
    colors = [colormaps["viridis"](0.95 * level / LEVELS) for level in range(LEVELS + 1)]
    for number, level in enumerate(SHOWN):
        draw_level(ax, 3 + 20.5 * number, 7.5, level, points, colors)
    legend(ax, colors)
    save(fig, png)


def draw_level(ax: Axes, x: float, y: float, level: int, points: list[tuple[int, int]], colors: list) -> None:
    """All samples of the levels up to `level`, each in the color of the level that adds it."""
    spacing = [1 << MASK[level:].count(axis) for axis in "01"]
    for i in range(SIZE):
        for j in range(SIZE):
            ax.plot(x + i, y + j, ".", color=LINE, ms=1.5)
    order = sorted(points[: 1 << level], key=lambda p: points.index(p))
    new = [p for p in order if points.index(p) >= 1 << (level - 1)]
    ax.plot([x + i for i, _ in new], [y + j for _, j in new], "-", color=QUIET, lw=0.8, alpha=0.6)
    for hz, (i, j) in enumerate(points[: 1 << level]):
        ax.plot(x + i, y + j, "o", color=colors[hz.bit_length()], ms=5.2)
    note(ax, x + 7.5, y + 18.6, f"levels 0 to {level}", size=11, color=INK, weight="bold")
    note(ax, x + 7.5, y + 16.9, f"{1 << level} of 256 samples, {spacing[0]} × {spacing[1]} apart", size=8.5)


def legend(ax: Axes, colors: list) -> None:
    note(ax, 3, 3.6, "the level that\nadds the sample", size=8.5, color=QUIET, ha="left")
    for level, color in enumerate(colors):
        x = 15 + 4.2 * level
        ax.plot(x, 3.6, "o", color=color, ms=7)
        note(ax, x + 1.6, 3.6, str(level), size=9, color=INK)
    text = "bitmask V01010101; the line is the order in which\nthe samples of the finest level are stored"
    note(ax, 55.5, 3.6, text, size=8.5, color=QUIET, ha="left")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "hz_levels.png")
