"""Datasets with partition_index=hybrid: what other programs see, and `esker merge`."""

from __future__ import annotations

import filecmp
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from conftest import run_program
from esker.cli import esker as command


PROGRAM = """
import sys
import numpy as np
from mpi4py import MPI
import esker
comm = MPI.COMM_WORLD
z, y, x = np.mgrid[0:30, 0:60, 0:64]
values = (x + 100.0 * y + 10000.0 * z).astype("f4")
lo, hi = 16 * comm.rank, 16 * comm.rank + 16
for index in "global", "hybrid":
    with esker.Writer(f"{sys.argv[1]}/{index}/run.idx", comm=comm, dims={"x": 64, "y": 60, "z": 30}, partitions=4,
                      partition_index=index, bits_per_block=10) as writer:
        field = writer.field("thk", "f4")
        for step in range(2):
            with writer.step(time=float(step)) as s:
                s.put(field, np.ascontiguousarray(values[:, :, lo:hi]) + step, offset=(lo, 0, 0))
box = ((lo, 3, 1), (hi, 57, 29))
for aggregate in "true", "false":
    reader = esker.Reader(f"{sys.argv[1]}/hybrid/run.idx", comm=comm, aggregate_reads=aggregate)
    for level in None, 9, 12:
        found = reader.read({"thk": box}, step=1, level=level)["thk"]
        expected = esker.open(f"{sys.argv[1]}/global/run.idx")["thk"].read(step=1, level=level, box=box)
        np.testing.assert_array_equal(found, expected)
"""


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def values() -> np.ndarray:
    z, y, x = np.mgrid[0:30, 0:60, 0:64]
    return (x + 100.0 * y + 10000.0 * z).astype("f4")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The folders global and hybrid, each with run.idx of 4 ranks in 4 partitions."""
    run_program(PROGRAM, 4, tmp_path)
    return tmp_path


def test_esker_reads_it_openvisus_refuses_it_and_merge_makes_the_global_bytes(written: Path) -> None:
    openvisus = pytest.importorskip("OpenVisus")
    path = str(written / "hybrid/run.idx")
    dataset = esker.open(path)
    np.testing.assert_array_equal(dataset["thk"].read(step=1), values() + 1)
    np.testing.assert_array_equal(dataset["thk"].read(step=0, stride=(8, 4, 2)), values()[::2, ::4, ::8])
    assert esker.verify(path).good
    with pytest.raises(Exception, match="."):  # noqa: B017: whatever OpenVisus throws
        openvisus.LoadDataset(path).read(field="thk")

    done = json.loads(run("merge", path, "--json"))
    assert (done["steps"], done["blocks"], done["bytes"]) == (2, 8, 8 * 4 * 1024)
    for file in (written / "global").rglob("*"):
        if file.is_file() and not file.name.endswith("report.json"):
            assert filecmp.cmp(file, written / "hybrid" / file.relative_to(written / "global"), shallow=False), file
    found = openvisus.LoadDataset(path).read(field="thk", time=1)
    np.testing.assert_array_equal(found, values() + 1)
    assert "nothing to merge" in run("merge", path)


def test_an_index_of_the_global_order_does_not_show_hybrid_blocks(written: Path) -> None:
    """Not even an .idx that was put there by hand."""
    (written / "hybrid/run.idx").write_bytes((written / "global/run.idx").read_bytes())
    with pytest.raises(OSError, match="expected samples of the grid, found those of one brick"):
        esker.open(written / "hybrid/run.idx")["thk"].read(level=3)


def test_a_dataset_is_not_copied_while_it_is_merged(tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"thk": values()})
    (tmp_path / "run.esker-merge").write_bytes(b"ESKMERG1")
    with pytest.raises(FileExistsError, match="`esker merge` was interrupted; run it again first"):
        esker.copy(tmp_path / "run.idx", tmp_path / "copy.idx")
    assert any("esker merge" in finding.text for finding in esker.verify(tmp_path / "run.idx").findings)


def test_merge_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        esker.merge(tmp_path / "none.idx")
    esker.write(tmp_path / "run.idx", {"thk": values()})
    assert esker.merge(tmp_path / "run.idx") == esker.Merged(0, 0, 0)
    esker.write(tmp_path / "other.nc", {"thk": values()})
    assert esker.merge(tmp_path / "other.nc") == esker.Merged(0, 0, 0)
    (tmp_path / "link.idx").symlink_to("run.idx")
    with pytest.raises(ValueError, match="symbolic link"):
        esker.merge(tmp_path / "link.idx")
