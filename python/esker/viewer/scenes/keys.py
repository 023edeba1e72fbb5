"""What the keys of the keyboard change in a scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from esker.dataset.field import Field
from esker.viewer.scenes.colors import PALETTES
from esker.viewer.scenes.session import RANGES, Scene, Window

_ZOOM = 1.5
_PAN = 0.2
"""Of the window."""
_PANS = {"w": (0, 1), "a": (-1, 0), "s": (0, -1), "d": (1, 0)}
_SWITCHES = {"l": "log", "r": "reverse", "z": "zero", "o": "outlines", "h": "follow"}
_INDICES = {
    "ArrowLeft": ("step", -1),
    "ArrowRight": ("step", 1),
    "ArrowUp": ("place", 1),
    "ArrowDown": ("place", -1),
}


def changes_of(key: str, scene: Scene, field: Field, names: Sequence[str], window: Window) -> dict[str, Any]:
    """The new values of a scene by name; empty if the key has no meaning there.

    names:  the fields that can be shown
    window: what is visible
    """
    pressed = key if len(key) > 1 else key.lower()
    if pressed in _INDICES:
        name, by = _INDICES[pressed]
        return {name: getattr(scene, name) + by}
    if pressed in _SWITCHES:
        name = _SWITCHES[pressed]
        return {name: not getattr(scene, name)}
    if pressed in ("+", "=", "-"):
        return {"window": _zoomed(window, _ZOOM if pressed == "-" else 1 / _ZOOM)}
    if pressed in _PANS:
        return {"window": _panned(window, *_PANS[pressed])}
    if pressed in ("[", "]", "\\", "0"):
        return _level_or_all(pressed, scene, field)
    return _next_choice(pressed, scene, field, names)


def changes_of_difference(key: str, scene: Scene, field: Field, window: Window) -> dict[str, Any]:
    """The same for a difference, whose field, step and plane are those of other views."""
    found = changes_of(key, scene, field, (), window)
    return {
        name: value
        for name, value in found.items()
        if name not in ("step", "place", "component", "normal", "follow")
    }


def _level_or_all(key: str, scene: Scene, field: Field) -> dict[str, Any]:
    if key == "0":
        return {"window": None}
    if key == "\\":
        return {"level": None}
    level = field.max_level if scene.level is None else scene.level
    return {"level": level + (1 if key == "]" else -1)}


def _next_choice(key: str, scene: Scene, field: Field, names: Sequence[str]) -> dict[str, Any]:
    if key == "f" and names:
        return {"field": _after(scene.field, names)}
    if key == "c" and field.components > 1:
        return {"component": _after(scene.component, [None, *range(field.components)])}
    if key == "n" and scene.normal:
        return {"normal": _after(scene.normal, list(field.grid.dims))}
    if key == "p":
        return {"palette": _after(scene.palette, PALETTES)}
    if key == "v":
        return {"range": _after(scene.range, RANGES)}
    return {}


def _after(value: Any, choices: Sequence[Any]) -> Any:
    """The choice after a value; the first one after the last."""
    return choices[(choices.index(value) + 1) % len(choices)]


def _zoomed(window: Window, by: float) -> Window:
    left, right, bottom, top = window
    across, up = (left + right) / 2, (bottom + top) / 2
    half, tall = (right - left) / 2 * by, (top - bottom) / 2 * by
    return across - half, across + half, up - tall, up + tall


def _panned(window: Window, across: int, up: int) -> Window:
    left, right, bottom, top = window
    by, rise = across * _PAN * (right - left), up * _PAN * (top - bottom)
    return left + by, right + by, bottom + rise, top + rise
