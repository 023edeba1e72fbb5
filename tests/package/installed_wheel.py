"""Checks the wheel's package where it is installed; run by the Python of a bare environment, outside of the source tree.

python installed_wheel.py VERSION GREENLAND OPENVISUS

GREENLAND: data/greenland_5km.nc; OPENVISUS: a dataset of tests/golden/openvisus. Prints a line per check.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np

import esker

CASES = (
    ("values.nc", {"format": "cdf5"}),
    ("raw.idx", {}),
    ("zip.idx", {"compression": "zip"}),
    ("lz4.idx", {"compression": "lz4"}),
    ("zfp.idx", {"compression": "zfp-reversible"}),
    ("netcdf4.nc", {"format": "netcdf4", "compression": "zstd"}),
    ("zstd.zarr", {"compression": "zstd"}),
    ("blosc.zarr", {"compression": "blosc"}),
)
"""All formats and codecs that the package has."""

COMMAND = Path(sysconfig.get_path("scripts"), "esker")


def run(*arguments: object) -> str:
    done = subprocess.run([str(COMMAND), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"esker {arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def check_command_line(version: str) -> None:
    text = run("--version")
    assert text.startswith(f"esker, version {version}\ncompiler: ") and "\nMPI: none\n" in text, text
    assert re.search(r"\nHDF5: [0-9.]+\n", text), text


def check_greenland(path: Path) -> None:
    """netCDF classic; the volume of the ice is that of data/README.md. Then the same as IDX, by the command."""
    thickness = esker.open(path)["thk"].read()
    assert thickness.shape == (561, 301)
    assert abs(thickness.sum(dtype="f8") * 25 / 1e3 / 2.911e6 - 1) < 1e-3
    run("convert", path, "greenland.idx")
    assert (esker.open("greenland.idx")["thk"].read() == thickness).all()
    assert "561" in run("info", "greenland.idx") and run("verify", "greenland.idx")
    run("plot", "greenland.idx", "thk", "-o", "thk.png")
    assert Path("thk.png").read_bytes().startswith(b"\x89PNG")


def check_openvisus(path: Path) -> None:
    dataset = esker.open(path)
    for name in dataset:
        assert np.isfinite(dataset[name].read(step=0)).all()


def check_formats_and_codecs() -> None:
    values = np.random.default_rng(1).random((20, 30, 40))
    for path, options in CASES:
        esker.write(path, {"a": values}, **options)
        assert (esker.open(path)["a"].read(step=0) == values).all(), path


def check_libraries() -> None:
    """The package has loaded its own libraries, and no MPI. (Python itself may have loaded others of the same names.)"""
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/" in line}
    assert not [path for path in mapped if "libmpi" in path]
    own = Path(esker.__file__).parents[1] / "esker.libs"
    loaded = {Path(path).name.split("-")[0] for path in mapped if Path(path).is_relative_to(own)}
    assert loaded >= {f"lib{name}" for name in ("blosc", "fmt", "isal", "lz4", "xxhash", "zfp", "zstd")}, (
        loaded
    )


def main() -> None:
    version, greenland, openvisus = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    assert esker.__version__ == version and Path(esker.__file__).is_relative_to(sys.prefix)
    check_command_line(version)
    check_greenland(greenland)
    check_openvisus(openvisus)
    check_formats_and_codecs()
    check_libraries()
    print(f"esker {version} works with Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
