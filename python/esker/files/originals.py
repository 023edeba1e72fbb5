"""Original samples that esker.verify() compares a dataset with: other datasets, .npy files and arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from esker import _core
from esker.dataset.field import Field
from esker.dataset.opening import Dataset, open

Original = str | os.PathLike[str] | Dataset | Mapping[str, ArrayLike]
"""A dataset, its path, the path of an .npy file, or an array for each field."""

ReadOriginal = Callable[[str, int, Sequence[int], Sequence[int], Sequence[int], memoryview], bool]
"""`original` of _core.verify_against()."""


def core_original(dataset: Dataset, original: Original) -> _core.Dataset | ReadOriginal:
    """The second argument of _core.verify_against(). Reads the samples of .npy files only when they are needed.

    An .npy file holds the field of its name, or the only field of the dataset. Raises ValueError if an array
    does not have the shape and type of its field.
    """
    if isinstance(original, Dataset):
        return original._core
    if isinstance(original, Mapping):
        return partial(_read, dataset, _checked(dataset, original))
    if Path(original).suffix != ".npy":
        return open(original)._core
    array = np.load(original, mmap_mode="r", allow_pickle=False)
    name = Path(original).stem
    if name not in dataset:
        if len(dataset) > 1:
            raise ValueError(
                f"{original}: no field {name!r}; rename the file to one of {', '.join(dataset)} with .npy"
            )
        name = next(iter(dataset))
    return partial(_read, dataset, _checked(dataset, {name: array}))


def _checked(dataset: Dataset, arrays: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    return {name: _with_steps(dataset[name], np.asanyarray(array)) for name, array in arrays.items()}


def _with_steps(field: Field, array: NDArray[Any]) -> NDArray[Any]:
    """The array with the steps of the dataset, or 1 for a fixed field, as its first axis."""
    n_steps = 1 if field.fixed else len(field.dataset.steps)
    if array.dtype.newbyteorder("=") != field.dtype:
        raise ValueError(f"{field.name}: expected original values of type {field.dtype}, found {array.dtype}")
    if array.shape == (n_steps, *field.shape):
        return array
    if n_steps == 1 and array.shape == field.shape:
        return array[np.newaxis]
    expected = (n_steps, *field.shape) if n_steps > 1 else field.shape
    raise ValueError(f"{field.name}: expected original values of shape {expected}, found {array.shape}")


def _read(
    dataset: Dataset,
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    step: int,
    origin: Sequence[int],
    stride: Sequence[int],
    count: Sequence[int],
    out: memoryview,
) -> bool:
    array = arrays.get(name)
    if array is None:
        return False
    field = dataset[name]
    slices = [
        slice(first - lo, first - lo + (n - 1) * s + 1, s)
        for first, s, n, lo in zip(origin, stride, count, field.box[0])
    ]
    samples = array[(0 if field.fixed else step, *reversed(slices))]
    np.frombuffer(out, field.dtype).reshape(samples.shape)[...] = samples
    return True
