"""The source distribution has all files for a wheel, and a wheel without MPI does not need MPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
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


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the unpacked source distribution, in an otherwise empty directory, without MPI."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(["tar", "-xf", sdist, "-C", folder], check=True)
    (source,) = folder.iterdir()
    pip = [
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-build-isolation",
        "--no-deps",
        "--wheel-dir",
        folder / "made",
    ]
    settings = [
        "--config-settings=cmake.define.ESKER_MPI=OFF",
        "--config-settings=cmake.define.ESKER_WERROR=ON",
    ]
    env = {**os.environ, "CC": "gcc", "CXX": "g++", "CCACHE_BASEDIR": str(source)}
    call(*pip, *settings, source, env=env, timeout=900)
    (made,) = (folder / "made").iterdir()
    return made


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


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


@pytest.mark.slow
def test_wheel_has_the_version_the_stubs_and_the_extra(wheel: Path) -> None:
    assert wheel.name.startswith(f"esker-{version()}-cp3")
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert not [name for name in names if name.startswith("esker/_mpi.") and not name.endswith(".pyi")]
    python = ("esker/py.typed", "esker/_core.pyi", "esker/_mpi.pyi", "esker/cli/export.py")
    for needed in (*python, "esker/tune/machines/mira.toml"):
        assert needed in names
    assert {name.split("/")[0] for name in names} == {"esker", f"esker-{version()}.dist-info"}
    metadata = archive.read(f"esker-{version()}.dist-info/METADATA").decode()
    assert f"\nVersion: {version()}\n" in metadata and "Provides-Extra: mpi" in metadata
    assert re.search(r"^Requires-Dist: mpi4py.*extra == ['\"]mpi['\"]", metadata, re.MULTILINE)


@pytest.mark.slow
def test_without_mpi_nothing_links_it(unpacked: Path) -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("there is no readelf (Debian: binutils)")
    libraries = list(unpacked.rglob("*.so"))
    assert libraries
    for library in libraries:
        needed = subprocess.run([readelf, "-d", library], capture_output=True, text=True, check=True).stdout
        assert "NEEDED" in needed and "mpi" not in needed.lower()


WITHOUT_MPI = """
import sys
import numpy as np
import esker
assert esker.__file__.startswith(sys.argv[1]), esker.__file__
assert esker.__version__ == sys.argv[2]
esker.write("run.idx", {"a": np.arange(12.0).reshape(3, 4)})
with esker.Writer.append("run.idx") as w, w.step(1) as s:
    s.put("a", np.ones((3, 4)))
assert (esker.open("run.idx")["a"].read(step=0) == np.arange(12).reshape(3, 4)).all()
assert esker.verify("run.idx").good
assert "libmpi" not in open("/proc/self/maps").read()
from mpi4py import MPI
try:
    esker.Writer("other.idx", MPI.COMM_WORLD, dims={"x": 3})
except ImportError as error:
    assert "built without MPI" in str(error), error
else:
    sys.exit("a writer without MPI took a communicator")
"""


@pytest.mark.slow
def test_without_mpi_it_writes_and_reads(unpacked: Path, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(unpacked)}
    call("-c", WITHOUT_MPI, unpacked, version(), env=env, cwd=tmp_path)
    assert esker_command_of(unpacked, tmp_path, "info", "run.idx").startswith("run.idx")


def esker_command_of(unpacked: Path, folder: Path, *arguments: str) -> str:
    program = "from esker.cli import main; main()"
    return call("-c", program, *arguments, env={**os.environ, "PYTHONPATH": str(unpacked)}, cwd=folder)
