"""A bar on stderr for what takes a while."""

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
def progress(what: str, n_bytes: int | None = None) -> Iterator[Callable[[float], None]]:
    """Gives a function to be called with the part done, 0 to 1; after two seconds a terminal shows it as a bar.

    With the number of bytes that are to be done it shows their rate, too.
    """
    console = Console(stderr=True)
    columns: list[ProgressColumn] = [TextColumn(what), BarColumn(), TaskProgressColumn()]
    columns += [TransferSpeedColumn()] if n_bytes else []
    columns.append(TimeRemainingColumn())
    total = float(n_bytes or 1)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what, total=total)
    started = time.monotonic()

    def update(done: float) -> None:
        bar.update(task, completed=done * total)
        if not bar.live.is_started and time.monotonic() - started > _PATIENCE_S:
            bar.start()

    try:
        yield update
    finally:
        bar.stop()
