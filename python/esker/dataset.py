"""Dataset, Field and Selection: reading datasets as NumPy arrays.

Boxes, origins and strides list x first, as everywhere in Esker. Shapes, dimension names and arrays list the
slowest axis first, as everywhere in NumPy. `_slowest_first` converts one order to the other.
"""

from __future__ import annotations

import math
import operator
import os
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from esker import _core
from esker.array import Array
from esker.mesh import LevelCover, Mesh, MeshPatch, mesh_of
from esker.names import name_in_source
from esker.remote import is_url, located
from esker.values import AttributeValue, attribute_of, attributes_of, numbers_of
from esker.viewing import Camera, View, view_of

Corner = Sequence[int]
Box = tuple[Corner, Corner]

_UNSYNCED = ".esker-unsynced"
"""Suffix of the file that lists the steps which a power failure may have damaged."""

COMPONENT_DIM = "component"
"""Name of the last dimension of fields with more than one component."""


def component_dims(counts: Iterable[int], taken: Container[str] = ()) -> dict[int, str]:
    """Names of component dimensions by size, for xarray and Zarr, where a dimension has a single size.

    The name is "component" if all fields have the same number of components, else "component_2",
    "component_3" and so on. A name in `taken` gets underscores appended.

    >>> component_dims([1, 3, 1, 3]), component_dims([3, 2])
    ({3: 'component'}, {2: 'component_2', 3: 'component_3'})
    """
    several = sorted({count for count in counts if count > 1})
    names = {}
    for count in several:
        name = f"{COMPONENT_DIM}_{count}" if len(several) > 1 else COMPONENT_DIM
        while name in taken:
            name += "_"
        names[count] = name
    return names


class DatasetWarning(UserWarning):
    """A dataset written by Esker is or may be incomplete; `Dataset.warnings` has the details."""


def _losses(dataset: Dataset) -> list[str]:
    """The warnings about lost data; those about files of other programs only name what Esker does not
    read."""
    is_idx = any(part.bits_per_block for part in dataset.parts)
    return [text for text in dataset.warnings if is_idx or _UNSYNCED in text]


def open(
    path: str | os.PathLike[str],
    *,
    verify: bool = False,
    threads: int | None = None,
    cache_bytes: int = 64 << 20,
    storage_options: Mapping[str, Any] | None = None,
) -> Dataset:
    """Opens a dataset: an `.idx` file, the directory of a writer with several grids, a CDF or an HDF5 file.

    `path` may be any URL that fsspec supports, such as "https://..." or "s3://bucket/run.idx"; a read then
    fetches only the blocks it needs. ARCO datasets (one file per block) can be read from a URL as well.

    In CDF files (netCDF's classic formats) and HDF5 files (NetCDF-4 or plain) written by other programs, the
    fields are the numeric variables with at least one axis in addition to the record axis, and the steps are
    the records. `warnings` lists what is left out. Names of variables in a group are prefixed by the group's
    name and '_'.

    Reads headers only. Damage that does not prevent reading is listed in `warnings` and issued as a
    DatasetWarning.

    verify:      compare each block with its checksum when it is read, if the file has checksums
    threads:     maximum number of threads of a read; the default is one per processor, and 16 for a URL
    cache_bytes: size of the cache of decoded and downloaded blocks; 0: no cache
    storage_options: with a URL, options for fsspec: credentials, endpoints

    Raises FileNotFoundError, OSError (damaged), or NotImplementedError.

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.zeros((5, 8), "f4")})
    >>> ds = esker.open("run.idx")
    >>> list(ds), ds.steps, ds["thk"].dims
    (['thk'], [0.0], ('y', 'x'))
    """
    how = {"verify": verify, "threads": threads or 0, "cache_bytes": cache_bytes}
    there, files = located(path, storage_options)
    again = how if files is None else {**how, "storage_options": storage_options}
    dataset = Dataset(os.fspath(path), _core.open(there, **how, files=files), again)
    for text in _losses(dataset):
        warnings.warn(text, DatasetWarning, stacklevel=2)
    return dataset


