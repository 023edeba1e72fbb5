"""Reads the values of a globe as 16-bit codes, and the places and neighbors of its cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.dataset.opening import Dataset
from esker.viewer.reading.samples import Kind, Samples, finite_range, read_samples
from esker.viewer.solids.globes import PANELS, GlobeScene, globes_of, points, requests_of, triangles
from esker.viewer.solids.volume_samples import coded, for_log

_LONGEST = 5
"""Sides of triangles in relation to their mean, at most: else the panels are arranged in another way, and points are drawn."""


@dataclass(frozen=True)
class Cells:
    """The values of the cells of a level."""

    level: int
    codes: NDArray[np.uint16]
    low: float
    high: float
    log: bool
    finite: bool
    counts: dict[Kind, int]
    nbytes: int
    error: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Mesh:
    """Where the cells of a level are."""

    places: NDArray[np.float32]
    """x to longitude 0, z to the north pole; radius 1."""
    triangles: NDArray[np.uint32]
    """Empty if it is unknown which cells touch."""
    nbytes: int


def read_cells(dataset: Dataset, shown: GlobeScene, level: int, is_wanted: Callable[[], bool]) -> Cells:
    """Reads the values. Raises Stale soon after is_wanted() turned False, OSError, ValueError."""
    globe = globes_of(dataset)[shown.name]
    found = _read(dataset, shown, level, globe.parts, is_wanted)
    log = shown.scene.log
    values, kinds = for_log(found) if log else (found.values, found.kinds)
    ends = finite_range(values)
    low, high = ends or (0.0, 1.0)
    numbers = np.bincount(kinds, minlength=len(Kind))
    counts = {kind: int(numbers[kind]) for kind in Kind if numbers[kind]}
    return Cells(
        level, coded(values, low, high), low, high, log, ends is not None, counts, found.nbytes, found.error, found.notes
    )  # fmt: skip


def read_mesh(dataset: Dataset, shown: GlobeScene, level: int, is_wanted: Callable[[], bool]) -> Mesh:
    """Reads the places. Raises as read_cells()."""
    globe = globes_of(dataset)[shown.name]
    read = [_read(dataset, shown, level, names, is_wanted) for names in (globe.lon, globe.lat)]
    places = points(*(_radians(dataset, names[0], one) for names, one in zip((globe.lon, globe.lat), read)))
    nbytes = sum(one.nbytes for one in read)
    neighbors = np.zeros((0, 3), np.uint32)
    if globe.has_panels:
        neighbors = _checked(places, triangles(round(((len(places) - 2) / PANELS) ** 0.5)))
    return Mesh(places, neighbors, nbytes)


def _checked(places: NDArray[np.float32], found: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The triangles, if their sides are about as long as each other."""
    sides = np.linalg.norm(places[found] - places[np.roll(found, 1, axis=1)], axis=-1)
    return found if sides.max() <= _LONGEST * sides.mean() else found[:0]


def _read(
    dataset: Dataset, shown: GlobeScene, level: int, names: tuple[str, ...], is_wanted: Callable[[], bool]
) -> Samples:
    """All parts, one after the other, in one row."""
    parts = [
        read_samples(dataset.fields[request.field], request, is_wanted)
        for request in requests_of(dataset, shown, level, names)
    ]
    return Samples(
        np.concatenate([part.values.ravel() for part in parts]),
        np.concatenate([part.kinds.ravel() for part in parts]),
        sum(part.nbytes for part in parts),
        next((part.error for part in parts if part.error), ""),
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _radians(dataset: Dataset, name: str, found: Samples) -> NDArray[Any]:
    values = found.values.astype(np.float64)
    units = str(dataset.fields[name].attrs.get("units", "")).lower()
    return values if units.startswith("rad") else np.radians(values)
