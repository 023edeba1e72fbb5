"""The outlines of the patches of a mesh in a plane, a color for each level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from esker.dataset.mesh import Mesh, MeshPatch
from esker.viewer.reading.samples import Stale
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.axes import Axis

MAX_OUTLINES = 4000
LEVEL_COLORS = ("#808080", "#d02090", "#1060d0", "#d07000", "#108040", "#7030c0")
"""From the coarsest level on, and again."""


@dataclass(frozen=True)
class Outlines:
    """Rectangles in drawn coordinates: left, right, bottom, top, color."""

    rectangles: dict[str, Any]
    note: str = ""
    """A sentence if some are left out."""


NO_OUTLINES = Outlines({name: [] for name in ("left", "right", "bottom", "top", "color")})


def outlines_of(source: Source, is_wanted: Callable[[], bool]) -> Outlines:
    """The patches that a plane meets, coarse ones first. Reads no samples. Raises Stale, KeyError, OSError."""
    mesh = source.field.grid.mesh
    if mesh is None:
        return NO_OUTLINES
    found = [patch for patch in source.field.patches(source.step) if _is_met(source, mesh, patch)]
    if not is_wanted():
        raise Stale
    shown = found[:MAX_OUTLINES]
    across, up = source.plane.horizontal, source.plane.vertical
    rows = [(*_ends(across, mesh, patch), *_ends(up, mesh, patch)) for patch in shown]
    edges = np.array(rows, np.float64).reshape(-1, 4).T
    rectangles: dict[str, Any] = dict(zip(("left", "right", "bottom", "top"), edges))
    rectangles["color"] = [LEVEL_COLORS[patch.level % len(LEVEL_COLORS)] for patch in shown]
    note = (
        ""
        if len(found) == len(shown)
        else f"Of {len(found)} patches, {len(shown)} are outlined: the coarsest ones."
    )
    return Outlines(rectangles, note)


def _is_met(source: Source, mesh: Mesh, patch: MeshPatch) -> bool:
    if source.plane.normal is None:
        return True
    first, last = _samples(source.plane.normal, mesh, patch)
    return first <= source.scene.place <= last


def _samples(axis: Axis, mesh: Mesh, patch: MeshPatch) -> tuple[int, int]:
    """The first and the last sample of a patch along an axis, in indices of the finest level."""
    ratio = mesh.ratio(patch.level, mesh.num_levels - 1)[axis.number]
    low, high = patch.lo[axis.number], patch.hi[axis.number]
    return low * ratio, (high - 1) * ratio if mesh.nodes else high * ratio - 1


def _ends(axis: Axis, mesh: Mesh, patch: MeshPatch) -> tuple[float, float]:
    """The edges of a patch: those of its cells, or its outer nodes."""
    first, last = _samples(axis, mesh, patch)
    if mesh.nodes:
        ends = axis.at(first), axis.at(last)
        return min(ends), max(ends)
    return axis.edges(first, 1, last - first + 1)
