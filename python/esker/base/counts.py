"""Counts in sentences."""

from __future__ import annotations


def count_of(number: float, noun: str) -> str:
    """The number with the noun in its form for it.

    >>> count_of(1, "file"), count_of(3, "file"), count_of(0, "file")
    ('1 file', '3 files', '0 files')
    """
    return f"{number:.0f} {noun}{'' if number == 1 else 's'}"


def size_text(n_bytes: float) -> str:
    """A size in units of 1000, for example "173.2 MB"."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if n_bytes < 1000 or unit == "TB":
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    raise AssertionError("unreachable")
