"""Tables that the verbs print."""

from __future__ import annotations

import os
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from esker.base.counts import count_of, size_text

_PIPE_WIDTH = 120
_SENTENCES = ("description", "coordinates")
"""Columns whose cells may wrap. Others hold names and numbers, which users copy."""
_MIN_WIDTH = 30


def console() -> Console:
    """A console as wide as COLUMNS says, else as the terminal; files and pipes get 120 columns."""
    terminal = Console(highlight=False)
    is_wide = terminal.is_terminal or os.environ.get("COLUMNS", "").isdigit()
    return terminal if is_wide else Console(highlight=False, width=_PIPE_WIDTH)


def show(out: Console, shown: Table) -> None:
    """Prints a table; lines may exceed the console's width so that names and numbers do not wrap."""
    for column in shown.columns:
        if column.no_wrap:
            cells = [column.header, *column.cells]
            column.min_width = max(
                cell_len(cell.plain if isinstance(cell, Text) else str(cell)) for cell in cells
            )
    unbounded = Console(highlight=False, width=1 << 16)
    min_width = Measurement.get(unbounded, unbounded.options, shown).minimum
    target = out if min_width <= out.width else Console(highlight=False, width=min_width)
    target.print(shown)


def table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """A table without lines, with an empty first column as indentation; the columns `right` are
    right-aligned."""
    made = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    made.add_column(" ", width=1)
    for column in columns:
        made.add_column(
            column,
            justify="right" if column in right else "left",
            overflow="fold",
            no_wrap=column not in _SENTENCES,
            min_width=_MIN_WIDTH if column in _SENTENCES else None,
        )
    return made


def print_phases(facts: dict[str, Any]) -> None:
    """A run in a line, and the phases of its typical step. `facts`: of esker.tune.explain.run."""
    out = console()
    rate = facts["step_bytes"] / 1e9 / facts["step_s"]
    out.print(
        f"{count_of(facts['steps'], 'step')} on {count_of(facts['ranks'], 'rank')}, "
        f"{size_text(facts['step_bytes'])} per step, "
        f"{facts['step_s']:.3g} s ({rate:.3g} GB/s), {count_of(facts['writers'], 'writer')}"
    )
    columns = ("mean ms", "slowest rank", "critical path", "share")
    made = table("phase", *columns, right=columns)
    for name, phase in facts["phases"].items():
        if phase["max_s"] > 0:
            numbers = (
                f"{1e3 * phase['mean_s']:.3g}",
                f"{1e3 * phase['max_s']:.3g}",
                f"{1e3 * phase['critical_s']:.3g}",
                f"{100 * phase['share']:.0f} %",
            )
            made.add_row("", name, *numbers)
    show(out, made)
