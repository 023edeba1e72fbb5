"""Arrays in memory of a GPU, as CuPy, Numba, PyTorch, JAX and other packages describe them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from esker import _core

_CUDA = (2, 13)
"""The numbers of CUDA devices and of their managed memory in DLPack."""
_LEGACY_STREAM = 1
"""CUDA's legacy default stream, in both protocols."""
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
"""DLPack's codes of types, in NumPy's letters; with the size they are a type of NumPy."""


class CudaArray(Protocol):
    """An array of CuPy, Numba, JAX ... on a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


class DlpackArray(Protocol):
    """An array of a package that exchanges arrays by DLPack."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, int]: ...


@dataclass(frozen=True)
class DeviceArray:
    """Memory of a GPU, described as a NumPy array describes its own."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    stream: int
    """In which the memory is filled; 0: the legacy default stream."""
    owner: object
    """Keeps the memory."""

    @property
    def ndim(self) -> int:
        return len(self.shape)


def device_array(array: object) -> DeviceArray | None:
    """The memory of an array on a GPU; None for other objects.

    The CUDA array interface comes first, unless it names no stream and there is DLPack, by which a package lets the
    legacy default stream wait for the one it uses. Nothing is copied. Raises TypeError (masked, or of a type that NumPy
    does not have) and ValueError (a stream that does not exist).
    """
    interface = getattr(array, "__cuda_array_interface__", None)
    is_of_dlpack = _is_on_cuda(array)
    if interface is not None and (interface.get("stream") is not None or not is_of_dlpack):
        return _by_interface(array, interface)
    return _by_dlpack(array) if is_of_dlpack else None


def _is_on_cuda(array: object) -> bool:
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and hasattr(array, "__dlpack__") and int(device()[0]) in _CUDA


def _by_interface(array: object, interface: dict[str, Any]) -> DeviceArray:
    if interface.get("mask") is not None:
        raise TypeError(f"a masked {type(array).__name__} on a GPU: fill the masked samples first")
    stream = interface.get("stream")
    if stream == 0:
        raise ValueError("__cuda_array_interface__: the stream is 0, expected None, 1, 2 or a pointer")
    dtype = np.dtype(interface["typestr"])
    shape = tuple(int(n) for n in interface["shape"])
    strides = interface.get("strides")
    address, _ = interface["data"]
    return DeviceArray(
        address=int(address or 0),
        shape=shape,
        strides=_dense(shape, dtype.itemsize) if strides is None else tuple(int(n) for n in strides),
        dtype=dtype,
        stream=int(stream or 0),
        owner=array,
    )


def _by_dlpack(array: Any) -> DeviceArray:
    tensor = _core.DlpackArray(array.__dlpack__(stream=_LEGACY_STREAM))
    code, bits, lanes = tensor.type
    try:
        if lanes != 1:
            raise TypeError
        dtype = np.dtype(f"{_KINDS.get(code)}{bits // 8}")
    except TypeError:
        raise TypeError(
            f"a {type(array).__name__} on a GPU whose type NumPy does not have (DLPack's code {code}, {bits} bits, "
            f"{lanes} lanes)"
        ) from None
    return DeviceArray(tensor.address, tensor.shape, tensor.strides, dtype, _LEGACY_STREAM, tensor)


def _dense(shape: tuple[int, ...], item_bytes: int) -> tuple[int, ...]:
    strides = []
    for n in reversed(shape):
        strides.append(item_bytes)
        item_bytes *= n
    return tuple(reversed(strides))
