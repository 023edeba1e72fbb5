"""Writer: the ranks of a program write a dataset together, step by step.

Dimensions, offsets and boxes list x first, as everywhere in Esker; arrays are (z, y, x[, component]).

What goes wrong on one rank must not leave the others waiting. So an exception that leaves a step, or the writer, on
one rank becomes an error on all: `Step` and `Writer` join the collective call in which the others are, or will be.
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
from esker._communicator import communicator
from esker.array import TIME_DIM
from esker.stored_types import as_stored, stored_type, type_attributes
from esker.values import CoreValue, core_numbers, core_value, is_untyped

if TYPE_CHECKING:
    from mpi4py import MPI

Option = str | int | bool | os.PathLike[str] | None


@dataclass(frozen=True)
class WriterGrid:
    """A grid of a writer; Writer.grid() makes it."""

    name: str
    dims: Mapping[str, int]
    """Name to size, x first."""
    number: int
    """Position among the writer's grids."""


@dataclass(frozen=True)
class WriterField:
    """A field of a writer; Writer.field() makes it."""

    name: str
    dtype: np.dtype[Any]
    components: int
    grid: str
    fixed: bool
    """Put in the first step, and in no other."""
    every: int
    """Put at steps 0, every, 2 * every, ..., and at no other."""
    number: int
    """Position among the writer's fields."""
    shape: tuple[int, ...]
    """Of an array of the whole grid: (z, y, x[, component])."""


