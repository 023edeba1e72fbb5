"""A dataset that is encoded and checked for writing: what a writer defines, its fields, scalars and times."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from esker.base.dimensions import TIME_DIM
from esker.base.stored_types import stored_type
from esker.base.values import texts_of
from esker.integrations.xarray.chunks import in_pieces
from esker.integrations.xarray.encoding import check_no_gap, encoded_variables, is_float64
from esker.writing.attributes import attributes_with_dims

_MAX_AXES = 5


@dataclass(frozen=True)
class Prepared:
    """A dataset that is encoded and checked for writing."""

    definitions: dict[str, Any]
    """Arguments of Writer: dimensions, coordinates, attributes, the time dimension."""
    scalars: dict[Hashable, xr.Variable]
    fields: dict[Hashable, xr.Variable]
    time_dim: str
    times: list[float]


def prepare(dataset: xr.Dataset, encoding: Mapping[str, Mapping[str, Any]], time_dim: str) -> Prepared:
    """Encodes and checks a dataset. Raises ValueError or TypeError for what cannot be written."""
    encoded, attributes = encoded_variables(in_pieces(dataset, time_dim), encoding, time_dim)
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
    return Prepared(
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
    of_dims = {str(name): checked_attributes(str(name), variable.attrs) for name, variable in coordinates.items()}
    if time_dim in of_dims and time_dim in attributes:
        of_dims[TIME_DIM] = of_dims.pop(time_dim)  # the writer accepts either name
    return attributes_with_dims("the dataset", checked_attributes("the dataset", attributes), of_dims)


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


def scalar_of(name: Hashable, variable: xr.Variable) -> tuple[str, Any, dict[str, Any]]:
    """Name, value and attributes of a variable without dimensions: a number or a text."""
    _check_name(name)
    value, attrs = variable.values[()], checked_attributes(str(name), variable.attrs)
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


def _times(
    variables: Mapping[Hashable, xr.Variable], coordinate: xr.Variable | None, time_dim: str
) -> list[float]:
    num_times = next((v.sizes[time_dim] for v in variables.values() if time_dim in v.dims), None)
    if num_times is None:
        return [0.0]  # everything is fixed
    if coordinate is None:
        return [float(number) for number in range(num_times)]
    if not is_float64(_numbers(time_dim, coordinate)):
        raise ValueError(
            f"{time_dim}: expected times that float64 represents exactly, found integers beyond 2^53"
        )
    times = np.asarray(coordinate.values, np.float64)
    check_no_gap(time_dim, times)
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


def checked_attributes(owner: str, attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """The attributes for esker.Writer; raises ValueError for unsupported values."""
    taken: dict[str, Any] = {}
    for name, value in attributes.items():
        array = np.asarray(value)
        if isinstance(value, str) or texts_of(value) or (array.dtype.kind in "biuf" and array.ndim <= 1):
            taken[str(name)] = value
        else:
            raise ValueError(f"{owner}: attribute {name!r}: expected texts or numbers, found {value!r}")
    return taken
