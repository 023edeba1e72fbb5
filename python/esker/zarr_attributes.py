"""Fill values in attributes of Zarr v3, as xarray keeps them: JSON has no NaN, and `_FillValue` of reals is the text of its bytes."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from esker.decoding import FILL_ATTRIBUTES, fill_values


def attributes_for_zarr(attrs: Mapping[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Attributes of an array of that type, as a Zarr store has them.

    Fill values are those that the type can hold. An attribute without any is left out: it marks nothing.
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
    """What attributes_for_zarr() was given."""
    value = attrs.get("_FillValue")
    if not isinstance(value, str) or dtype.kind != "f":
        return dict(attrs)
    try:
        return {**attrs, "_FillValue": struct.unpack("<d", base64.standard_b64decode(value))[0]}
    except (ValueError, struct.error):
        return dict(attrs)
