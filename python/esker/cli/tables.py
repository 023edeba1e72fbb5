"""Tables as the verbs print them."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

_PIPE_WIDTH = 120


def console() -> Console:
    """Of the terminal's width; files and pipes get 120 columns."""
    terminal = Console(highlight=False)
    return terminal if terminal.is_terminal else Console(highlight=False, width=_PIPE_WIDTH)


def table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """Without lines, its first column an indentation; `right` are those with numbers."""
    made = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    made.add_column(" ", width=1)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return made


def size_text(n_bytes: float) -> str:
    """As in "173.2 MB": units of 1000."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if n_bytes < 1000 or unit == "TB":
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    raise AssertionError("unreachable")
