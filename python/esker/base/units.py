"""Names with units, and the units of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def with_units(name: object, units: object) -> str:
    """The name of a quantity with its units, where these are known.

    >>> with_units("temperature", "K"), with_units("step", None), with_units("fraction", "")
    ('temperature [K]', 'step', 'fraction')
    """
    return f"{name} [{units}]" if units else str(name)


def time_units(time_attrs: Mapping[str, Any], attrs: Mapping[str, Any]) -> str:
    """The units of time by the attributes of time or, in datasets of older versions, of the dataset; "" without any.

    >>> time_units({"units": "days since 2001-01-01"}, {}), time_units({}, {"time_units": "s"}), time_units({}, {})
    ('days since 2001-01-01', 's', '')
    """
    return str(time_attrs.get("units", attrs.get("time_units", "")))
