"""scripts/pop_modes.py: the cost of the ocean miniapp's files in each mode."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEFAULT_POP = ROOT / "build" / "release" / "miniapps" / "pop" / "esker-pop"
SETTINGS = "nx=120 ny=80 nz=10 num_steps=4 history_every=2 movie_every=2"


def modes_of(tmp_path: Path, modes: str) -> subprocess.CompletedProcess[str]:
    """If POP_PROGRAM names the program, it must exist."""
    program = Path(os.environ.get("POP_PROGRAM", DEFAULT_POP))
    if "POP_PROGRAM" not in os.environ and not program.exists():
        pytest.skip("build/release/miniapps/pop/esker-pop is not built")
    command = [sys.executable, ROOT / "scripts" / "pop_modes.py", program, tmp_path]
    command += ["--repeat", "3", "--modes", modes, "--settings", SETTINGS]
    command += ["--mpiexec", "mpiexec.openmpi", "--json", tmp_path / "modes.json"]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_each_mode_has_its_share_and_its_ratio_to_the_last(tmp_path: Path) -> None:
    done = modes_of(tmp_path, "gather,collective,esker_cdf5")
    assert done.returncode == 0, done.stderr
    made = json.loads((tmp_path / "modes.json").read_text())
    assert [mode["mode"] for mode in made["modes"]] == ["gather", "collective", "esker_cdf5"]
    for mode in made["modes"]:
        assert 0 < mode["share"]["median"] < 1
        assert mode["seconds"]["min"] <= mode["seconds"]["median"] <= mode["seconds"]["max"]
        assert f"| {mode['mode']} |" in done.stdout
    assert made["modes"][-1]["ratio"] == {"median": 1, "min": 1, "max": 1}
    first = made["runs"][0]
    assert sum(first["modes"]["gather"]) > 0 and len(made["runs"]) == 3
    assert list(tmp_path.iterdir()) == [tmp_path / "modes.json"]


def test_a_run_that_fails_is_no_result(tmp_path: Path) -> None:
    assert modes_of(tmp_path, "gather,faster").returncode != 0
    assert not (tmp_path / "modes.json").exists()
