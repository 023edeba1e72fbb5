"""Field.array and field[...] give NumPy's answers, and read only what is needed."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

SHAPE = (4, 9, 21, 34)  # time, z, y, x


@pytest.fixture(scope="module")
def whole() -> np.ndarray[Any, Any]:
    return np.arange(np.prod(SHAPE), dtype="f8").reshape(SHAPE)


@pytest.fixture(scope="module", params=["idx", "cdf5", "netcdf4"])
def ds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whole: Any) -> esker.Dataset:
    path = tmp_path_factory.mktemp("array") / ("run.idx" if request.param == "idx" else "run.nc")
    dims = dict(zip("xyz", SHAPE[:0:-1]))
    with esker.Writer(path, dims=dims, format=request.param, report="none") as writer:
        plane = writer.grid("xy", ["x", "y"])
        temp = writer.field("temp", "f8")
        wind = writer.field("wind", "f4", grid=plane, components=3)
        topg = writer.field("topg", "i4", grid=plane, fixed=True)
        for step in range(SHAPE[0]):
            with writer.step(float(step)) as s:
                s.put(temp, whole[step])
                s.put(wind, np.stack([whole[step, c] for c in range(3)], axis=-1).astype("f4"))
                if step == 0:
                    s.put(topg, whole[0, 0].astype("i4"))
    return esker.open(path)


def random_item(size: int, chance: random.Random) -> Any:
    def end() -> int | None:
        return chance.choice([None, chance.randrange(-size - 3, size + 3)])

    kind = chance.randrange(8)
    if kind == 0:
        return chance.randrange(-size, size)
    if kind == 1:
        return slice(None)
    return slice(end(), end(), chance.choice([None, 1, 1, 2, 3, 4, 8, -1, -2, -4]))


def test_indices_work_as_in_numpy(ds: esker.Dataset, whole: Any) -> None:
    chance = random.Random(1)
    fields = {
        "temp": whole,
        "wind": np.moveaxis(whole[:, :3], 1, -1).astype("f4"),
        "topg": whole[0, 0].astype("i4"),
    }
    for name, expected in fields.items():
        array = ds[name].array()
        assert (array.shape, array.dtype) == (expected.shape, expected.dtype)
        for _ in range(60):
            items = [random_item(size, chance) for size in expected.shape[: chance.randrange(5)]]
            if chance.random() < 0.3:
                items.insert(chance.randrange(len(items) + 1), ...)
            if chance.random() < 0.2:
                items.insert(chance.randrange(len(items) + 1), None)
            index = tuple(items)
            if ... in items:
                after = len(items) - items.index(...) - 1  # these count from the last axis
                index = (*items[: len(items) - after],)
            got, want = array[index], expected[index]
            assert got.shape == want.shape, index
            assert got.dtype == want.dtype and np.array_equal(got, want), index


def test_arrays_of_indices(ds: esker.Dataset, whole: Any) -> None:
    temp = ds["temp"]
    rows = np.array([3, -1, 0, 3])
    mask = np.arange(SHAPE[3]) % 5 == 0
    for index in (
        (-1, slice(None), rows),
        ([0, 2], 1, 2, 3),
        (0, rows[:3], rows[:3], rows[:3]),
        (1, 2, slice(None), mask),
        (slice(None), rows.reshape(2, 2)),
        (0, 0, whole[0, 0] % 7 == 0),
        (np.int64(2), np.array([], int)),
    ):
        assert np.array_equal(temp[index], whole[index]), index


def test_masks_have_the_size_of_their_axes(ds: esker.Dataset, whole: Any) -> None:
    field = ds["temp"]
    for axis, size in enumerate(whole.shape):
        mask = np.arange(size) % 3 == 0
        index = (slice(None),) * axis
        assert np.array_equal(field[(*index, mask)], whole[(*index, mask)])
        assert np.array_equal(
            field[(..., mask, *(slice(None),) * (whole.ndim - axis - 1))], whole[(*index, mask)]
        )
        for wrong in (mask[:-1], np.append(mask, False)):
            with pytest.raises(IndexError):
                whole[(*index, wrong)]
            with pytest.raises(IndexError, match="boolean index"):
                field[(*index, wrong)]
    two = np.zeros(whole.shape[-2:], bool)
    two[3, 1] = two[0, 2] = True
    assert np.array_equal(field[..., two], whole[..., two])
    with pytest.raises(IndexError, match="boolean index"):
        field[..., two.T]


def test_fields_are_arrays_for_numpy(ds: esker.Dataset, whole: Any) -> None:
    assert np.array_equal(np.asarray(ds["temp"]), whole)
    assert np.mean(ds["temp"]) == pytest.approx(whole.mean())


def test_an_index_takes_the_memory_of_its_answer(tmp_path: Path) -> None:
    esker.write(tmp_path / "large.idx", {"v": np.zeros((4096, 4096), "f8")})
    measure = """
import resource, sys, esker
field = esker.open(sys.argv[1])["v"]
field[-1, :2, :2]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
array = field[...]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / array.nbytes)
"""
    done = subprocess.run(
        [sys.executable, "-c", measure, tmp_path / "large.idx"], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 1.2


def test_invalid_indices_are_index_errors(ds: esker.Dataset) -> None:
    for index in (4, (0, 9), (0, 0, 0, -35), (0, 0, 0, 0, 0), (..., ...), (0, [1, 99]), 1.5, (0, [0.5])):
        with pytest.raises(IndexError):
            ds["temp"][index]


def test_levels_are_arrays_too(ds: esker.Dataset, whole: Any) -> None:
    field = ds["temp"]
    for level in range(field.max_level + 1):
        array = field.array(level)
        strides = field.select(level=level).stride[::-1]
        expected = whole[(slice(None), *(slice(None, None, stride) for stride in strides))]
        assert np.array_equal(array, expected)
        assert np.array_equal(array[-1, ..., ::-1], expected[-1, ..., ::-1])


def test_far_apart_samples_come_from_a_coarse_level(ds: esker.Dataset) -> None:
    read: list[int] = []
    field = ds["temp"]

    class Watched:
        def __init__(self, core: Any) -> None:
            self.core = core

        def __getattr__(self, name: str) -> Any:
            return getattr(self.core, name)

        def read_into(self, name: str, out: Any, *query: Any) -> None:
            read.append(out.nbytes)
            self.core.read_into(name, out, *query)

    watched = copy.copy(field)
    watched.__dict__["_core"] = Watched(field._core)
    full = watched[-1].nbytes
    coarse = watched[-1, ::8, ::8, ::8]
    assert read[0] == full and read[1] <= 4 * coarse.nbytes
    assert watched[2, 3, 4, 5].shape == () and read[2] == 8
    read.clear()
    assert watched[1:1].shape == (0, *SHAPE[1:]) and not read


def test_pickled_fields_read_the_same(ds: esker.Dataset, tmp_path: Path, monkeypatch: Any) -> None:
    pickled = pickle.dumps((ds, ds["temp"], ds["wind"].array(5)))
    monkeypatch.chdir(tmp_path)
    again, temp, wind = pickle.loads(pickled)
    assert list(again) == list(ds) and again.steps == ds.steps
    assert np.array_equal(temp[0], ds["temp"][0])
    assert np.array_equal(wind, ds["wind"].array(5))
