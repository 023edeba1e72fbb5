"""Files and directories that survive a power failure."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Replaces a file by one with that text. After a failure, also of power, it holds the old text or the new one."""
    new = Path(f"{path}.tmp")
    with new.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Writes a file, or the names in a directory, to the device."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
