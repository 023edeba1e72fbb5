"""What a kill leaves behind: the files of a run that dies in its third step.      usage: kill.py PNG"""

from __future__ import annotations

import sys

from matplotlib.axes import Axes

from style import BAD, GOOD, INK, arrow, box, canvas, note, save

FILES = (
    ("run.idx", "lists steps 0, 1", True),
    ("run.schema.json", "units, coordinates", True),
    ("run/time_0000/", "step 0", True),
    ("run/time_0001/", "step 1", True),
    ("run/time_0002/", "part of step 2", False),
    ("run.esker-lock", "names the dead process", False),
)


def main(png: str) -> None:
    fig, ax = canvas(10.5, 4.4, (21, 8.8))
    timeline(ax)
    files(ax, 0.5, "what the kill leaves", FILES)
    what_follows(ax)
    save(fig, png)


def timeline(ax: Axes) -> None:
    """Steps 0 and 1 are committed, step 2 is not."""
    steps = ((0.5, 4.0, "step 0", GOOD), (4.9, 4.0, "step 1", GOOD), (9.3, 2.6, "step 2", BAD))
    for n, (x, w, text, color) in enumerate(steps):
        box(ax, x, 7.3, w, 0.8, text, color=color, size=10)
        if n < 2:
            note(ax, x + w + 0.2, 8.4, "rename", size=8)
            ax.plot([x + w + 0.2] * 2, [7.2, 8.2], color="#2f6b2f", lw=2)
    ax.plot([11.9, 12.5], [7.4, 8.0], color="#a03c30", lw=3)
    ax.plot([11.9, 12.5], [8.0, 7.4], color="#a03c30", lw=3)
    note(ax, 12.8, 7.7, "killed: out of time, out of memory, a crash", 9.5, "#a03c30", ha="left")


def files(ax: Axes, x: float, title: str, rows: tuple[tuple[str, str, bool], ...]) -> None:
    note(ax, x, 6.55, title, size=11, color=INK, weight="bold", ha="left")
    for n, (name, text, is_whole) in enumerate(rows):
        y = 5.45 - 0.98 * n
        color, style = (GOOD, "-") if is_whole else (BAD, "--")
        box(ax, x, y, 3.2, 0.78, name, color=color, size=9, style=style)
        note(ax, x + 3.4, y + 0.39, text, size=8.5, ha="left")


def what_follows(ax: Axes) -> None:
    note(ax, 8.6, 6.55, "what you can do", size=11, color=INK, weight="bold", ha="left")
    for y, command, text in (
        (5.0, "esker.open(\"run.idx\")", "reads steps 0 and 1, in full;\nit sees nothing of step 2"),
        (3.55, "esker verify run.idx", "exit status 0, with warnings that\nname the leftovers"),
        (2.1, "Writer::append", "removes the leftovers and continues\nwith step 2, on any number of ranks;\n"
         "the files are those of a run that\nwas never killed"),
        (0.55, "esker repair run.idx", "removes the leftovers, and\nnothing else"),
    ):
        box(ax, 8.6, y, 4.6, 0.95, command, color="white", size=9.5)
        arrow(ax, (13.3, y + 0.48), (13.95, y + 0.48))
        note(ax, 14.15, y + 0.48, text, size=8.8, color=INK, ha="left")
    arrow(ax, (7.2, 3.3), (8.3, 3.3), lw=2)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "kill.png")
