"""Arrays on a GPU whose driver is the tests' double: its memory cannot be accessed at its addresses."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

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

    def download(self, address: int, memory: np.ndarray) -> None:
        self.call(
            "cuMemcpyDtoH_v2",
            ctypes.c_void_p(memory.ctypes.data),
            ctypes.c_uint64(address),
            ctypes.c_size_t(memory.nbytes),
        )

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def new_stream(self) -> int:
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 0)
        return int(stream.value or 0)

    def fill_later(self, stream: int, address: int, nbytes: int, byte: int) -> None:
        self.library.esker_double_fill_later(
            ctypes.c_void_p(stream), ctypes.c_uint64(address), ctypes.c_size_t(nbytes), byte
        )

    @contextmanager
    def pinned(self, array: np.ndarray) -> Iterator[int]:
        """Pins the memory of an array meanwhile, and gives its address on the device."""
        memory = ctypes.c_void_p(array.ctypes.data)
        self.call("cuMemHostRegister_v2", memory, ctypes.c_size_t(array.nbytes), 0)
        address = ctypes.c_uint64()
        self.call("cuMemHostGetDevicePointer_v2", ctypes.byref(address), memory, 0)
        try:
            yield address.value
        finally:
            self.call("cuMemHostUnregister", memory)


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

    def memory(self) -> np.ndarray:
        """What it has now, with what is between the samples."""
        memory = np.empty_like(self.array if self.array.base is None else self.array.base)
        self.driver.download(self.address, memory)
        return memory

    def samples(self) -> np.ndarray:
        array = self.array
        return np.ndarray(array.shape, array.dtype, self.memory(), self.first - self.address, array.strides)

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

    kind, legacy_stream = 2, 1

    def __init__(self, on_gpu: OnGpu, code: int, bits: int = 0) -> None:
        self.on_gpu, self.code, self.bits = on_gpu, code, bits or 8 * on_gpu.array.itemsize
        self.given: list[Tensor] = []
        self.streams: list[Any] = []
        self.num_freed = 0

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

    def __dlpack__(self, *, stream: Any = None) -> Any:
        array = self.on_gpu.array
        axes = ctypes.c_int64 * array.ndim
        strides = axes(*(n // array.itemsize for n in array.strides))
        tensor = Tensor(
            *(self.on_gpu.address, self.kind, 0, array.ndim, self.code, self.bits, 1),
            *(axes(*array.shape), strides),
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


class OfHip(ByDlpack):
    """The same as packages describe memory of HIP."""

    kind, legacy_stream = 10, 0


class OfTorch(ByDlpack):
    """The same with an interface that names no stream, as that of PyTorch."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {key: value for key, value in self.on_gpu.interface.items() if key != "stream"} | {
            "version": 2
        }


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
