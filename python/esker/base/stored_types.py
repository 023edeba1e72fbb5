"""The NumPy types that can be stored as samples, for all functions that write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from esker.base.characters import CHARACTER, CHARACTER_ATTRIBUTES

BOOL_ATTRIBUTES: Mapping[str, str] = {"dtype": "bool"}
"""Attributes of fields that hold booleans. xarray writes the same to netCDF, and reads such fields as
booleans."""

_INSTEAD = {
    "f": "convert them with astype('f4') or astype('f8')",
    "c": "store the real and the imaginary part as two fields, or as two components",
    "M": "store numbers, with the attribute units='days since 2001-01-01', or use Dataset.to_esker() of xarray",
    "m": "store numbers, with the attribute units='days', or use Dataset.to_esker() of xarray",
    "S": "view them as characters along a last axis: view('S1')",
    "U": "store their characters along a last axis, type S1, or use Dataset.to_esker() of xarray",
    "T": "store their characters along a last axis, type S1, or use Dataset.to_esker() of xarray",
}


def stored_type(owner: str, dtype: DTypeLike) -> np.dtype[Any]:
    """The sample type of a field that holds `dtype` values, in native byte order.

    Integers of 1 to 8 bytes and reals of 4 or 8 bytes are unchanged. Booleans become int8, with the
    attributes BOOL_ATTRIBUTES; characters (S1) uint8, with CHARACTER_ATTRIBUTES. Raises ValueError for other
    types, with `owner` in the message.

    >>> stored_type("mask", bool)
    dtype('int8')
    >>> stored_type("mask", "f2")
    Traceback (most recent call last):
    ValueError: mask: float16 samples cannot be stored; convert them with astype('f4') or astype('f8')
    """
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.dtype(np.int8)
    if kind == CHARACTER:
        return np.dtype(np.uint8)
    if kind.kind in "iu" or (kind.kind == "f" and kind.itemsize in (4, 8)):
        return kind.newbyteorder("=")
    instead = f"; {_INSTEAD[kind.kind]}" if kind.kind in _INSTEAD else ""
    raise ValueError(f"{owner}: {kind} samples cannot be stored{instead}")


def type_attributes(dtype: DTypeLike) -> Mapping[str, str]:
    """The attributes that record the type of samples before stored_type()."""
    kind = np.dtype(dtype)
    return BOOL_ATTRIBUTES if kind.kind == "b" else CHARACTER_ATTRIBUTES if kind == CHARACTER else {}


def as_stored(array: NDArray[Any]) -> NDArray[Any]:
    """Views booleans as int8 and characters as uint8, with the same strides and without a copy; returns other
    arrays unchanged."""
    if array.dtype == CHARACTER:
        return array.view(np.uint8)
    return array.view(np.int8) if array.dtype.kind == "b" else array
