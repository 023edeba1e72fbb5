#!/usr/bin/env python3
"""Every public name is documented, exists in the library, and exists in C and in C++.

    tests/names/check.py INCLUDE_DIRECTORY TABLE NM LIBRARY...

INCLUDE_DIRECTORY holds the headers, TABLE lists the C functions that correspond to each C++ function, NM prints the
symbols of the libraries. Exit status 1 and one line per name that is missing something.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from headers import Declaration, parse

# The C++ types whose public functions have to exist in C, and the header of the functions outside of them.


@dataclass
class Table:
    """`c_of`: C++ function -> C functions (none: exempt); `c_only`: C functions without one."""

    c_of: dict[str, list[str]] = field(default_factory=dict)
    c_only: set[str] = field(default_factory=set)


def read_table(text: str) -> Table:
    """Lines `Writer::put: esker_put esker_put_strided`, `Dataset::schema: - why`, `-: esker_free why`."""
    table = Table()
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        cpp, _, rest = line.partition(": ")
        words = rest.split()
        if cpp == "-":
            table.c_only.add(words[0])
        elif not words or (words[0] == "-" and len(words) == 1):
            raise ValueError(f"'{line}': expected C functions, or - and a reason")
        else:
            table.c_of[cpp] = [] if words[0] == "-" else words
    return table


def c_functions(text: str) -> list[Declaration]:
    """The exported functions of a C header."""
    return [d for d in parse(text) if d.kind == "function"]


def check_c_comments(functions: list[Declaration]) -> list[str]:
    """Each C function has a comment that says whether it is collective or local."""
    problems = []
    for f in functions:
        if not f.comment:
            problems.append(f"{f.name}: no comment directly above it")
        elif not re.search(r"\b(Collective|Local)\b", f.comment):
            problems.append(f"{f.name}: the comment does not say Collective or Local")
    return problems


def check_cpp_comments(header: str, declarations: list[Declaration]) -> list[str]:
    """Each public type and function has a comment above it, behind it, or above its group."""
    return [
        f"{header}:{d.line}: {d.name} is not documented"
        for d in declarations
        if d.public and d.kind != "other" and not d.documented
    ]


def check_exported(text: str, functions: list[Declaration]) -> list[str]:
    """Each function of a C header is marked for export."""
    marked = set(re.findall(r"^ESKER_API\b[^;]*?\b(esker_\w+)\s*\(", text, re.M))
    return [f"{f.name}: not marked ESKER_API" for f in functions if f.name not in marked]


def check_symbols(functions: set[str], symbols: set[str]) -> list[str]:
    """The C functions of headers and libraries are the same."""
    return [f"{name}: in no library" for name in sorted(functions - symbols)] + [
        f"{name}: in a library, in no header" for name in sorted(symbols - functions)
    ]


def check_table(table: Table, cpp: set[str], c: set[str]) -> list[str]:
    """Each C++ function has its C functions or is exempt; each C function corresponds to one or exists in C only."""
    named = {name for names in table.c_of.values() for name in names} | table.c_only
    exempt_types = {name for name in table.c_of if any(n.startswith(f"{name}::") for n in cpp)}
    cpp = {name for name in cpp if name.split("::")[0] not in exempt_types} | exempt_types
    return (
        [f"{name}: a type has no C functions" for name in sorted(exempt_types) if table.c_of[name]]
        + [f"{name}: no C function in the table" for name in sorted(cpp - table.c_of.keys())]
        + [f"{name}: in the table, in no C++ header" for name in sorted(table.c_of.keys() - cpp)]
        + [f"{name}: in the table, in no C header" for name in sorted(named - c)]
        + [f"{name}: not in the table" for name in sorted(c - named)]
    )


ENUMERATIONS = {
    "Code": ("ESKER_OK", ""),
    "SampleType": ("ESKER_INT8", ""),
    "Centering": ("ESKER_AT_CELLS", "AT_"),
    "MissingBlocks": ("ESKER_MISSING_AUTO", "MISSING_"),
}
"""C++ enumeration -> the first constant of the C enumeration that mirrors it, and what C's names begin with."""
C_ONLY = {"TEXT"}
"""Constants of C for what C++ has in a type: the text of a scalar."""


def check_enumerations(cpp: str, c: str) -> list[str]:
    """C has a constant for each C++ enumerator, in the same order."""
    problems = []
    for name, (first, prefix) in ENUMERATIONS.items():
        cpp_body = re.search(rf"enum class {name}\b[^{{]*\{{(.*?)\}}", cpp, re.S)
        c_body = re.search(rf"enum \{{\s*({first}\b.*?)\}}", c, re.S)
        if not cpp_body or not c_body:
            problems.append(f"enum {name}: not found")
            continue
        there = [found.upper() for found in re.findall(r"^\s*k(\w+)", cpp_body.group(1), re.M)]
        here = [found.replace("_", "") for found in re.findall(rf"^\s*ESKER_{prefix}(\w+)", c_body.group(1), re.M)]
        here = [constant for constant in here if constant not in C_ONLY]
        if there != here:
            problems.append(f"enum {name}: C++ has {', '.join(there)}, C has {', '.join(here)}")
    return problems


def mirrored(declarations: list[Declaration]) -> set[str]:
    """The public C++ functions that C has to have."""
    return {d.name for d in declarations if d.kind == "function" and d.public}


def symbols_of(nm: str, libraries: list[str]) -> set[str]:
    """The C functions that the libraries define."""
    found = set()
    for library in libraries:
        flags = ["--dynamic"] if ".so" in Path(library).name else []
        output = subprocess.run(
            [nm, "--defined-only", *flags, library], check=True, capture_output=True, text=True
        )
        found |= set(re.findall(r" T (esker_\w+)$", output.stdout, re.M))
    return found


def check_all(include: Path, table_path: Path, nm: str, libraries: list[str]) -> list[str]:
    """All problems."""
    problems: list[str] = []
    functions: set[str] = set()
    cpp: list[Declaration] = []
    has_mpi = any("esker_mpi" in library for library in libraries)
    for path in sorted(include.rglob("*.h")):
        text = path.read_text(encoding="utf-8")
        in_header = c_functions(text)
        problems += check_c_comments(in_header) + check_exported(text, in_header)
        problems += check_cpp_comments(path.name, [d for d in parse(text) if d.kind == "type"])
        functions |= {f.name for f in in_header}
    for path in sorted(include.rglob("*.hpp")):
        declarations = parse(path.read_text(encoding="utf-8"))
        problems += check_cpp_comments(path.name, declarations)
        cpp += declarations
    if len(functions) < 50 or len(mirrored(cpp)) < 30:
        problems.append(f"only {len(functions)} C and {len(mirrored(cpp))} C++ functions were found")
    all_cpp = "".join(path.read_text(encoding="utf-8") for path in sorted(include.rglob("*.hpp")))
    problems += check_enumerations(all_cpp, (include / "esker.h").read_text(encoding="utf-8"))
    table = read_table(table_path.read_text(encoding="utf-8"))
    problems += check_table(table, mirrored(cpp), functions)
    of_mpi = {f.name for f in c_functions((include / "esker_mpi.h").read_text(encoding="utf-8"))}
    problems += check_symbols(functions if has_mpi else functions - of_mpi, symbols_of(nm, libraries))
    return problems


def main() -> int:
    include, table, nm, *libraries = sys.argv[1:]
    problems = check_all(Path(include) / "esker", Path(table), nm, libraries)
    print("\n".join(problems) or "all public names are documented, and exist in C, in C++ and in the library")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
