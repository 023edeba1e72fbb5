"""The examples that the README shows, run as they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import esker

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(directory: Path, name: str, *launcher: str) -> str:
    command = [*launcher, sys.executable, str(EXAMPLES / name)]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=120, env=os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ranks_write_and_one_reads(tmp_path: Path) -> None:
    mpiexec = shutil.which("mpiexec.openmpi")
    if mpiexec is None:
        pytest.skip("no Open MPI")
    run(tmp_path, "write.py", mpiexec, "-n", "3")
    assert run(tmp_path, "read.py") == "thk: 75 x 75 samples, first 1, last 3; (300, 300), (20, 50)\n"


def test_one_process_writes(tmp_path: Path) -> None:
    run(tmp_path, "write_serial.py")
    thk = esker.open(tmp_path / "map.idx")["thk"]
    assert thk.shape == (561, 301) and thk.read()[400, 300] == 500