@dataclass(frozen=True)
class Grid:
    """Named dimensions with sizes, and coordinates where the dataset has them."""

    name: str
    dims: Mapping[str, int]
    """Name to size, slowest first."""
    coords: Mapping[str, NDArray[Any]]
    """Dimension name to one value per index, with the dataset's type."""
    attrs: Mapping[str, AttributeValue]
    has_no_axes: bool = False
    """The fields are time series with one sample per step; their dimension of size 1 does not exist in netCDF
    files."""
    mesh: Mesh | None = None
    """The levels of the mesh whose finest level this grid is."""


@dataclass(frozen=True)
class Scalar:
    """A constant value without axes, for example a grid mapping."""

    name: str
    value: AttributeValue
    """A NumPy scalar, or a text."""
    attrs: Mapping[str, AttributeValue]


@dataclass(frozen=True)
class Part:
    """The time-dependent or the fixed fields of a grid. In an IDX dataset each part is one `.idx` file, or some
    for each partition of the grid."""

    name: str
    path: str
    """Path of the part's `.idx` file, of the single file of all parts, or of the `.midx` file of partitions."""
    fields: tuple[str, ...]
    box: Box
    bitmask: str
    bits_per_block: int
    """0 (and so are the numbers of blocks) if the format has no blocks."""
    blocks_per_file: int
    num_blocks: int
    """Number of stored blocks per field and step."""
    num_steps: int
    local_partitions: int = 0
    """Partitions that are stored separately, with partition_index="local"; 0: none."""
    hybrid_bricks: int = 0
    """Partitions whose coarse blocks are separate, with partition_index="hybrid", until a merge; 0: none."""
    has_checksums: bool = False
    """Its blocks, or patches, have checksums: esker.verify() finds changed values."""


@dataclass(frozen=True)
class Storage:
    """Number and total size of the files with samples of committed steps."""

    files: int
    bytes: int


class StoredSamples(NamedTuple):
    """What a step stores of a field, in samples of the grid: Field.stored()."""

    primary: int
    """Of levels that are kept at their place."""
    secondary: int
    """Other samples in stored blocks."""
    padding: int
    """Samples of stored blocks outside the grid."""
    blocks: int

    @property
    def efficiency(self) -> float:
        """Primary samples over all samples of the grid that are stored."""
        stored = self.primary + self.secondary
        return self.primary / stored if stored else 1.0


class FieldErrors(NamedTuple):
    """What lossy compression changed in a field at a step. Both numbers are bounds: no true error is larger."""

    largest: float
    """Largest absolute difference between a sample and its stored value."""
    rms: float
    """Root of the mean square of the differences."""


@dataclass(frozen=True)
class Selection:
    """The samples selected by a query: a hyperslab with the points origin + i * stride of the full grid.

    `origin` and `stride` list x first; `shape` is the shape of the array that read() returns. The samples are
    aligned to index 0 of the grid, not to the corner of the box. `shape` contains a 0 if no sample is in the
    box.
    """

    dims: tuple[str, ...]
    """Names of the grid's dimensions, slowest first (without the component dimension)."""
    origin: tuple[int, ...]
    stride: tuple[int, ...]
    shape: tuple[int, ...]
    level: int
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Bytes of the array that read() returns."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def box_of(self, part: Box) -> Box:
        """The box of the full grid that contains exactly the samples at the indices `part` of this
        selection."""
        corners = [
            (origin + first * stride, origin + (last - 1) * stride + 1)
            for origin, stride, first, last in zip(self.origin, self.stride, *part)
        ]
        return tuple(lo for lo, _ in corners), tuple(hi for _, hi in corners)

    def slices_of(self, coarser: Selection) -> tuple[slice, ...]:
        """The slices of this selection's array that hold the samples of a coarser selection of the same
        box."""
        axes = zip(
            self.origin,
            self.stride,
            coarser.origin,
            coarser.stride,
            reversed(coarser.shape[: len(self.dims)]),
        )
        slices = []
        for origin, stride, first, step, count in axes:
            start, ratio = (first - origin) // stride, step // stride
            slices.append(slice(start, start + count * ratio, ratio))
        return tuple(_slowest_first(slices))

    def places_of(self, coarser: Selection) -> tuple[slice, ...]:
        """Deprecated name of slices_of()."""
        warnings.warn("Selection.places_of is called slices_of now", DeprecationWarning, stacklevel=2)
        return self.slices_of(coarser)

    def indices(self, dim: str) -> NDArray[np.int64]:
        """Index in the full grid of each sample along `dim`."""
        position = _position(dim, self.dims)
        axis = len(self.dims) - 1 - position
        return self.origin[axis] + self.stride[axis] * np.arange(self.shape[position], dtype=np.int64)


