"""Step.put of arrays on a GPU, which is the tests' double."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu_double import (
    DIMS,
    SHAPE,
    ByDlpack,
    Driver,
    OfHip,
    OfTorch,
    OnGpu,
    backwards,
    inside,
    ramp,
    transposed,
)

import esker


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.idx"


@pytest.mark.parametrize("components", [1, 2])
@pytest.mark.parametrize("layout", [np.array, inside, transposed, backwards])
@pytest.mark.parametrize("dtype", ["f4", "i1", "u2", "f8"])
def test_arrays_of_any_strides(
    driver: Driver, path: Path, dtype: str, layout: Callable[[np.ndarray], np.ndarray], components: int
) -> None:
    values = ramp(dtype, (*SHAPE, components) if components > 1 else SHAPE)
    array = layout(values)
    np.testing.assert_array_equal(array, values)
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", dtype, components=components)
        with w.step(0) as s:
            s.put(field, OnGpu(driver, array[:, :2]))
            s.put(field, array[:, 2:3], offset=(0, 2, 0))  # of the host, in the same step
            s.put(field, OnGpu(driver, array[:, 3:]), offset=(0, 3, 0))
            s.put(field, OnGpu(driver, array[:, :0]))  # nothing
    np.testing.assert_array_equal(esker.open(path)["a"].read(), values)


def test_booleans_and_broadcast_arrays(driver: Driver, path: Path) -> None:
    mask = ramp() % 2 == 0
    line = np.arange(7, dtype="f4")
    repeated = OnGpu(driver, line, shape=SHAPE, strides=(0, 0, 4))
    with esker.Writer(path, dims=DIMS) as w:
        w.field("mask", "i1")
        w.field("line", "f4")
        with w.step(0) as s:
            s.put("mask", OnGpu(driver, mask))
            s.put("line", repeated)
    ds = esker.open(path)
    np.testing.assert_array_equal(ds["mask"].read(), mask)
    np.testing.assert_array_equal(ds["line"].read(), np.broadcast_to(line, SHAPE))


def test_arrays_are_kept_until_the_step_ends(driver: Driver, path: Path) -> None:
    array = OnGpu(driver, ramp())
    references = sys.getrefcount(array)
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, array)
            assert sys.getrefcount(array) > references
        assert sys.getrefcount(array) == references
        with w.step(1) as s:
            s.put(field, array, buffered=True)
            assert sys.getrefcount(array) == references
    np.testing.assert_array_equal(esker.open(path)["a"].read(step=1), ramp())


@pytest.mark.parametrize("buffered", [False, True])
def test_samples_are_those_after_what_the_stream_does(driver: Driver, path: Path, buffered: bool) -> None:
    stream = driver.new_stream()
    ours, others = (OnGpu(driver, ramp("u1"), stream=s) for s in (stream, 1))
    with esker.Writer(path, dims=DIMS) as w:
        w.field("ours", "u1")
        w.field("others", "u1")
        with w.step(0) as s:
            driver.fill_later(stream, ours.address, ours.nbytes, 42)
            driver.fill_later(1, others.address, others.nbytes, 43)
            s.put("ours", ours, buffered=buffered)
            s.put("others", others, buffered=buffered)
    ds = esker.open(path)
    assert (ds["ours"].read() == 42).all() and (ds["others"].read() == 43).all()


def test_pinned_memory_may_be_said_to_be_on_a_gpu(driver: Driver, path: Path) -> None:
    array = ramp()
    with driver.pinned(array), esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, OnGpu(driver, array, data=(array.ctypes.data, False)))
    np.testing.assert_array_equal(esker.open(path)["a"].read(), array)


@pytest.mark.parametrize("given", ["f8", "i2", "u8", "f4"])
def test_buffered_arrays_are_converted(driver: Driver, path: Path, given: str) -> None:
    with esker.Writer(path, dims=DIMS, report="none") as w:
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, OnGpu(driver, ramp(given)), buffered=True)
    np.testing.assert_array_equal(esker.open(path)["a"].read(), ramp())


@pytest.mark.parametrize("make", [ByDlpack, OfHip, OfTorch])
def test_dlpack(driver: Driver, path: Path, make: type[ByDlpack]) -> None:
    values = ramp("i4")
    given = make(OnGpu(driver, inside(values)), code=0)
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "i4")
        with w.step(0) as s:
            s.put(field, given)
            assert given.streams == [make.legacy_stream] and given.num_freed == 0
        assert given.num_freed == 1
    np.testing.assert_array_equal(esker.open(path)["a"].read(), values)


def wrong_puts() -> dict[str, tuple[Callable[[Driver], Any], type[Exception], str]]:
    def on_gpu(array: np.ndarray, **entries: Any) -> Callable[[Driver], Any]:
        return lambda driver: OnGpu(driver, array, **entries)

    return {
        "dtype": (
            on_gpu(ramp("f8")),
            ValueError,
            r"put 'a': .*float32.*float64; convert it with buffered=True",
        ),
        "half": (on_gpu(ramp("f2")), ValueError, "float32.*float16"),
        "bool": (on_gpu(ramp() > 3), ValueError, "float32.*bool"),
        "bytes": (on_gpu(ramp(">f4")), ValueError, "float32.*>f4"),
        "masked": (on_gpu(ramp(), mask=ramp("i1")), TypeError, "put 'a': a masked OnGpu"),
        "axes": (on_gpu(ramp(shape=(5, 7))), ValueError, "axes"),
        "outside": (on_gpu(ramp(shape=(4, 5, 7))), IndexError, "exceeds the grid"),
        "stream": (on_gpu(ramp(), stream=0), ValueError, "put 'a': .*the stream is 0"),
        "address": (
            on_gpu(ramp(), data=(4096, False)),
            ValueError,
            "put 'a': expected memory of a GPU, found",
        ),
        "bfloat16": (
            lambda driver: ByDlpack(OnGpu(driver, ramp("u2")), code=4),
            TypeError,
            "put 'a': a ByDlpack .*code 4, 16 bits",
        ),
    }


@pytest.mark.parametrize("wrong", wrong_puts())
def test_a_wrong_put_fails_the_step(driver: Driver, path: Path, wrong: str) -> None:
    make, exception, words = wrong_puts()[wrong]
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        with pytest.raises(exception, match=words), w.step(0) as s:
            s.put(field, make(driver))
        with w.step(0) as s:
            s.put(field, OnGpu(driver, ramp()))
    np.testing.assert_array_equal(esker.open(path)["a"].read(), ramp())


@pytest.mark.parametrize("dtype", ["f2", ">f4", "c8"])
def test_buffered_puts_name_types_that_cannot_be_converted(driver: Driver, path: Path, dtype: str) -> None:
    array = ramp(dtype)
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        with (
            pytest.raises(ValueError, match="put 'a': expected an array of integers or reals"),
            w.step(0) as s,
        ):
            s.put(field, OnGpu(driver, array), buffered=True)


PROGRAM = """
import esker, sys
class Claims:
    __cuda_array_interface__ = {"version": 3, "shape": (4,), "typestr": "<f4", "data": (4096, False)}
try:
    with esker.Writer(sys.argv[1], dims={"x": 4}) as w:
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, Claims())
except ValueError as error:
    print(error)
"""


def test_without_a_driver_the_error_says_so(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (
        "put 'a': expected memory of a GPU, but this process has loaded neither the CUDA driver"
        in done.stdout
    )
