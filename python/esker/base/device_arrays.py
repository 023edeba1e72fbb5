"""Arrays of other packages: in memory of a GPU, as CuPy, Numba, PyTorch, JAX describe them, or of the host."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from esker import _core

_LEGACY_STREAM = {2: 1, 13: 1, 10: 0}
"""DLPack's number for the legacy default stream, for CUDA devices, their managed memory, and HIP's devices."""
_HOST = (1, 3, 11)
"""Memory of the host, and that which CUDA and HIP have pinned."""
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
"""DLPack's codes of types, in NumPy's letters; with the size they are a type of NumPy."""


class CudaArray(Protocol):
    """An array of CuPy, Numba, JAX ... on a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


class DlpackArray(Protocol):
    """An array of a package that exchanges arrays by DLPack."""

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, int]: ...


@dataclass(frozen=True)
class DeviceArray:
    """Memory of a GPU, described as a NumPy array describes its own."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    stream: int
    """That the program uses it in; 0: the legacy default stream."""
    owner: object
    """Keeps the memory."""
    is_writeable: bool

    @property
    def ndim(self) -> int:
        return len(self.shape)


def plain_array(array: object) -> NDArray[Any] | DeviceArray | None:
    """A NumPy array itself, or a view of one by DLPack on the host; the memory of an array on a GPU; None for other
    objects, also for masked arrays of NumPy.

    On a GPU the CUDA array interface comes first, unless it names no stream and there is DLPack, by which a package lets
    the legacy default stream wait for the one it uses. Nothing is copied. Raises TypeError (masked on a GPU, of a type
    that NumPy does not have, or with gradients) and ValueError (a stream that does not exist).
    """
    if isinstance(array, np.ndarray):
        return None if isinstance(array, np.ma.MaskedArray) else array
    interface = getattr(array, "__cuda_array_interface__", None)
    kind = _kind_of_device(array)
    if interface is not None and (interface.get("stream") is not None or kind not in _LEGACY_STREAM):
        return _by_interface(array, interface)
    if kind in _HOST:
        return _on_host(array)
    if kind not in _LEGACY_STREAM:
        return None
    found = _by_dlpack(array, _LEGACY_STREAM[kind])
    is_read_only = interface is not None and bool(interface["data"][1])
    return replace(found, is_writeable=False) if is_read_only else found


def expect_plain_array(array: object, where: str) -> NDArray[Any] | DeviceArray:
    """The same, with `where` before the text of errors. TypeError: not an array."""
    try:
        found = plain_array(array)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from error
    if found is None:
        kinds = "a plain numpy.ndarray, or an array on a GPU or by DLPack"
        raise TypeError(f"{where}: expected {kinds}, found {type(array).__name__}")
    return found


def _on_host(array: Any) -> NDArray[Any]:
    """A view, read-only where the package does not say that it may be changed."""
    try:
        return np.from_dlpack(array)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"a {type(array).__name__} that NumPy cannot use: {error}") from error


def _kind_of_device(array: object) -> int | None:
    """DLPack's number; None without DLPack."""
    device = getattr(array, "__dlpack_device__", None)
    return int(device()[0]) if device is not None and hasattr(array, "__dlpack__") else None


def _by_interface(array: object, interface: dict[str, Any]) -> DeviceArray:
    if interface.get("mask") is not None:
        raise TypeError(f"a masked {type(array).__name__} on a GPU: fill the masked samples first")
    stream = interface.get("stream")
    if stream == 0:
        raise ValueError("__cuda_array_interface__: the stream is 0, expected None, 1, 2 or a pointer")
    dtype = np.dtype(interface["typestr"])
    shape = tuple(int(n) for n in interface["shape"])
    strides = interface.get("strides")
    address, is_read_only = interface["data"]
    return DeviceArray(
        address=int(address or 0),
        shape=shape,
        strides=_dense(shape, dtype.itemsize) if strides is None else tuple(int(n) for n in strides),
        dtype=dtype,
        stream=int(stream or 0),
        owner=array,
        is_writeable=not is_read_only,
    )


def _by_dlpack(array: Any, stream: int) -> DeviceArray:
    try:
        capsule = array.__dlpack__(stream=stream, max_version=(1, 0))  # says whether the memory is read-only
    except TypeError:
        capsule = array.__dlpack__(stream=stream)  # of a package before DLPack 1.0
    tensor = _core.DlpackArray(capsule)
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
    return DeviceArray(tensor.address, tensor.shape, tensor.strides, dtype, 0, tensor, tensor.is_writeable)


def _dense(shape: tuple[int, ...], item_bytes: int) -> tuple[int, ...]:
    strides = []
    for n in reversed(shape):
        strides.append(item_bytes)
        item_bytes *= n
    return tuple(reversed(strides))
