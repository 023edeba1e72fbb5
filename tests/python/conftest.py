"""The OpenVisus datasets of tests/golden/openvisus, and the command `esker`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "openvisus"


@pytest.fixture(scope="session")
def golden_path() -> Callable[[str], Path]:
    """Path of a golden dataset's .idx by the dataset's name."""
    return lambda name: GOLDEN / name / f"{name}.idx"


@pytest.fixture(scope="session")
def openvisus(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module; it writes a cache to VISUS_HOME, read when it is imported."""
    os.environ["VISUS_HOME"] = str(tmp_path_factory.mktemp("visus"))
    import OpenVisus

    return OpenVisus


@pytest.fixture
def esker_command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the installed command in an empty folder."""

    def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).parent / "esker"), *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    return run
