"""Counts in sentences."""

from __future__ import annotations


def count_of(number: float, noun: str) -> str:
    """The number with the noun in its form for it.

    >>> count_of(1, "file"), count_of(3, "file"), count_of(0, "file")
    ('1 file', '3 files', '0 files')
    """
    return f"{number:.0f} {noun}{'' if number == 1 else 's'}"
