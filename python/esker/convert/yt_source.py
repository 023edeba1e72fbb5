"""Adaptive meshes of the formats that yt reads as patches (grids), such as Enzo's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.convert.mesh_source import AXES, MeshPatch, MeshSource, refinement_ratio

YT_PREFIX = "yt:"
"""Begins the names of sources that yt opens."""


@dataclass(frozen=True)
class GridPatch(MeshPatch):
    """A patch, and the position of its grid in yt's index."""

    number: int


class YtMesh(MeshSource[GridPatch]):
    """What yt.load opens. Fields are the mesh fields on disk, as float64; lengths and the time are in code
    units.

    Raises ValueError if it does not consist of patches, FileNotFoundError if it does not exist,
    NotImplementedError if yt is missing.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        dataset = _load(self.path)
        _omit_derived_fields(dataset)
        grids = getattr(dataset.index, "grids", None)
        if grids is None or len(grids) == 0:
            raise ValueError(
                f"{path}: expected a dataset of patches, found {type(dataset).__name__} without any"
            )
        rank = int(dataset.dimensionality)
        self._grids = grids
        self.axes = tuple(AXES[:rank])
        self.extent = tuple(int(n) for n in dataset.domain_dimensions[:rank])
        ratio = refinement_ratio(f"{path}: refine_by", np.ravel(dataset.refine_by).tolist())
        self.ratios = (ratio,) * int(dataset.index.max_level)
        self.origin = tuple(dataset.domain_left_edge.to_value("code_length").tolist()[:rank])
        width = dataset.domain_width.to_value("code_length").tolist()
        self.spacing = tuple(edge / n for edge, n in zip(width, self.extent))
        self.time = float(dataset.current_time.to_value("code_time"))
        keys = [key for key in dataset.field_list if _is_of_cells(dataset, key)]
        self._keys = {key[1]: key for key in keys}
        if len(self._keys) < len(keys):
            raise ValueError(f"{path}: expected different names of fields, found {sorted(keys)}")
        self.fields = tuple(self._keys)
        self.dtypes = (np.dtype(np.float64),) * len(self.fields)
        order = sorted(range(len(grids)), key=lambda n: int(grids[n].Level))
        self.patches = tuple(_patch(grids[n], n, rank) for n in order)

    def read(self, patch: GridPatch) -> dict[str, NDArray[Any]]:
        """Field to samples of a patch, slowest axis first, in memory."""
        grid = self._grids[patch.number]
        samples = {
            name: np.asarray(grid[key].d, np.float64).reshape(patch.shape).T
            for name, key in self._keys.items()
        }
        grid.clear_data()
        return samples


def _load(path: Path) -> Any:
    try:
        import yt
        from yt.config import ytcfg
    except ImportError as error:
        raise NotImplementedError(
            f"{path}: reading with yt requires the package yt: pip install yt"
        ) from error
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or directory")
    yt.set_log_level("critical")
    ytcfg.update({"yt": {"suppress_stream_logging": True}})  # no progress bars
    try:
        return yt.load(path)
    except (yt.utilities.exceptions.YTException, KeyError, RuntimeError) as error:
        raise ValueError(f"{path}: yt cannot open it: {error}") from error


def _omit_derived_fields(dataset: Any) -> None:
    """Keeps yt from trying hundreds of derived fields, none of which is converted: 75 MiB for a few small grids."""
    if getattr(dataset, "default_fluid_type", None) == "gas":  # others name groups in the file
        dataset.default_fluid_type = None


def _is_of_cells(dataset: Any, key: tuple[str, str]) -> bool:
    """Whether a field has a sample per cell: it is not one of particles, faces or nodes."""
    about = dataset._get_field_info(key)
    return about.sampling_type == "cell" and not any(about.nodal_flag)


def _patch(grid: Any, number: int, rank: int) -> GridPatch:
    lo, shape = (
        tuple(values.tolist()[:rank]) for values in (grid.get_global_startindex(), grid.ActiveDimensions)
    )
    return GridPatch(int(grid.Level), lo, shape, number)
