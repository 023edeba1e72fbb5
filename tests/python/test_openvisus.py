"""OpenVisus reads the files of the ice-sheet miniapp: every field, step and level, and every block.

OpenVisus returns zeros, not an error, if it cannot read a block. So each block is also read separately, which must
succeed exactly if the block exists according to the format.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

ROOT = Path(__file__).parents[2]
DEFAULT_PISM = ROOT / "build" / "release" / "miniapps" / "pism" / "esker-pism"
N_STEPS = 2
FIELDS_2D = {"thk", "usurf", "velsurf_mag", "topg"}
FIELDS_3D = {"temp", "uvel", "vvel", "enthalpy"}


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    """A small run of the miniapp on 4 ranks; if PISM_PROGRAM names the program, it must exist.

    ESKER_TEST_DATASET names a dataset that the miniapp wrote before; `make demo` checks its own that way.
    """
    if "ESKER_TEST_DATASET" in os.environ:
        return esker.open(os.environ["ESKER_TEST_DATASET"])
    program = Path(os.environ.get("PISM_PROGRAM", DEFAULT_PISM))
    if "PISM_PROGRAM" not in os.environ and not program.exists():
        pytest.skip("build/release/miniapps/pism/esker-pism is not built")
    path = tmp_path_factory.mktemp("pism") / "run.idx"
    command = ["mpiexec.openmpi", "-n", "4", program, "--input", ROOT / "data" / "greenland_5km.nc"]
    command += ["--output", path, "--grid-coarsen", "8", "--levels", "11", "--output-steps", str(N_STEPS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return esker.open(path)


def each_part(ds: esker.Dataset, openvisus: Any) -> Iterator[tuple[esker.Part, Any]]:
    for part in ds.parts:
        yield part, openvisus.LoadDataset(part.path)


def expected_blocks(part: esker.Part) -> set[int]:
    """Blocks that exist: those whose tile meets the box (IDX format page, section 3)."""
    digits = [int(digit) for digit in part.bitmask[1:]]
    hi = part.box[1]
    assert not any(part.box[0])
    m, bpb = len(digits), part.bits_per_block

    def origin(block: int) -> list[int]:
        hz = block << bpb
        bits = hz.bit_length()
        z = 0 if hz == 0 else (((hz << 1) | 1) << (m - bits)) % (1 << m)
        point = [0] * len(hi)
        for position, axis in enumerate(digits):
            point[axis] = 2 * point[axis] + (z >> (m - 1 - position) & 1)
        return point

    return {b for b in range(1 << (m - bpb)) if all(o < h for o, h in zip(origin(b), hi))}


def test_the_run_has_what_it_should(ds: esker.Dataset) -> None:
    assert set(ds.fields) >= FIELDS_2D | FIELDS_3D
    assert len(ds.steps) >= N_STEPS
    assert ds["topg"].fixed and not ds["thk"].fixed
    assert all(len(ds[name].grid.dims) == 2 for name in FIELDS_2D)
    assert all(ds[name].shape[0] >= 11 and ds[name].dtype == np.float32 for name in FIELDS_3D)
    for field in ds.fields.values():
        assert np.ptp(field.read()) > 0, f"{field.name} is constant: nothing would be compared"


def test_every_field_step_and_level(ds: esker.Dataset, openvisus: Any) -> None:
    compared = set()
    for part, db in each_part(ds, openvisus):
        lo, hi = part.box
        times = db.getTimesteps()
        assert len(times) == part.num_steps
        assert db.getFields() == list(part.fields)
        for name, (step, time) in itertools.product(part.fields, enumerate(times)):
            assert db.getMaxResolution() == ds[name].max_level
            for level in range(ds[name].max_level + 1):
                theirs = db.read(logic_box=(list(lo), list(hi)), time=time, field=name, max_resolution=level)
                ours = ds[name].read(step=step, level=level)
                assert ours.dtype == theirs.dtype
                np.testing.assert_array_equal(ours, theirs.reshape(ours.shape), f"{name} {step} {level}")
            compared.add((name, step))
    fixed = {name for name, field in ds.fields.items() if field.fixed}
    assert compared == {(n, s) for n in ds for s in range(1 if n in fixed else len(ds.steps))}


def test_every_block(ds: esker.Dataset, openvisus: Any) -> None:
    for part, db in each_part(ds, openvisus):
        expected = expected_blocks(part)
        assert len(expected) == part.num_blocks
        access = db.createAccessForBlockQuery()
        access.beginRead()
        for name, time in itertools.product(part.fields, db.getTimesteps()):
            read = {
                block
                for block in range(db.getTotalNumberOfBlocks())
                if db.readBlock(block, time=time, field=name, access=access) is not None
            }
            assert read == expected, f"{part.name} {name} {time}"
        access.endRead()
