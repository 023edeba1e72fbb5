"""Writer: collective writing of a dataset, step by step.

Dimensions, offsets and boxes list x first, as everywhere in Esker; arrays are (z, y, x[, component]).

An error on one rank must not leave the others waiting. When an exception leaves a step or the writer on one
rank, `Step` and `Writer` therefore join the collective call that the other ranks are in or will make, which
then fails on all ranks.
"""

from __future__ import annotations

import json
import operator
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from esker import _core
from esker.base.characters import has_characters
from esker.base.communicator import communicator
from esker.base.dimensions import TIME_DIM
from esker.base.stored_types import as_stored, stored_type, type_attributes
from esker.base.values import CoreValue, core_numbers, core_value, is_untyped

if TYPE_CHECKING:
    from mpi4py import MPI

Option = str | int | bool | os.PathLike[str] | None


@dataclass(frozen=True)
class WriterGrid:
    """A grid of a writer, returned by Writer.grid()."""

    name: str
    dims: Mapping[str, int]
    """Name to size, x first."""
    number: int
    """Position among the writer's grids."""


@dataclass(frozen=True)
class WriterField:
    """A field of a writer, returned by Writer.field()."""

    name: str
    dtype: np.dtype[Any]
    components: int
    grid: str
    fixed: bool
    """Whether the field is written only in the first step."""
    every: int
    """The field is written at steps 0, every, 2 * every, ... only."""
    number: int
    """Position among the writer's fields."""
    shape: tuple[int, ...]
    """Shape of an array of the full grid: (z, y, x[, component])."""


