"""The parts of a workload's fields that ranks hold, and their values: bench/workload.cc for peers in Python.

Axes are slowest first, as in arrays of NumPy; the program that prints the parts counts them from the fastest one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGEST_CHUNK_BYTES = 4 << 20
_SAMPLE_BYTES = 8

Parts = dict[str, Any]
"""What `esker-bench WORKLOAD --parts RANKS` prints."""


@dataclass(frozen=True)
class Salt:
    """Values of one step of one repetition differ from those of all others."""

    repeat: int
    step: int


@dataclass(frozen=True)
class Chunks:
    """Chunks of at most 4 MiB where possible, and shards, which are the parts of the ranks."""

    chunk: tuple[int, ...]
    shard: tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """One component of a field, as a rank holds it."""

    name: str
    number: int
    """Of the field in the workload."""
    component: int
    shape: tuple[int, ...]
    """Of the whole grid."""
    lo: tuple[int, ...]
    hi: tuple[int, ...]
    slowest_first: tuple[int, ...]
    """The axes in the order of memory."""
    chunks: Chunks | None
    """None: the parts of the ranks cannot be shards."""

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(hi - lo for lo, hi in zip(self.lo, self.hi))

    @property
    def nbytes(self) -> int:
        return math.prod(self.extents) * _SAMPLE_BYTES

    @property
    def index(self) -> tuple[slice, ...]:
        """Of the part in an array of the whole grid."""
        return tuple(slice(lo, hi) for lo, hi in zip(self.lo, self.hi))

    def memory(self) -> NDArray[np.float64]:
        """Memory in the order of the simulation, with all pages touched."""
        extents = self.extents
        dense = np.zeros([extents[axis] for axis in self.slowest_first])
        dense[...] = 0
        return dense.transpose([self.slowest_first.index(axis) for axis in range(len(extents))])

    def compute(self, salt: Salt, out: NDArray[np.float64], is_smooth: bool) -> None:
        (_smooth if is_smooth else _exact)(self, salt, out)


def parts_of_rank(parts: Parts, rank: int) -> list[Part]:
    """All components of all fields."""
    found = []
    for number, field in enumerate(parts["fields"]):
        shape = tuple(reversed(parts["grids"][field["grid"]]))
        boxes = [[tuple(reversed(end)) for end in of_rank[number]] for of_rank in parts["boxes"]]
        lo, hi = boxes[rank]
        order = tuple(len(shape) - 1 - axis for axis in reversed(field["fastest_first"]))
        chunks = chunks_of(shape, boxes)
        for component in range(field["components"]):
            name = field["name"] if field["components"] == 1 else f"{field['name']}_{component}"
            found.append(Part(name, number, component, shape, lo, hi, order, chunks))
    return found


def chunks_of(shape: Sequence[int], boxes: Sequence[Sequence[tuple[int, ...]]]) -> Chunks | None:
    """Chunks and shards of an array whose ranks hold `boxes`; None unless every rank's part can be a shard.

    A chunk is a part whose longest axis is halved until it has at most 4 MiB, as Esker halves the grid. Axes that
    several ranks share are halved evenly, so that chunks end where parts end.
    """
    extents = [max(hi[axis] - lo[axis] for lo, hi in boxes) for axis in range(len(shape))]
    chunk = list(extents)
    while math.prod(chunk) * _SAMPLE_BYTES > _LARGEST_CHUNK_BYTES:
        can_halve = [
            axis
            for axis, extent in enumerate(chunk)
            if extent > 1 and (extent % 2 == 0 or extents[axis] == shape[axis])
        ]
        if not can_halve:
            break
        longest = max(can_halve, key=lambda axis: chunk[axis])
        chunk[longest] = -(-chunk[longest] // 2)
    shard = [-(-extent // size) * size for extent, size in zip(extents, chunk)]
    if any(first % size for lo, _ in boxes for first, size in zip(lo, shard)):
        return None
    return Chunks(tuple(chunk), tuple(shard))


def count_bad(part: Part, found: NDArray[np.float64], salt: Salt, is_smooth: bool) -> int:
    """How many samples differ from those that compute() makes."""
    if found.shape != part.extents or found.dtype != np.float64:
        return math.prod(part.extents)
    expected = part.memory()
    part.compute(salt, expected, is_smooth)
    return int(np.count_nonzero(found != expected))


def _axes(part: Part) -> list[NDArray[np.int64]]:
    """The indices along each axis, the fastest one in the grid first, to be combined by broadcasting."""
    n = len(part.shape)
    ranges = [np.arange(lo, hi, dtype=np.int64) for lo, hi in zip(part.lo, part.hi)]
    return [one.reshape([-1 if a == axis else 1 for a in range(n)]) for axis, one in enumerate(ranges)][::-1]


def _exact(part: Part, salt: Salt, out: NDArray[np.float64]) -> None:
    place = sum(axis * factor for axis, factor in zip(_axes(part)[1:], (4099, 16785407)))
    what = part.component + 16 * part.number + 512 * (salt.step + 64 * salt.repeat)
    slower = np.asarray(31 * place + 7919 * what, np.float64)
    np.add(slower, 31.0 * _axes(part)[0], out=out)


def _smooth(part: Part, salt: Salt, out: NDArray[np.float64]) -> None:
    phase = 7 * (part.component + 16 * part.number) + 3 * salt.step + 11 * salt.repeat
    x, y, z = (*_axes(part), *[np.zeros(1, np.int64)] * 2)[:3]
    place = (x + 4099 * y + 16785407 * z + 7919 * phase).astype(np.uint64)
    noise = (place * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)).astype(np.float64) / (1 << 24)
    waves = 1000 * _wave(x + phase, 97) * _wave(y + 2 * phase, 83) + 500 * _wave(z + phase, 71)
    np.add(waves, 1e-3 * noise, out=out)


def _wave(x: NDArray[np.int64], length: int) -> NDArray[np.float64]:
    """Parabolas between 0 and 1, with a continuous slope."""
    t = (x % length) / length
    return np.where(t < 0.5, 8 * t * (0.5 - t), 8 * (t - 0.5) * (t - 1))
