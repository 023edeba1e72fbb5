"""Names and units of fields as yt has them."""

from __future__ import annotations

from typing import Any

import unyt

from esker.dataset.field import Field


def names_of(field: Field) -> list[str]:
    """The fields of yt that a field is: one for each component."""
    if field.components == 1:
        return [field.name]
    return [f"{field.name}_{component}" for component in range(field.components)]


def unit_of(field: Field) -> str:
    """The unit of a field, if yt knows it; "" for a number."""
    unit = known_unit(field.attrs.get("units", ""))
    return "" if unit is None or unit.base_offset != 0 or unit.is_dimensionless else str(unit)


def known_unit(text: Any) -> unyt.Unit | None:
    """The unit that an attribute names; None if it is no text, or yt does not know it."""
    try:
        return unyt.Unit(text) if isinstance(text, str) else None
    except (unyt.exceptions.UnitParseError, unyt.exceptions.UnitsNotReducible, SyntaxError):
        return None
