"""Which NumPy types are stored as samples, and as what: the same rule in every function that writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

BOOL_ATTRIBUTES: Mapping[str, str] = {"dtype": "bool"}
"""Of fields that hold booleans, as xarray writes them to netCDF: it reads such fields as booleans."""

_INSTEAD = {
    "f": "astype('f4') or astype('f8') converts them",
    "c": "store the real and the imaginary part as two fields, or as two components",
    "M": "store numbers, with the attribute units='days since 2001-01-01', or use Dataset.to_esker() of xarray",
    "m": "store numbers, with the attribute units='days', or use Dataset.to_esker() of xarray",
    "S": "texts can be attributes only",
    "U": "texts can be attributes only",
    "T": "texts can be attributes only",
}


def stored_type(owner: str, dtype: DTypeLike) -> np.dtype[Any]:
    """The type of the samples of a field to which `dtype` is given, in the byte order of this machine.

    Integers and reals of 1 to 8 bytes stay what they are, and booleans become int8, with the attributes BOOL_ATTRIBUTES.
    Raises ValueError for all others, with `owner` in front.

    >>> stored_type("mask", bool)
    dtype('int8')
    >>> stored_type("mask", "f2")
    Traceback (most recent call last):
    ValueError: mask: float16 samples cannot be stored; astype('f4') or astype('f8') converts them
    """
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.dtype(np.int8)
    if kind.kind in "iu" or (kind.kind == "f" and kind.itemsize in (4, 8)):
        return kind.newbyteorder("=")
    instead = f"; {_INSTEAD[kind.kind]}" if kind.kind in _INSTEAD else ""
    raise ValueError(f"{owner}: {kind} samples cannot be stored{instead}")


def type_attributes(dtype: DTypeLike) -> Mapping[str, str]:
    """The attributes that say what samples were before stored_type()."""
    return BOOL_ATTRIBUTES if np.dtype(dtype).kind == "b" else {}


def as_stored(array: NDArray[Any]) -> NDArray[Any]:
    """Booleans as int8, with the same strides and without a copy; other arrays as they are."""
    return array.view(np.int8) if array.dtype.kind == "b" else array
