"""Datasets with partition_index=local: what Esker, the command and OpenVisus show of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
z, y, x = np.mgrid[0:9, 0:21, 0:24]
values = (x + 100.0 * y + 10000.0 * z).astype("f4") + 1
lo, hi = 6 * comm.rank, 6 * comm.rank + 6
for index in "global", "local":
    with esker.Writer(f"{sys.argv[1]}/{index}/run.idx", comm=comm, dims={"x": 24, "y": 21, "z": 9}, partitions=3,
                      partition_index=index, bits_per_block=6, compression="zip") as writer:
        fields = writer.field("thk", "f4"), writer.field("vel", "f4")
        for step in range(2):
            with writer.step(time=float(step)) as s:
                for n, field in enumerate(fields):
                    s.put(field, np.ascontiguousarray(values[:, :, lo:hi]) + step + 5 * n, offset=(lo, 0, 0))
box = ((lo, 3, 1), (hi, 20, 8))
for aggregate in "true", "false":
    reader = esker.Reader(f"{sys.argv[1]}/local/run.idx", comm=comm, aggregate_reads=aggregate)
    for level in None, 5, 9:
        found = reader.read({"thk": box}, step=1, level=level)["thk"]
        expected = esker.open(f"{sys.argv[1]}/global/run.idx")["thk"].read(step=1, level=level, box=box)
        np.testing.assert_array_equal(found, expected)
"""


def values() -> Any:
    z, y, x = np.mgrid[0:9, 0:21, 0:24]
    return (x + 100.0 * y + 10000.0 * z).astype("f4") + 1


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders global and local, each with run.idx of 4 ranks in 3 partitions."""
    folder = tmp_path_factory.mktemp("local_index")
    run_program(PROGRAM, 4, folder)
    return folder


def parts_of(written: Path) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = json.loads((written / "local/run/esker.json").read_text())["parts"]
    return parts


def test_esker_reads_it_like_the_global_index(written: Path) -> None:
    local, whole = esker.open(written / "local/run.idx"), esker.open(written / "global/run.idx")
    assert local.steps == whole.steps == [0.0, 1.0]
    for name in "thk", "vel":
        assert local[name].max_level == whole[name].max_level
        for level in range(local[name].max_level + 1):
            np.testing.assert_array_equal(
                local[name].read(step=1, level=level), whole[name].read(step=1, level=level)
            )
    assert esker.verify(written / "local/run.idx").good


def test_the_midx_shows_the_union(written: Path, openvisus: Any) -> None:
    (path,) = (written / "local/run").glob("*.midx")
    union = openvisus.LoadDataset(str(path))
    for n, name in enumerate(("thk", "vel")):
        np.testing.assert_array_equal(union.read(field=name, time=1), values() + 1 + 5 * n)
    part = union.read(field="thk", time=0, logic_box=((3, 2, 1), (22, 19, 8)))
    np.testing.assert_array_equal(part, values()[1:8, 2:19, 3:22])


def test_each_part_opens_separately(written: Path, openvisus: Any) -> None:
    parts = parts_of(written)
    assert {part["partition"] for part in parts} == {0, 1, 2} and len(parts) > 3
    for part in parts:
        path = str(written / "local/run" / f"{part['name']}.idx")
        inside = tuple(slice(lo, hi) for lo, hi in zip(part["lo"][::-1], part["hi"][::-1], strict=True))
        expected = values()[inside] + 1
        np.testing.assert_array_equal(esker.open(path)["thk"].read(step=1), expected)
        np.testing.assert_array_equal(
            openvisus.LoadDataset(path).read(field="thk", time=1).reshape(expected.shape), expected
        )


def test_info_names_the_partitions(written: Path) -> None:
    shown = CliRunner().invoke(command, ["info", str(written / "local/run.idx")])
    assert shown.exit_code == 0 and "3 local" in shown.output
    facts = json.loads(CliRunner().invoke(command, ["info", "--json", str(written / "local/run.idx")]).output)
    (part,) = facts["parts"]
    assert (part["local_partitions"], part["hybrid_bricks"], part["steps"]) == (3, 0, 2)


def test_it_is_copied_and_renamed_with_all_parts(written: Path, tmp_path: Path) -> None:
    copy = esker.copy(written / "local/run.idx", tmp_path / "copy.idx")
    np.testing.assert_array_equal(esker.open(copy)["thk"].read(step=1), values() + 1)
    moved = esker.move(copy, tmp_path / "moved.idx")
    np.testing.assert_array_equal(esker.open(moved)["vel"].read(step=0), values() + 5)


def test_a_missing_part_is_named(written: Path, tmp_path: Path) -> None:
    copy = Path(esker.copy(written / "local/run.idx", tmp_path / "copy.idx"))
    part = parts_of(written)[1]["name"]
    (tmp_path / "copy" / f"{part}.idx").unlink()
    with pytest.raises(OSError, match=f"{part}.idx is missing"):
        esker.open(copy)
    rebuilt = CliRunner().invoke(
        command, ["repair", "--rebuild", "--write", str(tmp_path / "copy" / f"{part}.idx")]
    )
    assert rebuilt.exit_code == 0, rebuilt.output
    np.testing.assert_array_equal(esker.open(copy)["thk"].read(step=1), values() + 1)
