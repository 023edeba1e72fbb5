"""Plotfiles of AMReX: patches of an adaptive mesh at one time, mapped into memory.

Format: AMReX documentation, "Plotfiles" and "VisMF"; the directory has a text Header ("HyperCLaw-V1.1"), and for each
level a text Cell_H, which lists boxes and places of the patches in the files Cell_D_*. A patch is a line of text, then
its components one after the other, x fastest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from esker.convert.mesh_source import AXES, GEOMETRIES, MeshPatch, MeshSource

Number = TypeVar("Number", int, float)

_MAGIC = "HyperCLaw-V1.1"
_MOST_LEVELS, _MOST_COMPONENTS = 64, 4096


@dataclass(frozen=True)
class FabPatch(MeshPatch):
    """A patch, and where its samples are."""

    place: tuple[Path, int]
    """The file with its samples, and where they begin."""
    box_with_ghosts: tuple[tuple[int, ...], tuple[int, ...]]
    dtype: np.dtype[Any]


class Plotfile(MeshSource[FabPatch]):
    """An AMReX plotfile. Reading it maps files into memory; samples are read when they are used.

    Raises ValueError if the directory is no plotfile, OSError if it is damaged or cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        lines = _Lines(self.path / "Header")
        if (magic := lines.text()) != _MAGIC:
            raise ValueError(f"{self.path}: expected a plotfile of AMReX ({_MAGIC}), found {magic[:40]!r}")
        self.fields = tuple(lines.text() for _ in range(lines.integer(1, _MOST_COMPONENTS)))
        rank = lines.integer(1, 3)
        self.axes = tuple(AXES[:rank])
        self.time = lines.reals(1)[0]
        num_levels = lines.integer(0, _MOST_LEVELS - 1) + 1
        self.origin = tuple(lines.reals(rank))
        upper = lines.reals(rank)
        self.ratios = tuple(lines.integers(num_levels - 1)) if num_levels > 1 else lines.skip() or ()
        self._domains = [_box(text, rank) for text in lines.boxes(num_levels)]
        lines.skip()  # steps
        self.extent = tuple(hi - lo for lo, hi in zip(*self._domains[0]))
        self.spacing = tuple((hi - lo) / n for lo, hi, n in zip(self.origin, upper, self.extent))
        for _ in range(num_levels):
            lines.skip()  # spacing of the level
        self.geometry = GEOMETRIES[lines.integer(0, len(GEOMETRIES) - 1)]
        lines.skip()
        self.patches = tuple(
            patch for level in range(num_levels) for patch in self._patches_of(level, rank, lines)
        )
        dtype = self.patches[0].dtype.newbyteorder("=") if self.patches else np.dtype("f8")
        self.dtypes = (dtype,) * len(self.fields)

    def read(self, patch: FabPatch) -> dict[str, NDArray[Any]]:
        """Field to samples of a patch, slowest axis first: views of the file."""
        samples = self._samples(patch)
        lo, _ = patch.box_with_ghosts
        first = (start - ghost for start, ghost in zip(patch.lo, lo))
        inner = tuple(slice(begin, begin + size) for begin, size in zip(first, patch.shape))[::-1]
        return {name: samples[c][inner] for c, name in enumerate(self.fields)}

    def _patches_of(self, level: int, rank: int, header: _Lines) -> Iterator[FabPatch]:
        _, num_grids, _ = header.reals(3)
        header.skip()
        for _ in range(int(num_grids) * rank):
            header.skip()
        cells = self.path / header.text()
        if ".." in cells.parts:
            raise OSError(f"{self.path}: level {level} is outside of the plotfile: {cells}")
        lines = _Lines(cells.with_name(cells.name + "_H"))
        lines.skip()
        lines.skip()
        if (components := lines.integer(1, _MOST_COMPONENTS)) != len(self.fields):
            raise OSError(f"{lines.path}: expected {len(self.fields)} components, found {components}")
        lines.skip()  # ghost cells
        num_boxes = lines.number_of_boxes()
        boxes = [_box(lines.text(), rank) for _ in range(num_boxes)]
        lines.skip()
        if (num_places := lines.integer(0, 2**31)) != num_boxes:
            raise OSError(f"{lines.path}: {num_boxes} boxes, but {num_places} places")
        origin = self._domains[level][0]
        for lo, hi in boxes:
            _, name, offset = lines.words(3)
            if not offset.isdigit():
                raise OSError(f"{lines.path}: expected the place of a patch, found {offset[:40]!r}")
            yield self._patch(level, (lo, hi), origin, cells.parent / Path(name).name, int(offset))

    def _patch(self, level: int, box: Any, origin: tuple[int, ...], file: Path, offset: int) -> FabPatch:
        with file.open("rb") as stream:
            stream.seek(offset)
            line = stream.readline(4096)
        dtype, (lo, hi) = _fab_header(line, len(origin), file)
        place = (file, offset + len(line))
        with_ghosts = tuple(tuple(i - at for i, at in zip(corner, origin)) for corner in (lo, hi))
        first = tuple(i - at for i, at in zip(box[0], origin))
        shape = tuple(end - begin for begin, end in zip(*box))
        inside = all(
            a <= b and b + n <= c for a, b, n, c in zip(with_ghosts[0], first, shape, with_ghosts[1])
        )
        if not inside:
            raise OSError(f"{file}: the patch at {offset} does not hold the box {box} of level {level}")
        return FabPatch(level, first, shape, place, (with_ghosts[0], with_ghosts[1]), dtype)

    def _samples(self, patch: FabPatch) -> NDArray[Any]:
        file, offset = patch.place
        lo, hi = patch.box_with_ghosts
        shape = [end - begin for begin, end in zip(lo, hi)]
        whole = (len(self.fields), *reversed(shape))
        return np.memmap(file, patch.dtype, mode="r", offset=offset, shape=whole)


