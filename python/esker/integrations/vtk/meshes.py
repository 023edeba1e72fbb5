"""Meshes with several levels (AMR) as vtkOverlappingAMR."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkCommonDataModel import vtkAMRBox, vtkDataSetAttributes, vtkOverlappingAMR, vtkUniformGrid

from esker.dataset.decoding import decoded
from esker.dataset.field import Field
from esker.dataset.levels import level_samples
from esker.dataset.mesh import Mesh, MeshPatch
from esker.integrations.grid_parts import AUTOMATIC, AXES, FULL, Level
from esker.integrations.grid_samples import as_vectors
from esker.integrations.vtk.structured import add_array, add_ghosts

_DESCRIPTIONS = (2, 5, 8)
"""By number of axes: VTK_X_LINE, VTK_XY_PLANE and VTK_XYZ_GRID, whose names differ between versions of VTK."""


def finest_level(field: Field, step: int, level: Level, max_samples: int) -> int:
    """The finest level of the mesh that is read. AUTOMATIC: with all coarser ones, at most `max_samples` samples (but the
    coarsest in any case). Raises ValueError for a text that is no level."""
    mesh = _mesh_of(field)
    if level == FULL:
        return mesh.num_levels - 1
    if level != AUTOMATIC:
        if isinstance(level, str):
            raise ValueError(f"level: expected a number, {AUTOMATIC!r} or {FULL!r}, found {level!r}")
        return min(max(level, 0), mesh.num_levels - 1)
    counts = [0] * mesh.num_levels
    for patch in _patches(field, step):
        counts[patch.level] += math.prod(hi - lo for lo, hi in zip(patch.lo, patch.hi))
    fitting = [n for n, total in enumerate(np.cumsum(counts)) if total <= max_samples]
    return fitting[-1] if fitting else 0


def fill(
    output: vtkOverlappingAMR,
    any_field: Field,
    fields: Sequence[Field],
    step: int,
    finest: int,
    piece: tuple[int, int],
) -> None:
    """Gives the output all patches up to a level, and the samples of those of a piece. `any_field` is one of the mesh, also
    if no field is read. Raises ValueError for more than three axes."""
    mesh = _mesh_of(any_field)
    if len(mesh.extent) > AXES:
        raise ValueError(
            f"mesh {any_field.grid.name!r}: expected at most {AXES} axes, found {len(mesh.extent)}"
        )
    patches = [
        patch for patch in _patches(any_field, step) if patch.level <= finest and _has_cells(mesh, patch)
    ]
    levels = [list(group) for _, group in groupby(patches, lambda patch: patch.level)]
    counts = [0] * (max((patch.level for patch in patches), default=-1) + 1)
    for group in levels:
        counts[group[0].level] = len(group)
    _initialize(output, counts)
    output.SetGridDescription(_DESCRIPTIONS[len(mesh.extent) - 1])
    output.SetOrigin(_three(mesh.origin, 0.0))
    for level in range(len(counts)):
        output.SetSpacing(level, _spacing(mesh, level))
        output.SetRefinementRatio(level, mesh.ratios[level][0] if level < len(mesh.ratios) else 1)
    number, num_pieces = piece
    position = 0
    for group in levels:
        for index, patch in enumerate(group):
            lo, hi = _cells(mesh, patch)
            output.SetAMRBox(patch.level, index, vtkAMRBox(*_three(lo, 0), *(n - 1 for n in _three(hi, 1))))
            if position % num_pieces == number:
                output.SetDataSet(patch.level, index, _patch_grid(mesh, patch, patches, fields, step))
            position += 1


def _initialize(output: vtkOverlappingAMR, counts: Sequence[int]) -> None:
    """VTK 9.6 and later take the number of patches of each level alone."""
    version = vtkVersion()
    if (version.GetVTKMajorVersion(), version.GetVTKMinorVersion()) >= (9, 6):
        output.Initialize(counts)
    else:
        output.Initialize(len(counts), counts)


def _mesh_of(field: Field) -> Mesh:
    mesh = field.grid.mesh
    assert mesh is not None
    return mesh


def _patches(field: Field, step: int) -> list[MeshPatch]:
    return field.patches(step) if field.has(step) else []


def _three(values: Sequence[float], rest: float) -> list[float]:
    return [*values, *[rest] * (AXES - len(values))]


def _spacing(mesh: Mesh, level: int) -> list[float]:
    return _three([edge / ratio for edge, ratio in zip(mesh.spacing, mesh.ratio(0, level))], 1.0)


def _has_cells(mesh: Mesh, patch: MeshPatch) -> bool:
    return all(high > low for low, high in zip(*_cells(mesh, patch)))


def _cells(mesh: Mesh, patch: MeshPatch) -> tuple[list[int], list[int]]:
    """The box of cells of a patch, half open; of a patch of nodes, those between them."""
    return list(patch.lo), [high - mesh.nodes for high in patch.hi]


def _patch_grid(
    mesh: Mesh, patch: MeshPatch, patches: Sequence[MeshPatch], fields: Sequence[Field], step: int
) -> vtkUniformGrid:
    grid = vtkUniformGrid()
    lo, hi = _cells(mesh, patch)
    spacing = _spacing(mesh, patch.level)
    origin = _three(mesh.origin, 0.0)
    grid.SetOrigin([start + low * edge for start, low, edge in zip(origin, _three(lo, 0), spacing)])
    grid.SetSpacing(spacing)
    grid.SetDimensions([high - low + 1 for low, high in zip(lo, hi)] + [1] * (AXES - len(lo)))
    data = grid.GetPointData() if mesh.nodes else grid.GetCellData()
    for field in fields:
        if field.has(step):
            add_array(data, field.name, as_vectors(_values(field, patch, step)), field.attrs)
    covered = _covered(mesh, patch, patches)
    if covered.any():
        add_ghosts(grid.GetCellData(), covered * np.uint8(vtkDataSetAttributes.REFINEDCELL))
    return grid


def _values(field: Field, patch: MeshPatch, step: int) -> NDArray[np.generic]:
    """Decoded values of a patch, with components along the last axis; missing ones of real numbers are NaN."""
    values = decoded(field, level_samples(field, step, patch.level, (patch.lo, patch.hi)))
    plain = np.ma.getdata(values)
    if plain.dtype.kind == "f":
        plain = np.where(np.ma.getmaskarray(values), np.asarray(np.nan, plain.dtype), plain)
    return plain if field.components > 1 else plain[..., np.newaxis]


def _covered(mesh: Mesh, patch: MeshPatch, patches: Sequence[MeshPatch]) -> NDArray[np.bool_]:
    """The cells of a patch that finer patches cover, slowest axis first."""
    lo, hi = _cells(mesh, patch)
    covered = np.zeros([high - low for low, high in zip(lo, hi)][::-1], np.bool_)
    for finer in patches:
        if finer.level <= patch.level:
            continue
        ratio = mesh.ratio(patch.level, finer.level)
        first, end = _cells(mesh, finer)
        begins = [max(-(-f // r), low) - low for f, r, low in zip(first, ratio, lo)]
        ends = [min(e // r, high) - low for e, r, low, high in zip(end, ratio, lo, hi)]
        if all(e > b for b, e in zip(begins, ends)):
            covered[tuple(slice(b, e) for b, e in zip(begins[::-1], ends[::-1]))] = True
    return covered
