"""Which resolution level of a field suits: the finest that fits, or the coarsest that suffices. Nothing here reads samples."""

from __future__ import annotations

from collections.abc import Callable

from esker.base.boxes import Box
from esker.dataset.field import Field


def shape_at(field: Field, step: int, box: Box | None, level: int) -> tuple[int, ...]:
    """The samples of a level in a box along each axis, without components; slowest axis first."""
    return field.select(step, box, level).shape[: len(field.grid.dims)]


def finest_level(finest: int, fits: Callable[[int], bool]) -> int:
    """The finest level up to `finest` that fits; 0 if none does."""
    return next((level for level in range(finest, 0, -1) if fits(level)), 0)


def coarsest_level(finest: int, suffices: Callable[[int], bool]) -> int:
    """The coarsest level that suffices; `finest` if none does."""
    return next((level for level in range(finest) if suffices(level)), finest)