class Step:
    """One step of a writer, open inside `with`; Writer.step() makes it.

    Leaving the block is collective: it moves the data and commits the step. If the block is left by an exception, on
    any rank, the step is discarded on all: where the block ended well an error tells of the rank and its exception.
    Steps written before stand, and the next one may be begun.
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
        buffered: bool = False,
    ) -> None:
        """Hands over samples of `field`: the box of `array`'s shape at `offset` (x first; None: the origin). Local.

        `array` is (z, y, x), with a last axis for the components of a field that has several, of the field's dtype
        exactly (int8 fields also take booleans), with any strides. It is not copied but kept until the step ends, and not
        to be changed before. A
        rank may put any number of arrays per field, none included; together those of all ranks cover each field that
        is due once. An error makes the step fail on all ranks, also when it is caught.

        buffered=True copies: the array may be changed at once, and may have another integer or real dtype than the
        field. Reals become integers without their fraction. The copies of a step take up to half of the option
        memory_budget. An array that repeats samples (numpy.broadcast_to) is fine; other strides that overlap are not.

        Raises TypeError (no array, or one with a mask, which no format can keep: filled() says what to write
        instead), ValueError (dtype, shape), IndexError (outside the grid; a value that the field's dtype cannot hold),
        MemoryError (more copies than the budget has room for), RuntimeError (not due in this step).
        """
        try:
            field = self._writer._field(field)
            _check_array(field, array, buffered)
            n_dims = array.ndim - (field.components > 1)
            x_first = [0] * n_dims if offset is None else [operator.index(i) for i in offset]
            _check_place(field, array.shape[:n_dims], x_first)
            self._core.put(field.number, as_stored(array), x_first, buffered)
        except Exception as error:
            self._core.fail(error)
            raise

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
            return  # a step that was begun inside this one has ended it
        if error is not None:
            self._discard(error)
            return
        self._writer._open_step = None
        self._core.end_step()

    def _discard(self, error: BaseException) -> None:
        """Ends the step with the other ranks, who hear of the error; here it is on its way already."""
        self._writer._open_step = None
        self._core.fail(error)
        with suppress(Exception):
            self._core.end_step()


class Writer:
    """Writes a dataset, alone or with the other ranks of an mpi4py communicator.

    path:    "run.idx". With one grid and no fixed field it is that file, with its blocks in `run/`; otherwise the
             directory `run/` with an .idx for each grid. esker.open() takes either name.
    comm:    an mpi4py communicator, all of whose ranks make the same calls; None: this process alone, without MPI
    dims:    name to size, x first
    format:  "idx"; "cdf1", "cdf2", "cdf5" for a NetCDF file of that kind, "cdf" for the smallest; "netcdf4";
             "cdf5+idx" for both. None: what configuration file and environment say, else the suffix of the path: .nc
             is "cdf", .nc4, .h5 and .hdf5 are "netcdf4", all else is "idx"
    coords:  dimension to its coordinates, one value per index, for all grids that have it
    attrs:   attributes of the dataset: texts, numbers, or lists of numbers; a mapping under the name of a dimension
             holds those of its coordinates, one under "time" or `time_dim` those of the steps' times. Numbers of
             NumPy keep their type; plain integers are int32 where that holds them, plain reals float64.
    time_dim: how netCDF files name the steps; "": all fields are fixed, and there is one step, at time 0
    time_dtype: the type of the times in netCDF files
    options: everything else that can be chosen: `esker info --config` lists it. Above configuration file and
             environment in priority.

    To be used in `with`: leaving the block closes the dataset. If one rank leaves it by an exception, whatever the
    others call on the writer fails, until they have left it, too. Creating, ending a step, rewind(), close() and
    the reports are collective; the rest is local.

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
            self._untold = list(self._coords) if comm is None or comm.rank == 0 else []
            self._dims = {name: self._core.def_dim(name, operator.index(size)) for name, size in dims.items()}
            if unknown := [dim for dim in self._coords if dim not in self._dims]:
                raise ValueError(f"coords: no dimension {unknown[0]!r}; there are {', '.join(self._dims)}")
            for name, value in (attrs or {}).items():
                self._put_attributes(name, value)

    @classmethod
    def append(
        cls, path: str | os.PathLike[str], comm: MPI.Intracomm | None = None, **options: Option
    ) -> Self:
        """Goes on with a dataset that Esker wrote: the next step follows its last one. Collective.

        Removes what a killed run left of an unfinished step. Grids and fields are those of the dataset: see `fields`. So
        is the format, unless `format` names one; a dataset in two formats goes on in both, by the path of either.
        Raises FileNotFoundError, FileExistsError (another writer holds it), OSError (damaged), NotImplementedError.

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
        self._untold: list[str] = []  # dimensions whose coordinates may turn out to be of no use

    def _put_attributes(self, name: str, value: Any) -> None:
        """An attribute of the dataset, or the attributes of a dimension or of time."""
        if not isinstance(value, Mapping):
            return self._core.put_att(name, core_value("the dataset", name, value))
        for own, of_own in value.items():
            if name in self._dims:
                self._core.put_dim_att(self._dims[name], own, core_value(f"dimension {name!r}", own, of_own))
            elif name in (TIME_DIM, self._core.time_name):
                self._core.put_time_att(own, core_value("the time", own, of_own))
            else:
                known = ", ".join((*self._dims, self._core.time_name))
                raise ValueError(f"attrs: {name!r} holds attributes, but is none of {known}")

    def grid(
        self,
        name: str,
        dims: Sequence[str],
        coords: Mapping[str, ArrayLike] | None = None,
    ) -> WriterGrid:
        """A further grid, on some of the writer's dimensions, x first. Local; before the first step ends.

        `dims`: with none, each field of the grid is a time series, of which a step has one sample, in an array of shape (1,)
        `coords`: of this grid, in place of the writer's.
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

    def scalar(self, name: str, value: Any, attrs: Mapping[str, Any] | None = None) -> None:
        """A value without axes, such as a grid mapping: a number, or a text. Local; before the first step ends.

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
        attrs: Mapping[str, Any] | None = None,
        **more_attrs: Any,
    ) -> WriterField:
        """A new field; with no dtype, the field of that name which there is. Local; new ones before the first step ends.

        dtype:      integers or reals of 1 to 8 bytes, but float16; bool makes an int8 field with the attribute dtype="bool"
        grid:       where its samples stand; None: the grid of all dimensions
        components: values per sample; with more than one its arrays have a last axis of that many
        fixed:      put in the first step only
        every:      put at steps 0, every, 2 * every, ...
        attrs:      attributes by name; those whose name is no argument of this function also as
                    units=..., long_name=...
        """
        if dtype is None:
            if name not in self._made:
                self._made[name] = self._made_field(self._core.field(name))
            return self._made[name]
        given = np.dtype(dtype)
        kind = stored_type(f"field {name!r}", given)
        if not given.isnative:
            raise ValueError(f"field {name!r}: {given.str!r} is in the byte order of other machines")
        values = {
            attr: _field_value(name, attr, value, kind)
            for attr, value in {**type_attributes(given), **(attrs or {}), **more_attrs}.items()
        }
        grid = self._grid_of_all() if grid is None else grid
        number = self._core.def_field(
            grid.number, name, kind.name, operator.index(components), bool(fixed), operator.index(every)
        )
        for attr, value in values.items():
            self._core.put_field_att(number, attr, value)
        self._made[name] = self._made_field(number)
        return self._made[name]

    def step(self, time: float) -> Step:
        """The next step, for `with`; `time` is greater than that of the step before."""
        return Step(self, time)

    def rewind(self, time: float) -> None:
        """Drops the committed steps after `time`: a run goes on from a checkpoint. Collective; not in a step."""
        self._core.rewind(time)

    def close(self) -> None:
        """Writes the report and releases the dataset. Collective; for a closed writer nothing.

        Returns when all ranks have left the writer; what others call on it before fails, and then so does this.
        Without a step there is an empty dataset, or the one that was to be overwritten. Warns, on the first rank, of
        coordinates that were given for a dimension which no field has: they are not in the dataset.
        """
        unused = self._unused_coordinates()
        with self._abandoned_on_error():
            self._core.close()
        if unused:
            warnings.warn(f"coords: no field has the dimension {', '.join(map(repr, unused))}", stacklevel=2)

    def _unused_coordinates(self) -> list[str]:
        given, self._untold = self._untold, []
        if not given:
            return []
        grids, dims = self._core.grids, self._core.dims
        used = {dims[dim].name for field in self._core.fields for dim in grids[field.grid].dims}
        return [dim for dim in given if dim not in used]

    def report(self) -> dict[str, Any]:
        """What the run has cost: phases as min, mean and max over ranks, bytes, messages, memory. Collective."""
        return dict(json.loads(self._core.report_json()))

    def report_text(self) -> str:
        """The same to be read by people. Collective."""
        return self._core.report_text()

    @property
    def fields(self) -> Mapping[str, WriterField]:
        """The fields by name."""
        made = map(self._made_field, range(len(self._core.fields)))
        return MappingProxyType({field.name: field for field in made})

    @property
    def num_steps(self) -> int:
        """Steps that are committed, also before this writer."""
        return self._core.num_steps

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        with suppress(Exception):  # the error is on its way already
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
        """Made when the first field needs it: a dataset whose fields are all on other grids has none."""
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
            raise ValueError(f"field {name!r} is of another writer")
        return known


def grid_name(dims: Mapping[str, Any] | Sequence[str]) -> str:
    """Name of the grid of these dimensions, when nobody names it: "xyz", "lon_lat"."""
    return ("" if all(len(dim) == 1 for dim in dims) else "_").join(dims)


_OF_SAMPLES = ("_FillValue", "missing_value", "valid_min", "valid_max", "valid_range")
"""Attributes that hold samples: CF wants them in the type of the field."""


def _field_value(field: str, name: str, value: Any, kind: np.dtype[Any]) -> CoreValue:
    """Plain numbers that are samples get the field's type, where it has them."""
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
    """A dataset's own attributes, and those of dimensions and of time under their names, as Writer takes them."""
    if both := [name for name in own if name in of_dims]:
        raise ValueError(f"{owner}: the attribute {both[0]!r} is called as a dimension: rename it")
    return {**own, **of_dims}


def _coordinates(values: ArrayLike) -> tuple[str, bytes]:
    """Arrays keep their type, if it is one of numbers; everything else is float64."""
    given = np.asarray(values)
    is_typed = isinstance(values, np.ndarray) and given.dtype.kind in "iuf"
    return core_numbers(given if is_typed else np.asarray(values, np.float64))


def option_texts(options: Mapping[str, Option | None]) -> dict[str, str]:
    """The options as texts, without those that are None. Checked by the library, which tells all ranks."""
    texts = {name: value for name, value in options.items() if value is not None}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in texts.items()
    }


def _check_array(field: WriterField, array: NDArray[Any], converts: bool) -> None:
    """What the extension does not see, or would say in words of C."""
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"put {field.name!r}: expected a plain numpy.ndarray, found {type(array).__name__}")
    is_truth = array.dtype.kind == "b" and field.dtype == np.int8
    if array.dtype != field.dtype and not is_truth and not converts:
        found = array.dtype if array.dtype.isnative else f"{array.dtype.str} (bytes of other machines)"
        raise ValueError(
            f"put {field.name!r}: the field is {field.dtype}, the array {found}; buffered=True or astype() converts it"
        )
    n_dims = len(field.shape) - (field.components > 1)
    if array.ndim != len(field.shape) or array.shape[n_dims:] != field.shape[n_dims:]:
        last = f", the last of {field.components} components" if field.components > 1 else ""
        raise ValueError(
            f"put {field.name!r}: expected an array of {len(field.shape)} axes{last}, within the field's shape "
            f"{field.shape}; found shape {array.shape}"
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
            f"put {field.name!r}: an array of shape {shape} at offset {tuple(offset)} (x first) leaves the grid, "
            f"whose shape is {field.shape[: len(shape)]}"
        )
