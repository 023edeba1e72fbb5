"""Chunked: samples that are computed or read piece by piece, for fields that do not fit in memory."""

from __future__ import annotations

import math
import operator
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from esker.base import pieces
from esker.base.boxes import Box
from esker.base.system import reserve

Read = Callable[[Box], ArrayLike]


class Chunked:
    """An array that esker.write() requests piece by piece.

    `shape` is (z, y, x), with a last axis for components if there are several. `source` is one of

    - a function: given a half-open box ((x0, y0, z0), (x1, y1, z1)), x first, it returns the samples of that
      box as an array (z, y, x[, component]). Each sample is requested once, in boxes of about 32 MiB that split
      the slowest axis first, where possible in multiples of `grain` indices (for example the chunk thickness of
      an input file).
    - an iterable of consecutive arrays along the slowest axis, of any thickness.

    The arrays must have the type `dtype` and the requested shape.

    >>> import numpy as np
    >>> import esker
    >>> def distance(box):
    ...     (x0, y0), (x1, y1) = box
    ...     y, x = np.ogrid[y0:y1, x0:x1]
    ...     return np.hypot(x - 40, y - 30).astype("f4")
    >>> rows = (np.full((1, 80), y, "u2") for y in range(60))
    >>> esker.write("run.idx", {
    ...     "distance": esker.Chunked((60, 80), "f4", distance),
    ...     "row": esker.Chunked((60, 80), "u2", rows),
    ... })
    >>> ds = esker.open("run.idx")
    >>> float(ds["distance"].read()[30, 43])
    3.0
    >>> int(ds["row"].read()[17, 5])
    17
    """

    def __init__(
        self, shape: Sequence[int], dtype: DTypeLike, source: Read | Iterable[ArrayLike], *, grain: int = 1
    ) -> None:
        self.shape: tuple[int, ...] = tuple(operator.index(n) for n in shape)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.source = source
        self.grain = operator.index(grain)
        if not (callable(source) or isinstance(source, Iterable)):
            raise TypeError(f"source: expected a function of a box, or arrays, found {type(source).__name__}")
        if not self.shape or min(self.shape) < 1:
            raise ValueError(f"shape: expected one size of at least 1 for each axis, found {self.shape}")
        if self.grain < 1:
            raise ValueError(f"grain: expected at least 1, found {self.grain}")

    @property
    def nbytes(self) -> int:
        """Bytes of the complete array."""
        return math.prod(self.shape) * self.dtype.itemsize

    def arrays(self, n_dims: int, name: str) -> Iterator[NDArray[Any]]:
        """The samples in C order, as consecutive arrays; the first `n_dims` axes are the grid's.

        `name` is the field's, for error messages.
        """
        return self._requested(n_dims, name) if callable(self.source) else self._given(name)

    def _requested(self, n_dims: int, name: str) -> Iterator[NDArray[Any]]:
        assert callable(self.source)
        sample_bytes = self.dtype.itemsize * math.prod(self.shape[n_dims:])
        for where in pieces.pieces(self.shape[:n_dims], sample_bytes, self.grain):
            x_first = where[::-1]
            box = (tuple(s.start for s in x_first), tuple(s.stop for s in x_first))
            expected = (*(s.stop - s.start for s in where), *self.shape[n_dims:])
            yield self._checked(self.source(box), expected, name, f"for the box {box}")

    def _given(self, name: str) -> Iterator[NDArray[Any]]:
        assert not callable(self.source)
        first = 0
        for given in self.source:
            array = np.asanyarray(given)
            n_rows = array.shape[0] if array.ndim else 0
            where = f"starting at index {first} of the slowest axis"
            yield self._checked(array, (n_rows, *self.shape[1:]), name, where)
            first += n_rows
            if first > self.shape[0]:
                break
        if first != self.shape[0]:
            raise ValueError(
                f"{name}: expected {self.shape[0]} indices along the slowest axis in total, found {first}"
            )

    def _checked(self, given: ArrayLike, shape: tuple[int, ...], name: str, which: str) -> NDArray[Any]:
        array = np.asanyarray(given)
        if isinstance(array, np.ma.MaskedArray):
            raise TypeError(
                f"{name}: expected a plain array {which}, found a masked array; convert it with filled()"
            )
        if array.shape != shape or array.dtype != self.dtype:
            raise ValueError(
                f"{name}: expected {self.dtype} samples of shape {shape} {which}, "
                f"found {array.dtype} of shape {array.shape}"
            )
        return array


def assembled(chunked: Chunked, n_dims: int, directory: str, name: str) -> NDArray[Any]:
    """The complete array of the field `name`: in memory if it is small, else a scratch_array().

    The coarse levels of a dataset take samples from the entire grid, so all samples must be available when it
    is written.
    """
    if chunked.nbytes <= pieces.PIECE_BYTES:
        return np.concatenate([array.reshape(-1) for array in chunked.arrays(n_dims, name)]).reshape(
            chunked.shape
        )
    result = scratch_array(chunked.shape, chunked.dtype, directory)
    flat, done = result.reshape(-1), 0
    for array in chunked.arrays(n_dims, name):
        flat[done : done + array.size] = array.reshape(-1)
        done += array.size
    return result


def scratch_array(
    shape: Sequence[int], dtype: np.dtype[Any], directory: str | os.PathLike[str] | None
) -> NDArray[Any]:
    """Zeros in an unnamed file in `directory` (None: that of tempfile), mapped into memory. Raises OSError if
    the disk lacks the space.

    The file is removed with the array, or when the process is killed.
    """
    with tempfile.TemporaryFile(dir=directory, prefix=".esker-") as file:
        # Without allocation, writing to the mapping when the disk is full would kill the process (SIGBUS).
        reserve(file.fileno(), math.prod(shape) * dtype.itemsize)
        return np.memmap(file, dtype, "r+", shape=tuple(shape))
