"""Texts of axes, times and positions on pictures, with units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.units import time_units, with_units
from esker.dataset.field import Field
from esker.dataset.opening import Dataset

_METERS_SHOWN_AS_KM = 20_000.0
METERS = {"m": 1.0, "metre": 1.0, "meter": 1.0, "metres": 1.0, "meters": 1.0, "km": 1000.0}
_DAYS_PER_YEAR = {"365_day": 365, "noleap": 365, "366_day": 366, "all_leap": 366, "360_day": 360}
"""Calendars whose years all have the same length."""


def coordinate_units(field: Field, dim: str) -> str:
    """The units of a dimension's coordinates; "" if the dataset does not tell."""
    attrs = field.dataset.dim_attrs.get(dim, {})
    return str(attrs.get("units", field.grid.attrs.get("coordinate_units", "")))


def shown_units(field: Field, dim: str, values: NDArray[Any]) -> tuple[str, float]:
    """Units of an axis label and the factor for its values; long distances are shown in km."""
    if dim not in field.grid.coords:
        return "index", 1.0
    unit = coordinate_units(field, dim)
    if METERS.get(unit) == 1.0 and np.abs(values).max() >= _METERS_SHOWN_AS_KM:
        return "km", 1e-3
    return unit, 1.0


def time_text(field: Field, step: int) -> str:
    """The time of a step, as in "t = 150 years"; "" for fixed fields."""
    dataset = field.dataset
    if field.fixed or not dataset.steps:
        return ""
    time, attrs = dataset.steps[step], dataset.time_attrs
    units = time_units(attrs, dataset.attrs).partition(" since ")[0]
    days_per_year = _DAYS_PER_YEAR.get(str(attrs.get("calendar", "")))
    if units == "days" and days_per_year and abs(time) >= days_per_year:
        return f"t = {time / days_per_year:g} years"
    return f"t = {time:g} {units}".rstrip()


def field_name(field: Field) -> str:
    """The name of a field for people."""
    return str(field.attrs.get("long_name", field.name))


def field_label(field: Field, part: str = "") -> str:
    """The name of a field for people, of a part of it such as ", length", and its units."""
    return with_units(field_name(field) + part, field.attrs.get("units"))


def time_label(dataset: Dataset) -> str:
    """The label of an axis of time."""
    return with_units("time", time_units(dataset.time_attrs, dataset.attrs))


def position_text(field: Field, dim: str, index: int) -> str:
    """The coordinate of an index, as in "y = -2000 km"."""
    coords = field.grid.coords.get(dim)
    if coords is None:
        return f"{dim} = {index}"
    unit, factor = shown_units(field, dim, coords)
    return f"{dim} = {coords[index] * factor:g} {unit}".rstrip()
