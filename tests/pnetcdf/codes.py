"""Runs FLASH-IO and S3D-IO with Debian's PnetCDF and with Esker's library, and compares what they write."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path


def compare_codes(build: Path, library: Path) -> int:
    """The number of errors, which are printed. `build`: build/pnetcdf; `library`: the directory of Esker's library."""
    wrong = 0
    for code, program in programs(build, sizes=(20, 24, 28)).items():
        if not Path(program[0]).exists():
            print(f"skipped: {code}, whose sources cannot be had here")
            continue
        with tempfile.TemporaryDirectory(prefix="codes") as folder:
            theirs, ours = Path(folder, "theirs"), Path(folder, "ours")
            run(program, theirs)
            run(program, ours, library)
            errors = differences(theirs, ours)
        print(*(f"error: {code}: {error}\n" for error in errors), sep="", end="")
        if not errors:
            print(f"{code}: the same values, in valid files")
        wrong += len(errors)
    return wrong


def programs(build: Path, sizes: tuple[int, int, int]) -> dict[str, list[str]]:
    """The commands of the codes; each writes files in the directory that is appended."""
    shape = [*map(str, sizes), "2", "2", "1"]
    s3d = str(build / "s3d-io/s3d_io.x")
    return {
        "FLASH-IO": [str(build / "flash-io/flash")],
        "S3D-IO blocking": [s3d, *shape, "0", "F"],
        "S3D-IO nonblocking": [s3d, *shape, "1", "F"],
    }


def run(program: list[str], folder: Path, library: Path | None = None) -> str:
    """The output of a code that writes to the directory, on 4 ranks. `library`: that of Esker, else PnetCDF's."""
    folder.mkdir()
    environment = dict(os.environ)
    if library:
        environment["LD_LIBRARY_PATH"] = str(library)
        if not loads(program[0], library, environment):
            raise RuntimeError(f"{program[0]} does not load libpnetcdf from {library} (ldd)")
    target = f"{folder}/" if "flash" in program[0] else str(folder)
    command = ["mpiexec.openmpi", "-n", "4", *program, target]
    return subprocess.run(command, check=True, env=environment, cwd=folder, capture_output=True, text=True).stdout


def loads(program: str | Path, library: Path, environment: dict[str, str]) -> bool:
    """Whether the program gets libpnetcdf from the directory: a path in it may have precedence over LD_LIBRARY_PATH."""
    done = subprocess.run(["ldd", program], check=True, env=environment, capture_output=True, text=True)
    return f"=> {library}/libpnetcdf.so" in done.stdout


def differences(theirs: Path, ours: Path) -> list[str]:
    """What is wrong with the files of `ours`: their names, their form, or their values."""
    names = sorted(path.name for path in theirs.iterdir())
    found = sorted(path.name for path in ours.iterdir())
    if names != found or not names:
        return [f"expected the files {names}, found {found}"]
    errors = []
    for name in names:
        for command in (["ncvalidator", "-q", ours / name], ["cdfdiff", "-q", theirs / name, ours / name]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                errors.append(f"{command[0]} {name}: {(done.stdout + done.stderr).strip()[:300]}")
    return errors
