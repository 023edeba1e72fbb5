"""Field: one variable of a dataset, whose samples it reads."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from esker import _core
from esker.base.boxes import Box, Corner
from esker.base.counts import count_of
from esker.base.dimensions import COMPONENT_DIM
from esker.base.values import AttributeValue, attributes_of
from esker.dataset import display
from esker.dataset.array import Array
from esker.dataset.description import FieldErrors, Grid, StoredSamples
from esker.dataset.destination import OutArray, destination
from esker.dataset.selection import Selection, query_of, slowest_first
from esker.dataset.viewing import Camera, View, view_of

if TYPE_CHECKING:
    from esker.dataset.opening import Dataset
from esker.dataset.mesh import LevelCover, MeshPatch


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
        kind = "fixed" if self.fixed else count_of(len(self.steps), "step")
        sizes = ", ".join(f"{dim}: {size}" for dim, size in zip(self.dims, self.shape))
        return f"<esker.Field {self.name} {self.dtype} ({sizes}), {kind}, levels 0-{self.max_level}>"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return display.field_html(self)

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
        out: OutArray | None = None,
        stride: Corner | None = None,
        missing: str | None = None,
        masked: bool = False,
        mesh_level: int | None = None,
        progress: Callable[[float], object] | None = None,
        statistics: _core.ReadStatistics | None = None,
    ) -> NDArray[Any]:
        """Reads samples into a new C-order array (z, y, x[, component]), or into `out`.

        step:       position in Dataset.steps; negative counts from the end; ignored for fixed fields
        box:        ((x0, y0, z0), (x1, y1, z1)), half open, in samples of the full grid; None: the full grid. It must
                    be within the grid; field[...] follows NumPy's slicing rules instead
        level:      resolution from 0 (one sample) to max_level (all samples, the default)
        bits:       leading bits of each sample that are read, from 1 to stored_bits; None: all. Fewer bits are fewer
                    bytes. ValueError for fields without stored_bits; docs/guide/precision.md
        out:        an array that is filled and returned: of NumPy, with DLPack, or on a GPU; of the field's dtype, of
                    the shape that select() has, with any strides; docs/guide/python.md
        stride:     (sx, sy, sz) instead of a level: returns the samples whose index is a multiple of the stride on
                    each axis, and reads the coarsest level that contains them all
        missing:    value of samples whose block is not in the dataset. "fill": `_FillValue`, or 0 without one; "nan";
                    "nearest": the nearest stored sample of a coarser level, if there is one; "linear": between the
                    coarser samples on both sides; None: "nearest" in sparse steps (Step.keep), else "fill"; OSError
                    for a block that Esker wrote
        masked:     return a numpy.ma.MaskedArray (of `out`) that masks samples whose block is not in the dataset
        mesh_level: the level of a mesh that is read, also under finer ones, if has_whole_levels; all indices are then
                    those of this level. None: the finest level at each place
        progress:   called repeatedly with the fraction done; an exception from it ends the read
        statistics: an esker.ReadStatistics that receives the cost of the read

        Raises IndexError (step, level or box outside the dataset), ValueError, TypeError (`out`), OSError. Releases
        the GIL; Ctrl-C ends the read.

        >>> import numpy as np, esker
        >>> esker.write("run.idx", {"sum": np.add(*np.mgrid[0:50, 0:80])})
        >>> field = esker.open("run.idx")["sum"]
        >>> field.read(box=((3, 10), (6, 11)))
        array([[13, 14, 15]])
        >>> field.read(level=3, out=np.zeros((2, 3), int))  # every 32nd sample along both axes
        array([[ 0, 32, 64],
               [32, 64, 96]])
        >>> field.read(stride=(30, 50))
        array([[ 0, 30, 60]])
        """
        query = self._query(step, box, level, stride)
        selection = self.select(step, box, level, stride, mesh_level=mesh_level)
        filled = destination(self.name, out, selection, masked)
        stored = self._stored_flags(filled) if masked else None
        how = {"missing": missing, "is_stored": stored, "progress": progress, "statistics": statistics}
        self._core.read_into(self.name, filled, *query, bits=bits, mesh_level=mesh_level, **how)
        if stored is not None:
            return self._masked(filled, stored)
        return cast("NDArray[Any]", filled if out is None else out)

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
        return (*query_of(step, box, level), stride)

    def _stored_flags(self, out: NDArray[Any]) -> NDArray[np.uint8]:
        """An array for one flag per sample of `out`: whether the dataset stores it."""
        return np.empty(out.shape[: len(self.grid.dims)], np.uint8)

    def _masked(self, samples: NDArray[Any], stored: NDArray[np.uint8]) -> np.ma.MaskedArray[Any, Any]:
        mask = stored == 0
        if self.components > 1:
            mask = np.broadcast_to(mask[..., np.newaxis], samples.shape)
        return np.ma.MaskedArray(samples, mask)

    def _array_shape(self, counts: Sequence[int]) -> tuple[int, ...]:
        return (*slowest_first(counts), *([self.components] if self.components > 1 else []))


def _reopened_field(dataset: Dataset, name: str) -> Field:
    return dataset[name]
