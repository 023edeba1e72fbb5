"""esker.Writer on the ranks of Open MPI and MPICH, and errors without MPI or with another MPI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import OPEN_MPI, ROOT

CASES = Path(__file__).with_name("mpi_cases.py")


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **OPEN_MPI, **more}


def run_cases(mpiexec: str, ranks: int, folder: Path, env: dict[str, str]) -> None:
    command = [mpiexec, "-n", str(ranks), sys.executable, "-W", "error", CASES, folder / "cases", str(ranks)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, cwd=folder)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("case_") == CASES.read_text().count("\ndef case_")


@pytest.fixture(scope="session")
def mpich(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which Esker and mpi4py use MPICH. mpi4py looks for libmpi.so.12, MPICH's name except
    in Debian."""
    found = [Path("/usr/lib/x86_64-linux-gnu/libmpich.so.12"), *Path("/usr/lib").glob("*/libmpich.so.12")]
    library = next((path for path in found if path.exists()), None)
    if library is None:
        pytest.skip("there is no libmpich.so.12 (Debian: libmpich-dev)")
    subprocess.run([ROOT / "scripts" / "install_package.sh", "mpich"], check=True, timeout=600)
    folder = tmp_path_factory.mktemp("mpich")
    (folder / "libmpi.so.12").symlink_to(library)
    return {
        "LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}",
        "MPI4PY_MPIABI": "mpich",
        "PYTHONPATH": str(ROOT / "build" / "packages" / "mpich"),
    }


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_open_mpi(ranks: int, tmp_path: Path) -> None:
    run_cases("mpiexec.openmpi", ranks, tmp_path, environment())


@pytest.mark.slow
def test_mpich(mpich: dict[str, str], tmp_path: Path) -> None:
    run_cases("mpiexec.mpich", 2, tmp_path, environment(**mpich))


WRITE = """
import sys
from mpi4py import MPI
import esker
esker.Writer(sys.argv[1], MPI.COMM_WORLD, dims={"x": 3})
"""


@pytest.mark.slow
@pytest.mark.parametrize("esker_is_of", ["Open MPI", "MPICH"])
def test_two_mpis_are_refused(esker_is_of: str, mpich: dict[str, str], tmp_path: Path) -> None:
    mine, others = (
        (["PYTHONPATH"], "Open MPI v")
        if esker_is_of == "MPICH"
        else (["LD_LIBRARY_PATH", "MPI4PY_MPIABI"], "MPICH Version")
    )
    env = environment(**{name: mpich[name] for name in mine})
    command = [sys.executable, "-c", WRITE, str(tmp_path / "run.idx")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    message = done.stderr.strip().splitlines()[-1]
    assert message.startswith(f"ImportError: esker was built for {esker_is_of}, but mpi4py uses '{others}"), (
        done.stderr
    )


def test_mpi_is_loaded_only_for_a_communicator(tmp_path: Path) -> None:
    program = """
import sys
import esker, numpy as np
esker.write(sys.argv[1], {"a": np.ones(3)})
with esker.Writer.append(sys.argv[1]) as w, w.step(1) as s:
    s.put("a", np.zeros(3))
esker.open(sys.argv[1])["a"].read()
maps = open("/proc/self/maps").read()
assert "_core" in maps and "libmpi" not in maps and "mpi4py" not in sys.modules
"""
    command = [sys.executable, "-c", program, tmp_path / "run.idx"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
