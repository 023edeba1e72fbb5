"""yt.load("run.idx"): meshes (AMR) as datasets of yt, which finds this module by its entry point. Grids are in yt_grids.

Only the list of patches is read before yt needs the samples of a grid. docs/guide/adaptive.md has an example.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import yt
from numpy.typing import NDArray
from yt.frontends.stream.data_structures import StreamDataset

from esker.dataset.description import Grid
from esker.dataset.field import Field
from esker.dataset.levels import level_samples
from esker.dataset.mesh import Mesh, MeshPatch
from esker.dataset.opening import Dataset, open
from esker.integrations.yt_fields import names_of, unit_of
from esker.integrations.yt_grids import EskerGridDataset, opened

__all__ = ["EskerDataset", "EskerGridDataset"]

Indices = NDArray[np.int64]
"""One per axis of yt, x first."""

_AXES = 3
_MOST_CELLS = 1 << 22
"""Of an axis: yt lists the edges of all cells."""


class EskerDataset(StreamDataset):
    """The mesh of a dataset at one step, as yt.load() returns it.

    yt.load(path, step=-1, mesh=None, **how): `step` is a position in Dataset.steps, `mesh` the name of a grid
    (None: the first one with levels). `how` are arguments of yt.load_amr_grids: length_unit, time_unit,
    periodicity ... Coordinates are in code_length, the time in code_time. Fields have the unit that their
    attribute `units` names, if yt knows it. Components of vectors are fields: `velocity_0`, `velocity_1` ...

    Raises ValueError for meshes that yt cannot represent: samples at nodes, more than 3 axes, patches that
    begin inside a coarser cell, ratios whose axes are not refined in step; IndexError for an unknown step.
    """

    def __init__(self, filename: str, *, step: int = -1, mesh: str | None = None, **how: Any) -> None:
        source = open(filename)
        grids = _Grids(source, _grid_of(source, mesh), step)
        name = how.pop("dataset_name", os.path.basename(os.path.normpath(filename)))
        stream = yt.load_amr_grids(
            grids.all(),
            grids.cells(0),
            bbox=grids.domain,
            sim_time=source.steps[step],
            refine_by=grids.levels.refine_by,
            dataset_name=name,
            **{"periodicity": (False,) * _AXES, **how},
        )
        # yt then finds all coarser grids that a grid covers parts of. load_amr_grids notes only one.
        stream.stream_handler.parent_ids = None
        # Its frontend of AMReX changes the offset that all datasets share (yt 4.4).
        self.domain_offset = np.zeros(_AXES, np.int64)
        super().__init__(stream.stream_handler, unit_system=how.get("unit_system", "cgs"))

    @classmethod
    def _is_valid(cls, filename: str, *args: Any, **kwargs: Any) -> bool:
        source = opened(filename)
        return source is not None and any(grid.mesh is not None for grid in source.grids.values())


def _grid_of(source: Dataset, name: str | None) -> Grid:
    meshes = {grid.name: grid for grid in source.grids.values() if grid.mesh is not None}
    if name is None:
        return next(iter(meshes.values()))
    if name not in meshes:
        raise ValueError(f"{source.path}: no mesh {name!r}; the dataset has {', '.join(meshes)}")
    return meshes[name]


@dataclass(frozen=True)
class _Levels:
    """The levels of a mesh as yt has them: each refines the one before it by the same ratios."""

    refine_by: int | Indices
    of_mesh: tuple[int, ...]
    """[level of the mesh]: the level of yt."""

    def ratio(self, levels: int) -> Indices:
        """Cells of a level in a cell of that which is `levels` coarser, per axis."""
        return np.broadcast_to(np.asarray(self.refine_by, np.int64) ** levels, _AXES)


def _levels_of(mesh: Mesh, where: str) -> _Levels:
    """Raises ValueError, which begins with `where`, if the ratios are not powers of the same ratio."""
    if len(set(mesh.ratios)) == 1:
        return _Levels(_refinement(np.array(mesh.ratios[0])), tuple(range(mesh.num_levels)))
    if any(r & (r - 1) for ratios in mesh.ratios for r in ratios):
        raise ValueError(f"{where}: expected powers of two or equal ratios, as yt has them, found {mesh.ratios}")
    digits = np.array([[r.bit_length() - 1 for r in mesh.ratio(0, n)] for n in range(mesh.num_levels)])
    of_axis = np.gcd.reduce(digits, axis=0)
    refined = of_axis > 0
    positions = digits[:, refined] // of_axis[refined] if refined.any() else np.zeros((1, 1), np.int64)
    if not (positions == positions[:, :1]).all():
        raise ValueError(
            f"{where}: expected ratios that refine all axes in step, as yt does, found {mesh.ratios}"
        )
    return _Levels(_refinement(1 << of_axis), tuple(positions[:, 0].tolist()))


def _refinement(ratios: Indices) -> int | Indices:
    """The ratios of all axes as yt takes them."""
    if len(ratios) > 1 and (ratios == ratios[0]).all():  # along one axis, yt would refine the second one, too
        return int(ratios[0])
    padded = np.ones(_AXES, np.int64)
    padded[: len(ratios)] = ratios
    return padded


class _Grids:
    """The grids of yt: the patches of a mesh at a step.

    If a ratio is a power of yt's, the levels between two of the mesh have grids where the finer one has
    patches.
    """

    def __init__(self, source: Dataset, grid: Grid, step: int) -> None:
        assert grid.mesh is not None
        where = f"{source.path}: mesh {grid.name!r}"
        self._mesh, self._step, self._where = grid.mesh, step, where
        self._rank = len(self._mesh.extent)
        if self._mesh.nodes or self._rank > _AXES:
            raise ValueError(f"{where}: expected samples in cells of at most 3 axes, as yt has them")
        self.levels = _levels_of(self._mesh, where)
        self._fields = [f for f in source.fields.values() if f.grid.name == grid.name and f.has(step)]
        if not self._fields:
            raise ValueError(f"{where}: no field has samples at step {step}")
        if (most := int(max(self.cells(self.levels.of_mesh[-1])))) > _MOST_CELLS:
            raise ValueError(f"{where}: {most} cells along an axis; yt supports at most {_MOST_CELLS}")

    def cells(self, level: int) -> Indices:
        """Cells of a level of yt along each axis."""
        cells = np.ones(_AXES, np.int64)
        cells[: self._rank] = self._mesh.extent
        return np.where(np.arange(_AXES) < self._rank, cells * self.levels.ratio(level), 1)

    @property
    def domain(self) -> NDArray[np.float64]:
        """Lower and upper corner, for each axis; 0 and 1 along those that the mesh does not have."""
        corners = np.array([[0.0, 1.0]] * _AXES)
        corners[: self._rank, 0] = self._mesh.origin
        corners[: self._rank, 1] = np.add(self._mesh.origin, np.multiply(self._mesh.extent, self._mesh.spacing))
        return corners

    def all(self) -> list[dict[Any, Any]]:
        """As load_amr_grids takes them, by ascending level."""
        patches = self._fields[0].patches(self._step)
        found = [grid for patch in patches for grid in self._of_patch(patch)]
        return sorted(found, key=lambda grid: int(grid["level"]))

    def _of_patch(self, patch: MeshPatch) -> Iterator[dict[Any, Any]]:
        finest = self.levels.of_mesh[patch.level]
        coarsest = self.levels.of_mesh[patch.level - 1] + 1 if patch.level else finest
        lo, hi = np.zeros(_AXES, np.int64), np.ones(_AXES, np.int64)
        lo[: self._rank], hi[: self._rank] = patch.lo, patch.hi
        for level in range(coarsest, finest + 1):
            ratio = np.where(np.arange(_AXES) < self._rank, self.levels.ratio(finest - level), 1)
            self._check_alignment(patch, ratio)
            yield self._grid(level, lo // ratio, hi // ratio, patch.level, ratio)

    def _check_alignment(self, patch: MeshPatch, ratio: Indices) -> None:
        """That a patch consists of whole cells of the level of yt that is coarser by one."""
        coarser = ratio * self.levels.ratio(1) if patch.level else ratio
        corners = (np.asarray(corner) % coarser[: self._rank] for corner in (patch.lo, patch.hi))
        if any(corner.any() for corner in corners):
            raise ValueError(
                f"{self._where}, level {patch.level}: the patch {patch.lo} to {patch.hi} covers parts of "
                "coarser cells, which yt does not support"
            )

    def _grid(
        self, level: int, lo: Indices, hi: Indices, mesh_level: int, ratio: Indices
    ) -> dict[Any, Any]:
        samples = {
            name: (partial(_samples, field, component, self._step, mesh_level, (lo, hi), ratio), unit_of(field))
            for field in self._fields
            for component, name in enumerate(names_of(field))
        }
        return {
            "level": level,
            "left_edge": self._edges(level, lo),
            "right_edge": self._edges(level, hi),
            "dimensions": hi - lo,
            **samples,
        }

    def _edges(self, level: int, at: Indices) -> NDArray[np.float64]:
        """Coordinates of lower edges of cells, as numpy.linspace computes them, with which yt compares them."""
        begin, end = self.domain.T
        return at * ((end - begin) / self.cells(level)) + begin


def _samples(
    field: Field,
    component: int,
    step: int,
    level: int,
    box: tuple[Indices, Indices],
    ratio: Indices,
    *_: Any,
) -> NDArray[np.float64]:
    """A component of a field in a box, x first and with three axes. `box` counts cells of the size of `ratio`
    cells of the mesh's level."""
    rank = len(field.grid.dims)
    lo, hi = ((corner * ratio)[:rank].tolist() for corner in box)
    samples = level_samples(field, step, level, (lo, hi))
    if field.components > 1:
        samples = samples[..., component]
    every = tuple(slice(None, None, int(r)) for r in ratio[:rank][::-1])
    return samples[every].T.astype(np.float64).reshape((box[1] - box[0]).tolist())
