"""Step: one step of a writer, and the checks of the arrays that it takes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from esker.base.device_arrays import CudaArray, DeviceArray, DlpackArray, expect_plain_array
from esker.base.stored_types import as_stored
from esker.writing.definitions import WriterField, WriterGrid

if TYPE_CHECKING:
    from esker.writing.writer import Writer


class Step:
    """One step of a writer, returned by Writer.step() for use in `with`.

    Leaving the block is collective; it writes the data and commits the step. Without `wait`, it returns before the
    data are stored: a thread stores them while the program computes, and the next collective call of the writer
    commits the step, or raises an error that names it. If the block raises an exception
    on any rank, the step is discarded on all ranks, and the other ranks raise an error with that rank and its
    exception. Earlier steps are kept, and the next step can begin.
    """

    def __init__(self, writer: Writer, time: float, wait: bool = True) -> None:
        self._writer = writer
        self._core = writer._core
        self.time = time
        self._wait = wait

    def put(
        self,
        field: WriterField | str,
        array: NDArray[Any] | CudaArray | DlpackArray,
        offset: Sequence[int] | None = None,
        *,
        level: int | None = None,
        buffered: bool = False,
    ) -> None:
        """Adds samples of `field` to the step: a box of `array`'s shape at `offset` (x first; None: the
        origin). Local.

        `array` is (z, y, x), with a last axis for components if the field has several. Its dtype must be that
        of the field (int8 fields also accept booleans); its strides are arbitrary. The array is not copied;
        it must not change until the step ends. A rank may put any number of arrays per field, including none.
        Together, the arrays of all ranks must cover each field of the step exactly once. An error makes the
        step fail on all ranks, even if it is caught.

        The array may be one of another package: an object with `__cuda_array_interface__` (CuPy, Numba, JAX), or with
        DLPack (PyTorch), also on the host. That on a GPU is copied when the step ends, and after what its stream has
        to do now.

        level: for a field of a mesh (Writer.mesh), the level that the array is a patch of; `offset` is in the
        indices of that level. Patches of a level are disjoint. What finer patches cover is not stored. All fields
        of a mesh are put in the same patches, in the same order.

        buffered=True copies the array, so that it may change immediately, and converts other integer and real
        dtypes to that of the field, truncating reals to integers. The copies of a step may take up to half of
        the option memory_budget. Arrays that repeat samples (numpy.broadcast_to) are supported; other
        overlapping strides are not.

        Raises TypeError (not an array, or a masked array: convert it with filled()), ValueError (dtype,
        shape), IndexError (outside the grid; a value that the field's dtype cannot hold), MemoryError (the
        copies exceed the budget), RuntimeError (the field is not written in this step).
        """
        try:
            field = self._writer._field(field)
            found = expect_plain_array(array, f"put {field.name!r}")
            _check_form(field, found, buffered)
            if level is not None:
                level = operator.index(level)
            n_dims = found.ndim - (field.components > 1)
            x_first = [0] * n_dims if offset is None else [operator.index(i) for i in offset]
            if level is None:
                _check_place(field, found.shape[:n_dims], x_first)
            if isinstance(found, np.ndarray):
                self._core.put(field.number, as_stored(found), x_first, buffered, level)
            else:
                self._core.put_on_device(field.number, found, _stored_name(found), x_first, buffered, level)
        except Exception as error:
            self._core.fail(error)
            raise

    def keep(
        self,
        what: WriterGrid | WriterField | str | None = None,
        level: int = 0,
        *,
        boxes: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None,
        values: tuple[WriterField | str, float, float] | None = None,
        levels: NDArray[np.int8] | None = None,
        offset: Sequence[int] | None = None,
        dilate: int = 0,
        drop_nan: bool = False,
    ) -> None:
        """Adds a rule: which samples of a grid, or of one field, the step stores. Local; rules of all ranks
        hold together. The finest level that a rule keeps at a place counts, and what no rule reaches is dropped.

        what:   a grid, a field or its name; None: the grid of all dimensions
        level:  0 keeps all samples of a place, -1 every second one, -6 one of 64
        boxes:  inside ((x0, y0, z0), (x1, y1, z1)), half open, only; without it, `values` and `levels`: everywhere
        values: (field, low, high): where the samples that this rank puts are in this range
        levels: int8, each sample's level, of a box that this rank puts, at `offset`; -128: none; no `level`
        dilate: grows the region by so many samples, across ranks, too
        drop_nan: NaN is outside of ranges; otherwise it is kept at the finest level

        IDX only. Raises ValueError, IndexError, TypeError, as put(); the step then fails on all ranks.
        """
        try:
            grid, field = self._target(what)
            if sum(region is not None for region in (boxes, values, levels)) > 1:
                raise TypeError("keep: expected one of boxes, values and levels")
            if levels is not None and level != 0:
                raise TypeError("keep: levels gives each sample its level: expected no level with it")
            if values is not None:
                of_field, low, high = values
                values = (self._writer._field(of_field).number, float(low), float(high))
            x_first = [0] * np.ndim(levels) if offset is None else [operator.index(i) for i in offset]
            rule = {"dilate": operator.index(dilate), "drop_nan": bool(drop_nan), "offset": x_first}
            self._core.keep(grid, field, operator.index(level), boxes, values, levels, **rule)
        except Exception as error:
            self._core.fail(error)
            raise

    def _target(self, what: WriterGrid | WriterField | str | None) -> tuple[int, int]:
        """The numbers of a grid and a field; -1: all fields."""
        if what is None:
            return self._writer._grid_of_all().number, -1
        if isinstance(what, WriterGrid):
            return what.number, -1
        field = self._writer._field(what)
        return self._core.fields[field.number].grid, field.number

    def __enter__(self) -> Self:
        try:
            self._core.begin_step(self.time)
        except BaseException as error:
            self._discard(error)
            raise
        self._writer._open_step = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._writer._open_step is not self:
            return  # a step that began inside this one has already ended it
        if error is not None:
            self._discard(error)
            return
        self._writer._open_step = None
        self._core.end_step(self._wait)

    def _discard(self, error: BaseException) -> None:
        """Ends the step together with the other ranks, which receive the error; this rank is already raising
        it."""
        self._writer._open_step = None
        self._core.fail(error)
        with suppress(Exception):
            self._core.end_step(self._wait)  # the call that the others are in


def _stored_name(array: DeviceArray) -> str:
    """The name of the type that is stored, as as_stored(); for another byte order no name of a type."""
    dtype = as_stored(np.empty(0, array.dtype)).dtype
    return dtype.name if dtype.isnative else dtype.str


def _check_form(field: WriterField, array: NDArray[Any] | DeviceArray, converts: bool) -> None:
    """Checks that the extension does not make, or whose messages there would be in terms of C."""
    is_viewed = array.dtype.kind in "bS" and as_stored(np.empty(0, array.dtype)).dtype == field.dtype
    if array.dtype != field.dtype and not is_viewed and not converts:
        found = array.dtype if array.dtype.isnative else f"{array.dtype.str} (not in native byte order)"
        raise ValueError(
            f"put {field.name!r}: expected a {field.dtype} array, found {found}; convert it with "
            "buffered=True or astype()"
        )
    n_dims = len(field.shape) - (field.components > 1)
    if array.ndim != len(field.shape) or array.shape[n_dims:] != field.shape[n_dims:]:
        last = f", the last of {field.components} components" if field.components > 1 else ""
        raise ValueError(
            f"put {field.name!r}: expected an array with {len(field.shape)} axes{last}, within the field's "
            f"shape {field.shape}; found shape {array.shape}"
        )


def _check_place(field: WriterField, shape: tuple[int, ...], offset: Sequence[int]) -> None:
    """`shape` slowest first, without components; `offset` x first."""
    if len(offset) != len(shape):
        raise ValueError(
            f"put {field.name!r}: offset: expected {len(shape)} indices, x first, found {len(offset)}"
        )
    if any(
        first < 0 or first + size > limit for first, size, limit in zip(reversed(offset), shape, field.shape)
    ):
        raise IndexError(
            f"put {field.name!r}: an array of shape {shape} at offset {tuple(offset)} (x first) exceeds the "
            f"grid, whose shape is {field.shape[: len(shape)]}"
        )
