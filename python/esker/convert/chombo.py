"""HDF5 files of Chombo: plot files, and checkpoints with a dataset per variable, such as those of BISICLES.

Format: Chombo design document, "HDF5 I/O". The group level_N has a table `boxes` with inclusive corners. For
each variable NAME ("data" in plot files) it has the samples `NAME:datatype=0`, their places `NAME:offsets=0`,
and a group `NAME_attributes`. The samples of a box, ghost cells included, are its components one after the
other, x fastest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.pieces import PIECE_BYTES
from esker.convert.mesh_source import AXES, GEOMETRIES, MeshPatch, MeshSource, refinement_ratio
from esker.writing.chunked import scratch_array

_HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
_HDF5_ERRORS = (KeyError, OSError, RuntimeError, TypeError, ValueError)
"""Exceptions of h5py for damaged files."""
_NEWER = (
    "it probably needs a newer HDF5 than h5py's, {}: copy it with h5repack --low=0 --high=2 of the newer HDF5, or "
    "install a newer h5py"
)
_GLOBAL = "Chombo_global"
_SAMPLES, _OFFSETS = ":datatype=0", ":offsets=0"
_MOST_LEVELS, _MOST_COMPONENTS, _MOST_BOXES = 64, 4096, 1 << 24


@dataclass(frozen=True)
class ChomboPatch(MeshPatch):
    """A patch, and the position of its box in the table of the level."""

    number: int


class ChomboFile(MeshSource[ChomboPatch]):
    """A plot file or a checkpoint of Chombo. Datasets are mapped into memory when their samples are used.

    Datasets with chunks are copied to unnamed files in `scratch` (None: where tempfile makes files). Each
    component is a field: under its name in plot files; in checkpoints `thickness` for the only component of
    `thicknessData`, `velocity_0` and `velocity_1` for those of `velocityData`. Characters that names cannot
    have become `_`.

    Raises ValueError if the file is not a complete Chombo file, OSError if it cannot be read,
    NotImplementedError if h5py is missing.
    """

    def __init__(self, path: str | Path, scratch: str | Path | None = None) -> None:
        self.path = Path(path)
        self._scratch = scratch
        self._mapped: dict[str, NDArray[Any]] = {}
        with _opened(self.path) as file:
            root = _Node(file, str(path))
            rank = root.group(_GLOBAL).integer("SpaceDim", 1, 3)
            count = _number_of_levels(root)
            levels = [_Level(root, n, rank, n == count - 1) for n in range(count)]
            self.time = (root if root.has("time") else root.group("level_0")).real("time")
            names = {one.name: tuple(_names(one, root)) for one in levels[0].variables.values()}
            if root.has("coordinate_system"):  # AMReX's
                self.geometry = GEOMETRIES[root.integer("coordinate_system", 0, len(GEOMETRIES) - 1)]
        _check(levels)
        self._levels, self._names = levels, names
        coarsest = levels[0]
        self.axes = tuple(AXES[:rank])
        self.extent = tuple(hi - lo for lo, hi in zip(*coarsest.domain))
        self.ratios = tuple(level.ratio for level in levels[:-1])
        self.spacing = coarsest.spacing
        self.origin = coarsest.origin
        self.fields = tuple(name for of_variable in names.values() for name in of_variable)
        self.dtypes = tuple(
            one.dtype.newbyteorder("=") for one in coarsest.variables.values() for _ in range(one.components)
        )
        if twice := [name for name in self.fields if self.fields.count(name) > 1]:
            raise ValueError(f"{path}: expected different names of components, found {twice[0]!r} twice")
        self.patches = tuple(patch for n, level in enumerate(levels) for patch in level.patches(n))

    def read(self, patch: ChomboPatch) -> dict[str, NDArray[Any]]:
        """Field to samples of a patch, slowest axis first: views of mapped files."""
        samples: dict[str, NDArray[Any]] = {}
        for variable in self._levels[patch.level].variables.values():
            inner = tuple(slice(g, g + n) for g, n in zip(variable.ghosts, patch.shape))[::-1]
            with_ghosts = [n + 2 * g for g, n in zip(variable.ghosts, patch.shape)][::-1]
            begin, end = (int(at) for at in variable.offsets[patch.number : patch.number + 2])
            flat = self._samples(f"level_{patch.level}/{variable.name}{_SAMPLES}")
            of_box = flat[begin:end].reshape(variable.components, *with_ghosts)
            samples |= {name: of_box[c][inner] for c, name in enumerate(self._names[variable.name])}
        return samples

    def _samples(self, name: str) -> NDArray[Any]:
        if name not in self._mapped:
            h5py = _h5py(self.path)
            with _opened(self.path) as file:
                dataset = file[name]
                if dataset.file.filename != file.filename or dataset.external or dataset.is_virtual:
                    raise ValueError(
                        f"{self.path}: {name}: expected samples in this file, found them in another"
                    )
                place = dataset.id.get_offset()
                is_plain = dataset.id.get_type() == h5py.h5t.py_create(dataset.dtype)
                self._mapped[name] = (
                    _copied(dataset, self._scratch)
                    if place is None or not is_plain
                    else np.memmap(self.path, dataset.dtype, "r", place, dataset.shape)
                )
        return self._mapped[name]


def is_chombo(path: str | Path) -> bool:
    """Whether the path is an HDF5 file with the groups of Chombo.

    Raises NotImplementedError if it seems to be one, and h5py is not installed.
    """
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as stream:
        if stream.read(len(_HDF5_MAGIC)) != _HDF5_MAGIC:
            return False
        try:
            import h5py
        except ImportError:
            return _GLOBAL.encode() in stream.read(1 << 20) and bool(_h5py(path))
    try:
        with h5py.File(path, "r") as file:
            return _GLOBAL in file and "level_0" in file
    except (OSError, RuntimeError):  # damaged; esker.open says how
        return False


def _h5py(path: str | Path) -> Any:
    try:
        import h5py
    except ImportError as error:
        raise NotImplementedError(
            f"{path}: reading Chombo files requires the package h5py: pip install h5py"
        ) from error
    return h5py


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The file. Turns errors that do not name it, such as those of h5py, into OSError."""
    h5py = _h5py(path)
    try:
        with h5py.File(path, "r") as file:
            yield file
    except _HDF5_ERRORS as error:
        if str(error).startswith(str(path)):
            raise
        newer = f"; {_NEWER.format(h5py.version.hdf5_version)}" if "version number" in str(error) else ""
        raise OSError(f"{path}: the HDF5 file is damaged or cannot be read: {error}{newer}") from error


