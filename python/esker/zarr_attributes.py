"""Fill values in Zarr v3 attributes, in xarray's encoding: `_FillValue` of reals is base64, because JSON has
no NaN."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from esker.decoding import FILL_ATTRIBUTES, fill_values


def attributes_for_zarr(attrs: Mapping[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Encodes the attributes of an array of type `dtype` for a Zarr store.

    Fill values that the type cannot represent are dropped, and so is an attribute without any left.
    """
    taken = dict(attrs)
    for name in FILL_ATTRIBUTES:
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


def attributes_from_zarr(attrs: Mapping[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """The inverse of attributes_for_zarr()."""
    value = attrs.get("_FillValue")
    if not isinstance(value, str) or dtype.kind != "f":
        return dict(attrs)
    try:
        return {**attrs, "_FillValue": struct.unpack("<d", base64.standard_b64decode(value))[0]}
    except (ValueError, struct.error):
        return dict(attrs)
