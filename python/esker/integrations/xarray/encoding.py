"""The CF encoding that xarray uses for netCDF, as far as Esker stores it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray import conventions

from esker.base.characters import TEXT_KINDS, character_dim, characters_of, without_character_attributes

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


def encoded_variables(
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
        check_no_gap(time_dim, variables[time_dim].values)
    variables = {name: _within_packed_type(name, variable) for name, variable in variables.items()}
    encoded, attributes = conventions.cf_encoder(variables, attributes)
    sizes = dict(dataset.sizes)
    for name, variable in encoded.items():
        if variable.dtype.kind in TEXT_KINDS and variable.dims:
            wanted = variables[name].encoding.get("char_dim_name", "")
            encoded[name] = _characters(name, variable, sizes, wanted)
    if time_dim in encoded and not is_float64(encoded[time_dim]):  # for example nanoseconds since 1970
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
    attrs = {"_Encoding": "utf-8", **without_character_attributes(texts.attrs)}  # as for a text in scalar_of()
    return xr.Variable((*texts.dims, dim), characters, attrs)


def is_float64(variable: xr.Variable) -> bool:
    """Whether float64 represents all values exactly."""
    if variable.dtype.kind not in "iu":
        return True
    return np.array_equal(variable.values.astype(np.float64).astype(variable.dtype), variable.values)


def _since_the_first(times: xr.Variable) -> xr.Variable:
    """The times encoded in units since the first one if they are dates; numbers are unchanged."""
    times = times.copy(deep=False)
    times.encoding = {key: value for key, value in times.encoding.items() if key not in ("units", "dtype")}
    return conventions.encode_cf_variable(times)


def check_no_gap(time_dim: str, times: NDArray[Any]) -> None:
    """Numbers or dates; encoded, a date that is missing is a number."""
    missing = np.flatnonzero(np.isnat(times) if times.dtype.kind == "M" else times != times)
    if len(missing):
        raise ValueError(
            f"{time_dim}: step {missing[0]} has no time (NaT); leave it out with dropna({time_dim!r})"
        )
