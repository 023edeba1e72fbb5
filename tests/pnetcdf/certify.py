"""PnetCDF's own programs, and codes that use it, run with Esker's library in the place of PnetCDF.

    python tests/pnetcdf/certify.py LIBRARY [--original] [--only TEXT]

LIBRARY: the directory of Esker's libpnetcdf.so.0d. The sources are Debian's, fetched when this runs (scripts/pnetcdf_codes.sh);
programs are built with Debian's library, and run on 1, 2, 4 and 7 ranks. programs.txt lists the programs, the numbers of
ranks on which each passes, and why it does not on others. It is an error if a program fails where it passes in the list;
if it passes where the list has nothing, its line is printed as it should be. Codes write the same values with both libraries,
in files that ncvalidator accepts: FLASH-IO, and those that codes.py names, where they have been built.
netCDF-C's tests of its PnetCDF dispatch pass. --original: run PnetCDF itself. Exit status 1 after errors, 77 if the sources cannot be had.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from codes import compare_codes, loads
from netcdf_tests import run_netcdf_tests
from programs import all_programs, build_program, missing_tools, prepare, program_path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build/pnetcdf"
RANKS = (1, 2, 4, 7)
SECONDS = 150
WRONG = re.compile(r"fail|Error|error at|FAIL|mismatch")  # some programs have "error" in their names
# PnetCDF runs these on no other number; some wait without end on more, with PnetCDF's own library, too.
ONE_RANK = "test/nc_test/"
# Programs that read what another one wrote.
BEFORE = {
    "test/C/pres_temp_4D_rd.c": "test/C/pres_temp_4D_wr.c",
    "examples/C/get_vara.c": "examples/C/put_vara.c",
    "examples/tutorial/pnetcdf-read-from-master.c": "examples/tutorial/pnetcdf-write-from-master.c",
    "examples/tutorial/pnetcdf-read-nfiles.c": "examples/tutorial/pnetcdf-write-nfiles.c",
    "examples/tutorial/pnetcdf-read-standard.c": "examples/tutorial/pnetcdf-write-standard.c",
    "examples/tutorial/pnetcdf-read-flexible.c": "examples/tutorial/pnetcdf-write-flexible.c",
    "examples/tutorial/pnetcdf-read-nb.c": "examples/tutorial/pnetcdf-write-nb.c",
}
Listed = dict[str, tuple[set[int], str, bool]]
UNKNOWN: tuple[set[int], str, bool] = (set(), "", False)


def read_list() -> Listed:
    listed: Listed = {}
    for line in (HERE / "programs.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, ranks, *reason = line.split(maxsplit=2)
            counts = set(map(int, re.findall("[0-9]", ranks)))
            listed[name] = (counts, "".join(reason), ranks == "never")
    return listed


def arguments(source: Path, name: str, folder: Path) -> list[str]:
    corrupt = source / "test/cdf_format"
    special = {
        "test/cdf_format/test_inq_format.c": [str(corrupt)],
        "test/cdf_format/tst_corrupt.c": [str(corrupt)],
        "test/cdf_format/tst_open_cdf5.c": [str(corrupt / "bad_begin.nc5")],
        "test/F90/tst_io.f90": [str(folder)],
        "test/nc_test/nc_test.c": ["-5", "-d", str(folder)],
    }
    return special.get(name, [str(folder / "testfile.nc")])


def run(source: Path, name: str, ranks: int, folder: Path, environment: dict[str, str]) -> str:
    """The first wrong line of a program's output, or an empty text."""
    command = ["mpiexec.openmpi", "-n", str(ranks), str(program_path(BUILD / "programs", name))]
    try:
        done = subprocess.run(
            [*command, *arguments(source, name, folder)],
            cwd=folder,
            env={**environment, "TMPDIR": str(folder)},  # two mpiexec at once must not share a session directory
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} s"
    wrong = [line.strip() for line in done.stdout.splitlines() if WRONG.search(line)]
    return "" if done.returncode == 0 and not wrong else (wrong or [f"exit status {done.returncode}"])[0][:200]


def try_program(source: Path, name: str, ranks: int, environment: dict[str, str]) -> str:
    """As run(), in an empty directory, after the program that writes what this one reads."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="certify", dir=memory) as folder:
        names = [BEFORE[name], name] if name in BEFORE else [name]
        return next(filter(None, (run(source, each, ranks, Path(folder), environment) for each in names)), "")


def compare(name: str, errors: dict[int, str], listed: Listed) -> int:
    """Prints what differs from the list; the number of errors."""
    expected, reason, _ = listed.get(name, UNKNOWN)
    passed = {ranks for ranks, error in errors.items() if not error}
    failed = sorted((expected & set(errors)) - passed)
    for ranks in failed:
        print(f"error: {name} fails on {ranks} ranks: {errors[ranks]}", flush=True)
    if not failed and (passed != expected & set(errors) or name not in listed):
        counts = ",".join(map(str, sorted(passed))) or "-"
        print(f"{name} {counts} {reason or next(filter(None, errors.values()), '')}".rstrip(), flush=True)
    if name in listed and expected != set(errors) and not reason:
        print(f"error: {name}: programs.txt gives no reason")
        return 1
    return len(failed)


def certify_programs(source: Path, library: Path | None, only: str) -> int:
    """Builds and runs all programs; the number of errors. `library`: that of Esker, else PnetCDF's."""
    environment = dict(os.environ) | ({"LD_LIBRARY_PATH": str(library)} if library else {})
    listed = read_list()
    names = [name for name in all_programs(source) if only in name and not listed.get(name, UNKNOWN)[2]]
    prepare(source, BUILD / "programs")
    workers = ThreadPoolExecutor(os.cpu_count())
    broken = workers.map(lambda name: build_program(source, BUILD / "programs", name), names)
    unbuilt = {name: error for name, error in zip(names, broken) if error}
    built = [name for name in names if name not in unbuilt]
    wrong = 0
    for name, error in unbuilt.items():
        if name not in listed or listed[name][0]:
            print(f"error: {name} cannot be built: {error}")
            wrong += 1
    for name in built:
        if library and not loads(program_path(BUILD / "programs", name), library, environment):
            print(f"error: {name} does not load libpnetcdf from {library} (ldd)")
            wrong += 1
    counts = {name: (1,) if name.startswith(ONE_RANK) else RANKS for name in built}
    jobs = [(name, ranks) for name in built for ranks in counts[name]]
    results = workers.map(lambda job: try_program(source, *job, environment), jobs)
    whole = runs = 0
    for name in built:
        errors = {ranks: next(results) for ranks in counts[name]}
        wrong += compare(name, errors, listed)
        passed = sum(not error for error in errors.values())
        runs += passed
        whole += passed == len(errors)
    print(f"{whole} of {len(names)} programs pass on {', '.join(map(str, RANKS))} ranks; {runs} of {len(jobs)} runs")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--original", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    missing = missing_tools()
    if missing or subprocess.run([ROOT / "scripts/pnetcdf_codes.sh"], check=False).returncode == 77:
        print("skipped: PnetCDF's programs need", ", ".join(missing) or "its sources, which cannot be had here")
        return 77
    if not (options.library / "libpnetcdf.so.0d").exists():
        parser.error(f"{options.library}: expected the directory of Esker's libpnetcdf.so.0d")
    source = next((BUILD / "source").glob("pnetcdf-*/"))
    library = options.library.resolve()
    wrong = certify_programs(source, None if options.original else library, options.only)
    if not options.only:
        wrong += compare_codes(BUILD, library) + run_netcdf_tests(BUILD, library)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
