"""Writing xarray's datasets: `import esker.xarray` gives each of them `ds.to_esker(path)`.

Reading needs no import: `xarray.open_dataset(path, engine="esker")`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray import conventions

from esker._pieces import PIECE_BYTES
from esker.array import TIME_DIM
from esker.chunked import scratch_array
from esker.conversion import format_of
from esker.replacing import new_dataset
from esker.serial import grid_name
from esker.writer import Option, Writer, WriterField, attributes_with_dims
from esker.xarray_backend import SCALAR_DIM

_MAX_AXES = 5
_ENCODINGS = {
    "_FillValue",
    "_Unsigned",
    "add_offset",
    "calendar",
    "coordinates",
    "dtype",
    "grid_mapping",
    "missing_value",
    "scale_factor",
    "units",
}
_BATCH_BYTES = 4 * PIECE_BYTES


@xr.register_dataset_accessor("to_esker")
class ToEsker:
    """`ds.to_esker(path, ...)`: see esker.xarray.to_esker."""

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    def __call__(self, path: str | os.PathLike[str], **arguments: Any) -> None:
        """Writes the dataset: to_esker(dataset, path, ...)."""
        to_esker(self._dataset, path, **arguments)


def to_esker(
    dataset: xr.Dataset,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    time_dim: str = TIME_DIM,
    encoding: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Option,
) -> None:
    """Writes a dataset as xarray would write it to netCDF: encoded by CF, so that opening it decodes it again.

    format:   as for esker.Writer; by default "idx", for a path that ends in ".nc" "cdf5", in ".h5" "hdf5"
    time_dim: variables that have this dimension are written step by step, the others once; it is "time" when it is read
    encoding: by the name of a variable, in place of its own: dtype, scale_factor, units ..., as for to_netcdf()
    options:  overwrite=True; bits_per_block, blocks_per_file and what else `esker info --config` lists

    Variables in dask's chunks are computed some chunks at a time, each chunk of a step once; what a step has in
    chunks must fit on storage twice, beside the dataset, but not in memory. Variables that were opened without chunks and
    are not loaded yet are taken in chunks; without dask they are loaded whole.

    Every other variable becomes a field, on the grid of its dimensions; one without dimensions has a grid of one sample.
    Coordinates of dimensions are float64 when they are read. Raises ValueError for what Esker does not store: variables
    of texts or of more than 5 dimensions beside the time, attributes other than texts and numbers, times that do not
    ascend; and what esker.Writer raises.

    >>> import numpy as np, xarray as xr
    >>> import esker.xarray
    >>> ds = xr.Dataset({"thk": (("time", "y", "x"), np.ones((2, 30, 40)), {"units": "m"})},
    ...                 coords={"time": np.array(["2001-01-01", "2001-01-02"], "M8[ns]"), "x": np.arange(40.0)})
    >>> ds.to_esker("ice.idx")
    >>> xr.testing.assert_identical(xr.open_dataset("ice.idx", engine="esker"), ds)
    """
    if time_dim != TIME_DIM and TIME_DIM in {*dataset.dims, *dataset.variables}:
        raise ValueError(
            f"{TIME_DIM!r} is the name of the steps, and another's here: rename that, or write it as time_dim"
        )
    encoded, attributes = _encoded(_in_pieces(dataset, time_dim), encoding or {})
    used = {dim for name, variable in encoded.items() if variable.dims != (name,) for dim in variable.dims}
    coordinates = {
        name: variable for name, variable in encoded.items() if variable.dims == (name,) and name in used
    }
    fields = {
        name: _checked(name, variable, time_dim)
        for name, variable in encoded.items()
        if name not in coordinates
    }
    of_dims = _of_dims(coordinates)
    if time_dim in of_dims:
        of_dims[TIME_DIM] = of_dims.pop(time_dim)
    own = attributes_with_dims("the dataset", _attributes("the dataset", attributes), of_dims)
    times = _times(dataset, coordinates.pop(time_dim, None), time_dim)
    sizes = {dim: size for field in fields.values() for dim, size in field.sizes.items() if dim != time_dim}
    directory = os.path.dirname(os.fspath(path)) or "."
    if format is None:
        format = format_of(path) or "idx"
    how = {"report": "none", **options}
    with (
        new_dataset(path, format, how.pop("overwrite", None)) as place,
        Writer(
            place.path,
            None,
            dims=sizes,
            coords={name: _float64(name, variable) for name, variable in coordinates.items()},
            attrs=own,
            format=format,
            **how,
        ) as writer,
    ):
        made = _define(writer, fields, time_dim)
        for number, time in enumerate(times):
            with writer.step(time) as step:
                due = {
                    name: variable.isel({time_dim: number}) if time_dim in variable.dims else variable
                    for name, variable in fields.items()
                    if number == 0 or time_dim in variable.dims
                }
                for name, array in _samples(due, directory):
                    step.put(made[name], array)


def _in_pieces(dataset: xr.Dataset, time_dim: str) -> xr.Dataset:
    """The dataset with large variables that nobody has loaded in dask's chunks: a step, or a part of one."""
    if find_spec("dask") is None:
        return dataset
    chunked = {}
    for name, variable in dataset.variables.items():
        is_lazy = variable.chunks is None and not variable._in_memory  # xarray has no public word for it
        if not is_lazy or variable.nbytes <= PIECE_BYTES:
            continue
        chunks = {dim: 1 if dim == time_dim else size for dim, size in variable.sizes.items()}
        for dim in variable.dims:
            others = (
                math.prod(size for other, size in chunks.items() if other != dim) * variable.dtype.itemsize
            )
            chunks[dim] = min(chunks[dim], max(1, PIECE_BYTES // others))
        chunked[name] = variable.chunk(chunks)
    return dataset.assign(chunked)


def _encoded(
    dataset: xr.Dataset, encoding: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[Hashable, xr.Variable], dict[Any, Any]]:
    """Variables and attributes as a netCDF file has them; dask's arrays stay what they are."""
    variables, attributes = conventions.encode_dataset_coordinates(dataset)
    variables = dict(variables)
    for name, of_variable in encoding.items():
        if unknown := [key for key in of_variable if key not in _ENCODINGS]:
            raise ValueError(
                f"{name}: unexpected encoding {unknown[0]!r}; there are {', '.join(sorted(_ENCODINGS))}"
            )
        variables[name] = variables[name].copy(deep=False)
        variables[name].encoding = dict(of_variable)
    return conventions.cf_encoder(variables, attributes)


def _checked(name: Hashable, variable: xr.Variable, time_dim: str) -> xr.Variable:
    """The variable as it is written, with a dimension beside the time."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"a variable is called {name!r}; names have to be texts")
    if variable.dtype.kind not in "iuf" or variable.dtype.itemsize > 8 or variable.dtype == np.float16:
        raise ValueError(
            f"{name}: is of type {variable.dtype}, and Esker stores integers and reals of 1 to 8 bytes"
        )
    dims = [dim for dim in variable.dims if dim != time_dim]
    if not dims:
        return variable.set_dims((*variable.dims, SCALAR_DIM))
    if len(dims) > _MAX_AXES:
        raise ValueError(
            f"{name}: has {len(dims)} dimensions beside the time; Esker's fields have at most {_MAX_AXES}"
        )
    return variable


def _times(dataset: xr.Dataset, coordinate: xr.Variable | None, time_dim: str) -> list[float]:
    if time_dim not in dataset.dims:
        return [0.0]  # everything is fixed
    if coordinate is None:
        return [float(number) for number in range(dataset.sizes[time_dim])]
    times = _float64(time_dim, coordinate)
    if np.any(np.isnan(times)) or np.any(np.diff(times) <= 0):
        raise ValueError(f"{time_dim}: times have to ascend; sortby({time_dim!r}) orders them")
    return [float(time) for time in times]


def _float64(name: str, variable: xr.Variable) -> NDArray[np.float64]:
    if variable.dtype.kind not in "iuf":
        raise ValueError(f"{name}: coordinates of type {variable.dtype}; Esker's are numbers")
    values = np.asarray(variable.values, np.float64)
    if variable.dtype.kind in "iu" and not np.array_equal(values.astype(variable.dtype), variable.values):
        raise ValueError(f"{name}: coordinates beyond 2^53, which no float64 holds")
    return values


def _of_dims(coordinates: Mapping[Hashable, xr.Variable]) -> dict[str, dict[str, Any]]:
    return {str(name): _attributes(str(name), variable.attrs) for name, variable in coordinates.items()}


def _attributes(owner: str, attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """As esker.Writer takes them."""
    taken: dict[str, Any] = {}
    for name, value in attributes.items():
        array = np.asarray(value)
        if isinstance(value, str) or (array.dtype.kind in "iuf" and array.ndim <= 1):
            taken[str(name)] = value if isinstance(value, str) else array.tolist()
        elif array.dtype.kind == "b" and array.ndim <= 1:
            taken[str(name)] = array.astype("i8").tolist()
        else:
            raise ValueError(f"{owner}: the attribute {name!r} is {value!r}; Esker stores texts and numbers")
    return taken


def _define(
    writer: Writer, fields: Mapping[Hashable, xr.Variable], time_dim: str
) -> dict[Hashable, WriterField]:
    axes = {
        name: tuple(dim for dim in reversed(field.dims) if dim != time_dim) for name, field in fields.items()
    }
    grids = {dims: writer.grid(grid_name(dims), dims) for dims in dict.fromkeys(axes.values())}
    return {
        name: writer.field(
            name,
            variable.dtype.newbyteorder("="),
            grid=grids[axes[name]],
            fixed=time_dim not in variable.dims,
            attrs=_attributes(name, variable.attrs),
        )
        for name, variable in fields.items()
    }


def _samples(
    variables: Mapping[Hashable, xr.Variable], directory: str
) -> Iterator[tuple[Hashable, NDArray[Any]]]:
    for name, variable in variables.items():
        native = variable.dtype.newbyteorder("=")
        yield (
            name,
            np.asarray(variable.values, native)
            if variable.chunks is None
            else _computed(variable, directory),
        )


def _computed(variable: xr.Variable, directory: str) -> NDArray[Any]:
    """All chunks: in memory if they are small, else a scratch_array().

    The coarse levels of a dataset need samples from everywhere, so all samples must be there when a step ends.
    """
    native = variable.dtype.newbyteorder("=")
    if variable.nbytes <= PIECE_BYTES:
        return np.asarray(variable.compute().values, native)
    whole = scratch_array(variable.shape, native, directory)
    for places in _batches(variable):
        for place, chunk in zip(places, _compute([variable[place] for place in places])):
            whole[place] = chunk
    return whole


def _batches(variable: xr.Variable) -> Iterator[list[tuple[slice, ...]]]:
    """The places of chunks, so many at a time as are worth computing side by side."""
    from dask.array.core import slices_from_chunks

    largest = int(np.prod([max(sizes) for sizes in variable.chunks])) * variable.dtype.itemsize
    places = iter(slices_from_chunks(variable.chunks))
    while batch := list(islice(places, max(1, _BATCH_BYTES // largest))):
        yield batch


def _compute(chunks: Sequence[xr.Variable]) -> Sequence[NDArray[Any]]:
    """By whatever scheduler is in force, a cluster perhaps: results come back here."""
    import dask

    return dask.compute(*(chunk.data for chunk in chunks))
