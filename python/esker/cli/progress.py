"""A progress bar on stderr for long operations."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

_PATIENCE_S = 2.0


@contextmanager
def progress(title: str, n_bytes: int | None = None) -> Iterator[Callable[[float], None]]:
    """Yields a function to call with the fraction done, 0 to 1. On a terminal, a bar appears after two
    seconds.

    If the total number of bytes is given, the bar also shows the rate.
    """
    console = Console(stderr=True)
    columns: list[ProgressColumn] = [TextColumn(title), BarColumn(), TaskProgressColumn()]
    columns += [TransferSpeedColumn()] if n_bytes else []
    columns.append(TimeRemainingColumn())
    total = float(n_bytes or 1)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(title, total=total)
    started = time.monotonic()

    def update(done: float) -> None:
        bar.update(task, completed=done * total)
        if not bar.live.is_started and time.monotonic() - started > _PATIENCE_S:
            bar.start()

    try:
        yield update
    finally:
        if bar.live.is_started:  # otherwise rich 13.3 prints an empty line
            bar.stop()


@contextmanager
def converting(title: str, n_bytes: int) -> Iterator[Callable[[int], None]]:
    """Like progress(), but yields a function to call with the number of bytes since the last call."""
    done = 0
    with progress(title, n_bytes) as update:

        def on_read(n: int) -> None:
            nonlocal done
            done += n
            update(done / n_bytes)

        yield on_read