class Field:
    """One variable of a dataset. `read` returns samples, `select` describes them, `coords` gives their
    coordinates."""

    def __init__(self, dataset: Dataset, core_field: _core.Field, grid: Grid) -> None:
        self.dataset = dataset
        self._core = dataset._core
        self.name: str = core_field.name
        self.grid = grid
        self.dtype: np.dtype[Any] = np.dtype(core_field.type)
        self.components: int = core_field.components
        self.fixed: bool = core_field.fixed
        """Whether the field is written once instead of per step."""
        self.is_series: bool = grid.has_no_axes
        """Whether the field is a time series: one value per step, without axes; `shape` is (1,)."""
        self.every: int = core_field.every
        """The field is written at steps 0, every, 2 * every, ..."""
        self.compression: str = core_field.compression or "none"
        """The option `compression` of the field: "none", "zip", "zfp-accuracy=0.001"."""
        self.stored_bits: int | None = core_field.stored_bits or None
        """Bits per sample that are stored, see Writer.field; None: samples are stored as they are."""
        self.attrs: Mapping[str, AttributeValue] = attributes_of(core_field.attributes)
        self.max_level: int = self._core.max_level(self.name)
        lo, hi = self._core.box(self.name)
        self.box: Box = (tuple(lo), tuple(hi))
        """Index range of the grid, half open, x first."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened_field, (self.dataset, self.name)

    def __getitem__(self, index: Any) -> NDArray[Any]:
        """Samples selected by a NumPy index over all steps: the same as array()[index].

        >>> import numpy as np
        >>> import esker
        >>> y, x = np.mgrid[0:50, 0:80]
        >>> esker.write("grid.idx", {"sum": x + y})
        >>> esker.open("grid.idx")["sum"][-1, 10:12, ::32]
        array([[10, 42, 74],
               [11, 43, 75]])
        """
        return self.array()[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.array().__array__(dtype, copy)

    def array(self, level: int | None = None, stride: Corner | None = None) -> Array:
        """All steps, with the samples up to a level or at a stride, as a lazy array that reads what an index
        selects."""
        return Array(self, level, stride)

    def __repr__(self) -> str:
        kind = "fixed" if self.fixed else f"{len(self.steps)} steps"
        sizes = ", ".join(f"{dim}: {size}" for dim, size in zip(self.dims, self.shape))
        return f"<esker.Field {self.name} {self.dtype} ({sizes}), {kind}, levels 0-{self.max_level}>"

    @property
    def dims(self) -> tuple[str, ...]:
        """Dimension names, slowest first; the last is "component" if there is more than one component."""
        return (*self.grid.dims, *([COMPONENT_DIM] if self.components > 1 else []))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array that read() returns at the finest level: (z, y, x[, component])."""
        lo, hi = self.box
        return self._array_shape([h - l for l, h in zip(lo, hi)])

    def has(self, step: int) -> bool:
        """Whether the field was written at a position in Dataset.steps (negative counts from the end).

        For a fixed field: whether it was written at all. False if the dataset has no steps. Raises IndexError
        if `step` is out of range.
        """
        if self.fixed:
            return self._is_written
        return bool(self.dataset.steps) and self._core.has(self.name, self.dataset._step(step))

    @cached_property
    def _is_written(self) -> bool:
        """For a fixed field. Esker writes it with the first step; files of other programs need no step."""
        if self.dataset.steps:
            return True
        try:
            self.read(box=(self.box[0], self.box[0]))
        except KeyError:
            return False
        return True

    @property
    def steps(self) -> list[float]:
        """Time values of the steps at which the field was written; empty for fixed fields."""
        if self.fixed:
            return []
        return [time for step, time in enumerate(self.dataset.steps) if self._core.has(self.name, step)]

    def stored(self, step: int = -1) -> StoredSamples:
        """What a step stores of the field. All samples are primary unless the step is sparse (Step.keep); formats
        without blocks have none.

        Reads no samples. Raises IndexError (no such step), KeyError (not written at that step), OSError.
        """
        found = self._core.stored_samples(self.name, operator.index(step))
        if found:
            return StoredSamples(found.primary, found.secondary, found.padding, found.blocks)
        if self.has_whole_levels:
            boxes = (zip(lo, hi, strict=True) for _, lo, hi in self.patches(step))
            return StoredSamples(sum(math.prod(end - begin for begin, end in box) for box in boxes), 0, 0, 0)
        samples = math.prod(end - begin for begin, end in zip(*self.box, strict=True))
        part = next((part for part in self.dataset.parts if self.name in part.fields), None)
        if part is None or not part.bits_per_block:
            return StoredSamples(samples, 0, 0, 0)
        return StoredSamples(samples, 0, (part.num_blocks << part.bits_per_block) - samples, part.num_blocks)

    def is_sparse(self, step: int = -1) -> bool:
        """Whether a step is sparse (Step.keep) in this field. Raises the same exceptions as stored()."""
        return self._core.stored_samples(self.name, operator.index(step)) is not None

    def patches(self, step: int = -1) -> list[MeshPatch]:
        """The patches that a step put on the field's mesh, by ascending level and corners; empty without a mesh.

        Reads no samples. Raises IndexError (no such step), KeyError (not written at that step), OSError.
        """
        found = self._core.patches(self.name, operator.index(step))
        return [MeshPatch(level, tuple(lo), tuple(hi)) for level, lo, hi in found]

    def level_covers(self, step: int = -1) -> list[LevelCover]:
        """What these patches are of each level of the mesh. Raises the same exceptions."""
        return [LevelCover(*cover) for cover in self._core.level_covers(self.name, operator.index(step))]

    @property
    def has_whole_levels(self) -> bool:
        """Whether the field is on a mesh whose levels are stored whole, for the argument `mesh_level` of read()."""
        return self._core.has_whole_levels(self.name)

    def levels(
        self,
        step: int = -1,
        box: Box | None = None,
        level: int | None = None,
        *,
        stride: Corner | None = None,
    ) -> NDArray[np.int8]:
        """The level map: the finest level that is stored, with all coarser ones, at the place of each sample
        that read() would return for the same arguments, as int8 in the order (z, y, x); -1 where the coarsest
        is not stored, even if finer ones are.

        max_level everywhere, unless the step is sparse (Step.keep). Reads no samples and opens no block file.

        >>> import numpy as np
        >>> import esker
        >>> with esker.Writer("run.idx", dims={"x": 8, "y": 8}, bits_per_block=2) as writer:
        ...     field = writer.field("f", "f8")
        ...     with writer.step(0.0) as step:
        ...         step.put(field, np.arange(64.0).reshape(8, 8))
        ...         step.keep(field, level=-2)
        ...         step.keep(field, boxes=[((4, 4), (8, 8))])
        >>> esker.open("run.idx")["f"].levels(stride=(4, 4))
        array([[4, 4],
               [4, 6]], dtype=int8)
        """
        query = self._query(step, box, level, stride)
        counts = self.select(step, box, level, stride).shape[: len(self.grid.dims)]
        out = np.empty(counts, np.int8)
        self._core.levels_into(self.name, out, *query)
        return out

    def errors(self, step: int = -1) -> FieldErrors | None:
        """The largest absolute error and the RMS error that lossy compression made at a step, in a copy of a
        lossy field also before (its attribute prior_errors); None if nothing was lost. NaN if a program stored
        the field that does not record errors.

        Covers all samples of the grid. Reads the tables of the step's block files, and no samples. Raises
        IndexError (no such step), KeyError (not written at that step), OSError.

        >>> import numpy as np
        >>> import esker
        >>> z, y, x = np.mgrid[0:1:40j, 0:1:40j, 0:1:40j]
        >>> wave = np.sin(9 * x) + y * z
        >>> esker.write("run.idx", {"wave": wave}, compression="zfp-accuracy=1e-3")
        >>> field = esker.open("run.idx")["wave"]
        >>> errors = field.errors()
        >>> bool(np.abs(field.read() - wave).max() <= errors.largest <= 1e-3), errors.rms <= errors.largest
        (True, True)
        """
        found = self._core.errors(self.name, operator.index(step))
        return FieldErrors(found.largest, found.rms) if found else None

    @property
    def largest_errors(self) -> list[float]:
        """The largest absolute error of each step, 0 where the field is absent; one number for a fixed field.
        Empty if errors() has none."""
        return self._core.largest_errors(self.name)

    def select(
        self,
        step: int = -1,
        box: Box | None = None,
        level: int | None = None,
        stride: Corner | None = None,
        *,
        mesh_level: int | None = None,
    ) -> Selection:
        """Describes the samples that read() with these arguments returns, without reading them."""
        query = self._query(step, box, level, stride)
        found = self._core.select(self.name, *query, mesh_level=mesh_level)
        return Selection(
            dims=tuple(self.grid.dims),
            origin=tuple(found.origin),
            stride=tuple(found.stride),
            shape=self._array_shape(found.count),
            level=found.level,
            dtype=self.dtype,
        )

    def read(
        self,
        step: int = -1,
        box: Box | None = None,
        level: int | None = None,
        bits: int | None = None,
        *,
        stride: Corner | None = None,
        missing: str | None = None,
        masked: bool = False,
        mesh_level: int | None = None,
        progress: Callable[[float], object] | None = None,
        statistics: _core.ReadStatistics | None = None,
    ) -> NDArray[Any]:
        """Reads samples into a new C-order array (z, y, x[, component]).

        step:       position in Dataset.steps; negative counts from the end; ignored for fixed fields
        box:        ((x0, y0, z0), (x1, y1, z1)), half open, in samples of the full grid; None: the full grid.
                    It must be within the grid; field[...] follows NumPy's slicing rules instead
        level:      resolution from 0 (one sample) to max_level (all samples, the default)
        bits:       leading bits of each sample that are read, from 1 to stored_bits; None: all. Fewer bits
                    are fewer bytes. ValueError for fields without stored_bits; docs/guide/precision.md
        stride:     (sx, sy, sz) instead of a level: returns the samples whose index is a multiple of the
                    stride on each axis, and reads the coarsest level that contains them all
        missing:    value of samples whose block is not in the dataset. "fill": `_FillValue`, or 0 without
                    one; "nan"; "nearest": the nearest stored sample of a coarser level, if there is one;
                    "linear": between the coarser samples on both sides; None: "nearest" in sparse steps
                    (Step.keep), else "fill"; OSError for a block that Esker wrote
        masked:     return a numpy.ma.MaskedArray that masks the samples whose block is not in the dataset
        mesh_level: the level of a mesh that is read, also under finer ones, if has_whole_levels; all indices
                    are then those of this level. None: the finest level at each place
        progress:   called repeatedly with the fraction done; an exception from it ends the read
        statistics: an esker.ReadStatistics that receives the cost of the read

        Raises IndexError (step, level or box outside the dataset), ValueError, OSError. Releases the
        GIL; Ctrl-C ends the read.

        >>> import numpy as np
        >>> import esker
        >>> y, x = np.mgrid[0:50, 0:80]
        >>> esker.write("run.idx", {"sum": x + y})
        >>> field = esker.open("run.idx")["sum"]
        >>> field.read(box=((3, 10), (6, 12)))
        array([[13, 14, 15],
               [14, 15, 16]])
        >>> field.read(level=3)           # every 32nd sample along both axes
        array([[ 0, 32, 64],
               [32, 64, 96]])
        >>> field.read(stride=(30, 20))
        array([[  0,  30,  60],
               [ 20,  50,  80],
               [ 40,  70, 100]])
        """
        query = self._query(step, box, level, stride)
        selection = self.select(step, box, level, stride, mesh_level=mesh_level)
        out = np.empty(selection.shape, self.dtype)
        stored = self._stored_flags(out) if masked else None
        how = {"missing": missing, "is_stored": stored, "progress": progress, "statistics": statistics}
        self._core.read_into(self.name, out, *query, bits=bits, mesh_level=mesh_level, **how)
        return out if stored is None else self._masked(out, stored)

    def refine(
        self,
        step: int = -1,
        box: Box | None = None,
        level: int | None = None,
        *,
        start: int = 0,
        every: int | None = None,
        missing: str | None = None,
        masked: bool = False,
        statistics: _core.ReadStatistics | None = None,
    ) -> Iterator[tuple[int, NDArray[Any]]]:
        """Reads samples from coarse to fine and yields (level, array); the last array is what read() returns.

        Samples of one array are not read again for the next one. Each array is a new one.

        start: the coarsest level to yield
        every: number of levels between arrays; by default the number of axes, so that each array has twice as
               many samples along each axis as the previous one

        >>> import numpy as np
        >>> import esker
        >>> esker.write("map.idx", {"thk": np.zeros((512, 512), "f4")})
        >>> for level, array in esker.open("map.idx")["thk"].refine(start=13):
        ...     print(level, array.shape)
        14 (128, 128)
        16 (256, 256)
        18 (512, 512)
        """
        previous: tuple[Selection, NDArray[Any], NDArray[np.uint8] | None] | None = None
        for stage in self._stages(start, self.select(step, box, level).level, every):
            selection = self.select(step, box, stage)
            out = np.empty(selection.shape, self.dtype)
            stored = self._stored_flags(out) if masked else None
            how = {"start_level": 0, "missing": missing, "is_stored": stored, "statistics": statistics}
            if previous is not None:
                coarser, samples, _ = previous
                out[selection.slices_of(coarser)] = samples
                how["start_level"] = coarser.level + 1
            self._core.read_into(self.name, out, *self._query(step, box, stage, None), **how)
            if previous is not None and stored is not None:
                stored[selection.slices_of(previous[0])] = previous[2]
            previous = (selection, out, stored)
            yield stage, out.copy() if stored is None else self._masked(out.copy(), stored.copy())

    def _stages(self, start: int, finest: int, every: int | None) -> range:
        """The levels that refine() yields."""
        stride = len(self.grid.dims) if every is None else operator.index(every)
        if stride < 1:
            raise ValueError(f"every: expected at least 1, found {stride}")
        if not 0 <= start <= finest:
            raise IndexError(f"start: expected a level from 0 to {finest}, found {start}")
        return range(start + (finest - start) % stride, finest + 1, stride)

    def view(
        self,
        camera: Camera,
        *,
        origin: Sequence[float] | None = None,
        spacing: Sequence[float] | None = None,
        pixels_per_sample: float = 1.0,
        previous_level: int | None = None,
    ) -> View | None:
        """The part of the grid that `camera` sees and the level whose samples are about a pixel apart, or
        None if nothing is in view. Reads no samples.

        origin, spacing:   world coordinates of index 0, x first, and the distance between samples; by default
                           taken from the coordinates, or equal to the indices
        pixels_per_sample: maximum distance between samples on the screen
        previous_level:    the level of the previous view; it is kept if it is nearly as good

        >>> import numpy as np
        >>> import esker
        >>> esker.write("map.idx", {"thk": np.zeros((1024, 1024), "f4")})
        >>> field = esker.open("map.idx")["thk"]
        >>> camera = esker.Camera.orthographic(
        ...     (512, 512, 1), (512, 512, 0), up=(0, 1, 0), height=1024, near=0, far=2, viewport=(256, 256))
        >>> view = field.view(camera)
        >>> view.level, field.read(box=view.box, level=view.level).shape
        (16, (256, 256))
        """
        return view_of(self._core, self.name, camera, origin, spacing, pixels_per_sample, previous_level)

    def coords(
        self, dim: str, box: Box | None = None, level: int | None = None, stride: Corner | None = None
    ) -> NDArray[Any]:
        """Coordinates along `dim` of the samples that read(box=box, level=level, stride=stride) returns.

        If the dataset has no coordinates for that dimension, the indices in the full grid.
        """
        indices = self._lattice(box, level, stride).indices(dim)
        values = self.grid.coords.get(dim)
        return indices if values is None else values[indices]

    def _lattice(self, box: Box | None, level: int | None, stride: Corner | None = None) -> Selection:
        """select() for the first step at which the field was written."""
        present = (step for step in range(len(self.dataset.steps)) if self._core.has(self.name, step))
        return self.select(-1 if self.fixed else next(present, -1), box, level, stride)

    def _query(
        self, step: int, box: Box | None, level: int | None, stride: Corner | None
    ) -> tuple[int, tuple[list[int], list[int]] | None, int | None, list[int] | None]:
        if stride is not None:
            stride = [operator.index(s) for s in stride]
            if len(stride) != len(self.grid.dims):
                raise ValueError(
                    f"stride: expected {len(self.grid.dims)} numbers, x first, found {len(stride)}"
                )
        return (*_query(step, box, level), stride)

    def _stored_flags(self, out: NDArray[Any]) -> NDArray[np.uint8]:
        """An array for one flag per sample of `out`: whether the dataset stores it."""
        return np.empty(out.shape[: len(self.grid.dims)], np.uint8)

    def _masked(self, samples: NDArray[Any], stored: NDArray[np.uint8]) -> np.ma.MaskedArray[Any, Any]:
        mask = stored == 0
        if self.components > 1:
            mask = np.broadcast_to(mask[..., np.newaxis], samples.shape)
        return np.ma.MaskedArray(samples, mask)

    def _array_shape(self, counts: Sequence[int]) -> tuple[int, ...]:
        return (*_slowest_first(counts), *([self.components] if self.components > 1 else []))


