"""bench/views: all installed systems give the same answers, and the results are printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "bench" / "views" / "run.py"


@pytest.mark.slow
def test_small_cube(tmp_path: Path) -> None:
    files = [tmp_path / "views.json", tmp_path / "views.png"]
    command = [
        sys.executable,
        str(PROGRAM),
        "--small",
        "--workload",
        "cube",
        "--repeat",
        "1",
        "--dir",
        str(tmp_path),
    ]
    done = subprocess.run(
        [*command, "--json", str(files[0]), "--plot", str(files[1])],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "x Esker's time" in done.stdout
    results = json.loads(files[0].read_text())
    assert {"esker", "openvisus", "h5py", "memory_map"} <= set(results["config"]["systems"])
    for result in results["results"]:
        assert result["median_seconds"] > 0
        assert result["what"] == "write" or result["bytes_of_answer"] in (8**3 * 8, 32**3 * 8)
    assert files[1].read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["views.json", "views.png"]


def test_wrong_samples_are_an_error(tmp_path: Path) -> None:
    """The measuring program detects a changed byte."""
    sys.path.insert(0, str(PROGRAM.parent))
    import numpy as np
    from readers import SYSTEMS

    SYSTEMS["memory_map"]().write(tmp_path, np.arange(27, dtype="f8").reshape(3, 3, 3) + 1)
    job = {"what": "read", "repeat": 1, "cold": False, "shape": [3, 3, 3], "dtype": "float64"}
    job |= {"box": [[0, 0, 0], [3, 3, 3]], "stride": 1}
    done = subprocess.run(
        [sys.executable, str(PROGRAM.with_name("measure.py")), "memory_map", str(tmp_path), json.dumps(job)],
        capture_output=True,
        text=True,
        env={"RESULT_FD": "1"},
    )
    assert done.returncode != 0
    assert "wrong samples" in done.stderr


@pytest.mark.slow
def test_a_camera_that_moves_away(tmp_path: Path) -> None:
    """From far away, ever fewer samples are read, and all of them are checked."""
    pytest.importorskip("vtkmodules")
    command = [sys.executable, str(PROGRAM.with_name("camera.py")), "--small", "--repeat", "1"]
    command += ["--dir", str(tmp_path), "--json", str(tmp_path / "camera.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "camera.json").read_text())["results"]
    assert [result["scene"] for result in results] == ["map", "volume"]
    for result in results:
        far = [row["bytes_of_answer"] for row in result["distances"] if row["distance"] >= 4]
        assert far == sorted(far, reverse=True) and far[-1] < far[0]
        assert all(row["bytes_asked"] > row["bytes_of_answer"] for row in result["distances"])
    assert [path.name for path in tmp_path.iterdir()] == ["camera.json"]
