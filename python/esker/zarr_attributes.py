"""_FillValue as xarray keeps it in attributes of Zarr v3: JSON has no NaN, and reals are the text of their bytes."""

from __future__ import annotations

import base64
import struct
from typing import Any

import numpy as np


def encoded_fill_value(attrs: dict[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Attributes of an array of that type, as a Zarr store has them."""
    value = attrs.get("_FillValue")
    if value is None or isinstance(value, str) or dtype.kind != "f":
        return attrs
    return {**attrs, "_FillValue": base64.standard_b64encode(struct.pack("<d", float(value))).decode()}


def decoded_fill_value(attrs: dict[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """What encoded_fill_value() was given."""
    value = attrs.get("_FillValue")
    if not isinstance(value, str) or dtype.kind != "f":
        return attrs
    try:
        return {**attrs, "_FillValue": struct.unpack("<d", base64.standard_b64decode(value))[0]}
    except (ValueError, struct.error):
        return attrs
