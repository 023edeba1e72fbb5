"""Builds PnetCDF's own test programs and examples from its sources, for certify.py: with Debian's library and Open MPI."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

# What PnetCDF's configure finds on a 64-bit Linux; sources include it as config.h.
CONFIG = """
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_UNISTD_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDBOOL_H 1
#define HAVE_ACCESS 1
#define HAVE_STRTOLL 1
#define HAVE_STRDUP 1
#define HAVE_DECL_MPI_OFFSET 1
#define HAVE_DECL_MPI_OFFSET_DATATYPE 1
#define ERANGE_FILL 1
#define RELAX_COORD_BOUND 1
#define SIZEOF_MPI_OFFSET 8
#define SIZEOF_MPI_AINT 8
#define SIZEOF_SIGNED_CHAR 1
#define SIZEOF_UNSIGNED_CHAR 1
#define SIZEOF_SHORT 2
#define SIZEOF_UNSIGNED_SHORT 2
#define SIZEOF_SHORT_INT 2
#define SIZEOF_INT 4
#define SIZEOF_UNSIGNED_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_UNSIGNED_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_UNSIGNED_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_OFF_T 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define HAVE_UCHAR 1
#define NC_UCHAR 1
#define ENABLE_FORTRAN 1
typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef long long longlong;
typedef unsigned long long ulonglong;
"""
C_FOLDERS = ("testcases", "nonblocking", "C", "cdf_format", "header", "largefile", "nc_test")
FORTRAN_FOLDERS = ("testcases", "nonblocking", "F90", "largefile")
FORTRAN = (".f", ".f90", ".F")
# The sources of one program, which has the name of the first.
NC_TEST = ("nc_test.c", "error.c", "util.c", "test_get.m4", "test_put.m4", "test_iget.m4", "test_iput.m4", "test_read.m4")
NC_TEST += ("test_write.m4",)
NOT_PROGRAMS = {f"test/nc_test/{name}" for name in (*NC_TEST[1:], "tests.h.m4")} | {"examples/F90/utils.F90"}


def all_programs(source: Path) -> list[str]:
    """The paths of the programs, in the source package."""
    found = []
    for folder in sorted({*C_FOLDERS, *FORTRAN_FOLDERS}):
        suffixes = (".c", ".m4") if folder in C_FOLDERS else ()
        suffixes += FORTRAN if folder in FORTRAN_FOLDERS else ()
        found += [path for path in (source / "test" / folder).iterdir() if path.suffix in suffixes]
    for folder in ("C", "F77", "F90", "tutorial"):
        found += [path for path in (source / "examples" / folder).iterdir() if path.suffix in (".c", *FORTRAN)]
    names = {str(path.relative_to(source)) for path in found if ".gen." not in path.name}
    return sorted(names - NOT_PROGRAMS)


def prepare(source: Path, build: Path) -> None:
    """Writes what several programs include or are linked with."""
    build.mkdir(parents=True, exist_ok=True)
    (build / "config.h").write_text(CONFIG, encoding="ascii")
    (build / "tests.h").write_text(_expanded(source, source / "test/nc_test/tests.h.m4"), encoding="utf-8")
    for name in ("test/common/testutilsf.F90", "examples/F77/utils.F90"):
        output = build / f"{Path(name).stem}.o"
        subprocess.run(
            ["mpif90.openmpi", "-w", "-c", source / name, "-o", output, f"-J{build}", *_modules()], check=True
        )


def build_program(source: Path, build: Path, name: str) -> str:
    """Builds a program, build/NAME_WITHOUT_SUFFIX; the first error of the compiler, or an empty text."""
    output = program_path(build, name)
    output.parent.mkdir(parents=True, exist_ok=True)
    command = _c_command(source, build, name) if name.endswith((".c", ".m4")) else _f_command(source, build, name)
    done = subprocess.run(
        [*command, "-o", output, "-lpnetcdf", "-lpthread", "-lm"], capture_output=True, text=True, check=False
    )
    error = re.search(r".*(?:[Ee]rror|undefined).*", done.stderr)
    return "" if done.returncode == 0 else error[0] if error else f"status {done.returncode}"


def program_path(build: Path, name: str) -> Path:
    return build / name.rpartition(".")[0]


def _c_command(source: Path, build: Path, name: str) -> list[str | Path]:
    path = source / name
    paths = [path.parent / part for part in NC_TEST] if name == "test/nc_test/nc_test.c" else [path]
    sources = [_c_source(source, build, part) for part in paths]
    folders = [build, source / "m4", source / "src/include", source / "src/drivers/include", source / "test/common"]
    command = ["mpicc.openmpi", "-w", "-O0", "-DHAVE_CONFIG_H", "-DHAVE_DECL_MPI_OFFSET"]
    common = [source / "test/common/testutils.c"] if name.startswith("test/") else []
    return [*command, *(f"-I{folder}" for folder in (*folders, path.parent)), *sources, *common]


def _c_source(source: Path, build: Path, path: Path) -> Path:
    if path.suffix != ".m4":
        return path
    generated = build / f"{path.parent.name}_{path.stem}.c"
    generated.write_text(_expanded(source, path), encoding="utf-8")
    return generated


def _expanded(source: Path, path: Path) -> str:
    command = ["m4", f"-I{source / 'm4'}", "-DPNETCDF", "-DERANGE_FILL", path]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _f_command(source: Path, build: Path, name: str) -> list[str | Path]:
    form = ["-ffree-line-length-none"] if name.endswith(".f90") else ["-ffixed-form", "-ffixed-line-length-none"]
    utilities = build / ("utils.o" if name.startswith("examples/") else "testutilsf.o")
    command = ["mpif90.openmpi", "-w", "-O0", "-fallow-argument-mismatch", *form, f"-I{source / 'test/common'}"]
    return [*command, f"-I{build}", f"-J{build}", *_modules(), source / name, utilities]


def _modules() -> list[str]:
    """Where Debian has the module and the include file."""
    module = next(Path("/usr/lib").glob("*/fortran/gfortran-mod-*/pnetcdf.mod"))
    include = Path("/usr/include") / module.parents[2].name
    return [f"-I{module.parent}", f"-I{include}"]


def missing_tools() -> list[str]:
    tools = ("mpicc.openmpi", "mpif90.openmpi", "mpiexec.openmpi", "m4", "ncvalidator", "cdfdiff")
    return [tool for tool in tools if shutil.which(tool) is None]