def _number_of_levels(root: _Node) -> int:
    if root.has("num_levels"):
        return root.integer("num_levels", 1, _MOST_LEVELS)
    return root.integer("finest_level", 0, _MOST_LEVELS - 1) + 1


def _names(variable: _Variable, root: _Node) -> Iterator[str]:
    """The fields of a variable."""
    if variable.name == "data":
        if (named := root.integer("num_components", 1, _MOST_COMPONENTS)) != variable.components:
            raise ValueError(f"{root.where}: num_components is {named}, but data has {variable.components}")
        for c in range(named):
            yield root.text(f"component_{c}")
        return
    base = variable.name.removesuffix("Data") or variable.name
    for c in range(variable.components):
        yield base if variable.components == 1 else f"{base}_{c}"


def _copied(dataset: Any, scratch: str | Path | None) -> NDArray[Any]:
    """A copy in native byte order, read piece by piece."""
    dtype = dataset.dtype.newbyteorder("=")
    copy = scratch_array(dataset.shape, dtype, scratch)
    step = PIECE_BYTES // dtype.itemsize
    for begin in range(0, dataset.size, step):
        copy[begin : begin + step] = dataset[begin : begin + step]
    return copy


@dataclass(frozen=True)
class _Variable:
    """A variable of a level."""

    name: str
    components: int
    ghosts: tuple[int, ...]
    """Ghost cells that are stored at both ends, x first."""
    offsets: NDArray[np.int64]
    """Where each box begins, and where the last one ends, in samples."""
    dtype: np.dtype[Any]


class _Level:
    """The tables of a level."""

    def __init__(self, root: _Node, number: int, rank: int, is_finest: bool) -> None:
        group = root.group(f"level_{number}")
        self.where = group.where
        corners = group.integers("prob_domain", 2 * rank)
        self.domain = corners[:rank], tuple(hi + 1 for hi in corners[rank:])
        if any(hi <= lo for lo, hi in zip(*self.domain)):
            raise ValueError(f"{self.where}: prob_domain: expected a box with cells, found {corners}")
        self.spacing = _spacing(group, rank)
        self.origin = _origin(group, self.domain[0], self.spacing)
        self.ratio = 1 if is_finest else _ratio(group, rank)
        self.lo, self.hi = _boxes(group, rank, self.domain)
        names = [name.removesuffix(_SAMPLES) for name in group.names() if name.endswith(_SAMPLES)]
        self.variables = {name: _variable(root, group, name, self.hi - self.lo) for name in sorted(names)}
        if not names:
            raise ValueError(f"{self.where}: expected datasets such as data{_SAMPLES}, found none")

    def patches(self, level: int) -> Iterator[ChomboPatch]:
        shapes, first = (self.hi - self.lo).tolist(), (self.lo - self.domain[0]).tolist()
        for number, (lo, shape) in enumerate(zip(first, shapes)):
            yield ChomboPatch(level, tuple(lo), tuple(shape), number)


