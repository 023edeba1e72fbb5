"""The anatomy of a step: what end_step does, in order, and which objects live how long.      usage: anatomy.py PNG"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from style import BAD, DRAFT, GOOD, INK, LINE, QUIET, RANK_COLORS, arrow, box, canvas, note, save

RANKS = 4
LANE = 0.95
TOP = 8.7
AGGREGATORS = (0, 2)


def lane(rank: int) -> float:
    """The lower edge of a rank's lane."""
    return TOP - LANE * (rank + 1)


def main(png: str) -> None:
    fig, ax = canvas(11, 5.4, (22, 10.8))
    for rank in range(RANKS):
        y, color = lane(rank), RANK_COLORS[rank]
        ax.add_patch(Rectangle((1.5, y + 0.08), 20.2, LANE - 0.16, fc="#f4f7f9", ec="none"))
        note(ax, 0.75, y + LANE / 2, f"rank {rank}", size=9.5, color=color, weight="bold")
    begin(ax)
    rounds(ax)
    finish(ax)
    for x0, x1, text in ((1.7, 3.2, "local"), (3.65, 21.6, "end_step: collective")):
        ax.plot([x0, x0, x1, x1], [3.35, 3.2, 3.2, 3.35], color=LINE, lw=1)
        note(ax, (x0 + x1) / 2, 2.95, text, size=9, color=INK)
    objects(ax)
    save(fig, png)


def each(ax: Axes, x: float, w: float, text: str, color: str, ranks: Iterable[int] = range(RANKS)) -> None:
    for rank in ranks:
        box(ax, x, lane(rank) + 0.16, w, LANE - 0.32, text, color=color, size=8)


def together(ax: Axes, x: float, title: str, text: str) -> None:
    """A collective agreement: one bar through all lanes."""
    box(ax, x, lane(RANKS - 1), 0.7, RANKS * LANE, "", color="#d5e2ec")
    note(ax, x + 0.35, lane(1), title, size=10, color=INK, rotation=90, weight="bold")
    note(ax, x + 0.35, TOP + 0.82, text, size=8)


def head(ax: Axes, x0: float, x1: float, title: str, text: str = "") -> None:
    ax.plot([x0, x0, x1, x1], [TOP + 0.2, TOP + 0.35, TOP + 0.35, TOP + 0.2], color=LINE, lw=1)
    note(ax, (x0 + x1) / 2, TOP + 1.2, title, size=10.5, color=INK, weight="bold")
    note(ax, (x0 + x1) / 2, TOP + 0.72, text, size=8)


def begin(ax: Axes) -> None:
    each(ax, 1.7, 1.5, "put", DRAFT)
    head(ax, 1.7, 3.2, "put", "records addresses")
    together(ax, 3.65, "agree", "same call?\nplan still\nvalid?")
    each(ax, 4.9, 1.9, "plan", DRAFT)
    head(ax, 4.9, 6.8, "plan", "first step, new boxes")
    text = "who sends what to whom;\nall memory is reserved,\nfree space is checked"
    note(ax, 5.85, lane(3) - 0.75, text, size=8)


def rounds(ax: Axes) -> None:
    head(ax, 7.2, 14.6, "rounds", "until all samples are stored; buffers stay within memory_budget")
    each(ax, 7.2, 1.4, "pack", GOOD)
    for target in AGGREGATORS:
        for source in range(RANKS):
            arrow(ax, (8.65, lane(source) + LANE / 2), (9.95, lane(target) + LANE / 2),
                  color=RANK_COLORS[source], lw=1.1)
    note(ax, 9.3, lane(3) - 0.6, "messages, or\nshared memory", size=8)
    each(ax, 10.0, 1.3, "place", GOOD, AGGREGATORS)
    each(ax, 11.45, 1.6, "checksum", GOOD, AGGREGATORS)
    each(ax, 13.2, 1.4, "store", GOOD, AGGREGATORS)
    note(ax, 12.3, lane(3) - 0.6, "aggregators write their\nblocks, one call per file", size=8)


def finish(ax: Axes) -> None:
    each(ax, 15.1, 1.5, "headers", GOOD, AGGREGATORS)
    head(ax, 15.1, 16.6, "finish", "")
    note(ax, 15.85, lane(3) - 0.75, "tables of blocks\nand checksums;\nfsync=step: sync", size=8)
    together(ax, 17.0, "agree", "did all\nsucceed?")
    box(ax, 18.1, lane(0) + 0.16, 1.7, LANE - 0.32, "rename", color=GOOD, size=8.5, weight="bold")
    head(ax, 18.1, 19.8, "commit", "run.idx")
    note(ax, 20.75, lane(0) + LANE / 2, "the step\nis visible", size=8.5, color="#2f6b2f")
    arrow(ax, (17.75, lane(1) + 0.4), (18.25, lane(1) + 0.02), color="#a04a3c")
    failed = "if any rank failed:\nall remove what they\nwrote and return\nthe same error"
    box(ax, 18.1, lane(3) + 0.2, 3.5, 1.7, failed, color=BAD, size=8.5)


def objects(ax: Axes) -> None:
    """Which object does it: a transaction for each step; the other three outlive it."""
    note(ax, 3.35, 2.35, "StepTransaction", size=9, color=INK, weight="bold", ha="right")
    for x0, x1, state in ((3.65, 4.35, "open"), (4.9, 6.8, "plan"), (7.2, 17.7, "move"), (18.1, 19.8, "commit")):
        box(ax, x0, 2.1, x1 - x0, 0.5, state, color="#d5e2ec", size=8)
    note(ax, 20.8, 2.35, "left before:\ndiscarded", size=8)
    for y, name, text in (
        (1.45, "StepPlans", "the plans of a schema; made again if boxes, fields or tuning change"),
        (0.8, "OpenDataset", "from create or append to close: files, lock, committed steps"),
        (0.15, "RunRecord", "counters of the run, reports of its steps"),
    ):
        box(ax, 1.1, y, 20.6, 0.5, color="#f4f7f9")
        note(ax, 3.35, y + 0.25, name, size=9, color=INK, weight="bold", ha="right")
        note(ax, 3.75, y + 0.25, text, size=8, ha="left")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "anatomy.png")
