"""The three phases of a step: exchange, encode, store.      usage: phases.py PNG"""

from __future__ import annotations

import sys

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from style import INK, LINE, PALE, RANK_COLORS, arrow, box, canvas, note, save

CELL = 0.36
BUFFERS = {0: 5.15, 3: 2.45}
"""Aggregator -> lower edge of its collective buffer."""

BLOCKS = {0: ("01230123", "00110011", "00001111"), 3: ("22332233", "02130213", "22223333")}
"""Whose samples each of the three blocks of an aggregator holds."""


def main(png: str) -> None:
    fig, ax = canvas(10.5, 4.3, (21, 8.6))
    for x, w, title, text in (
        (0.2, 4.2, "what ranks hold", "patches: boxes of the grid,\nwith any strides"),
        (6.2, 4.3, "1  exchange", "samples travel to the aggregator\nthat stores their block"),
        (11.4, 4.3, "2  encode", "each full block gets its\nbyte order and its checksum"),
        (16.6, 4.2, "3  store", "large writes, then one rename\nmakes the step visible"),
    ):
        ax.add_patch(Rectangle((x, 0.3), w, 8.0, fc="white" if x < 1 else PALE, ec=LINE, lw=1))
        note(ax, x + w / 2, 7.75, title, size=12, color=INK, weight="bold")
        note(ax, x + w / 2, 0.95, text, size=8.5)
    patches(ax)
    for rank, y in BUFFERS.items():
        collective_buffer(ax, rank, y)
        encoded_blocks(ax, rank, y)
    files(ax)
    for y in (6.7, 6.05, 3.7, 3.05):
        arrow(ax, (4.55, 4.5 + 0.25 * (y - 4.9)), (6.05, 0.35 + 0.9 * y), lw=1.5)
    for x in (10.55, 15.75):
        arrow(ax, (x, 4.3), (x + 0.8, 4.3), lw=2)
    note(ax, 5.3, 6.95, "messages,\nor shared\nmemory", size=8)
    save(fig, png)


def patches(ax: Axes) -> None:
    """An 8 x 8 grid on four ranks."""
    side = 0.45
    for row in range(8):
        for column in range(8):
            rank = 2 * (row < 4) + (column >= 4)
            cell(ax, 0.5 + column * side, 2.5 + row * side, RANK_COLORS[rank], side)
    for rank in range(4):
        center = 0.5 + side * (2 + 4 * (rank % 2)), 2.5 + side * (6 - 4 * (rank // 2))
        ax.text(*center, f"rank {rank}", ha="center", va="center", size=9, color="white", weight="bold",
                bbox={"fc": RANK_COLORS[rank], "ec": "none", "pad": 2})


def cell(ax: Axes, x: float, y: float, color: str, size: float = CELL) -> None:
    ax.add_patch(Rectangle((x, y), size, size, fc=color, ec="white", lw=0.8))


def collective_buffer(ax: Axes, rank: int, y: float) -> None:
    """Samples of several ranks, in the order of the file."""
    for row, ranks in enumerate(BLOCKS[rank]):
        for column, owner in enumerate(ranks):
            cell(ax, 6.9 + column * CELL, y + (2 - row) * 1.25 * CELL, RANK_COLORS[int(owner)])
    note(ax, 8.35, y + 1.72, f"collective buffer of rank {rank}", color=RANK_COLORS[rank], size=8.5)


def encoded_blocks(ax: Axes, rank: int, y: float) -> None:
    for row in range(3):
        number = row + (0 if rank == 0 else 8)
        x, low = 11.75, y + (2 - row) * 1.25 * CELL
        ax.add_patch(Rectangle((x, low), 2.2, CELL, fc="white", ec=RANK_COLORS[rank], lw=1.3))
        note(ax, x + 1.1, low + CELL / 2, f"block {number}", size=7.5, color=INK)
        note(ax, x + 2.95, low + CELL / 2, "+ checksum", size=7)


def files(ax: Axes) -> None:
    for y, name, text in (
        (5.45, "run/time_0000/0000.bin", "blocks 0 to 7"),
        (4.15, "run/time_0000/0008.bin", "blocks 8 to 15"),
        (2.1, "run.idx", "lists the step: written last"),
    ):
        box(ax, 16.95, y, 3.5, 1.0, f"{name}\n{text}", color="white", size=8)
    arrow(ax, (18.7, 4.05), (18.7, 3.2))
    note(ax, 19.5, 3.62, "commit", size=8)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "phases.png")
