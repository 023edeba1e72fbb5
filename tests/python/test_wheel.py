"""The wheel for other machines: what it contains, and that it works in bare environments of this system and, with the mark
`wheels`, of Debian 12 and 13."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import GOLDEN, ROOT

CHECKS = ROOT / "tests" / "package" / "installed_wheel.py"
DATA = (
    ROOT / "data" / "greenland_5km.nc",
    GOLDEN / "d3_2fields_3times_raw_rm" / "d3_2fields_3times_raw_rm.idx",
)
MAX_BYTES = 15 << 20

PLATFORMS = ["manylinux2014", *(f"manylinux_2_{glibc}" for glibc in range(17, 37))]
"""Of wheels that Debian 12 takes, which are those of Debian 13, too."""


def call(*command: Any, **options: Any) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def version() -> str:
    found = re.search(r'ESKER_VERSION "([0-9.]+)"', (ROOT / "include" / "esker" / "version.h").read_text())
    assert found
    return found[1]


@pytest.fixture(scope="session")
def wheel() -> Path:
    for program in ("gcc", "cmake", "ninja", "apt-get"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is needed")
    call(ROOT / "scripts" / "wheel.sh", timeout=3000)
    (made,) = (ROOT / "build" / "wheel" / "dist").glob("*.whl")
    return made


@pytest.fixture(scope="session")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.mark.slow
def test_its_name_says_what_takes_it(wheel: Path) -> None:
    assert re.fullmatch(rf"esker-{version()}-cp311-abi3-manylinux_2_\d+_x86_64\.whl", wheel.name)
    assert wheel.stat().st_size <= MAX_BYTES
    shown = call(ROOT / "build" / "wheel-tools" / "bin" / "auditwheel", "show", wheel)
    words = " ".join(shown.split())
    assert re.search(r'is consistent with the following platform tag: "manylinux_2_\d+_x86_64"', words), shown


@pytest.mark.slow
def test_its_content(unpacked: Path) -> None:
    names = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*")}
    assert {name.split("/")[0] for name in names} == {"esker", "esker.libs", f"esker-{version()}.dist-info"}
    python = ("py.typed", "_core.pyi", "_mpi.pyi", "cli/export.py", "tune/machines/mira.toml")
    built = ("_core.abi3.so", "lib/libesker_netcdf.so", "lib/libesker_netcdf_preload.so")
    for needed in python + built:
        assert f"esker/{needed}" in names, needed
    assert not [name for name in names if name.startswith("esker/_mpi.") and not name.endswith(".pyi")]
    metadata = (unpacked / f"esker-{version()}.dist-info" / "METADATA").read_text()
    assert f"\nVersion: {version()}\n" in metadata and "Provides-Extra: mpi" in metadata
    assert re.search(r"^Requires-Dist: mpi4py.*extra == ['\"]mpi['\"]", metadata, re.MULTILINE)
    assert "\nRequires-Dist: nanobind-backend>=1\n" in metadata


@pytest.mark.slow
def test_it_needs_only_what_each_system_has(unpacked: Path) -> None:
    """The libraries of C and C++, and zlib, which Python needs, too. The others are in the wheel; no MPI, and none of what
    reads from the network."""
    libraries = [path for path in unpacked.rglob("*.so*") if path.is_file()]
    own = {path.name for path in libraries}
    needed = set()
    for library in libraries:
        shown = call("readelf", "--dynamic", "--wide", library)
        needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", shown))
        assert not re.search(r"mpi", shown, re.IGNORECASE), library
    system = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libstdc++.so.6", "libgcc_s.so.1"}
    assert needed - own <= system | {"libz.so.1", "ld-linux-x86-64.so.2"}
    assert not [name for name in own if re.match("lib(curl|crypto|ssl|krb5|hdf5)", name)]


@pytest.mark.slow
def test_the_extension_does_not_give_its_libraries_to_others(unpacked: Path) -> None:
    """Names of its HDF5 would meet those of h5py and netCDF4 in the same process."""
    shown = call("nm", "--dynamic", "--defined-only", unpacked / "esker" / "_core.abi3.so")
    assert "PyInit__core" in shown and not re.search(r" H5\w*open", shown)


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment that has nothing but the wheel and what it requires."""
    folder = tmp_path_factory.mktemp("bare")
    call(sys.executable, "-m", "venv", folder / "env")
    pip = (
        folder / "env" / "bin" / "python",
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
    )
    call(*pip, "--only-binary=:all:", wheel, cwd=folder, timeout=900)
    return folder / "env" / "bin"


