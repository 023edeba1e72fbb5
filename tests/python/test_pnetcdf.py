"""`esker run --pnetcdf`: programs get Esker's library in the place of PnetCDF."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from esker.cli.run import run_command
from esker.integrations import pnetcdf

Run = Callable[..., subprocess.CompletedProcess[str]]
# What a program that is linked to PnetCDF does when it starts.
VERSION = """import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.ncmpi_inq_libvers.restype = ctypes.c_char_p
print(library.ncmpi_inq_libvers().decode())"""


@pytest.fixture
def soname() -> str:
    try:
        return next(pnetcdf.library_directory().glob("libpnetcdf.so.*")).name
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


def test_ranks_get_the_library(esker_command: Run, soname: str) -> None:
    if shutil.which("mpiexec.openmpi") is None:
        pytest.skip("mpiexec.openmpi is not installed")
    ranks = ("mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2")
    done = esker_command("run", "--pnetcdf", "--", *ranks, sys.executable, "-c", VERSION, soname)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == done.stdout.count("Esker") == 2


def test_libraries_of_the_user_come_after_it(soname: str) -> None:
    directory = str(pnetcdf.library_directory())
    assert pnetcdf.replaced({"A": "b"}) == {"A": "b", "LD_LIBRARY_PATH": directory}
    assert pnetcdf.replaced({"LD_LIBRARY_PATH": "/opt/lib"})["LD_LIBRARY_PATH"] == f"{directory}:/opt/lib"


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pnetcdf, "_DIRECTORY", tmp_path)
    monkeypatch.setattr(os, "execvpe", lambda *_: pytest.fail("the program was started"))
    done = CliRunner().invoke(run_command, ["--pnetcdf", "--", "true"])
    assert done.exit_code != 0 and "library with PnetCDF's interface was not built" in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--", "true"), "expected --netcdf or --pnetcdf"),
        (("--pnetcdf", "--level", "3", "--", "true"), "--level goes with --netcdf"),
        (("--pnetcdf", "--", "no-program"), "no-program: no such program"),
    ],
)
def test_arguments(esker_command: Run, arguments: tuple[str, ...], said: str) -> None:
    done = esker_command("run", *arguments)
    assert done.returncode == 2 and said in done.stderr
