"""vtk.js, which draws volumes and globes in the page. Panel's package has it as one file; nothing of Panel is imported."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

HOW_TO_INSTALL = "Volumes and globes need vtk.js, which comes with Panel: pip install 'esker[view3d]'"


@functools.cache
def library() -> Path | None:
    """The file of vtk.js; None if Panel is not installed."""
    try:
        found = importlib.util.find_spec("panel")
    except (ImportError, ValueError):
        return None
    for folder in (found.submodule_search_locations or []) if found else []:
        files = sorted(Path(folder).glob("dist/bundled/*/vtk.js@*/vtk.js"))
        if files:
            return files[-1]
    return None


def version() -> str:
    """The version of vtk.js; "" without it."""
    file = library()
    return file.parent.name.partition("@")[2] if file else ""
