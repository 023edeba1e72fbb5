"""The full run of the tests fails, rather than skip tests, if a pinned package is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conftest import ROOT, missing_packages


def collect(requirements: Path) -> subprocess.CompletedProcess[str]:
    """Collects this file in a run that requires the packages of a list."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", str(Path(__file__))]
    environment = {**os.environ, "REQUIREMENTS": str(requirements)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def test_a_missing_package_ends_the_run(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("# a list\n\npytest==1\nno-such-package[extra]==2.0  # via another\n")
    assert missing_packages(requirements) == ["no-such-package"]
    refused = collect(requirements)
    assert refused.returncode == 4
    assert "not installed: no-such-package; run `make setup`" in refused.stderr


def test_a_run_with_all_packages_starts(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("pytest==1\n")
    done = collect(requirements)
    assert done.returncode == 0, done.stderr
    assert "test_a_missing_package" in done.stdout


def test_the_list_of_the_project_has_the_optional_readers() -> None:
    text = (ROOT / "scripts" / "requirements-test.txt").read_text()
    assert all(f"\n{name}==" in text for name in ("vtk", "yt", "h5py", "netCDF4"))
