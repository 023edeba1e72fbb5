#!/usr/bin/env python3
"""The library has the functions, constants and error texts of a PnetCDF library.

    tests/pnetcdf/interface.py OURS THEIRS HEADER MPI TABLES...

OURS and THEIRS are shared libraries, HEADER is pnetcdf.h, MPI the MPI library that THEIRS needs, TABLES are the headers
with our constants. Exit status 1 if something is missing or different.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

ROW = re.compile(r"X\((NC2?_\w+), (-?\w+)[,)]")
DEFINE = re.compile(
    r"^#define[ \t]+(NC2?_\w+)[ \t]+\(?(-?(?:0x)?[0-9a-fA-F]+)L?\)?[ \t]*(?:/\*.*)?$", re.MULTILINE
)
#: Errors of netCDF-C alone, for which PnetCDF has no name either, but a text.
WITHOUT_NAME = {"NC_ENCZARR", "NC_ES3", "NC_EEMPTY", "NC_EOBJECT", "NC_ENOOBJECT", "NC_EPLUGIN"}


def exports(library: str) -> set[str]:
    """The names that a library exports."""
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    return {line.split()[-1] for line in listing.splitlines()}


def functions(library: str) -> set[str]:
    """The names of its C and Fortran functions; those of Fortran 90 as gfortran has them."""
    return {name for name in exports(library) if re.match(r"n[cf]mpi_|__pnetcdf_MOD_", name)}


def constants_in(header: str) -> dict[str, int]:
    return {name: int(text, 0) for name, text in DEFINE.findall(Path(header).read_text())}


def compare_constants(header: str, tables: list[str]) -> list[str]:
    """What differs between the constants of the header and ours."""
    theirs = constants_in(header)
    theirs |= {"NC_FORMAT_CDF2": 2, "NC_FORMAT_CDF5": 5, "NC_64BIT_DATA": 0x20}
    ours = {name: int(text, 0) for table in tables for name, text in ROW.findall(Path(table).read_text())}
    wrong = [
        f"{name} is {ours[name]}, not {theirs.get(name)}" for name in ours if ours[name] != theirs.get(name)
    ]
    errors = {name for name, value in theirs.items() if name.startswith("NC_E") and value < 0} - WITHOUT_NAME
    return wrong + [f"{name} is missing" for name in sorted(errors - set(ours))]


def compare_texts(ours: str, theirs: str, mpi: str, header: str) -> list[str]:
    """Names and texts of errors that differ between the two libraries."""
    without_text = {number for name, number in constants_in(header).items() if name in WITHOUT_NAME}
    ctypes.CDLL(mpi, mode=ctypes.RTLD_GLOBAL)
    libraries = [ctypes.CDLL(path) for path in (ours, theirs)]
    wrong = []
    for function in ("ncmpi_strerror", "ncmpi_strerrno"):
        for library in libraries:
            getattr(library, function).restype = ctypes.c_char_p
        for code in range(-300, 40):
            texts = [getattr(library, function)(code) for library in libraries]
            if texts[0] != texts[1] and not (function == "ncmpi_strerror" and code in without_text):
                wrong.append(f"{function}({code}) is {texts[0]!r}, not {texts[1]!r}")
    return wrong


def main() -> int:
    ours, theirs, header, mpi, *tables = sys.argv[1:]
    wrong = [f"{name} is missing" for name in sorted(functions(theirs) - functions(ours))]
    wrong += [f"{name} is not in PnetCDF" for name in sorted(functions(ours) - functions(theirs))]
    wrong += [f"{name} is exported" for name in sorted(exports(ours) - functions(ours))]
    wrong += compare_constants(header, tables) + compare_texts(ours, theirs, mpi, header)
    print(f"{len(functions(ours))} functions, {len(wrong)} differences", *wrong, sep="\n")
    return 1 if wrong or not functions(ours) else 0


if __name__ == "__main__":
    sys.exit(main())
