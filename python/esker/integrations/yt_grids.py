"""yt.load("run.idx", level=12): fields on a grid without mesh levels, as a dataset of yt."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import unyt
import yt
from numpy.typing import NDArray
from yt.frontends.stream.data_structures import StreamDataset

from esker import _core
from esker.dataset.field import Field
from esker.dataset.opening import Dataset, open
from esker.integrations.grid_parts import (
    AXES,
    FULL,
    Axis,
    Extent,
    GridPart,
    Level,
    drawable,
    grid_parts,
    largest_of,
)
from esker.integrations.grid_samples import read_extent
from esker.integrations.yt_fields import known_unit, names_of, unit_of

FOREIGN_FORMATS = ("", "cdf", "netcdf4")
"""Formats that yt has readers for, and paths without a format."""
_BRICK = 128
"""Samples of a grid of yt along each axis: yt reads those that it needs."""


class EskerGridDataset(StreamDataset):
    """A grid of a dataset at one step and level, as yt.load() returns it.

    yt.load(path, step=-1, grid=None, level="full", box=None, **how): `step` is a position in Dataset.steps, `grid` the name
    of a grid (None: that of the largest field), `level` a number, "full" or "automatic" (at most 2^24 samples), `box` as in
    Field.read. `how` are arguments of yt.load_amr_grids: length_unit, time_unit, periodicity ...

    Each sample is the middle of a cell; between uneven coordinates, the edges of cells are in the middle between samples. Axes
    whose coordinates descend are reversed. Missing samples are NaN. If all coordinates have the same unit of length, it is the
    length unit. Fields have the unit that their attribute `units` names, if yt knows it. Components of vectors are fields.

    Raises ValueError (no such grid, no samples in the box), IndexError (no such step).
    """

    def __init__(
        self,
        filename: str,
        *,
        step: int = -1,
        grid: str | None = None,
        level: Level = FULL,
        box: Any = None,
        **how: Any,
    ) -> None:
        source = open(filename)
        fields = _fields_of(source, grid)
        _, (part,) = grid_parts(fields, box, level)
        if part.extent[1] < 0:
            raise ValueError(f"{filename}: no sample in the box {box} at level {level}")
        name = how.pop("dataset_name", os.path.basename(os.path.normpath(filename)))
        time = source.steps[step] if source.steps else 0.0
        units = {"length_unit": _length_unit(source, part), "time_unit": _time_unit(source)}
        stream = _loaded(
            part, step, sim_time=time, dataset_name=name, **{"periodicity": (False,) * AXES, **units, **how}
        )
        self.domain_offset = np.zeros(AXES, np.int64)
        super().__init__(stream.stream_handler, unit_system=how.get("unit_system", "cgs"))

    @classmethod
    def _is_valid(cls, filename: str, *args: Any, **kwargs: Any) -> bool:
        source = opened(filename)
        return source is not None and all(grid.mesh is None for grid in source.grids.values())


def opened(filename: str) -> Dataset | None:
    """The dataset of a file that yt asks about; None if it is none, or of a format that yt reads itself."""
    if _core.split_name(filename).format in FOREIGN_FORMATS and not (Path(filename) / "esker.json").is_file():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return open(filename)
    except (OSError, ValueError, NotImplementedError):
        return None


def _fields_of(source: Dataset, name: str | None) -> list[Field]:
    fields = drawable(source)
    if not fields:
        raise ValueError(f"{source.path}: no field on a grid")
    grid = largest_of(fields).grid.name if name is None else name
    found = [field for field in fields if field.grid.name == grid]
    if not found:
        raise ValueError(
            f"{source.path}: no grid {grid!r} with fields; the dataset has {', '.join(source.grids)}"
        )
    return found


def _loaded(part: GridPart, step: int, **how: Any) -> StreamDataset:
    """Bricks of an even grid; an uneven one as a whole, as yt has no others."""
    edges = [_edges(axis) for axis in part.axes]
    counts = np.array([axis.coords.size for axis in part.axes])
    domain = np.array([(edge[0], edge[-1]) for edge in edges])
    if all(axis.is_even for axis in part.axes):
        bricks = [_brick(part, step, extent, domain, counts) for extent in _bricks(counts)]
        stream = yt.load_amr_grids(bricks, counts, bbox=domain, **how)
        stream.stream_handler.parent_ids = None
        return stream
    samples = _samples_of(part, step, part.extent)
    widths = [np.diff(edge) for edge in edges]
    return yt.load_uniform_grid(samples, counts, bbox=domain, cell_widths=widths, **how)


def _edges(axis: Axis) -> NDArray[np.float64]:
    """Edges of cells around the samples; the outer ones as far from the outer samples as the next edges are."""
    coords = axis.coords
    if coords.size == 1:
        return np.array([coords[0] - 0.5, coords[0] + 0.5])
    middles = (coords[:-1] + coords[1:]) / 2
    return np.concatenate([[2 * coords[0] - middles[0]], middles, [2 * coords[-1] - middles[-1]]])


def _bricks(counts: NDArray[np.int64]) -> Iterator[Extent]:
    for z in range(0, counts[2], _BRICK):
        for y in range(0, counts[1], _BRICK):
            for x in range(0, counts[0], _BRICK):
                last = np.minimum(np.add((x, y, z), _BRICK), counts) - 1
                yield (x, int(last[0]), y, int(last[1]), z, int(last[2]))


def _brick(
    part: GridPart, step: int, extent: Extent, domain: NDArray[np.float64], counts: NDArray[np.int64]
) -> dict[Any, Any]:
    """Its edges are computed as numpy.linspace does, with which yt compares them."""
    lo, hi = np.array(extent[::2]), np.array(extent[1::2]) + 1
    begin, end = domain.T
    left, right = (at * ((end - begin) / counts) + begin for at in (lo, hi))
    return {
        "level": 0,
        "left_edge": left,
        "right_edge": right,
        "dimensions": hi - lo,
        **_samples_of(part, step, extent),
    }


def _samples_of(part: GridPart, step: int, extent: Extent) -> dict[str, tuple[Any, str]]:
    """What yt calls to read a field, and its unit."""
    return {
        name: (partial(_samples, part, field, component, step, extent), unit_of(field))
        for field in part.fields
        if field.has(step)
        for component, name in enumerate(names_of(field))
    }


def _samples(
    part: GridPart, field: Field, component: int, step: int, extent: Extent, *_: Any
) -> NDArray[np.float64]:
    """A component of an extent, x first."""
    values, missing = read_extent(part, field, step, extent)
    return np.where(missing, np.nan, values[..., component].astype(np.float64)).T


def _length_unit(source: Dataset, part: GridPart) -> str:
    """The unit of all coordinates, if it is one of length."""
    dims = list(part.selection.dims)[::-1][:AXES]
    found = {str(source.dim_attrs[dim].get("units", "")) for dim in dims if dim in source.dim_attrs}
    unit = known_unit(found.pop()) if len(found) == 1 else None
    return str(unit) if unit is not None and unit.dimensions == unyt.dimensions.length else "code_length"


def _time_unit(source: Dataset) -> str:
    unit = known_unit(source.time_attrs.get("units"))
    return str(unit) if unit is not None and unit.dimensions == unyt.dimensions.time else "code_time"
