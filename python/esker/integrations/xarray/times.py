"""The time dimensions of a dataset, and their coordinates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import xarray as xr

from esker.base.dimensions import TIME_DIM
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.integrations.xarray.attributes import attributes_for_xarray


class TimeDims:
    """The time dimensions of a dataset: one per set of steps at which fields were written."""

    def __init__(self, source: Dataset) -> None:
        self._source = source
        self._time_dim = time_dim_of(source)
        self._names = {tuple(range(len(source.steps))): self._time_dim}

    def of(self, field: Field, variables: dict[str, xr.Variable], dropped: set[str]) -> str:
        """The dimension of a field, whose times become one of `variables`."""
        written = tuple(s for s in range(len(self._source.steps)) if field.has(s))
        dim = self._names.setdefault(written, f"{self._time_dim}_{field.name}")
        if dim not in variables and dim not in dropped:
            variables[dim] = times_of(self._source, dim, written)
        return dim


def time_dim_of(source: Dataset) -> str:
    """Name of the time dimension: the name in the file, or "step" if a grid has a dimension of that name."""
    name = source.time_dim or TIME_DIM
    return "step" if any(name in grid.dims for grid in source.grids.values()) else name


def times_of(source: Dataset, dim: str, steps: Iterable[int]) -> xr.Variable:
    """The time coordinate, in the file's type if that represents the values exactly."""
    values = np.array([source.steps[step] for step in steps], np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        typed = values.astype(source.time_dtype)
    is_exact = np.array_equal(typed.astype(np.float64), values, equal_nan=True)
    return xr.Variable(dim, typed if is_exact else values, attributes_for_xarray(source.time_attrs))
