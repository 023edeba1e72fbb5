#!/usr/bin/env python3
"""The C ABI of the library: what programs in C, Fortran and other languages are compiled against.

    scripts/c_abi.py compare [--header-of COMMIT]    of include/esker/esker.h with the recorded one (with that of a commit)
    scripts/c_abi.py record                          records it, in packaging/abi

It is made from the header alone: each function gets an empty body, abidw describes what gcc compiles, and abidiff compares.
(Other tests compare the header with the library.) The values of constants are compared as text, because abidw does not see
them. New functions and constants are allowed. Exit status 1: something was changed or removed. Needs gcc and Debian's
abigail-tools.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADERS = ("esker/esker.h", "esker/version.h", "esker/types/export.h")
RECORDED = ROOT / "packaging/abi"
FUNCTION = re.compile(r"ESKER_API\s+([^;{}]+\));")


def run(*command: str | Path, expected: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode not in expected:
        sys.exit(f"{command[0]} failed with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def copy_headers(include: Path, commit: str | None) -> None:
    """The headers that esker.h consists of, as in the working tree or in a commit."""
    for name in HEADERS:
        path = include / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if commit is None:
            path.write_text((ROOT / "include" / name).read_text())
        else:
            path.write_text(run("git", "-C", ROOT, "show", f"{commit}:include/{name}").stdout)


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def describe(include: Path, folder: Path) -> str:
    """abidw's description of a library with the functions of esker.h, whose bodies are empty."""
    functions = FUNCTION.findall(without_comments((include / HEADERS[0]).read_text()))
    if not functions:
        sys.exit(f"{HEADERS[0]}: no function with ESKER_API was found")
    bodies = "\n".join(f"{function} {{ __builtin_trap(); }}" for function in functions)
    source, library = folder / "bodies.c", folder / "libesker.so"
    source.write_text(f'#include "{HEADERS[0]}"\n{bodies}\n')
    flags = ("-std=c2x", "-g", "-O0", "-w", "-shared", "-fPIC", f"-fdebug-prefix-map={folder}=.", f"-I{include}")
    run("gcc", *flags, source, "-o", library)
    return run(
        "abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--type-id-style", "hash", library
    ).stdout


def constants(include: Path, folder: Path) -> str:
    """Lines `NAME = value`: the enumerators and the numbers among the macros."""
    header = include / HEADERS[0]
    text = without_comments(header.read_text())
    bodies = re.findall(r"\benum\s*\w*\s*\{(.*?)\}", text, re.DOTALL)
    names = [name for body in bodies for name in re.findall(r"(?:^|,)\s*(\w+)", body)]
    names += re.findall(r"^#define (ESKER_\w+) +\(?-?\d", text, re.MULTILINE)
    lines = "".join(f'  printf("%s = %lld\\n", "{name}", (long long)({name}));\n' for name in names)
    program = folder / "constants"
    source = program.with_suffix(".c")
    source.write_text(f'#include <stdio.h>\n#include "{HEADERS[0]}"\nint main(void) {{\n{lines}}}\n')
    run("gcc", "-w", f"-I{include}", source, "-o", program)
    return run(program).stdout


def make(include: Path, folder: Path) -> tuple[Path, Path]:
    """The two files that describe the C ABI of these headers."""
    files = folder / "esker_c.abi", folder / "constants.txt"
    for file, text in zip(files, (describe(include, folder), constants(include, folder)), strict=True):
        file.write_text(text)
    return files


def differences(old: tuple[Path, Path], new: tuple[Path, Path]) -> str:
    """What a program that was compiled with the old header would miss; empty if nothing."""
    changed = run("abidiff", "--no-added-syms", old[0], new[0], expected=(0, 4, 8, 12))
    found = changed.stdout if changed.returncode else ""
    here = set(new[1].read_text().splitlines())
    missing = [line for line in old[1].read_text().splitlines() if line not in here]
    return found + "".join(f"constant changed or removed: {line}\n" for line in missing)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["compare", "record"])
    parser.add_argument("--header-of", metavar="COMMIT", help="compare with the header of this commit")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        here, there = Path(scratch, "here"), Path(scratch, "there")
        copy_headers(here / "include", None)
        new = make(here / "include", here)
        if given.action == "record":
            for file in new:
                (RECORDED / file.name).write_text(file.read_text())
            return
        old = RECORDED / new[0].name, RECORDED / new[1].name
        if given.header_of:
            copy_headers(there / "include", given.header_of)
            old = make(there / "include", there)
        if found := differences(old, new):
            sys.exit(f"{found}the C ABI differs from that of {given.header_of or 'packaging/abi'}")


if __name__ == "__main__":
    main()
