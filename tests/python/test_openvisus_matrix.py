"""OpenVisus reads the files of Esker: types x dimensions 1-5 x odd sizes x fields x steps, all levels, boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from marks import mostly_slow

import esker
from datasets import FieldSpec, random_array, samples, write

TYPES = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["float32", "float64"]
EXTENTS = [
    (1,), (2,), (101,), (1000,),
    (1, 9), (13, 7), (64, 64), (100, 37), (5, 1),
    (7, 5, 3), (20, 33, 17), (1, 1, 6), (16, 16, 16), (9, 2, 31),
    (5, 4, 3, 6), (2, 9, 1, 7),
    (3, 4, 2, 5, 3), (1, 6, 2, 1, 9),
]  # fmt: skip
IN_MAKE_TEST = {(101,), (100, 37), (20, 33, 17), (2, 9, 1, 7), (3, 4, 2, 5, 3)}
COMPONENTS = {"float64": (1, 2, 3, 4, 5, 8, 9, 11, 16), "float32": (1, 3, 8, 9), "uint8": (1, 3, 33)}


def expect_equal_in_openvisus(openvisus: Any, path: Path, arrays: list[dict[str, np.ndarray]]) -> None:
    """Every field and step, all levels, whole and in random boxes; and each block can be read."""
    db = openvisus.LoadDataset(str(path))
    ds = esker.open(path)
    (part,) = ds.parts
    rng = np.random.default_rng(1)
    rank = len(part.box[1])
    for step, fields in enumerate(arrays):
        for name in db.getFields():
            whole = _array_of(name, fields)
            for level in range(db.getMaxResolution() + 1):
                stride = _stride(part.bitmask, level, rank)
                for box in (part.box, _random_box(part.box[1], rng)):
                    wanted = samples(whole, box, stride)
                    if wanted.size == 0:
                        continue
                    lo, hi = box
                    got = db.read(logic_box=(list(lo), list(hi)), time=step, field=name, max_resolution=level)
                    np.testing.assert_array_equal(
                        np.asarray(got).reshape(wanted.shape),
                        wanted,
                        f"{path.name} {name} {step} {level} {box}",
                    )
    _expect_blocks(db, len(arrays), part.num_blocks)
    for step, fields in enumerate(arrays):
        for name, array in fields.items():
            np.testing.assert_array_equal(ds[name].read(step=step), array)


def _array_of(name: str, fields: dict[str, np.ndarray]) -> np.ndarray:
    """The expected samples of an .idx field: a field, or with a name like "f.0-7" some of its components."""
    if name in fields:
        return fields[name]
    whole, _, numbers = name.rpartition(".")
    first, _, last = numbers.partition("-")
    return fields[whole][..., int(first) : int(last or first) + 1]


def _stride(bitmask: str, level: int, rank: int) -> list[int]:
    return [2 ** bitmask[1 + level :].count(str(axis)) for axis in range(rank)]


def _random_box(extent: tuple[int, ...], rng: np.random.Generator) -> tuple[list[int], list[int]]:
    lo = [int(rng.integers(0, n)) for n in extent]
    return lo, [int(rng.integers(l + 1, n + 1)) for l, n in zip(lo, extent)]


def _expect_blocks(db: Any, num_steps: int, num_blocks: int) -> None:
    """OpenVisus returns zeros if it cannot read a block, so every block is also read separately."""
    access = db.createAccessForBlockQuery()
    access.beginRead()
    for name in db.getFields():
        for step in range(num_steps):
            read = sum(
                db.readBlock(block, time=step, field=name, access=access) is not None
                for block in range(db.getTotalNumberOfBlocks())
            )
            assert read == num_blocks, f"{name} {step}"
    access.endRead()


def _run(
    openvisus: Any, path: Path, extent: tuple[int, ...], fields: dict[str, FieldSpec], **options: Any
) -> None:
    rng = np.random.default_rng(len(extent))
    steps = [{name: random_array(spec, extent, rng) for name, spec in fields.items()} for _ in range(2)]
    write(path, extent, fields, steps, **options)
    expect_equal_in_openvisus(openvisus, path, steps)
    assert esker.verify(path).findings == ()


@pytest.mark.parametrize("in_block", ["row_major", "hz"])
@pytest.mark.parametrize(
    ("extent",),
    mostly_slow([(extent,) for extent in EXTENTS], lambda case: case[0] in IN_MAKE_TEST),
    ids=lambda extent: "x".join(map(str, extent)),
)
def test_extents(openvisus: Any, tmp_path: Path, extent: tuple[int, ...], in_block: str) -> None:
    fields = {"a": FieldSpec("float32"), "b": FieldSpec("uint8", 3), "c": FieldSpec("float64")}
    for bits in (1, 4, 9, 0) if np.prod(extent) < 5000 else (6, 0):  # small blocks of large grids take long
        path = tmp_path / f"bits{bits}.idx"
        _run(openvisus, path, extent, fields, bits_per_block=bits, blocks_per_file=3, in_block=in_block)


@pytest.mark.parametrize("dtype", TYPES)
def test_types_and_components(openvisus: Any, tmp_path: Path, dtype: str) -> None:
    fields = {f"f{n}": FieldSpec(dtype, n) for n in COMPONENTS.get(dtype, (1, 2))}
    _run(openvisus, tmp_path / "run.idx", (13, 6, 5), fields, bits_per_block=5, blocks_per_file=4)


def test_alignment_and_one_file(openvisus: Any, tmp_path: Path) -> None:
    fields = {"a": FieldSpec("float64"), "b": FieldSpec("int16")}
    for alignment in (1, 64, 4096, 65536):
        path = tmp_path / f"a{alignment}.idx"
        _run(openvisus, path, (21, 14), fields, bits_per_block=6, blocks_per_file=1000, alignment=alignment)
