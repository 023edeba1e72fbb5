"""The source distribution has all files for a wheel, and nothing that was made."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT


def version() -> str:
    found = re.search(r'ESKER_VERSION "([0-9.]+)"', (ROOT / "include" / "esker" / "version.h").read_text())
    assert found
    return found[1]


def call(*command: Any, **options: Any) -> str:
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    build = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    call("-c", build, folder, cwd=ROOT)
    (made,) = folder.iterdir()
    return made


def test_sdist_holds_sources_and_nothing_that_was_made(sdist: Path) -> None:
    assert sdist.name == f"esker-{version()}.tar.gz"
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    for needed in (
        "pyproject.toml",
        "CMakeLists.txt",
        "LICENSE",
        "README.md",
        "PKG-INFO",
        "include/esker/writer.hpp",
        "src/comm/mpi/mpi_comm.cc",
        "python/mpi.cc",
        "python/esker/py.typed",
        "python/esker/_core.pyi",
    ):
        assert needed in names, needed
    made = re.compile(r"^(build|demo|data|tests|\.venv)/|\.so$|\.pyc$|\.stamp$")
    assert not [name for name in names if made.search(name)]
