"""Runs codes with Debian's PnetCDF and with Esker's library, and compares what they write.

FLASH-IO is built by scripts/pnetcdf_codes.sh. The others are not: they take part if they have been built, as their manuals
say, with Debian's PnetCDF and Open MPI, and are in build/pnetcdf (a link will do):

    s3d-io/s3d_io.x                                             S3D-IO, with a call of its random_set_seed: runs are alike
    e3sm-io/src/e3sm_io, e3sm-io/datasets/map_*_case_16p.nc    E3SM-IO
    pism/pism, pism/pism_config.nc                              PISM
    parallelio/tests/cunit/test_*                               the C tests of ParallelIO
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

#: Variables of PISM that hold times of the run.
VARYING = "model_years_per_processor_hour,wall_clock_time"
#: A file of PnetCDF ends before values that no rank put, which cdfdiff cannot read.
BEYOND = 2**20
#: Tests of ParallelIO for more than four ranks.
EIGHT_RANKS = ("test_async_multi2", "test_async_manyproc")


def compare_codes(build: Path, library: Path) -> int:
    """The number of errors, which are printed. `build`: build/pnetcdf; `library`: the directory of Esker's library."""
    wrong = 0
    for code, program in (programs(build, sizes=(20, 24, 28)) | pism(build)).items():
        if not Path(program[0]).exists():
            print(f"skipped: {code}, which is not in {build}")
            continue
        with tempfile.TemporaryDirectory(prefix="codes") as folder:
            theirs, ours = Path(folder, "theirs"), Path(folder, "ours")
            run(program, theirs)
            run(program, ours, library)
            errors = differences(theirs, ours, VARYING if code == "PISM" else "")
            if "canonical" in code and not errors:
                read_again(program, ours, library)
        print(*(f"error: {code}: {error}\n" for error in errors), sep="", end="")
        if not errors:
            print(f"{code}: the same values, in valid files")
        wrong += len(errors)
    return wrong + run_tests(build / "parallelio/tests/cunit", library)


def programs(build: Path, sizes: tuple[int, int, int]) -> dict[str, list[str]]:
    """The commands of codes that print times; each writes in the directory, or to the file, that is appended (run())."""
    shape = [*map(str, sizes), "2", "2", "1"]
    s3d = str(build / "s3d-io/s3d_io.x")
    found = {
        "FLASH-IO": [str(build / "flash-io/flash")],
        "S3D-IO blocking": [s3d, *shape, "0", "F"],
        "S3D-IO nonblocking": [s3d, *shape, "1", "F"],
    }
    e3sm = build / "e3sm-io"
    for case in "FGI":
        maps = str(e3sm / f"datasets/map_{case.lower()}_case_16p.nc")
        for layout in ("blob", "canonical"):
            found[f"E3SM-IO {case} {layout}"] = [str(e3sm / "src/e3sm_io"), "-k", "-x", layout, maps, "-o"]
    return found


def pism(build: Path) -> dict[str, list[str]]:
    """As programs(): a state of the model, fields at five times, and time series."""
    command = [str(build / "pism/pism"), "-config", str(build / "pism/pism_config.nc"), "-o_format", "pnetcdf"]
    command += ["-eisII", "A", "-Mx", "31", "-My", "31", "-Mz", "11", "-y", "1000"]
    command += ["-spatial_file", "spatial.nc", "-spatial_times", "0:250:1000", "-spatial_vars", "thk,temppabase,velbar"]
    return {"PISM": [*command, "-scalar_file", "scalar.nc", "-scalar_times", "0:100:1000", "-o"]}


def run(program: list[str], folder: Path, library: Path | None = None) -> str:
    """The output of a code that writes to the directory, on 4 ranks. `library`: that of Esker, else PnetCDF's."""
    folder.mkdir()
    environment = environment_for(program[0], library)
    target = f"{folder}/" if "flash" in program[0] else "out.nc" if program[-1] == "-o" else str(folder)
    command = ["mpiexec.openmpi", "-n", "4", *program, target]
    return subprocess.run(command, check=True, env=environment, cwd=folder, capture_output=True, text=True).stdout


def read_again(program: list[str], folder: Path, library: Path) -> None:
    """E3SM-IO reads what it wrote."""
    command = ["mpiexec.openmpi", "-n", "4", *program[:-1], "-i", str(folder / "out.nc")]
    subprocess.run(command, check=True, env=environment_for(program[0], library), capture_output=True)


def environment_for(program: str, library: Path | None) -> dict[str, str]:
    environment = dict(os.environ)
    if library:
        environment["LD_LIBRARY_PATH"] = str(library)
        if not loads(program, library, environment):
            raise RuntimeError(f"{program} does not load libpnetcdf from {library} (ldd)")
    return environment


def run_tests(folder: Path, library: Path) -> int:
    """Runs ParallelIO's tests. The number that pass with PnetCDF's library, but not with Esker's."""
    tests = sorted(path for path in folder.glob("test_*") if path.is_file() and os.access(path, os.X_OK))
    if not tests:
        print(f"skipped: ParallelIO, which is not in {folder}")
        return 0
    passed, wrong = 0, 0
    for test in tests:
        if not passes(test, None):
            continue
        if passes(test, library):
            passed += 1
        else:
            print(f"error: ParallelIO: {test.name} fails")
            wrong += 1
    print(f"ParallelIO: {passed} of the {passed + wrong} tests that pass with PnetCDF's library")
    return wrong if passed else max(wrong, 1)


def passes(test: Path, library: Path | None) -> bool:
    ranks = "8" if test.name in EIGHT_RANKS else "4"
    command = ["mpiexec.openmpi", "--oversubscribe", "-n", ranks, str(test)]
    environment = dict(os.environ) | ({"LD_LIBRARY_PATH": str(library)} if library else {})
    with tempfile.TemporaryDirectory(prefix="codes") as folder:
        try:
            done = subprocess.run(command, check=False, env=environment, cwd=folder, capture_output=True, timeout=300)
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def loads(program: str | Path, library: Path, environment: dict[str, str]) -> bool:
    """Whether the program gets libpnetcdf from the directory: a path in it may have precedence over LD_LIBRARY_PATH."""
    done = subprocess.run(["ldd", program], check=True, env=environment, capture_output=True, text=True)
    return f"=> {library}/libpnetcdf.so" in done.stdout


def differences(theirs: Path, ours: Path, varying: str = "") -> list[str]:
    """What is wrong with the files of `ours`: their names, their form, or their values. `varying`: variables of some
    files that are not compared; they are removed."""
    names = sorted(path.name for path in theirs.iterdir())
    found = sorted(path.name for path in ours.iterdir())
    if names != found or not names:
        return [f"expected the files {names}, found {found}"]
    errors = []
    for name in names:
        for path in (theirs / name, ours / name) if varying else ():
            subprocess.run(["ncks", "-h", "-O", "-x", "-v", varying, path, path], check=False, capture_output=True)
        os.truncate(theirs / name, (theirs / name).stat().st_size + BEYOND)
        for command in (["ncvalidator", "-q", ours / name], ["cdfdiff", "-q", theirs / name, ours / name]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                errors.append(f"{command[0]} {name}: {(done.stdout + done.stderr).strip()[:300]}")
    return errors
