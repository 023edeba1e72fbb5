#!/usr/bin/env python3
"""A run of pism.c that is killed within a record leaves the records before it, and another run continues from them.

    tests/pnetcdf/pism.py PROGRAM OURS THEIRS MPIEXEC FLAGS...

OURS is the directory of Esker's library, THEIRS that of PnetCDF's or empty; FLAGS end with that for the number of ranks.
With PnetCDF's library, the same calls write a file with the same values and attributes. Exit status 1 after errors.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

#: Ranks that are killed, and ranks that continue.
RANKS = ((1, 2), (4, 7), (7, 1))


def run(
    launcher: list[str], ranks: int, library: str, *command: str | Path
) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, LD_LIBRARY_PATH=library)
    return subprocess.run(
        [*launcher, str(ranks), *command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def failed(name: str, done: subprocess.CompletedProcess[str]) -> list[str]:
    return [f"{name}: status {done.returncode}\n{done.stdout}{done.stderr}"] if done.returncode else []


def check(*command: str | Path) -> list[str]:
    return failed(str(command[0]), subprocess.run(command, capture_output=True, text=True, check=False))


def continue_killed(
    launcher: list[str], program: str, library: str, ranks: tuple[int, int], path: Path
) -> list[str]:
    killed = run(launcher, ranks[0], library, program, path, "kill")
    wrong = [] if killed.returncode else [f"{ranks[0]} ranks are not killed"]
    wrong += failed(f"append on {ranks[1]} ranks", run(launcher, ranks[1], library, program, path, "append"))
    return wrong + check("ncvalidator", "-q", path)


def compare(launcher: list[str], program: str, ours: str, theirs: str, folder: Path) -> list[str]:
    paths = {ours: folder / "ours.nc", theirs: folder / "theirs.nc"}
    wrong = []
    for library, path in paths.items():
        wrong += failed(path.name, run(launcher, 4, library, program, path))
    return wrong + check("cdfdiff", "-q", *paths.values())


def main() -> int:
    program, ours, theirs, *launcher = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for ranks in RANKS:
            wrong += continue_killed(launcher, program, ours, ranks, folder / f"killed{ranks[0]}.nc")
        if theirs:
            wrong += compare(launcher, program, ours, theirs, folder)
    print(*wrong, f"{len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
