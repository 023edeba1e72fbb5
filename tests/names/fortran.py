#!/usr/bin/env python3
"""The Fortran module has every C function with C's arguments, every constant with its value, and a test for each.

    tests/names/fortran.py INCLUDE_DIRECTORY MODULE TESTS_DIRECTORY

Exit status 1 and one line per name that is missing something. Compilers check none of this: a module that declares
another prototype than C's compiles and links.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from headers import split_comments

FORTRAN_ONLY = {"esker_fortran_comm": "esker_comm_from_fortran"}
"""C functions that the module has under another name: they were made for it."""

CALLED_AS = {"esker_put": "esker_put_strided"}
"""C functions that the module has, but reaches through another."""

OF_THE_MODULE = {"esker_count_from"}
"""C functions that the module calls, and programs need not."""

SECOND_NAMES = {"esker_request_level": "esker_request"}
"""Procedures for which C has one function, and Fortran two."""

LEAST_INT8 = "ibset(0_c_int8_t, 7)"
"""How the module writes -128, which has no literal of its kind."""

RENAMED = {
    "esker_dataset": "esker_of_dataset",
    "esker_grid": "esker_of_grid",
    "esker_field": "esker_of_field",
    "esker_dim": "esker_of_dim",
    "esker_time": "esker_of_time",
    "esker_scalar": "esker_of_scalar",
}
"""Constants whose names are types in Fortran, which knows no case."""


def c_prototypes(text: str) -> dict[str, list[str]]:
    """Function -> what its arguments are for Fortran, in the words of `fortran_argument`."""
    code = split_comments(text).code
    found = re.findall(r"ESKER_API\b[^;()]*?\b(esker_\w+)\s*\(([^;]*?)\)\s*;", code)
    return {
        name: [c_argument(a) for a in arguments.split(",") if a.strip() not in ("", "void")]
        for name, arguments in found
    }


def c_argument(text: str) -> str:
    """`const int64_t* lo` -> "int64 array"; all that is passed as one pointer of C's is "pointer"."""
    words = re.sub(r"\bconst\b|\w+\s*$", "", text).strip()
    kind, stars = re.sub(r"[*\s]", "", words), words.count("*")
    values = {
        "int": "int",
        "unsigned": "int",
        "esker_status": "int",
        "esker_type": "int",
        "esker_object": "int",
        "esker_att_type": "int",
        "esker_missing": "int",
        "esker_centering": "int",
        "MPI_Fint": "int",
        "int64_t": "int64",
        "double": "double",
        "char": "char",
    }
    if kind == "esker_progress":
        return "function"
    if stars == 2 or (stars == 1 and kind == "char"):
        return "pointer to pointer" if stars == 2 else "char by reference"
    if stars == 1 and kind in values:
        return values[kind] + " by reference"
    if stars == 1 and re.match(r"esker_(\w+_report|stored_samples|part|camera|placement|view)$", kind):
        return "struct by reference"
    return "pointer" if stars else values.get(kind, kind)


def fortran_prototypes(text: str) -> dict[str, list[str]]:
    """Binding label -> its arguments, in the words of `c_argument`."""
    joined = re.sub(r"&\s*\n\s*&?\s*", "", text)
    found = re.findall(
        r'(?:function|subroutine) \w+\(([^)]*)\) bind\(C, name="(esker_\w+)"\)(.*?)\n +end ', joined, re.S
    )
    return {
        label: [fortran_argument(name.strip(), body) for name in arguments.split(",") if name.strip()]
        for arguments, label, body in found
    }


def fortran_argument(name: str, body: str) -> str:
    """How the interface body declares the argument."""
    declaration = re.search(rf"^ *([^:\n]*?) :: [^\n]*\b{name}\b", body, re.M)
    if not declaration:
        raise ValueError(f"argument {name} is not declared")
    words = declaration[1]
    kind = re.match(r"(\w+)(?:\((?:kind=)?(\w+)\))?", words)
    assert kind
    value = ", value" in words
    if kind[2] == "c_funptr":
        return "function"
    if kind[2] == "c_ptr":
        return "pointer" if value else "pointer to pointer"
    if kind[2] == "esker_comm":
        return "pointer to pointer"  # the type is C's pointer
    if kind[1] == "type":
        return "struct by reference"
    name_of_kind = {"c_int": "int", "c_int64_t": "int64", "c_double": "double", "c_char": "char"}[kind[2]]
    return name_of_kind if value else name_of_kind + " by reference"


