"""Legends outside of the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INSIDE = {"right upper": "upper right", "right center": "center right"}


def add_outside(drawn: Figure, place: str, *entries: Any, **options: Any) -> None:
    """A legend without a frame at a place such as "right center" or "lower right". Matplotlib before 3.7 draws it inside
    of the axes. `entries` and `options` are those of Figure.legend()."""
    try:
        drawn.legend(*entries, loc=f"outside {place}", frameon=False, **options)
    except ValueError:
        drawn.legend(*entries, loc=_INSIDE.get(place, place), frameon=False, **options)
