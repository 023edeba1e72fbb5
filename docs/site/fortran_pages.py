"""Pages of the Fortran reference, from the comments and declarations of the module that fypp generates."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PUBLIC = re.compile(r"^  public :: (esker_\w+)$", re.M)
_IN_INTERFACE = re.compile(r"^    subroutine (esker_\w+)\(")
_PROCEDURE = re.compile(r"^ {2,4}(?:recursive |pure )*(?:subroutine|function) (esker_\w+)\(")
_SECTION = re.compile(r"^  ! ---- (.*)$")
_DUMMY = re.compile(r"^    .*\b(?:intent\((?:in|out|inout)\)|procedure\(\w+\)).*::|^    character\(:\), allocatable ::")
_TYPE = re.compile(r"^  (?:type, .*public :: (esker_\w+)|integer.*, parameter, public :: .*)")
_LAST_SECTION = "Arrays of any kind and shape"


def pages(root: Path) -> dict[str, str]:
    return {"reference/fortran.md": page(module(root))}


def module(root: Path) -> str:
    """esker.f90, as fortran/CMakeLists.txt has it made."""
    command = [sys.executable, "-m", "fypp", "-m", "textwrap", str(root / "fortran/esker.fypp")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def page(text: str) -> str:
    lines = text.splitlines()
    result = ["# Fortran", "", "`use esker`", "", *opening(lines), "", "## Types and constants", ""]
    result += types(lines)
    result += ["## Arrays of any kind and shape", "", *generics(lines), *array_procedures(lines)]
    result += ["## Procedures of other libraries", "", *interfaces(lines)]
    return "\n".join([*result, *procedures(lines), ""])


def opening(lines: list[str]) -> list[str]:
    """The comment above the module."""
    end = lines.index("module esker")
    comment = [line[2:] for line in lines[:end] if line.startswith("!")]
    return comment[comment.index("Conventions of all procedures:") :]


def comment_above(lines: list[str], at: int) -> list[str]:
    """The comment that ends at the line above `at`."""
    first = at
    while first and re.match(r" +!(?! ----)", lines[first - 1]):
        first -= 1
    return [line.strip().removeprefix("!").removeprefix(" ") for line in lines[first:at]]


def continued(lines: list[str], at: int) -> int:
    """The line after the statement that begins at `at`."""
    while lines[at].split("!")[0].rstrip().endswith("&"):
        at += 1
    return at + 1


def types(lines: list[str]) -> list[str]:
    result: list[str] = []
    for at, line in enumerate(lines):
        found = _TYPE.match(line)
        if found and found[1]:
            end = next(i for i in range(at, len(lines)) if lines[i].startswith("  end type"))
            shown = [text for text in lines[at : end + 1] if " private" not in text and "c_null_ptr" not in text]
            result += entry(found[1], comment_above(lines, at), shown)
        elif found:
            result += [*comment_above(lines, at), *code(lines[at : continued(lines, at)])]
    return result


def generics(lines: list[str]) -> list[str]:
    """Procedures for arrays of any kind, whose comment begins with the call."""
    result: list[str] = []
    for at, line in enumerate(lines):
        if re.match(r"  interface esker_\w+$", line):
            comment = comment_above(lines, at)
            call, colon, rest = " ".join(comment).partition(": ")
            result += [f"### {line.split()[1]}", "", *(code([call]) if colon else []), capitalized(rest or call), ""]
    return result


def capitalized(text: str) -> str:
    return text[0].upper() + text[1:]


def interfaces(lines: list[str]) -> list[str]:
    """Procedures that the module declares only: one of esker_mpi, and one that programs write."""
    before = lines[: lines.index("contains")]
    return [text for at, line in enumerate(before) if _IN_INTERFACE.match(line) for text in procedure(lines, at)]


def array_procedures(lines: list[str]) -> list[str]:
    """Other public procedures in the module's section of arrays."""
    first = next(i for i, line in enumerate(lines) if _SECTION.match(line) and _LAST_SECTION in line)
    last = next(i for i in range(first + 1, len(lines)) if _SECTION.match(lines[i]))
    return [text for at in range(first, last) if _PROCEDURE.match(lines[at]) for text in procedure(lines, at)]


def procedures(lines: list[str]) -> list[str]:
    """All sections up to that of arrays."""
    result: list[str] = []
    for at, line in enumerate(lines):
        section = _SECTION.match(line)
        if not section and not result:
            continue
        if section and _LAST_SECTION in section[1]:
            break
        if section:
            title = re.split(r"[:.(]", section[1])[0].strip()
            result += [f"## {title}", ""]
        elif _PROCEDURE.match(line):
            result += procedure(lines, at)
    return result


def procedure(lines: list[str], at: int) -> list[str]:
    found = _PROCEDURE.match(lines[at])
    assert found
    end = continued(lines, at)
    shown = lines[at:end]
    for i in range(end, len(lines)):
        if _DUMMY.match(lines[i]):
            shown += lines[i : continued(lines, i)]
        elif not lines[i].startswith(("      ", "    import")):
            break
    return entry(found[1], comment_above(lines, at), shown)


def entry(name: str, comment: list[str], shown: list[str]) -> list[str]:
    return [f"### {name}", "", *code(shown), *comment, ""]


def code(lines: list[str]) -> list[str]:
    shift = min(len(line) - len(line.lstrip()) for line in lines)
    return ["```fortran", *[line[shift:] for line in lines], "```", ""]
