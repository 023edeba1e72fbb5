"""Writes xarray datasets: `import esker.xarray` adds the method `ds.to_esker(path)`.

Reading needs no import: `xarray.open_dataset(path, engine="esker")`.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray import conventions

from esker.base.characters import TEXT_KINDS, character_dim, characters_of, without_character_attributes
from esker.base.dimensions import TIME_DIM
from esker.base.names import schema_names, with_name_in_source
from esker.base.options import Option
from esker.base.pieces import PIECE_BYTES
from esker.base.stored_types import stored_type
from esker.base.values import texts_of
from esker.writing.attributes import attributes_with_dims
from esker.writing.chunked import scratch_array
from esker.writing.definitions import WriterField, grid_name
from esker.writing.replacing import new_dataset
from esker.writing.writer import Writer

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
_SERIES = "series"
"""Name of the grid of variables whose only dimension is the time."""
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
    """Writes a dataset with the CF encoding that xarray uses for netCDF, so that opening it decodes it again.

    format:   as for esker.Writer; None: by configuration or by the suffix of the path
    time_dim: variables with this dimension are written step by step, the others once
    encoding: by variable, as for to_netcdf(): dtype, scale_factor, units ...; replaces the variable's own
              encoding. "compression" is that of Writer.field(); it does not replace the rest
    options:  overwrite=True; compression; bits_per_block, blocks_per_file and the others that `esker options` lists

    Chunked (dask) variables are computed a few chunks at a time, each chunk once. The chunked data of a step
    need disk space in addition to the dataset, but need not fit in memory. Variables that are neither chunked
    nor loaded are split into chunks; without dask they are loaded completely.

    A variable without dimensions becomes a scalar, a number or a text. Every other variable becomes a field
    on the grid of its dimensions, or a time series if its only dimension is the time. If the time dimension
    has length 0 and there are fixed variables, the variables with that dimension are left out, with a
    warning.

    Raises the exceptions of esker.Writer, and ValueError for unsupported data: complex numbers or float16;
    objects other than texts, and missing texts without a `_FillValue`; fields with more than 5 dimensions in
    addition to the time; attributes other than texts and numbers; times that do not increase.

    >>> import numpy as np, xarray as xr
    >>> import esker.xarray
    >>> ds = xr.Dataset({"thk": (("time", "y", "x"), np.ones((2, 30, 40)), {"units": "m"})},
    ...                 coords={"time": np.array(["2001-01-01", "2001-01-02"], "M8[ns]"), "x": np.arange(40.0)})
    >>> ds.to_esker("ice.idx")
    >>> xr.testing.assert_identical(xr.open_dataset("ice.idx", engine="esker"), ds)
    """
    dataset, names = _with_schema_names(dataset)
    encoding, compression = _without_compression(
        {names.get(name, name): own for name, own in (encoding or {}).items()}
    )
    prepared = _prepare(dataset, encoding, names.get(time_dim, time_dim))
    how = {"report": "none", **options}
    with (
        new_dataset(path, format, how.pop("overwrite", None)) as staging,
        Writer(staging.path, None, format=format, **prepared.definitions, **how) as writer,
    ):
        _write(writer, prepared, compression, os.path.dirname(os.fspath(path)) or ".")


def _with_schema_names(dataset: xr.Dataset) -> tuple[xr.Dataset, dict[str, str]]:
    """The dataset with names that Esker's can have, and those of variables and dimensions that are others now; the
    variables have theirs as an attribute."""
    given = [name for name in {**dataset.variables, **dataset.sizes} if isinstance(name, str) and name]
    names = {name: made for name, made in schema_names(given).items() if name != made}
    if not names:
        return dataset, names
    renamed = dataset.rename(names)
    for name, made in names.items():
        if made in renamed.variables:
            renamed[made].attrs = dict(with_name_in_source(renamed[made].attrs, name, made))
    return renamed, names


def _without_compression(
    encoding: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, Mapping[str, Any]], dict[str, str]]:
    """The encoding of each variable without its compression, and the compressions."""
    compression = {name: own["compression"] for name, own in encoding.items() if "compression" in own}
    others = {
        name: {key: value for key, value in own.items() if key != "compression"}
        for name, own in encoding.items()
        if set(own) != {"compression"}
    }
    return others, compression


@dataclass(frozen=True)
class _Prepared:
    """A dataset that is encoded and checked for writing."""

    definitions: dict[str, Any]
    """Arguments of Writer: dimensions, coordinates, attributes, the time dimension."""
    scalars: dict[Hashable, xr.Variable]
    fields: dict[Hashable, xr.Variable]
    time_dim: str
    times: list[float]


def _prepare(dataset: xr.Dataset, encoding: Mapping[str, Mapping[str, Any]], time_dim: str) -> _Prepared:
    encoded, attributes = _encoded(_in_pieces(dataset, time_dim), encoding, time_dim)
    encoded = _with_a_step(encoded, time_dim)
    used = {dim for name, variable in encoded.items() if variable.dims != (name,) for dim in variable.dims}
    coordinates = {
        name: variable
        for name, variable in encoded.items()
        if variable.dims == (name,) and name in {*used, time_dim}
    }
    others = {name: variable for name, variable in encoded.items() if name not in coordinates}
    fields = {name: _checked(name, variable, time_dim) for name, variable in others.items() if variable.dims}
    attrs = _all_attributes(attributes, coordinates, time_dim)
    time = coordinates.pop(time_dim, None)
    has_time = any(time_dim in variable.dims for variable in encoded.values())
    definitions = {
        "dims": {dim: n for field in fields.values() for dim, n in field.sizes.items() if dim != time_dim},
        "coords": {name: _coordinate(name, variable) for name, variable in coordinates.items()},
        "attrs": attrs,
        "time_dim": time_dim if has_time else "",
        "time_dtype": np.float64 if time is None else time.dtype.newbyteorder("="),
    }
    return _Prepared(
        definitions,
        scalars={name: variable for name, variable in others.items() if not variable.dims},
        fields=fields,
        time_dim=time_dim,
        times=_times(encoded, time, time_dim),
    )


def _all_attributes(
    attributes: Mapping[Any, Any], coordinates: Mapping[Hashable, xr.Variable], time_dim: str
) -> dict[str, Any]:
    """The attributes of the dataset and of its coordinates, for Writer."""
    of_dims = {str(name): _attributes(str(name), variable.attrs) for name, variable in coordinates.items()}
    if time_dim in of_dims and time_dim in attributes:
        of_dims[TIME_DIM] = of_dims.pop(time_dim)  # the writer accepts either name
    return attributes_with_dims("the dataset", _attributes("the dataset", attributes), of_dims)


def _write(writer: Writer, prepared: _Prepared, compression: Mapping[str, str], directory: str) -> None:
    if unknown := [name for name in compression if name not in prepared.fields]:
        raise ValueError(
            f"encoding: compression of {unknown[0]!r}, which is not a field; the fields are "
            f"{', '.join(map(str, prepared.fields))}"
        )
    for name, variable in prepared.scalars.items():
        writer.scalar(*_scalar(name, variable))
    time_dim = prepared.time_dim
    made = _define(writer, prepared.fields, time_dim, compression)
    for number, time in enumerate(prepared.times):
        due = {
            name: variable.isel({time_dim: number}) if time_dim in variable.dims else variable
            for name, variable in prepared.fields.items()
            if number == 0 or time_dim in variable.dims
        }
        with writer.step(time) as step:
            for name, array in _samples(due, directory):
                step.put(made[name], array)


def _in_pieces(dataset: xr.Dataset, time_dim: str) -> xr.Dataset:
    """The dataset with large variables that are not loaded split into dask chunks of at most one step."""
    if find_spec("dask") is None:
        return dataset
    chunked = {}
    for name, variable in dataset.variables.items():
        is_lazy = variable.chunks is None and not variable._in_memory  # xarray has no public property for it
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
    dataset: xr.Dataset, encoding: Mapping[str, Mapping[str, Any]], time_dim: str
) -> tuple[dict[Hashable, xr.Variable], dict[Any, Any]]:
    """Variables and attributes encoded as in a netCDF file; dask arrays stay lazy."""
    variables, attributes = conventions.encode_dataset_coordinates(dataset)
    variables = dict(variables)
    for name, of_variable in encoding.items():
        if name not in variables:
            raise ValueError(
                f"encoding: no variable {name!r}; the dataset has {', '.join(map(str, variables))}"
            )
        if unknown := [key for key in of_variable if key not in _ENCODINGS]:
            raise ValueError(
                f"{name}: unexpected encoding {unknown[0]!r}; expected one of {', '.join(sorted(_ENCODINGS))}"
            )
        variables[name] = variables[name].copy(deep=False)
        variables[name].encoding = dict(of_variable)
    if time_dim in variables:
        _check_no_gap(time_dim, variables[time_dim].values)
    variables = {name: _within_packed_type(name, variable) for name, variable in variables.items()}
    encoded, attributes = conventions.cf_encoder(variables, attributes)
    sizes = dict(dataset.sizes)
    for name, variable in encoded.items():
        if variable.dtype.kind in TEXT_KINDS and variable.dims:
            wanted = variables[name].encoding.get("char_dim_name", "")
            encoded[name] = _characters(name, variable, sizes, wanted)
    if time_dim in encoded and not _is_float64(encoded[time_dim]):  # for example nanoseconds since 1970
        encoded[time_dim] = _since_the_first(variables[time_dim])
    return encoded, attributes


def _within_packed_type(name: Hashable, variable: xr.Variable) -> xr.Variable:
    """The variable, whose values are checked when they are computed: xarray wraps those that the integer type of its
    encoding cannot hold."""
    own = variable.encoding
    packed = np.dtype(own.get("dtype") or variable.dtype)
    if packed.kind not in "iu" or variable.dtype.kind not in "iuf":
        return variable
    if own.get("_Unsigned") == "true":
        packed = np.dtype(f"u{packed.itemsize}")
    limits, scale, offset = np.iinfo(packed), own.get("scale_factor", 1), own.get("add_offset", 0)

    has_fill = any(key in given for key in ("_FillValue", "missing_value") for given in (own, variable.attrs))

    def checked(values: NDArray[Any]) -> NDArray[Any]:
        is_scaled = values.dtype.kind == "f" or scale != 1 or offset != 0
        stored = np.rint((values - offset) / scale) if is_scaled else values
        beyond = (stored < limits.min) | (stored > limits.max)
        if not has_fill:
            beyond |= stored != stored
        if np.any(beyond):
            raise ValueError(
                f"{name}: expected values that {packed} holds with scale_factor={scale} and add_offset={offset} "
                f"({limits.min * scale + offset:g} to {limits.max * scale + offset:g}), found "
                f"{values[beyond].flat[0]}; choose another dtype, scale_factor or add_offset in encoding"
            )
        return values

    if variable.chunks is None:
        checked(np.asarray(variable.values))
        return variable
    return variable.copy(
        data=variable.data.map_blocks(checked, dtype=variable.dtype, meta=variable.data._meta)
    )


def _characters(name: Hashable, texts: xr.Variable, sizes: dict[Any, int], wanted: str) -> xr.Variable:
    """Texts as characters along one more dimension, the wanted one if it is free, which `sizes` gets."""
    characters = characters_of(str(name), texts.values)
    length = characters.shape[-1]
    dim = character_dim(length, sizes, wanted)
    sizes[dim] = length
    attrs = {"_Encoding": "utf-8", **without_character_attributes(texts.attrs)}  # as for a text in _scalar()
    return xr.Variable((*texts.dims, dim), characters, attrs)


def _is_float64(variable: xr.Variable) -> bool:
    """Whether float64 represents all values exactly."""
    if variable.dtype.kind not in "iu":
        return True
    return np.array_equal(variable.values.astype(np.float64).astype(variable.dtype), variable.values)


def _since_the_first(times: xr.Variable) -> xr.Variable:
    """The times encoded in units since the first one if they are dates; numbers are unchanged."""
    times = times.copy(deep=False)
    times.encoding = {key: value for key, value in times.encoding.items() if key not in ("units", "dtype")}
    return conventions.encode_cf_variable(times)


def _with_a_step(variables: dict[Hashable, xr.Variable], time_dim: str) -> dict[Hashable, xr.Variable]:
    """The variables to write. Fixed fields are written with a step; if the time has length 0, the variables
    with that dimension are left out so that there can be a step."""
    empty = [name for name, variable in variables.items() if variable.sizes.get(time_dim) == 0]
    others = {name: variable for name, variable in variables.items() if name not in empty}
    used = {dim for name in empty for dim in variables[name].dims}
    is_fixed = [v.dims and not (v.dims == (name,) and name in used) for name, v in others.items()]
    if not empty or not any(is_fixed):
        return variables
    warnings.warn(
        f"{time_dim!r} has length 0; left out: {', '.join(map(str, empty))}. The other variables are written "
        "in one step",
        stacklevel=4,
    )
    return others


def _check_name(name: Hashable) -> None:
    if not isinstance(name, str) or not name:
        raise TypeError(f"variable {name!r}: expected a non-empty text as name; rename the variable")


def _scalar(name: Hashable, variable: xr.Variable) -> tuple[str, Any, dict[str, Any]]:
    """Name, value and attributes of a variable without dimensions: a number or a text."""
    _check_name(name)
    value, attrs = variable.values[()], _attributes(str(name), variable.attrs)
    if isinstance(value, str | bytes):
        value = value.decode() if isinstance(value, bytes) else value
        return str(name), value, {"_Encoding": "utf-8", **attrs}  # makes xarray read a text instead of bytes
    return str(name), np.asarray(value, stored_type(str(name), variable.dtype))[()], attrs


def _checked(name: Hashable, variable: xr.Variable, time_dim: str) -> xr.Variable:
    """Returns the variable, or raises if it cannot be written."""
    _check_name(name)
    stored_type(name, variable.dtype)
    dims = [dim for dim in variable.dims if dim != time_dim]
    if len(dims) > _MAX_AXES:
        raise ValueError(
            f"{name}: expected at most {_MAX_AXES} dimensions in addition to the time, found {len(dims)}"
        )
    return variable


def _check_no_gap(time_dim: str, times: NDArray[Any]) -> None:
    """Numbers or dates; encoded, a date that is missing is a number."""
    missing = np.flatnonzero(np.isnat(times) if times.dtype.kind == "M" else times != times)
    if len(missing):
        raise ValueError(
            f"{time_dim}: step {missing[0]} has no time (NaT); leave it out with dropna({time_dim!r})"
        )


def _times(
    variables: Mapping[Hashable, xr.Variable], coordinate: xr.Variable | None, time_dim: str
) -> list[float]:
    num_times = next((v.sizes[time_dim] for v in variables.values() if time_dim in v.dims), None)
    if num_times is None:
        return [0.0]  # everything is fixed
    if coordinate is None:
        return [float(number) for number in range(num_times)]
    if not _is_float64(_numbers(time_dim, coordinate)):
        raise ValueError(
            f"{time_dim}: expected times that float64 represents exactly, found integers beyond 2^53"
        )
    times = np.asarray(coordinate.values, np.float64)
    _check_no_gap(time_dim, times)
    if np.any(np.diff(times) < 0):
        raise ValueError(f"{time_dim}: expected increasing times; sort the dataset with sortby({time_dim!r})")
    if np.any(np.diff(times) == 0):
        step = int(np.flatnonzero(np.diff(times) == 0)[0])
        raise ValueError(
            f"{time_dim}: steps {step} and {step + 1} have the same time, {times[step]:g} "
            f"{coordinate.attrs.get('units', '')}; if they differ by less than its unit, choose a finer one in encoding, "
            f"otherwise use drop_duplicates({time_dim!r})"
        )
    return [float(time) for time in times]


def _numbers(name: Hashable, variable: xr.Variable) -> xr.Variable:
    if variable.dtype.kind not in "iuf":
        raise ValueError(f"{name}: expected numeric coordinates, found type {variable.dtype}")
    return variable


def _coordinate(name: Hashable, variable: xr.Variable) -> NDArray[Any]:
    return np.asarray(_numbers(name, variable).values, stored_type(str(name), variable.dtype))


def _attributes(owner: str, attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """The attributes for esker.Writer; raises ValueError for unsupported values."""
    taken: dict[str, Any] = {}
    for name, value in attributes.items():
        array = np.asarray(value)
        if isinstance(value, str) or texts_of(value) or (array.dtype.kind in "biuf" and array.ndim <= 1):
            taken[str(name)] = value
        else:
            raise ValueError(f"{owner}: attribute {name!r}: expected texts or numbers, found {value!r}")
    return taken


def _define(
    writer: Writer,
    fields: Mapping[Hashable, xr.Variable],
    time_dim: str,
    compression: Mapping[str, str],
) -> dict[Hashable, WriterField]:
    axes = {
        name: tuple(dim for dim in reversed(field.dims) if dim != time_dim) for name, field in fields.items()
    }
    grids = {dims: writer.grid(grid_name(dims) or _SERIES, dims) for dims in dict.fromkeys(axes.values())}
    return {
        name: writer.field(
            name,
            variable.dtype.newbyteorder("="),
            grid=grids[axes[name]],
            fixed=time_dim not in variable.dims,
            compression=compression.get(str(name), ""),
            attrs=_attributes(name, variable.attrs),
        )
        for name, variable in fields.items()
    }


def _samples(
    variables: Mapping[Hashable, xr.Variable], directory: str
) -> Iterator[tuple[Hashable, NDArray[Any]]]:
    for name, variable in variables.items():
        native = variable.dtype.newbyteorder("=")
        array = (
            np.asarray(variable.values, native) if variable.chunks is None else _computed(variable, directory)
        )
        yield name, array if array.ndim else array.reshape(1)


def _computed(variable: xr.Variable, directory: str) -> NDArray[Any]:
    """All chunks: in memory if they are small, else in a scratch_array().

    The coarse levels of a dataset take samples from the entire grid, so all samples must be available when a
    step ends.
    """
    native = variable.dtype.newbyteorder("=")
    if variable.nbytes <= PIECE_BYTES:
        return np.asarray(variable.compute().values, native)
    array = scratch_array(variable.shape, native, directory)
    for batch in _batches(variable):
        for where, chunk in zip(batch, _compute([variable[where] for where in batch])):
            array[where] = chunk
    return array


def _batches(variable: xr.Variable) -> Iterator[list[tuple[slice, ...]]]:
    """The slices of chunks, in batches that are computed in parallel."""
    from dask.array.core import slices_from_chunks

    largest = int(np.prod([max(sizes) for sizes in variable.chunks])) * variable.dtype.itemsize
    slices = iter(slices_from_chunks(variable.chunks))
    while batch := list(islice(slices, max(1, _BATCH_BYTES // largest))):
        yield batch


def _compute(chunks: Sequence[xr.Variable]) -> Sequence[NDArray[Any]]:
    """Computes chunks with the current dask scheduler, possibly on a cluster, and returns the results."""
    import dask

    return dask.compute(*(chunk.data for chunk in chunks))