def bare_environment() -> dict[str, str]:
    """Without the variables that could lead to libraries or packages of the source tree."""
    kept = ("HOME", "LANG", "TMPDIR", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return {"PATH": "/usr/bin:/bin", **{name: os.environ[name] for name in kept if name in os.environ}}


@pytest.mark.slow
def test_in_a_bare_environment(bare: Path, tmp_path: Path) -> None:
    shown = call(bare / "python", CHECKS, version(), *DATA, cwd=tmp_path, env=bare_environment(), timeout=600)
    assert f"esker {version()} works" in shown


@pytest.mark.slow
def test_programs_of_netcdf_load_its_plugin(bare: Path, tmp_path: Path) -> None:
    if shutil.which("ncdump") is None:
        pytest.skip("there is no ncdump (Debian: netcdf-bin)")
    command = (bare / "esker", "run", "--netcdf", "--", "ncdump", "-h", DATA[1])
    shown = call(*command, cwd=tmp_path, env=bare_environment())
    assert shown.startswith("netcdf d3_2fields_3times_raw_rm {") and "dimensions:" in shown


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
def test_a_communicator_is_refused(bare: Path, tmp_path: Path) -> None:
    """With mpi4py from the environment of the tests."""
    (packages,) = bare.parent.glob("lib/python3*/site-packages")
    env = {**os.environ, "PYTHONPATH": str(packages)}
    call(sys.executable, "-c", WITHOUT_MPI, packages, version(), env=env, cwd=tmp_path)


def mirror() -> str:
    """The server of Debian's packages that apt uses here; if apt has no lists, the usual one."""
    asked = ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Label: Debian", "Component: main")
    return next(iter(call(*asked).split()), "http://deb.debian.org/debian")


def inside(root: Path, *command: Any) -> str:
    """Runs a command in the chroot, with /proc and /dev. Mounts end with the command."""
    mounts = 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && cd "$0" && exec chroot "$0" "$@"'
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/srv", "LANG": "C.UTF-8"}
    kept = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
    private = ("unshare", "--mount", "sh", "-euc", mounts, root)
    return call(*private, *command, env=environment | kept, timeout=1800)


@pytest.fixture(params=[("bookworm", "3.11"), ("trixie", "3.13")], ids=["Debian 12", "Debian 13"])
def debian(request: pytest.FixtureRequest) -> Iterator[tuple[Path, str]]:
    """A minimal system with nothing but Python: its root and Python's version. Removed afterwards."""
    suite, python = request.param
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("root and debootstrap are needed (scripts/test.sh wheels)")
    root = ROOT / "build" / "chroots" / suite
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    options = ("--variant=minbase", "--include=python3,python3-venv")
    command = ("debootstrap", *options, suite, root, mirror())
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=1800)
    if "getting release file" in done.stdout + done.stderr and done.returncode != 0:
        pytest.skip(f"{mirror()} does not have Debian's {suite}")
    assert done.returncode == 0, done.stdout + done.stderr
    yield root, python
    shutil.rmtree(root)


@pytest.mark.long
@pytest.mark.wheels
def test_on_debian(wheel: Path, debian: tuple[Path, str]) -> None:
    """The chroot needs no network: pip gets the packages that the wheel requires as files."""
    root, python = debian
    work = root / "srv"
    for file in (wheel, CHECKS, DATA[0]):
        shutil.copy(file, work)
    shutil.copytree(DATA[1].parent, work / DATA[1].parent.name)
    platforms = [f"--platform={name}_x86_64" for name in PLATFORMS]
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet")
    target = ("--only-binary=:all:", f"--python-version={python}", *platforms, "--dest", work / "packages")
    call(*pip, *target, wheel, timeout=900)
    inside(root, "python3", "-m", "venv", "/srv/env")
    inside(
        root, "/srv/env/bin/pip", "install", "--quiet", "--no-index", "--find-links=/srv/packages", "esker"
    )
    data = (f"/srv/{DATA[0].name}", f"/srv/{DATA[1].parent.name}/{DATA[1].name}")
    shown = inside(
        root, "sh", "-c", 'cd /srv && exec "$@"', "sh", "env/bin/python", CHECKS.name, version(), *data
    )
    assert f"esker {version()} works with Python {python}." in shown