class Dataset:
    """An open dataset: `fields` by name, `steps` (time values), attributes, grids and files."""

    def __init__(self, path: str, core: _core.Dataset, how: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._core = core
        self._how = dict(how)
        self.path = path
        self.attrs: Mapping[str, AttributeValue] = attributes_of(core.attributes)
        self.time_attrs: Mapping[str, AttributeValue] = attributes_of(core.time_attributes)
        """Attributes of the times of the steps: units, calendar."""
        self.dim_attrs: Mapping[str, Mapping[str, AttributeValue]] = MappingProxyType(
            {dim.name: attributes_of(dim.attributes) for dim in core.dims}
        )
        """Attributes of each dimension's coordinates."""
        self.time_dim: str = core.time_name
        """Name of the time dimension in netCDF files; "" if all fields are fixed and there are no times."""
        self.time_dtype: np.dtype[Any] = np.dtype(core.time_type)
        """Type of the times in netCDF files."""
        self.scalars: Mapping[str, Scalar] = MappingProxyType(
            {
                one.name: Scalar(one.name, attribute_of(one.value), attributes_of(one.attributes))
                for one in core.scalars
            }
        )
        """Values without axes, by name."""
        self.steps: list[float] = core.steps
        """Time value of each step."""
        grids = [_grid(grid, core.dims) for grid in core.grids]
        self.grids: Mapping[str, Grid] = MappingProxyType({grid.name: grid for grid in grids})
        fields = [Field(self, field, grids[field.grid]) for field in core.fields]
        self.fields: Mapping[str, Field] = MappingProxyType({field.name: field for field in fields})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the path and the arguments of open(); unpickling opens the dataset again."""
        return _reopened, (self.path if is_url(self.path) else os.path.abspath(self.path), self._how)

    def __getitem__(self, name: str) -> Field:
        """A field by its name, or by the one that it has in its source (`name_in_source`)."""
        found = self.fields.get(name) or self._of_sources.get(name)
        if found is None:
            known = ", ".join(self.fields)
            raise KeyError(f"{self.path}: no field {name!r}; the dataset has {known}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.fields or name in self._of_sources

    @cached_property
    def _of_sources(self) -> Mapping[str, Field]:
        """The fields by the names that they have in their sources."""
        return {name_in_source(field.name, field.attrs): field for field in self.fields.values()}

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __repr__(self) -> str:
        return f"<esker.Dataset {self.path!r}: {len(self.steps)} steps, fields {', '.join(self.fields)}>"

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the dataset; in an IDX dataset each part is one `.idx` file."""
        return tuple(_part(part) for part in self._core.parts)

    @property
    def warnings(self) -> list[str]:
        """Damage that does not prevent reading, and variables and attributes of other programs that are left
        out."""
        return self._core.warnings

    def storage(self) -> Storage:
        """Counts files and bytes; this inspects every file."""
        found = self._core.storage()
        return Storage(found.files, found.bytes)

    def _step(self, step: int) -> int:
        """`step` as a non-negative position; the library checks its range."""
        step = operator.index(step)
        return step + len(self.steps) if step < 0 else step


def _reopened(path: str, how: Mapping[str, Any]) -> Dataset:
    return open(path, **how)


def _reopened_field(dataset: Dataset, name: str) -> Field:
    return dataset[name]


def _slowest_first(x_first: Sequence[Any]) -> list[Any]:
    return list(reversed(x_first))


def _position(dim: str, dims: tuple[str, ...]) -> int:
    if dim not in dims:
        raise KeyError(f"no dimension {dim!r}; the grid has {', '.join(dims)}")
    return dims.index(dim)


def _query(
    step: int, box: Box | None, level: int | None
) -> tuple[int, tuple[list[int], list[int]] | None, int | None]:
    """The arguments converted for the extension, to plain integers; NumPy integers are accepted, floats are
    not."""
    corners = None
    if box is not None:
        lo, hi = box
        corners = ([operator.index(i) for i in lo], [operator.index(i) for i in hi])
        if any(l > h for l, h in zip(*corners)):
            raise ValueError(
                f"box: expected a lower and an upper corner, found {tuple(corners[0])} and "
                f"{tuple(corners[1])}"
            )
    return operator.index(step), corners, None if level is None else operator.index(level)


def _grid(grid: _core.Grid, dims: Sequence[_core.Dimension]) -> Grid:
    sizes = {dims[i].name: dims[i].size for i in _slowest_first(grid.dims)}
    coords = {name: numbers_of(values) for name, values in grid.coords.items()}
    return Grid(
        grid.name,
        MappingProxyType(sizes),
        MappingProxyType(coords),
        attributes_of(grid.attributes),
        any(dims[i].implicit for i in grid.dims),
        mesh_of(grid.mesh),
    )


def _part(part: _core.Part) -> Part:
    lo, hi = part.box
    return Part(
        name=part.name,
        path=part.path,
        fields=tuple(part.fields),
        box=(tuple(lo), tuple(hi)),
        bitmask=part.bitmask,
        bits_per_block=part.bits_per_block,
        blocks_per_file=part.blocks_per_file,
        num_blocks=part.num_blocks,
        num_steps=part.num_steps,
        local_partitions=part.local_partitions,
        hybrid_bricks=part.hybrid_bricks,
        has_checksums=part.has_checksums,
    )
