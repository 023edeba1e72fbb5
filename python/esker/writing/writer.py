"""Writer: collective writing of a dataset, step by step.

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
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from esker import _core
from esker.base.characters import has_characters
from esker.base.communicator import communicator
from esker.base.dimensions import TIME_DIM
from esker.base.options import Option, option_texts
from esker.base.stored_types import stored_type, type_attributes
from esker.base.values import core_value
from esker.writing.attributes import core_coordinates, field_value
from esker.writing.definitions import WriterField, WriterGrid, grid_name
from esker.writing.step import Step

if TYPE_CHECKING:
    from mpi4py import MPI


class Writer:
    """Writes a dataset, alone or with the other ranks of an mpi4py communicator.

    path:    for example "run.idx". A dataset with one grid and no fixed field is that file, with its blocks
             in `run/`; otherwise it is the directory `run/` with an .idx file per grid. esker.open() accepts
             either name.
    comm:    an mpi4py communicator, all of whose ranks make the same calls; None: this process alone, without
             MPI
    dims:    name to size, x first
    format:  "idx"; "cdf1", "cdf2" or "cdf5" for that netCDF format, "cdf" for the smallest that fits;
             "netcdf4"; "zarr"; "cdf5+idx" or "cdf5+zarr" for two at once. None: set by the configuration file or
             the environment, else by the suffix of the path: .nc is "cdf"; .nc4, .h5 and .hdf5 are "netcdf4";
             .zarr is "zarr"; any other is "idx"
    coords:  dimension to its coordinates, one value per index, for all grids with that dimension
    attrs:   attributes of the dataset: texts, numbers, or lists of either. A mapping under the name of a
             dimension holds attributes of its coordinates, one under "time" or `time_dim` attributes of the
             times. NumPy numbers keep their type; Python integers become int32 if they fit, Python floats
             float64
    time_dim: name of the time dimension in netCDF files; "": all fields are fixed, with a single step at time
              0
    time_dtype: type of the times in netCDF files
    options: other options, listed by `esker options`; they override configuration file and environment

    Use it in `with`: leaving the block closes the dataset. If the block raises on one rank, calls on the
    other ranks fail until they have left the block as well. Creating, ending a step, flush(), rewind(), close()
    and the reports are collective; all other calls are local.

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
            self._coords = {dim: core_coordinates(values) for dim, values in (coords or {}).items()}
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
        own = {dim: core_coordinates(values) for dim, values in (coords or {}).items()}
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
        values = {attr: field_value(name, attr, value, kind) for attr, value in own.items()}
        grid = self._grid_of_all() if grid is None else grid
        counts = operator.index(components), bool(fixed), operator.index(every)
        compression = compression or ("none" if has_characters(kind, own) else "")
        stored = compression, operator.index(stored_bits)
        number = self._core.def_field(grid.number, name, kind.name, *counts, *stored)
        for attr, value in values.items():
            self._core.put_field_att(number, attr, value)
        self._made[name] = self._made_field(number)
        return self._made[name]

    def step(self, time: float, *, wait: bool = True) -> Step:
        """The next step, for use in `with`; `time` must be greater than that of the previous step. wait=False: the
        step is stored while the program computes (see Step)."""
        return Step(self, time, wait)

    def flush(self) -> None:
        """Waits until a step that was left without waiting is stored, and commits it. Collective."""
        self._core.flush()

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
