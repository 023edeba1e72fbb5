"""Attributes and coordinates of a writer, as the extension takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from esker.base.values import CoreValue, core_numbers, core_value, is_untyped

_OF_SAMPLES = ("_FillValue", "missing_value", "valid_min", "valid_max", "valid_range")
"""Attributes that hold sample values; CF requires them to have the type of the field."""


def field_value(field: str, name: str, value: Any, kind: np.dtype[Any]) -> CoreValue:
    """An attribute's value for the extension; Python numbers that are sample values get the field's type if
    they fit."""
    if name in _OF_SAMPLES and is_untyped(value):
        given = np.asarray(value)
        if given.dtype.kind in "if" and (kind.kind == "f" or given.dtype.kind != "f"):
            with np.errstate(over="ignore"):
                typed = given.astype(kind)
            if kind.kind == "f" or np.array_equal(typed, given):
                return core_numbers(typed)
    return core_value(f"field {field!r}", name, value)


def attributes_with_dims(
    owner: str, own: Mapping[str, Any], of_dims: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Combines a dataset's attributes with those of dimensions and of the time, under their names, for
    Writer."""
    if both := [name for name in own if name in of_dims]:
        raise ValueError(
            f"{owner}: the attribute {both[0]!r} has the name of a dimension; rename the attribute"
        )
    return {**own, **of_dims}


def core_coordinates(values: ArrayLike) -> tuple[str, bytes]:
    """Coordinates for the extension. Numeric arrays keep their type; anything else becomes float64."""
    given = np.asarray(values)
    is_typed = isinstance(values, np.ndarray) and given.dtype.kind in "iuf"
    return core_numbers(given if is_typed else np.asarray(values, np.float64))
