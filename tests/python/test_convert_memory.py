"""The memory that `esker convert` of meshes needs, whatever the finest index space."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import esker
from conftest import ROOT
from plotfiles import write_plotfile

LIMIT = 256 << 20
DATA = ROOT / "data"

PEAK = """
import sys
from esker.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) << 10)
"""

# RLIMIT_DATA bounds the allocations of the process, without the files that it maps.
LIMITED = """
import resource, sys
from esker.cli import main
now = sum(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmData"))
bound = max(now, int(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))
main(sys.argv[2:])
"""


def run(script: str, *arguments: object) -> str:
    command = [sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "source", ["amrex/advect2d_r42_f32_00012", "chombo/amundsen_3level_checkpoint.2d.h5", "enzo/moving7_0010"]
)
def test_real_meshes(tmp_path: Path, source: str) -> None:
    path = str(DATA / source)
    if source.startswith("enzo"):
        pytest.importorskip("yt")
        path = f"yt:{path}"
    printed = run(PEAK, "convert", path, tmp_path / "mesh.idx", "--json")
    peak = int(printed.split()[-1])
    assert 8 << 20 < peak < LIMIT
    first = next(iter(esker.open(tmp_path / "mesh.idx").fields.values()))
    assert len(first.patches()) > 8


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["<f8", ">f8"])
def test_more_data_than_memory_in_a_huge_index_space(tmp_path: Path, dtype: str) -> None:
    n, far = 1024, 1 << 27
    coarse = [((i * far // 4, 0), (i * far // 4 + n - 1, n - 1)) for i in range(4)]
    fine = [((2 * lo[0], n * j), (2 * lo[0] + n - 1, n * j + n - 1)) for lo, _ in coarse for j in range(2)]
    boxes, domain = [coarse, [*fine, *above(fine, n)]], ((0, 0), (far - 1, far - 1))
    write_plotfile(tmp_path / "plt", dtype, ghosts=1, per_file=2, boxes=boxes, domain=domain)
    size = sum(path.stat().st_size for path in (tmp_path / "plt").rglob("Cell_D*"))
    assert size > LIMIT
    run(LIMITED, LIMIT, "convert", tmp_path / "plt", tmp_path / "mesh.idx")
    rho = esker.open(tmp_path / "mesh.idx")["rho"]
    assert rho.shape == (2 * far, 2 * far)
    x, y = fine[-1][0][0] + 3, fine[-1][0][1] + 7
    assert rho.read(box=((x, y), (x + 1, y + 1))) == 1000 + 10 * y + x


def above(boxes: list[Any], n: int) -> list[Any]:
    """The same boxes at larger y."""
    return [((lo[0], lo[1] + 4 * n), (hi[0], hi[1] + 4 * n)) for lo, hi in boxes]
