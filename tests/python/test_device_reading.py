"""read(out=) into arrays on a GPU, which is the tests' double."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu_double import SHAPE, ByDlpack, Driver, OfTorch, OnGpu, backwards, inside, ramp, transposed

import esker


@pytest.fixture
def ds(tmp_path: Path) -> esker.Dataset:
    path = tmp_path / "run.idx"
    esker.write(path, {"a": ramp(), "b": ramp("i2"), "v": ramp("f8", (*SHAPE, 2))}, components={"v": 2})
    return esker.open(path)


def zeros(array: np.ndarray, layout: Callable[[np.ndarray], np.ndarray] = np.array) -> np.ndarray:
    return layout(np.zeros_like(array))


def by_components(array: np.ndarray) -> np.ndarray:
    memory = np.moveaxis(array, -1, 0).copy()
    return np.moveaxis(memory, 0, -1)


@pytest.mark.parametrize("layout", [np.array, inside, transposed, backwards, by_components])
@pytest.mark.parametrize("query", [{}, {"box": ((1, 2, 0), (6, 5, 2))}, {"level": 3}, {"stride": (3, 2, 2)}])
def test_arrays_of_any_strides(
    driver: Driver, ds: esker.Dataset, layout: Callable[[np.ndarray], np.ndarray], query: dict[str, Any]
) -> None:
    for name in ds:
        expected = ds[name].read(**query)
        out = OnGpu(driver, zeros(expected, layout))
        assert ds[name].read(**query, out=out) is out
        np.testing.assert_array_equal(out.samples(), expected)
        if layout is inside:  # nothing else has changed
            np.testing.assert_array_equal(out.memory(), inside(expected).base)


def test_an_empty_array(driver: Driver, ds: esker.Dataset) -> None:
    out = OnGpu(driver, ramp(), shape=(3, 0, 7), data=(0, False))
    ds["a"].read(box=((0, 1, 0), (7, 1, 3)), out=out)
    np.testing.assert_array_equal(out.samples(), ramp())


def test_samples_are_there_after_what_the_stream_does(driver: Driver, ds: esker.Dataset) -> None:
    reader = esker.Reader(ds.path)
    for stream in (driver.new_stream(), 1, None):
        for read in (ds["a"].read, lambda out: reader.read({"a": None}, out={"a": out})):
            out = OnGpu(driver, zeros(ramp()), stream=stream)
            driver.fill_later(stream or 1, out.address, out.nbytes, 42)
            read(out=out)
            np.testing.assert_array_equal(out.samples(), ramp())


def test_pinned_memory_is_filled_after_what_the_stream_does(driver: Driver, ds: esker.Dataset) -> None:
    array, stream = zeros(ramp()), driver.new_stream()
    out = OnGpu(driver, array, data=(array.ctypes.data, False), stream=stream)
    with driver.pinned(array) as on_device:
        driver.fill_later(stream, on_device, array.nbytes, 42)
        ds["a"].read(out=out)
    np.testing.assert_array_equal(array, ramp())


@pytest.mark.parametrize("make", [ByDlpack, OfTorch])
def test_dlpack(driver: Driver, ds: esker.Dataset, make: type[ByDlpack]) -> None:
    memory = OnGpu(driver, zeros(ramp("i2"), inside))
    out = make(memory, code=0)
    assert ds["b"].read(out=out) is out
    assert out.streams == [1] and out.num_freed == 1
    np.testing.assert_array_equal(memory.samples(), ramp("i2"))


@pytest.mark.parametrize("layout", [np.array, inside, transposed, backwards])
@pytest.mark.parametrize("aggregate", ["true", "false"])
def test_reader(
    driver: Driver, ds: esker.Dataset, layout: Callable[[np.ndarray], np.ndarray], aggregate: str
) -> None:
    reader = esker.Reader(ds.path, aggregate_reads=aggregate)
    box = ((1, 0, 1), (5, 4, 3))
    for level in (None, 6):
        expected = {name: ds[name].read(box=box, level=level) for name in ds}
        out = {name: OnGpu(driver, zeros(expected[name], layout)) for name in ("a", "v")}
        found = reader.read(dict.fromkeys(ds, box), level=level, out=out)
        for name, given in out.items():
            assert found[name] is given
            np.testing.assert_array_equal(given.samples(), expected[name])
        np.testing.assert_array_equal(found["b"], expected["b"])


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "shape": ({"shape": (3, 7, 5)}, ValueError, r"float32 of shape \(3, 5, 7\), found .*\(3, 7, 5\)"),
    "dtype": ({"typestr": "<i4"}, ValueError, "expected float32 .*found int32"),
    "order of bytes": ({"typestr": ">f4"}, ValueError, "found >f4"),
    "masked": ({"mask": ramp("i1")}, TypeError, "a masked OnGpu"),
    "stream": ({"stream": 0}, ValueError, "the stream is 0"),
    "overlap": ({"strides": (16, 8, 4)}, ValueError, "share memory"),
    "address": ({"data": (4096, False)}, ValueError, "expected memory of a GPU, found an address"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arrays_are_refused(driver: Driver, ds: esker.Dataset, wrong: str) -> None:
    entries, exception, words = WRONG[wrong]
    out, cost = OnGpu(driver, ramp(), **entries), esker.ReadStatistics()
    with pytest.raises(exception, match=f"'a'.*{words}"):
        ds["a"].read(out=out, statistics=cost)
    assert cost.reads == 0
    with pytest.raises(exception, match=f"'a'.*{words}"):
        esker.Reader(ds.path).read({"a": None}, out={"a": out})


@pytest.mark.parametrize("make", [lambda on_gpu: on_gpu, lambda on_gpu: OfTorch(on_gpu, code=2)])
def test_read_only_arrays_are_refused(
    driver: Driver, ds: esker.Dataset, make: Callable[[OnGpu], Any]
) -> None:
    memory = OnGpu(driver, ramp())
    memory.interface["data"] = (memory.first, True)
    with pytest.raises(
        ValueError, match="read 'a': out: expected an array that can be changed, found a read-only"
    ):
        ds["a"].read(out=make(memory))


def test_masks_are_those_of_arrays_of_the_host(driver: Driver, ds: esker.Dataset) -> None:
    with pytest.raises(TypeError, match="read 'a': masked: expected `out` in memory of the host"):
        ds["a"].read(out=OnGpu(driver, ramp()), masked=True)


PROGRAM = """
import esker, sys
class Claims:
    __cuda_array_interface__ = {"version": 3, "shape": (3, 5, 7), "typestr": "<f4", "data": (4096, False)}
for read in (esker.open(sys.argv[1])["a"].read, lambda out: esker.Reader(sys.argv[1]).read({"a": None}, out={"a": out})):
    try:
        read(out=Claims())
    except ValueError as error:
        print(error)
"""


def test_without_a_driver_the_error_says_so(ds: esker.Dataset) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, ds.path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("expected memory of a GPU, but this process has loaded neither the CUDA driver") == 2