def public_names(module: str) -> set[str]:
    """The names in the module's `public ::` statements."""
    joined = re.sub(r"&\s*\n\s*&?\s*", "", module)
    return {
        name
        for line in re.findall(r"^  public :: (.*)$", joined, re.M)
        for name in re.split(r",\s*", line.strip())
    }


def c_constants(text: str) -> dict[str, int]:
    return {
        name.lower(): int(value)
        for name, value in re.findall(r"^\s*(?:enum \{)?\s*(ESKER_\w+) = (-?\d+)", spread(text), re.M)
    }


def spread(text: str) -> str:
    """Each constant of an enumeration on a separate line."""
    return re.sub(r"[,{]\s*(ESKER_)", r"\n\1", split_comments(text).code)


def fortran_constants(module: str) -> dict[str, int]:
    joined = re.sub(r"&\s*\n\s*&?\s*", "", module).replace(LEAST_INT8, "-128")
    lines = re.findall(r"^  integer(?:\(c_int8_t\))?, parameter, public :: (.*)$", joined, re.M)
    return {name: int(value) for line in lines for name, value in re.findall(r"(esker_\w+) = (-?\d+)", line)}


def check_functions(functions: dict[str, list[str]], module: str) -> list[str]:
    """Names and arguments."""
    public, declared = public_names(module), fortran_prototypes(module)
    problems = [
        f"{name}: not public in the module"
        for name in sorted(functions.keys() - OF_THE_MODULE)
        if FORTRAN_ONLY.get(name, name) not in public
    ]
    problems += [
        f"{name}: the module does not call it"
        for name in sorted(functions.keys() - declared.keys())
        if name not in CALLED_AS and name not in ("esker_comm_from_mpi", "esker_comm_from_fortran")
    ]
    problems += [
        f"{name}: public in the module, in no C header"
        for name in sorted(public - functions.keys() - SECOND_NAMES.keys())
        if name != "esker_progress"
    ]
    for name in sorted(functions.keys() & declared.keys()):
        if functions[name] != declared[name]:
            problems.append(
                f"{name}: C has ({', '.join(functions[name])}), Fortran ({', '.join(declared[name])})"
            )
    return problems


def check_constants(c: dict[str, int], fortran: dict[str, int]) -> list[str]:
    c = {RENAMED.get(name, name): value for name, value in c.items()}
    return [
        f"{name}: {c.get(name)} in C, {fortran.get(name)} in Fortran"
        for name in sorted(c.keys() | fortran.keys())
        if c.get(name) != fortran.get(name)
    ]


def check_tested(module: str, tests: str) -> list[str]:
    return [
        f"{name}: no test in Fortran calls it"
        for name in sorted(public_names(module) - {"esker_progress"})
        if not re.search(rf"\b{name}\(", tests)
    ]


def main() -> int:
    include, module_path, tests_path = map(Path, sys.argv[1:])
    headers = "".join(
        (include / "esker" / name).read_text(encoding="utf-8") for name in ("esker.h", "esker_mpi.h")
    )
    module = module_path.read_text(encoding="utf-8")
    tests = "".join(path.read_text(encoding="utf-8") for path in sorted(tests_path.glob("*.f90")))
    functions, constants = c_prototypes(headers), c_constants(headers)
    problems = check_functions(functions, module) + check_constants(constants, fortran_constants(module))
    problems += check_tested(module, tests)
    if len(functions) < 60 or len(constants) < 30:
        problems.append(f"only {len(functions)} functions and {len(constants)} constants were found in C")
    print(
        "\n".join(problems)
        or f"all {len(functions)} C functions and {len(constants)} constants are in the Fortran module"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
