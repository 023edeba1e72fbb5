"""The arrays that reads fill: new ones, or those that the caller brings as `out`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.device_arrays import CudaArray, DeviceArray, DlpackArray, expect_plain_array
from esker.dataset.selection import Selection

OutArray = NDArray[Any] | CudaArray | DlpackArray
"""What `out` may be: an array of NumPy, of another package on a GPU, or of one with DLPack."""


def destination(name: str, out: OutArray | None, selection: Selection, masked: bool = False) -> Any:
    """Where the samples of a field go: a new array, the memory of `out` as an array of NumPy, or a DeviceArray.

    Raises TypeError (not an array, a masked one, or one on a GPU that is to be masked) and ValueError (another shape or
    type, or read-only).
    """
    if out is None:
        return np.empty(selection.shape, selection.dtype)
    found = expect_plain_array(out, f"read {name!r}: out")
    if found.shape != selection.shape or found.dtype != selection.dtype:
        dtype = found.dtype if found.dtype.isnative else f"{found.dtype.str} (not in native byte order)"
        raise ValueError(
            f"read {name!r}: out: expected {selection.dtype} of shape {selection.shape}, found {dtype} of shape "
            f"{found.shape}"
        )
    is_writeable = found.flags.writeable if isinstance(found, np.ndarray) else found.is_writeable
    if not is_writeable:
        raise ValueError(f"read {name!r}: out: expected an array that can be changed, found a read-only one")
    if masked and isinstance(found, DeviceArray):
        raise TypeError(f"read {name!r}: masked: expected `out` in memory of the host, found that of a GPU")
    return found
