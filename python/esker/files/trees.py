"""Trees of files: what is in them, and what tells a file from a replacement."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

Identity = list[int]
"""Numbers that tell a file from a replacement under the same name and from a later version of itself."""


def identity_of(path: Path, *, follow_links: bool = False) -> Identity:
    """That of a file or a directory."""
    found = path.stat(follow_symlinks=follow_links)
    is_directory = stat.S_ISDIR(found.st_mode)
    return [found.st_ino] if is_directory else [found.st_ino, found.st_size, found.st_mtime_ns]


def is_own_directory(path: Path) -> bool:
    """Whether it is a directory, and not a link to one."""
    return path.is_dir() and not path.is_symlink()


def walk(path: Path) -> Iterator[Path]:
    """A path and, if it is a directory, everything in it, files first. Links are not followed."""
    yield path
    if is_own_directory(path):
        for inner in sorted(path.iterdir(), key=lambda inner: (is_own_directory(inner), inner)):
            yield from walk(inner)
