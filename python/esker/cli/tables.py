"""Tables as the verbs print them."""

from __future__ import annotations

import os

from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_PIPE_WIDTH = 120
_SENTENCES = ("what", "coordinates")
"""Columns whose cells go over several lines. Others hold names and numbers, which users copy."""
_LEAST_WIDTH = 30


def console() -> Console:
    """Of the width that COLUMNS says, else of the terminal's; files and pipes get 120 columns."""
    terminal = Console(highlight=False)
    is_wide = terminal.is_terminal or os.environ.get("COLUMNS", "").isdigit()
    return terminal if is_wide else Console(highlight=False, width=_PIPE_WIDTH)


def show(out: Console, shown: Table) -> None:
    """Prints a table; lines get longer than the console where names and numbers need it."""
    for column in shown.columns:
        if column.no_wrap:
            cells = [column.header, *column.cells]
            column.min_width = max(cell_len(cell.plain if isinstance(cell, Text) else str(cell)) for cell in cells)
    unbounded = Console(highlight=False, width=1 << 16)
    least = Measurement.get(unbounded, unbounded.options, shown).minimum
    wide = out if least <= out.width else Console(highlight=False, width=least)
    wide.print(shown)


def table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """Without lines, its first column an indentation; `right` are those with numbers."""
    made = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    made.add_column(" ", width=1)
    for column in columns:
        made.add_column(
            column,
            justify="right" if column in right else "left",
            overflow="fold",
            no_wrap=column not in _SENTENCES,
            min_width=_LEAST_WIDTH if column in _SENTENCES else None,
        )
    return made


def size_text(n_bytes: float) -> str:
    """As in "173.2 MB": units of 1000."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if n_bytes < 1000 or unit == "TB":
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    raise AssertionError("unreachable")
