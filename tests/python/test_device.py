"""Step.put of arrays on a GPU, whose driver is the tests' double: its memory cannot be accessed at its addresses."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from conftest import ROOT

DRIVER = ROOT / "build" / "release" / "tests" / "support" / "cuda" / "libcuda.so.1"
DIMS = {"x": 7, "y": 5, "z": 3}
SHAPE = (3, 5, 7)


class Driver:
    """Memory of the double's GPU."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(DRIVER), mode=ctypes.RTLD_GLOBAL)
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxPushCurrent_v2", context)

    def call(self, name: str, *arguments: Any) -> None:
        assert getattr(self.library, name)(*arguments) == 0, name

    def upload(self, array: np.ndarray) -> int:
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        self.call(
            "cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
        )
        return address.value

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def new_stream(self) -> int:
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 0)
        return int(stream.value or 0)

    def fill_later(self, stream: int, array: OnGpu, byte: int) -> None:
        self.library.esker_double_fill_later(
            ctypes.c_void_p(stream), ctypes.c_uint64(array.address), ctypes.c_size_t(array.nbytes), byte
        )


class OnGpu:
    """A copy of a NumPy array, and of the memory between its samples, with the interface of CuPy."""

    def __init__(self, driver: Driver, array: np.ndarray, **entries: Any) -> None:
        memory = array if array.base is None else array.base
        self.driver, self.nbytes = driver, memory.nbytes
        self.address = driver.upload(memory)
        self.first = self.address + array.ctypes.data - memory.ctypes.data
        self.array = array
        self.interface = {
            "version": 3,
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (self.first, False),
            "strides": None if array.flags.c_contiguous else array.strides,
            "stream": None,
            **entries,
        }

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.interface

    def __del__(self) -> None:
        self.driver.free(self.address)


class Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


class ByDlpack:
    """The same with DLPack."""

    def __init__(self, on_gpu: OnGpu, code: int, bits: int = 0) -> None:
        self.on_gpu, self.code, self.bits = on_gpu, code, bits or 8 * on_gpu.array.itemsize
        self.given: list[Tensor] = []
        self.streams: list[Any] = []
        self.num_freed = 0

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, *, stream: Any = None) -> Any:
        array = self.on_gpu.array
        axes = ctypes.c_int64 * array.ndim
        strides = axes(*(n // array.itemsize for n in array.strides))
        tensor = Tensor(
            self.on_gpu.address, 2, 0, array.ndim, self.code, self.bits, 1, axes(*array.shape), strides
        )
        tensor.byte_offset = self.on_gpu.first - self.on_gpu.address
        tensor.deleter = type(tensor.deleter)(self.free)
        self.given.append(tensor)
        self.streams.append(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(tensor), b"dltensor", None)

    def free(self, tensor: int) -> None:
        self.num_freed += 1


class OfTorch(ByDlpack):
    """The same with an interface that names no stream, as that of PyTorch."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {key: value for key, value in self.on_gpu.interface.items() if key != "stream"} | {
            "version": 2
        }


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    if not DRIVER.exists():
        pytest.skip("the double of the CUDA driver is not built (target esker_test_cuda)")
    yield Driver()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.idx"


def ramp(dtype: str = "f4", shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return (np.arange(np.prod(shape)) % 101 + 1).reshape(shape).astype(dtype)


def inside(array: np.ndarray) -> np.ndarray:
    """The same samples within ghost cells."""
    around = np.full([n + 3 for n in array.shape], 99, array.dtype)
    within = around[tuple(slice(2, 2 + n) for n in array.shape)]
    within[...] = array
    return within


def transposed(array: np.ndarray) -> np.ndarray:
    memory = np.empty(array.shape[::-1], array.dtype)
    memory.T[...] = array
    return memory.T


def backwards(array: np.ndarray) -> np.ndarray:
    memory = array[::-1, :, ::-1].copy()
    return memory[::-1, :, ::-1]


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
            driver.fill_later(stream, ours, 42)
            driver.fill_later(1, others, 43)
            s.put("ours", ours, buffered=buffered)
            s.put("others", others, buffered=buffered)
    ds = esker.open(path)
    assert (ds["ours"].read() == 42).all() and (ds["others"].read() == 43).all()


def test_pinned_memory_may_be_said_to_be_on_a_gpu(driver: Driver, path: Path) -> None:
    array = ramp()
    memory = ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
    driver.call("cuMemHostRegister_v2", *memory, 0)
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, OnGpu(driver, array, data=(array.ctypes.data, False)))
    driver.call("cuMemHostUnregister", memory[0])
    np.testing.assert_array_equal(esker.open(path)["a"].read(), array)


@pytest.mark.parametrize("given", ["f8", "i2", "u8", "f4"])
def test_buffered_arrays_are_converted(driver: Driver, path: Path, given: str) -> None:
    with esker.Writer(path, dims=DIMS, report="none") as w:
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, OnGpu(driver, ramp(given)), buffered=True)
    np.testing.assert_array_equal(esker.open(path)["a"].read(), ramp())


@pytest.mark.parametrize("make", [ByDlpack, OfTorch])
def test_dlpack(driver: Driver, path: Path, make: type[ByDlpack]) -> None:
    values = ramp("i4")
    given = make(OnGpu(driver, inside(values)), code=0)
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "i4")
        with w.step(0) as s:
            s.put(field, given)
            assert given.streams == [1] and given.num_freed == 0
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
    assert "put 'a': expected memory of a GPU, but this process has loaded neither the CUDA driver" in done.stdout
