"""The OpenVisus datasets of tests/golden/openvisus, the command `esker`, runs on several ranks, and runs that are killed."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import commands
import pytest

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "openvisus"
_SAMPLE_DATA = [parent / "shared" / "data" for parent in ROOT.parents]
SHARED = next((folder for folder in _SAMPLE_DATA if folder.is_dir()), _SAMPLE_DATA[0])
"""Sample data next to the project; they may be missing."""
KILL_PROGRAM = ROOT / "build" / "release" / "tests" / "mpi" / "kill_run"
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
"""Variables for several ranks on one core, also of root."""

# A script's `&` ignores SIGINT, which programs that the tests end by Ctrl-C would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium for the pages of `esker view`."""
    from browser import chromium

    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def driver() -> Any:
    """The double of the CUDA driver."""
    from gpu_double import DRIVER, Driver

    if not DRIVER.exists():
        pytest.skip("the double of the CUDA driver is not built (target esker_test_cuda)")
    return Driver()


def run_program(program: str, ranks: int, folder: Path) -> None:
    """Runs Python code that uses mpi4py under Open MPI, with the folder as its argument."""
    if shutil.which("mpiexec.openmpi") is None or importlib.util.find_spec("mpi4py") is None:
        pytest.skip("Open MPI and mpi4py are needed")
    file = folder / "program.py"
    file.write_text(program)
    command = ["mpiexec.openmpi", "-n", str(ranks), sys.executable, str(file), str(folder)]
    environment = {**os.environ, **OPEN_MPI}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def missing_packages(requirements: Path) -> list[str]:
    """The packages that a list pins and that are not installed."""
    missing = []
    for line in requirements.read_text().splitlines():
        if not (named := re.match(r"[\w.-]+", line)):
            continue
        try:
            metadata.distribution(named[0])
        except metadata.PackageNotFoundError:
            missing.append(named[0])
    return missing


def pytest_configure(config: pytest.Config) -> None:
    """Tests skip without the package that they need. If REQUIREMENTS names a list of packages, all must be installed."""
    if not (requirements := os.environ.get("REQUIREMENTS")):
        return
    if missing := missing_packages(Path(requirements)):
        raise pytest.UsageError(
            f"{requirements} pins packages that are not installed: {', '.join(missing)}; run `make setup`"
        )


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


@pytest.fixture(autouse=True)
def _width_of_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses the width of pipes, not that of the terminal of the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def esker_command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the installed command in an empty folder."""
    return lambda *arguments: commands.run([str(argument) for argument in arguments], tmp_path)


@pytest.fixture(scope="session")
def kill_run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the program of tests/tools on some ranks; If KILL_PROGRAM names it, it must exist."""
    program = Path(os.environ.get("KILL_PROGRAM", KILL_PROGRAM))
    if "KILL_PROGRAM" not in os.environ and not program.exists():
        pytest.skip("build/release/tests/mpi/kill_run is not built")
    environment = {**os.environ, **OPEN_MPI}

    def run(ranks: int, *arguments: Any) -> subprocess.CompletedProcess[str]:
        command = ["mpiexec.openmpi", "-n", str(ranks), str(program), *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    return run
