"""Attributes of Zarr v3 as JSON, which has neither NaN nor infinities: `_FillValue` of reals is base64, as xarray
writes it; other attributes have Zarr's words for such numbers."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from esker.base.fill_values import FILL_ATTRIBUTES, fill_values
from esker.base.values import plain

_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def attributes_for_zarr(attrs: Mapping[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Encodes the attributes of an array of type `dtype` for a Zarr store, as values of JSON.

    Fill values that the type cannot represent are dropped, and so is an attribute without any left; a text has none.
    """
    taken = {name: json_value(value) for name, value in attrs.items()}
    for name in FILL_ATTRIBUTES:
        if name in attrs and dtype.kind not in "iuf":
            del taken[name]
            continue
        if name not in attrs or isinstance(attrs[name], str):
            continue
        numbers = fill_values(attrs[name], dtype).tolist()
        if name == "_FillValue" and dtype.kind == "f" and numbers:
            taken[name] = base64.standard_b64encode(struct.pack("<d", numbers[0])).decode()
            continue
        numbers = [number for number in numbers if math.isfinite(number)]
        taken[name] = numbers[0] if len(numbers) == 1 else numbers
        if not numbers:
            del taken[name]
    return taken


def json_value(attribute: Any) -> Any:
    """An attribute as JSON has it: plain, NaN and infinities as the words that Zarr has for fill values."""
    value = plain(attribute)
    if isinstance(value, list):
        return [json_value(one) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def from_json_value(value: Any) -> Any:
    """The inverse of json_value()."""
    if isinstance(value, list):
        found = [from_json_value(one) for one in value]
        return value if any(isinstance(one, str) for one in found) else found
    return _NOT_FINITE.get(value, value) if isinstance(value, str) else value


def attributes_from_zarr(attrs: Mapping[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """The inverse of attributes_for_zarr()."""
    found = {name: from_json_value(value) for name, value in attrs.items()}
    value = found.get("_FillValue")
    if not isinstance(value, str) or dtype.kind != "f":
        return found
    try:
        return {**found, "_FillValue": struct.unpack("<d", base64.standard_b64decode(value))[0]}
    except (ValueError, struct.error):
        return found