def _check(levels: Sequence[_Level]) -> None:
    """That the levels refine the same domain, and have the same variables."""
    for coarse, fine in zip(levels, levels[1:]):
        expected = tuple(tuple(i * coarse.ratio for i in corner) for corner in coarse.domain)
        if fine.domain != expected:
            raise ValueError(
                f"{fine.where}: expected {coarse.ratio} times the domain of the coarser level, {expected}, "
                f"found {fine.domain}"
            )
        ours, theirs = (
            {v.name: (v.components, v.dtype) for v in level.variables.values()} for level in (coarse, fine)
        )
        if ours != theirs:
            differing = sorted({name for name, _ in ours.items() ^ theirs.items()})
            raise ValueError(
                f"{fine.where}: expected the datasets of the coarser level, with the same components and "
                f"types; different: {', '.join(differing)}"
            )


def _spacing(group: _Node, rank: int) -> tuple[float, ...]:
    name = next((name for name in ("vec_dx", "Vec_dx") if group.has(name)), "dx")
    spacing = group.reals(name, rank, may_be_one=True)
    spacing = spacing * rank if len(spacing) == 1 else spacing
    if not all(0 < dx < math.inf for dx in spacing):
        raise ValueError(f"{group.where}: {name}: expected positive numbers, found {spacing}")
    return spacing


def _origin(group: _Node, lo: Sequence[int], spacing: Sequence[float]) -> tuple[float, ...]:
    """The lower corner of the domain: AMReX says where it is; Chombo's index 0 is at 0."""
    if not group.has("prob_lo"):
        return tuple(i * dx for i, dx in zip(lo, spacing))
    origin = group.reals("prob_lo", len(lo))
    if not all(map(math.isfinite, origin)):
        raise ValueError(f"{group.where}: prob_lo: expected a place, found {origin}")
    return origin


def _ratio(group: _Node, rank: int) -> int:
    name = "vec_ref_ratio" if group.has("vec_ref_ratio") else "ref_ratio"
    return refinement_ratio(f"{group.where}: {name}", group.integers(name, rank, may_be_one=True))


