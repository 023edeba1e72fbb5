"""Attributes of datasets and fields, as netCDF libraries return them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from esker.base.fill_values import FILL_ATTRIBUTES, fill_values
from esker.base.values import texts_of
from esker.dataset.field import Field
from esker.dataset.losses import attributes_for_copy


def attributes_for_xarray(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes as netCDF libraries return them: texts, lists of texts, NumPy numbers and arrays."""
    return {
        name: value if isinstance(value, str) or texts_of(value) else np.asarray(value)[()]
        for name, value in attributes.items()
    }


def field_attributes(field: Field) -> dict[str, Any]:
    """The attributes of a field; fill values have the field's type."""
    return {
        name: _fill_value(field, value) if name in FILL_ATTRIBUTES else value
        for name, value in attributes_for_xarray(attributes_for_copy(field)).items()
    }


def _fill_value(field: Field, value: Any) -> Any:
    """The fill values in the type of the samples; unchanged if the type cannot represent all of them, so that
    xarray compares without a cast."""
    found = fill_values(value, field.dtype)
    if found.size == 0 and field.attrs.get("_Unsigned") == "true" and field.dtype.kind == "i":
        found = fill_values(value, np.dtype(f"u{field.dtype.itemsize}")).view(field.dtype)
    return found.reshape(np.shape(value))[()] if found.size == np.size(value) else value
