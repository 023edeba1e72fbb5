"""Array: a field's samples as a lazy NumPy-like array that reads only what an index selects."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from esker.dataset.selection import Selection

if TYPE_CHECKING:
    from esker.dataset.field import Field

Item = int | slice | NDArray[np.intp] | None
"""An item of a normalized index: None is a new axis; arrays hold non-negative positions."""


class Array:
    """`field.array(level)`: all steps at which the field was written, and all its samples up to `level` (or,
    with `stride`, every n-th sample).

    Axes are (time, z, y, x[, component]); fixed fields have no time axis. `array[index]` means what it does
    for a numpy.ndarray: integers, slices with steps of either sign, `...`, None, arrays of integers or
    booleans. It reads only the selected steps and the bounding box of the selected indices. If the indices
    are far apart, it reads the coarsest level that contains them all. Raises IndexError or OSError.
    """

    def __init__(self, field: Field, level: int | None = None, stride: Sequence[int] | None = None) -> None:
        self.field = field
        self._stride = stride
        self.selection: Selection = field._lattice(None, level, stride)
        self._steps = [-1] if field.fixed else [s for s in range(len(field.dataset.steps)) if field.has(s)]
        self.level = self.selection.level
        self.dtype = field.dtype
        self.dims: tuple[str, ...] = (*([] if field.fixed else [field.dataset.time_dim]), *field.dims)
        self.shape: tuple[int, ...] = (*([] if field.fixed else [len(self._steps)]), *self.selection.shape)

    @property
    def steps(self) -> list[int]:
        """The steps along the time axis; one for a fixed field."""
        return self._steps

    def levels(self, position: int) -> NDArray[np.int8]:
        """The level map (Field.levels) of these samples at a position along the time axis."""
        stride = self._stride
        level = self.level if stride is None else None
        return self.field.levels(self._steps[position], level=level, stride=stride)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of array[...]."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{dim}: {size}" for dim, size in zip(self.dims, self.shape))
        return f"<esker.Array {self.field.name} {self.dtype} ({sizes}), level {self.level}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("copy=False is not possible: an esker.Array is read from storage")
        return np.asarray(self[...], dtype)

    def __getitem__(self, index: Any) -> NDArray[Any]:
        items = _normalized(index, self.shape)
        wanted = [item for item in items if item is not None]
        num_times = self.ndim - len(self.selection.shape)
        num_axes = len(self.selection.dims)
        times = [_positions(item, self.shape[0]) for item in wanted[:num_times]]
        if any(_positions(item, size).size == 0 for item, size in zip(wanted, self.shape)):
            return np.broadcast_to(np.zeros((), self.dtype), self.shape)[tuple(items)].copy()

        steps = sorted(set(times[0].tolist())) if times else [0]
        axes = wanted[num_times : num_times + num_axes]
        read = _Reading(self.field, self.selection, axes, self._steps[steps[0]])
        values = read.of([self._steps[position] for position in steps])
        if not times:
            values = values[0]

        local_times = [_shaped(wanted[i], np.searchsorted(steps, times[i])) for i in range(num_times)]
        local = iter([*local_times, *read.local_items(), *wanted[num_times + num_axes :]])
        return values[tuple(None if item is None else next(local) for item in items)]


class _Reading:
    """The box and the level to read for the indices along a selection's axes, slowest first; none is
    empty."""

    def __init__(self, field: Field, selection: Selection, items: Sequence[Item], step: int) -> None:
        self._field = field
        self._items = items
        sizes = selection.shape[: len(items)]
        origins, strides = reversed(selection.origin), reversed(selection.stride)
        self._wanted = [
            origin + stride * _positions(item, size)
            for item, size, origin, stride in zip(items, sizes, origins, strides)
        ]
        lo = [int(indices.min()) for indices in self._wanted]
        hi = [int(indices.max()) + 1 for indices in self._wanted]
        self._box = (lo[::-1], hi[::-1])
        self._level = self._coarsest(selection.level, step)
        self._found = field.select(step, self._box, self._level)

    def of(self, steps: Sequence[int]) -> NDArray[Any]:
        """Samples of these steps, stacked along a new first axis."""
        values = np.empty((len(steps), *self._found.shape), self._field.dtype)
        for step, part in zip(steps, values):
            query = self._field._query(step, self._box, self._level, None)
            self._field._core.read_into(self._field.name, part, *query)
        return values

    def _coarsest(self, finest: int, step: int) -> int:
        """The coarsest level, no finer than `finest`, that contains all selected indices."""
        gaps = [math.gcd(*np.unique(indices).tolist()) for indices in self._wanted]
        strides = tuple(gap or 1 << 62 for gap in reversed(gaps))  # only index 0 is in every level
        return min(finest, self._field.select(step, self._box, stride=strides).level)

    def local_items(self) -> list[Item]:
        """The selected indices as positions in the array that of() returns."""
        origins, strides = reversed(self._found.origin), reversed(self._found.stride)
        return [
            _shaped(item, (indices - origin) // stride)
            for item, indices, origin, stride in zip(self._items, self._wanted, origins, strides)
        ]


def _normalized(index: Any, shape: tuple[int, ...]) -> list[Item]:
    """One item for each axis, and None for each new axis."""
    given = list(index) if isinstance(index, tuple) else [index]
    items: list[Any] = []
    masked: list[int | None] = []  # the size of the mask's axis, for items that come from a mask
    for item in given:
        if isinstance(item, EllipsisType) or item is None or isinstance(item, slice):
            items.append(item)
            masked.append(None)
            continue
        array = np.asarray(item)
        if array.dtype == np.bool_ and array.ndim > 0:
            items.extend(np.nonzero(array))
            masked.extend(array.shape)
        elif np.issubdtype(array.dtype, np.integer) or (array.ndim > 0 and array.size == 0):
            items.append(array.astype(np.intp) if array.ndim > 0 else operator.index(item))
            masked.append(None)
        else:
            raise IndexError(
                f"index {item!r}: expected integers, slices, ..., None, or arrays of integers or booleans"
            )
    ellipses = [i for i, item in enumerate(items) if isinstance(item, EllipsisType)]
    if len(ellipses) > 1:
        raise IndexError("an index can only have one ellipsis")
    num_named = sum(not isinstance(item, EllipsisType) and item is not None for item in items)
    if num_named > len(shape):
        raise IndexError(f"too many indices: the array has {len(shape)} axes, {num_named} are indexed")
    at = ellipses[0] if ellipses else len(items)
    rest = len(shape) - num_named
    items[at : at + 1], masked[at : at + 1] = [slice(None)] * rest, [None] * rest
    axis = 0
    for i, item in enumerate(items):
        if item is None:
            continue
        if masked[i] not in (None, shape[axis]):
            raise IndexError(
                f"a boolean index has {masked[i]} values along axis {axis}, which has size {shape[axis]}"
            )
        items[i] = _checked(item, axis, shape[axis])
        axis += 1
    return items


def _checked(item: Any, axis: int, size: int) -> Item:
    """The item with negative positions replaced; slices are unchanged."""
    if isinstance(item, slice):
        return item
    positions = np.asarray(item)
    if positions.size and (positions.min() < -size or positions.max() >= size):
        wrong = positions[(positions < -size) | (positions >= size)].flat[0]
        raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {size}")
    positions = np.where(positions < 0, positions + size, positions)
    return positions if positions.ndim else int(positions)


def _positions(item: Item, size: int) -> NDArray[np.intp]:
    """The positions that an item selects, in its order, as a flat array."""
    if isinstance(item, slice):
        return np.arange(*item.indices(size))
    return np.asarray(item).reshape(-1)


def _shaped(item: Item, positions: NDArray[np.intp]) -> Item:
    """`positions` in the form of `item`: a slice if `item` is one, else an array of its shape or an
    integer."""
    if isinstance(item, slice):
        step = int(positions[1] - positions[0]) if positions.size > 1 else 1
        stop = int(positions[-1]) + (1 if step > 0 else -1)
        return slice(int(positions[0]), stop if stop >= 0 else None, step)
    return positions.reshape(item.shape) if isinstance(item, np.ndarray) else int(positions[0])
