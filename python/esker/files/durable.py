"""Writes files and directories so that they survive a power failure."""

from __future__ import annotations

import os
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Replaces the contents of a file atomically: after a failure it holds either the old text or the new
    one."""
    new = Path(f"{path}.tmp")
    with new.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Flushes a file, or the entries of a directory, to the device."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