def is_plotfile(path: str | Path) -> bool:
    """Whether the path is a directory with the header of a plotfile."""
    header = Path(path) / "Header"
    if not header.is_file():
        return False
    with header.open("rb") as stream:
        return stream.readline(64).strip() == _MAGIC.encode()


def _fab_header(line: bytes, rank: int, file: Path) -> tuple[np.dtype[Any], Any]:
    """Type of the samples, and the box with ghost cells, half open."""
    text = line.decode("ascii", "replace")
    found = re.match(r"FAB \(\((\d+), \(([\d ]+)\)\),\((\d+), \(([\d ]+)\)\)\)(\(.*\)) \d+\s*$", text)
    if not found:
        raise OSError(f"{file}: expected a patch, which begins with 'FAB', found {text[:60]!r}")
    bits, order = int(found[2].split()[0]), [int(byte) for byte in found[4].split()]
    if bits not in (32, 64) or sorted(order) != list(range(1, bits // 8 + 1)):
        raise OSError(f"{file}: expected IEEE numbers of 32 or 64 bits, found {found[2]!r}, {found[4]!r}")
    if order not in (sorted(order), sorted(order, reverse=True)):
        raise OSError(f"{file}: bytes in the order {order}")
    endian = ">" if order[0] == 1 else "<"
    return np.dtype(f"{endian}f{bits // 8}"), _box(found[5], rank)


def _box(text: str, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """((lo) (hi) (type)), inclusive, as a half-open box, x first."""
    numbers = [int(number) for number in re.findall(r"-?\d+", text)]
    if len(numbers) != 3 * rank or any(numbers[2 * rank :]):
        raise OSError(f"expected a box of cells with {rank} axes, found {text[:80]!r}")
    lo, hi = tuple(numbers[:rank]), tuple(number + 1 for number in numbers[rank : 2 * rank])
    if any(end <= begin for begin, end in zip(lo, hi)):
        raise OSError(f"the box {text[:80]!r} is empty")
    return lo, hi


class _Lines:
    """The lines of a text file, read one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = iter(path.read_text("ascii", "replace").splitlines())

    def text(self) -> str:
        try:
            return next(self._lines).strip()
        except StopIteration:
            raise OSError(f"{self.path}: the file is cut off") from None

    def skip(self) -> None:
        self.text()

    def words(self, count: int) -> list[str]:
        words = self.text().split()
        if len(words) != count:
            raise OSError(f"{self.path}: expected {count} words, found {' '.join(words)[:80]!r}")
        return words

    def boxes(self, count: int) -> list[str]:
        boxes = re.findall(r"\(\([^)]*\) \([^)]*\) \([^)]*\)\)", self.text())
        if len(boxes) != count:
            raise OSError(f"{self.path}: expected {count} boxes, found {len(boxes)}")
        return boxes

    def number_of_boxes(self) -> int:
        """Of the line that begins a list of boxes: (number 0."""
        text = self.text()
        found = re.match(r"\((\d+) \d+$", text)
        if not found:
            raise OSError(f"{self.path}: expected a list of boxes, found {text[:80]!r}")
        return int(found[1])

    def integers(self, count: int) -> list[int]:
        return self._numbers(count, int)

    def reals(self, count: int) -> list[float]:
        return self._numbers(count, float)

    def _numbers(self, count: int, kind: Callable[[str], Number]) -> list[Number]:
        words = self.words(count)
        try:
            return [kind(word) for word in words]
        except ValueError:
            raise OSError(f"{self.path}: expected numbers, found {' '.join(words)[:80]!r}") from None

    def integer(self, least: int, most: int) -> int:
        number = self.integers(1)[0]
        if not least <= number <= most:
            raise OSError(f"{self.path}: expected {least} to {most}, found {number}")
        return number