def _boxes(group: _Node, rank: int, domain: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lower and upper corners, half open, x first."""
    table = group.table("boxes", _MOST_BOXES)
    names = [f"{end}_{axis}" for end in ("lo", "hi") for axis in "ijk"[:rank]]
    if missing := [name for name in names if name not in (table.dtype.names or ())]:
        raise ValueError(f"{group.where}/boxes: expected the column {missing[0]}, found {table.dtype.names}")
    corners = np.stack([table[name].astype(np.int64) for name in names], axis=-1)
    lo, hi = corners[:, :rank], corners[:, rank:] + 1
    good = (lo < hi).all(axis=1) & (lo >= domain[0]).all(axis=1) & (hi <= domain[1]).all(axis=1)
    if not good.all():
        bad = int(np.argmin(good))
        raise ValueError(
            f"{group.where}/boxes: box {bad}: expected a box inside the domain {domain}, found "
            f"{(tuple(lo[bad].tolist()), tuple(hi[bad].tolist()))}"
        )
    return lo, hi


def _variable(root: _Node, group: _Node, name: str, shapes: NDArray[np.int64]) -> _Variable:
    """A variable whose offsets are those of boxes of the given shapes."""
    components, ghosts = _form(root, group, name, shapes.shape[1])
    dataset = group.dataset(name + _SAMPLES)
    where = f"{group.where}/{name}"
    if dataset.dtype.kind not in "fiu" or dataset.ndim != 1:
        raise ValueError(
            f"{where}{_SAMPLES}: expected one axis of numbers, found {dataset.dtype} of shape {dataset.shape}"
        )
    offsets = group.table(name + _OFFSETS, _MOST_BOXES + 1)
    if offsets.shape != (len(shapes) + 1,) or offsets.dtype.kind not in "iu":
        raise ValueError(
            f"{where}{_OFFSETS}: expected {len(shapes) + 1} integers, found {offsets.dtype} of shape "
            f"{offsets.shape}"
        )
    sizes = np.prod(shapes + 2 * np.asarray(ghosts), axis=1, dtype=np.float64) * components
    found = np.diff(offsets.astype(np.float64))
    if not (good := sizes == found).all():
        bad = int(np.argmin(good))
        raise ValueError(
            f"{where}{_OFFSETS}: box {bad}: expected {sizes[bad]:.0f} samples ({components} components, "
            f"ghost cells {ghosts}), found {found[bad]:.0f}"
        )
    if int(offsets[0]) < 0 or int(offsets[-1]) > dataset.size:
        raise ValueError(
            f"{where}{_OFFSETS}: expected offsets inside the dataset of {dataset.size} samples, found "
            f"{int(offsets[0])} to {int(offsets[-1])}"
        )
    return _Variable(name, components, ghosts, offsets.astype(np.int64), dataset.dtype)


def _form(root: _Node, group: _Node, name: str, rank: int) -> tuple[int, tuple[int, ...]]:
    """The components and the ghost cells of a variable. AMReX gives them for all variables of the file."""
    if f"{name}_attributes" not in group.names():
        ghost = group.integer("ngrow", 0, 1 << 20) if group.has("ngrow") else 0
        return root.integer("num_components", 1, _MOST_COMPONENTS), (ghost,) * rank
    facts = group.group(f"{name}_attributes")
    ghosts = facts.integers("outputGhost" if facts.has("outputGhost") else "ghost", rank)
    if not all(0 <= ghost < 1 << 20 for ghost in ghosts):
        raise ValueError(f"{facts.where}: expected a number of ghost cells, found {ghosts}")
    return facts.integer("comps", 1, _MOST_COMPONENTS), ghosts


class _Node:
    """A group of the file, and its path in error messages."""

    def __init__(self, group: Any, where: str) -> None:
        self._group = group
        self.where = where

    def names(self) -> list[str]:
        return list(self._group)

    def has(self, attribute: str) -> bool:
        return attribute in self._group.attrs

    def group(self, name: str) -> _Node:
        where = f"{self.where}: {name}" if self._group.name == "/" else f"{self.where}/{name}"
        if not isinstance(found := self._member(name), _h5py(where).Group):
            raise ValueError(f"{where}: expected a group, found {_what(found)}")
        return _Node(found, where)

    def dataset(self, name: str) -> Any:
        where = f"{self.where}/{name}"
        if not isinstance(found := self._member(name), _h5py(where).Dataset):
            raise ValueError(f"{where}: expected a dataset, found {_what(found)}")
        try:
            _ = found.dtype
        except TypeError as error:
            raise ValueError(
                f"{where}: expected numbers or a table, found a type that NumPy lacks"
            ) from error
        return found

    def table(self, name: str, most: int) -> NDArray[Any]:
        """The rows of a dataset with one axis."""
        dataset = self.dataset(name)
        if dataset.ndim != 1 or dataset.size > most:
            raise ValueError(
                f"{self.where}/{name}: expected one axis of at most {most} rows, found the shape "
                f"{dataset.shape}"
            )
        rows: NDArray[Any] = dataset[()]
        return rows

    def integer(self, name: str, least: int, most: int) -> int:
        number = self.integers(name, 1)[0]
        if not least <= number <= most:
            raise ValueError(f"{self.where}: {name}: expected {least} to {most}, found {number}")
        return number

    def integers(self, name: str, count: int, may_be_one: bool = False) -> tuple[int, ...]:
        """An integer, or a vector of them; with may_be_one also one for all."""
        return self._numbers(name, (1, count) if may_be_one else (count,), (int,), "integers")

    def real(self, name: str) -> float:
        return self.reals(name, 1)[0]

    def reals(self, name: str, count: int, may_be_one: bool = False) -> tuple[float, ...]:
        counts = (1, count) if may_be_one else (count,)
        return tuple(map(float, self._numbers(name, counts, (int, float), "numbers")))

    def text(self, name: str) -> str:
        value = self._attribute(name)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{self.where}: {name}: expected a name, found {value!r}")
        return value.strip()

    def _numbers(
        self, name: str, counts: Sequence[int], types: tuple[type, ...], what: str
    ) -> tuple[Any, ...]:
        value = self._attribute(name)
        value = value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value
        numbers = tuple(value) if isinstance(value, (list, tuple)) else (value,)
        if len(numbers) not in counts or not all(type(number) in types for number in numbers):
            raise ValueError(f"{self.where}: {name}: expected {counts[-1]} {what}, found {str(value)[:80]}")
        return numbers

    def _attribute(self, name: str) -> Any:
        return self._found(name, self._group.attrs, "attribute")

    def _member(self, name: str) -> Any:
        return self._found(name, self._group, "group or dataset")

    def _found(self, name: str, members: Mapping[str, Any], what: str) -> Any:
        try:
            if name in members:
                return members[name]
        except _HDF5_ERRORS as error:
            raise OSError(f"{self.where}: the {what} {name!r} cannot be read: {error}") from error
        raise ValueError(f"{self.where}: expected the {what} {name!r}, found none")


def _what(found: Any) -> str:
    return f"a {type(found).__name__.lower()}"