class Step:
    """One step of a writer, returned by Writer.step() for use in `with`.

    Leaving the block is collective; it writes the data and commits the step. If the block raises an exception
    on any rank, the step is discarded on all ranks, and the other ranks raise an error with that rank and its
    exception. Earlier steps are kept, and the next step can begin.
    """

    def __init__(self, writer: Writer, time: float) -> None:
        self._writer = writer
        self._core = writer._core
        self.time = time

    def put(
        self,
        field: WriterField | str,
        array: NDArray[Any],
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
            _check_array(field, array, buffered)
            if level is not None:
                level = operator.index(level)
            n_dims = array.ndim - (field.components > 1)
            x_first = [0] * n_dims if offset is None else [operator.index(i) for i in offset]
            if level is None:
                _check_place(field, array.shape[:n_dims], x_first)
            self._core.put(field.number, as_stored(array), x_first, buffered, level)
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
        self._core.end_step()

    def _discard(self, error: BaseException) -> None:
        """Ends the step together with the other ranks, which receive the error; this rank is already raising
        it."""
        self._writer._open_step = None
        self._core.fail(error)
        with suppress(Exception):
            self._core.end_step()


class Writer:
    """Writes a dataset, alone or with the other ranks of an mpi4py communicator.

    path:    for example "run.idx". A dataset with one grid and no fixed field is that file, with its blocks
             in `run/`; otherwise it is the directory `run/` with an .idx file per grid. esker.open() accepts
             either name.
    comm:    an mpi4py communicator, all of whose ranks make the same calls; None: this process alone, without
             MPI
    dims:    name to size, x first
    format:  "idx"; "cdf1", "cdf2" or "cdf5" for that netCDF format, "cdf" for the smallest that fits;
             "netcdf4"; "cdf5+idx" for both. None: set by the configuration file or the environment, else by
             the suffix of the path: .nc is "cdf"; .nc4, .h5 and .hdf5 are "netcdf4"; any other is "idx"
    coords:  dimension to its coordinates, one value per index, for all grids with that dimension
    attrs:   attributes of the dataset: texts, numbers, or lists of numbers. A mapping under the name of a
             dimension holds attributes of its coordinates, one under "time" or `time_dim` attributes of the
             times. NumPy numbers keep their type; Python integers become int32 if they fit, Python floats
             float64
    time_dim: name of the time dimension in netCDF files; "": all fields are fixed, with a single step at time
              0
    time_dtype: type of the times in netCDF files
    options: other options, listed by `esker options`; they override configuration file and environment

    Use it in `with`: leaving the block closes the dataset. If the block raises on one rank, calls on the
    other ranks fail until they have left the block as well. Creating, ending a step, rewind(), close() and
    the reports are collective; all other calls are local.

    >>> import numpy as np
    >>> import esker
    >>> with esker.Writer("run.idx", dims={"x": 30, "y": 20}, attrs={"title": "a ramp"}) as w:
    ...     thk = w.field("thk", "f4", units="m", long_name="ice thickness")
    ...     for time in (0.0, 1.5):
    ...         with w.step(time) as s:
    ...             s.put(thk, np.full((20, 15), time, "f4"))                    # the left half
    ...             s.put(thk, np.full((20, 15), time, "f4"), offset=(15, 0))
    >>> esker.open("run.idx")["thk"].steps
    [0.0, 1.5]
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        comm: MPI.Intracomm | None = None,
        *,
        dims: Mapping[str, int],
        format: str | None = None,
        coords: Mapping[str, ArrayLike] | None = None,
        attrs: Mapping[str, Any] | None = None,
        time_dim: str = TIME_DIM,
        time_dtype: DTypeLike = np.float64,
        **options: Option,
    ) -> None:
        texts = option_texts({"format": format, **options})
        self._start(_core.create(os.fspath(path), texts, communicator(comm)))
        with self._abandoned_on_error():
            self._core.def_time(time_dim, np.dtype(time_dtype).name)
            self._coords = {dim: _coordinates(values) for dim, values in (coords or {}).items()}
            self._unchecked = list(self._coords) if comm is None or comm.rank == 0 else []
            self._dims = {name: self._core.def_dim(name, operator.index(size)) for name, size in dims.items()}
            if unknown := [dim for dim in self._coords if dim not in self._dims]:
                raise ValueError(f"coords: no dimension {unknown[0]!r}; there are {', '.join(self._dims)}")
            for name, value in (attrs or {}).items():
                self._put_attributes(name, value)

    @classmethod
    def append(
        cls, path: str | os.PathLike[str], comm: MPI.Intracomm | None = None, **options: Option
    ) -> Self:
        """Opens a dataset written by Esker to add steps after its last one. Collective.

        Removes leftovers of an unfinished step. Grids and fields are those of the dataset (see `fields`), and
        so is the format unless `format` is given. A dataset in two formats is continued in both; `path` may
        be either. Raises FileNotFoundError, FileExistsError (another writer has it open), OSError (damaged),
        NotImplementedError.

        >>> import numpy as np
        >>> import esker
        >>> esker.write("more.idx", {"thk": np.zeros((4, 6), "f4")}, time=0)
        >>> with esker.Writer.append("more.idx") as w:
        ...     with w.step(10) as s:
        ...         s.put("thk", np.ones((4, 6), "f4"))
        >>> esker.open("more.idx").steps
        [0.0, 10.0]
        """
        writer = cls.__new__(cls)
        writer._start(_core.append(os.fspath(path), option_texts(options), communicator(comm)))
        writer._coords = {}
        writer._dims = {dim.name: number for number, dim in enumerate(writer._core.dims)}
        return writer

    def _start(self, core: _core.Writer) -> None:
        self._core = core
        self._open_step: Step | None = None
        self._made: dict[str, WriterField] = {}
        self._unchecked: list[str] = []  # dimensions with coordinates that close() checks for use

    def _put_attributes(self, name: str, value: Any) -> None:
        """Stores an attribute of the dataset, or the attributes of a dimension or of the time."""
        if not isinstance(value, Mapping):
            return self._core.put_att(name, core_value("the dataset", name, value))
        for own, of_own in value.items():
            if name in self._dims:
                self._core.put_dim_att(self._dims[name], own, core_value(f"dimension {name!r}", own, of_own))
            elif name in (TIME_DIM, self._core.time_name):
                self._core.put_time_att(own, core_value("the time", own, of_own))
            else:
                known = ", ".join((*self._dims, self._core.time_name))
                raise ValueError(f"attrs: expected attributes of one of {known}, found those of {name!r}")

    def grid(
        self,
        name: str,
        dims: Sequence[str],
        coords: Mapping[str, ArrayLike] | None = None,
    ) -> WriterGrid:
        """Adds a grid on some of the writer's dimensions, x first. Local; before the first step ends.

        dims:   names of the dimensions; without any, each field of the grid is a time series with one sample
                per step, in an array of shape (1,)
        coords: coordinates of this grid, instead of the writer's
        """
        if isinstance(dims, str):
            raise TypeError(f"dims: expected names such as ('x', 'y'), found the text {dims!r}")
        if unknown := [dim for dim in dims if dim not in self._dims]:
            raise ValueError(f"grid {name!r}: no dimension {unknown[0]!r}; there are {', '.join(self._dims)}")
        number = self._core.def_grid(name, [self._dims[dim] for dim in dims])
        own = {dim: _coordinates(values) for dim, values in (coords or {}).items()}
        for dim, values in ({dim: self._coords[dim] for dim in dims if dim in self._coords} | own).items():
            self._core.def_coords(number, dim, values)
        return self._made_grid(number)

    def mesh(
        self,
        name: str,
        dims: Mapping[str, int],
        ratios: Sequence[int | Sequence[int]],
        *,
        nodes: bool = False,
        origin: Sequence[float] | None = None,
        spacing: Sequence[float] | None = None,
        nested: bool = False,
    ) -> WriterGrid:
        """Adds a mesh: grids of increasing resolution, where finer ones cover parts of the domain (AMR).
        Local; before the first step ends. Formats: idx, alone or with another one, and vtkhdf.

        IDX stores its samples in the index space of the finest level, each at the resolution of the finest patch
        there. VTKHDF stores each level whole. The returned grid has the axes of the finest level as new dimensions.

        dims:    axis to number of cells of the coarsest level, x first
        ratios:  cells of each finer level in a cell of the level before it, from coarse to fine: a number for
                 all axes, or one for each; at least 1 and not all 1, with IDX powers of two
        nodes:   samples are at the corners of cells instead of their middle; a level has one more on each axis
        origin:  coordinates of the lower corner of the domain, x first; None: 0
        spacing: edges of the coarsest cells, x first; None: 1
        nested:  a promise: all patches of a level are inside of those of the next coarser level. A step with
                 other patches is an error.

        Raises ValueError (an extent or ratio; with IDX also more than 62 binary digits for the indices of the
        finest level), FileExistsError (a name that is in use).

        >>> import numpy as np
        >>> import esker
        >>> with esker.Writer("amr.idx", dims={}) as w:
        ...     rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 4, "y": 4}, ratios=[2]))
        ...     with w.step(0.0) as s:
        ...         s.put(rho, np.zeros((4, 4)), level=0)
        ...         s.put(rho, np.ones((2, 2)), offset=(2, 4), level=1)
        >>> esker.open("amr.idx")["rho"].read()[4]
        array([0., 0., 1., 1., 0., 0., 0., 0.])
        """
        axes = list(dims)
        per_level = [[ratio] * len(axes) if isinstance(ratio, int) else list(ratio) for ratio in ratios]
        number = self._core.def_mesh(
            name,
            axes,
            [operator.index(size) for size in dims.values()],
            per_level,
            nodes,
            [0.0] * len(axes) if origin is None else [float(value) for value in origin],
            [1.0] * len(axes) if spacing is None else [float(value) for value in spacing],
            nested,
        )
        return self._made_grid(number)

    def scalar(self, name: str, value: Any, attrs: Mapping[str, Any] | None = None) -> None:
        """Adds a value without axes, such as a grid mapping: a number or a text. Local; before the first step
        ends.

        >>> import numpy as np
        >>> import esker
        >>> with esker.Writer("map.nc", dims={"x": 4, "y": 3}, format="cdf2") as w:
        ...     w.scalar("crs", 0, {"grid_mapping_name": "latitude_longitude"})
        ...     thk = w.field("thk", "f4", grid_mapping="crs")
        ...     with w.step(0) as s:
        ...         s.put(thk, np.zeros((3, 4), "f4"))
        """
        number = self._core.def_scalar(name, core_value(f"scalar {name!r}", "value", value))
        for attr, own in (attrs or {}).items():
            self._core.put_scalar_att(number, attr, core_value(f"scalar {name!r}", attr, own))

    def field(
        self,
        name: str,
        dtype: DTypeLike | None = None,
        *,
        grid: WriterGrid | None = None,
        components: int = 1,
        fixed: bool = False,
        every: int = 1,
        compression: str = "",
        stored_bits: int = 0,
        attrs: Mapping[str, Any] | None = None,
        **more_attrs: Any,
    ) -> WriterField:
        """Adds a field; without a dtype, returns the existing field. Local; new fields before the first step
        ends.

        dtype:      integers of 1 to 8 bytes, float32 or float64; bool: an int8 field with the attribute
                    dtype="bool"
        grid:       grid of the samples; None: the grid of all dimensions
        components: values per sample; with more than one, arrays have a last axis of that size
        fixed:      written in the first step only
        every:      written at steps 0, every, 2 * every, ...
        compression: "none", "zip", "lz4", "zfp-reversible", "zfp-precision=N" (bits) or "zfp-accuracy=X"
                    (largest absolute error); empty: the option `compression` holds, except for
                    characters, which are then stored as they are
        stored_bits: 1, 2, 4 ... 64 bits per sample of float32, float64, int32 or int64 on 2 or 3 axes, coded by
                    zfp; readers may read fewer. 0: samples are stored as they are; docs/guide/precision.md
        attrs:      attributes by name; attributes can also be keyword arguments: units=..., long_name=...
        """
        if dtype is None:
            if name not in self._made:
                self._made[name] = self._made_field(self._core.field(name))
            return self._made[name]
        given = np.dtype(dtype)
        kind = stored_type(f"field {name!r}", given)
        if not given.isnative:
            raise ValueError(f"field {name!r}: expected a type in native byte order, found {given.str!r}")
        own = {**type_attributes(given), **(attrs or {}), **more_attrs}
        values = {attr: _field_value(name, attr, value, kind) for attr, value in own.items()}
        grid = self._grid_of_all() if grid is None else grid
        counts = operator.index(components), bool(fixed), operator.index(every)
        compression = compression or ("none" if has_characters(kind, own) else "")
        stored = compression, operator.index(stored_bits)
        number = self._core.def_field(grid.number, name, kind.name, *counts, *stored)
        for attr, value in values.items():
            self._core.put_field_att(number, attr, value)
        self._made[name] = self._made_field(number)
        return self._made[name]

    def step(self, time: float) -> Step:
        """The next step, for use in `with`; `time` must be greater than that of the previous step."""
        return Step(self, time)

    def rewind(self, time: float) -> None:
        """Drops the committed steps after `time`, to restart a run from a checkpoint. Collective; not in a
        step."""
        self._core.rewind(time)

    def close(self) -> None:
        """Writes the report and releases the dataset. Collective; does nothing if the writer is closed.

        Returns when all ranks have closed the writer. If another rank makes a different call, that call and
        close() fail; close() then waits for that rank for at most 60 s. If no step was written, the dataset is empty, or is the old one that was to be
        overwritten. Warns on the first rank about coordinates of dimensions that no field has, because they
        are not in the dataset.
        """
        unused = self._unused_coordinates()
        with self._abandoned_on_error():
            self._core.close()
        if unused:
            warnings.warn(f"coords: no field has the dimension {', '.join(map(repr, unused))}", stacklevel=2)

    def _unused_coordinates(self) -> list[str]:
        given, self._unchecked = self._unchecked, []
        if not given:
            return []
        grids, dims = self._core.grids, self._core.dims
        used = {dims[dim].name for field in self._core.fields for dim in grids[field.grid].dims}
        return [dim for dim in given if dim not in used]

    def report(self) -> dict[str, Any]:
        """The cost of the run: phases as min, mean and max over ranks, bytes, messages, memory.
        Collective."""
        return dict(json.loads(self._core.report_json()))

    def report_text(self) -> str:
        """report() as text. Collective."""
        return self._core.report_text()

    @property
    def fields(self) -> Mapping[str, WriterField]:
        """The fields by name."""
        made = map(self._made_field, range(len(self._core.fields)))
        return MappingProxyType({field.name: field for field in made})

    @property
    def num_steps(self) -> int:
        """Number of committed steps, including those of earlier writers."""
        return self._core.num_steps

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        with suppress(Exception):  # `error` is already being raised
            self._core.abandon(error)

    @contextmanager
    def _abandoned_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            with suppress(Exception):
                self._core.abandon(error)
            raise

    def _grid_of_all(self) -> WriterGrid:
        """The grid of all dimensions; it is created when the first field needs it."""
        for number, grid in enumerate(self._core.grids):
            if list(grid.dims) == list(self._dims.values()):
                return self._made_grid(number)
        return self.grid(grid_name(self._dims), tuple(self._dims))

    def _made_grid(self, number: int) -> WriterGrid:
        grid, dims = self._core.grids[number], self._core.dims
        return WriterGrid(
            grid.name, MappingProxyType({dims[d].name: dims[d].size for d in grid.dims}), number
        )

    def _made_field(self, number: int) -> WriterField:
        field = self._core.fields[number]
        grid, dims = self._core.grids[field.grid], self._core.dims
        sizes = [dims[d].size for d in reversed(grid.dims)]
        return WriterField(
            field.name,
            np.dtype(field.type),
            field.components,
            grid.name,
            field.fixed,
            field.every,
            number,
            (*sizes, *([field.components] if field.components > 1 else [])),
        )

    def _field(self, field: WriterField | str) -> WriterField:
        name = field if isinstance(field, str) else field.name
        known = self.field(name)
        if known != field and known.name != field:
            raise ValueError(
                f"field {name!r}: belongs to another writer; use the field that this writer returned"
            )
        return known


def grid_name(dims: Mapping[str, Any] | Sequence[str]) -> str:
    """Default name of the grid with these dimensions: "xyz", "lon_lat"."""
    return ("" if all(len(dim) == 1 for dim in dims) else "_").join(dims)


_OF_SAMPLES = ("_FillValue", "missing_value", "valid_min", "valid_max", "valid_range")
"""Attributes that hold sample values; CF requires them to have the type of the field."""


def _field_value(field: str, name: str, value: Any, kind: np.dtype[Any]) -> CoreValue:
    """An attribute's value for the extension; Python numbers that are sample values get the field's type if
    they fit."""
    if name in _OF_SAMPLES and is_untyped(value):
        given = np.asarray(value)
        if given.dtype.kind in "if" and (kind.kind == "f" or given.dtype.kind != "f"):
            with np.errstate(over="ignore"):
                typed = given.astype(kind)
            if kind.kind == "f" or np.array_equal(typed, given):
                return core_numbers(typed)
    return core_value(f"field {field!r}", name, value)


def attributes_with_dims(
    owner: str, own: Mapping[str, Any], of_dims: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Combines a dataset's attributes with those of dimensions and of the time, under their names, for
    Writer."""
    if both := [name for name in own if name in of_dims]:
        raise ValueError(
            f"{owner}: the attribute {both[0]!r} has the name of a dimension; rename the attribute"
        )
    return {**own, **of_dims}


def _coordinates(values: ArrayLike) -> tuple[str, bytes]:
    """Coordinates for the extension. Numeric arrays keep their type; anything else becomes float64."""
    given = np.asarray(values)
    is_typed = isinstance(values, np.ndarray) and given.dtype.kind in "iuf"
    return core_numbers(given if is_typed else np.asarray(values, np.float64))


def option_texts(options: Mapping[str, Option | None]) -> dict[str, str]:
    """The options as texts, without those that are None. The library checks them, so that an error is raised
    on all ranks."""
    texts = {name: value for name, value in options.items() if value is not None}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in texts.items()
    }


def _check_array(field: WriterField, array: NDArray[Any], converts: bool) -> None:
    """Checks that the extension does not make, or whose messages there would be in terms of C."""
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"put {field.name!r}: expected a plain numpy.ndarray, found {type(array).__name__}")
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
