"""Packages that only some commands need."""

from __future__ import annotations

import importlib
from typing import Any

_EXTRAS = {"darshan": "darshan"}
"""The extra of the package esker that has them; the others are in "tune"."""


def needed(module: str) -> Any:
    """Imports a module of an optional package. Raises ModuleNotFoundError with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(module.partition(".")[0], "tune")
        raise ModuleNotFoundError(
            f"{module.partition('.')[0]} is not installed; install it with: pip install 'esker[{extra}]'"
        ) from error
