#!/usr/bin/env python3
"""Words that should not come back are in no file of the project.

    tests/names/words.py ROOT

tests/names/words.txt lists them with what to write instead; words_allowed.txt lists `PATH: TEXT`, places where the line
of PATH that holds TEXT is right as it is; words_not_yet.txt lists files and directories that are not read yet. Exit
status 1 and one line per place otherwise.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = {".c", ".cc", ".cff", ".cmake", ".f90", ".h", ".hpp", ".in", ".md", ".py", ".pyi", ".sh", ".toml", ".txt"}
NOT_OURS = {".git", ".venv", "build", "demo", "dist", "golden", "LICENSES", "__pycache__"}
ABOUT_WORDS = re.compile(r"tests/names/(test_)?words\w*\.(py|txt)$")
GAP = r"(?:\s+(?:(?://[/!]?<?|#|!|\*)\s+)?)"
"""A space, or the end of a line and what begins the next line of a comment."""


@dataclass(frozen=True)
class Word:
    pattern: re.Pattern[str]
    instead: str


def entries(text: str) -> list[str]:
    """The lines of a list, without comments and empty ones."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def read_words(text: str) -> list[Word]:
    words = []
    for line in entries(text):
        expression, arrow, instead = line.partition(" -> ")
        if not arrow or not instead:
            raise ValueError(f"'{line}': expected EXPRESSION -> INSTEAD")
        words.append(Word(re.compile(rf"(?<!\w){expression.replace(' ', GAP)}(?!\w)", re.I), instead))
    return words


def read_allowed(text: str) -> set[tuple[str, str]]:
    allowed = set()
    for line in entries(text):
        path, colon, fragment = line.partition(": ")
        if not colon or not fragment:
            raise ValueError(f"'{line}': expected PATH: TEXT")
        allowed.add((path, fragment))
    return allowed


def find(words: list[Word], path: str, text: str, allowed: set[tuple[str, str]]) -> tuple[list[str], set[tuple[str, str]]]:
    """The problems in one file, and the entries of the allow-list that were needed."""
    problems, used = [], set()
    lines = text.split("\n")
    for word in words:
        for found in word.pattern.finditer(text):
            number = text.count("\n", 0, found.start())
            excuses = {(p, fragment) for p, fragment in allowed if p == path and fragment in lines[number]}
            used |= excuses
            if not excuses:
                shown = " ".join(found.group().split())
                problems.append(f"{path}:{number + 1}: '{shown}': write {word.instead}")
    return problems, used


def files(root: Path, not_yet: list[str]) -> Iterator[Path]:
    for directory, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if name not in NOT_OURS)
        for name in sorted(names):
            path = Path(directory, name)
            relative = path.relative_to(root).as_posix()
            skipped = any(relative == entry or relative.startswith(entry.rstrip("/") + "/") for entry in not_yet)
            if path.suffix in SUFFIXES and not skipped and not ABOUT_WORDS.match(relative):
                yield path


def check(root: Path, words: list[Word], allowed: set[tuple[str, str]], not_yet: list[str]) -> list[str]:
    problems: list[str] = []
    used: set[tuple[str, str]] = set()
    for path in files(root, not_yet):
        relative = path.relative_to(root).as_posix()
        more, needed = find(words, relative, path.read_text(encoding="utf-8"), allowed)
        problems += more
        used |= needed
    problems += [f"words_allowed.txt: '{path}: {text}' is not needed" for path, text in sorted(allowed - used)]
    return problems


def main() -> int:
    root, here = Path(sys.argv[1]), Path(__file__).parent
    lists = {name: (here / f"{name}.txt").read_text("utf-8") for name in ("words", "words_allowed", "words_not_yet")}
    words = read_words(lists["words"])
    problems = check(root, words, read_allowed(lists["words_allowed"]), entries(lists["words_not_yet"]))
    print("\n".join(problems) or f"none of {len(words)} words")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
