"""Arrays as sources: .npy files, and raw files that contain only samples."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from esker.base.boxes import Box
from esker.base.dimensions import AXES
from esker.base.stored_types import stored_type, type_attributes
from esker.convert.source import Source, SourceField, box_index

RAW_SUFFIXES = (".raw", ".bin")
"""Suffixes of files that contain only samples."""


def _name_of(path: str) -> str:
    return Path(path).stem


def source_of_raw(path: str, shape: Sequence[int] | None, dtype: DTypeLike | None) -> Source:
    """A raw file, whose shape and type are given. Raises ValueError if its size is another."""
    if shape is None or dtype is None:
        raise ValueError(f"{path}: raw files do not store shape and type; give both with shape and dtype")
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise ValueError(f"{path}: expected a NumPy type such as f4, <i2 or >f8, found {dtype!r}") from error
    expected, found = math.prod(shape) * kind.itemsize, os.path.getsize(path)
    if min(shape) < 1 or expected != found:
        sizes = " x ".join(map(str, shape))
        raise ValueError(
            f"{path}: expected {expected} bytes for {sizes} samples of type {kind}, found {found}"
        )
    return _of_array(_name_of(path), np.memmap(path, kind, "r", shape=tuple(shape)))


def source_of_npy(path: str) -> Source:
    """An .npy file, mapped into memory."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (EOFError, ValueError) as error:
        raise ValueError(f"{path}: not an .npy file, or truncated: {error}") from error
    return _of_array(_name_of(path), array)


def _of_array(name: str, array: NDArray[Any]) -> Source:
    if not 1 <= array.ndim <= len(AXES):
        raise ValueError(f"{name}: expected an array with 1 to {len(AXES)} axes, found {array.ndim}")
    native = stored_type(name, array.dtype)

    def read(step: int, box: Box) -> NDArray[Any]:
        return np.asarray(array[box_index(box)], native)

    one = SourceField(
        name, AXES[: array.ndim][::-1], array.shape, native, read, attrs=type_attributes(array.dtype)
    )
    return Source((one,), time_dim="")
