"""Finds the lines of keys in TOML text, which tomllib does not tell."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(#.*)?$")
_KEY = re.compile(r"\s*([\w.\"'-]+)\s*=")


def line_of(text: str, *path: str) -> int:
    """The line, counted from 1, that defines the key with this path, or its innermost table that is found; 1 if
    there is none. Inside an inline table it is the table's line.

    >>> line_of("a = 1\\n[b]\\nc = {d = 2}", "b", "c", "d")
    3
    """
    lines = _lines_of_keys(text)
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def _lines_of_keys(text: str) -> dict[tuple[str, ...], int]:
    table: tuple[str, ...] = ()
    found: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_parts(key[1])), number)
    return found


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
