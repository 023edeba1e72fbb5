"""Datasets as images of napari, which finds this module by napari.yaml. Nothing here needs napari."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import esker
from esker.dataset.array import Array
from esker.dataset.decoding import decoded
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.integrations.grid_parts import dataset_path, drawable

Layer = tuple[Any, dict[str, Any], str]
"""Data, arguments and kind of a layer."""

_COARSEST = 256
"""Levels are halved until no axis has more samples: napari draws volumes from the coarsest level."""
_NO_UNIT = "pixel"
_UNITS = frozenset(
    {"nm", "um", "mm", "cm", "m", "km", "degree", "radian", "s", "min", "h", "hour", "day", "year"}
)
"""Units that napari knows, by names that netCDF has as well."""


class LazyImage:
    """All steps of a field at a stride, with the interface of an array: an index reads the samples that it selects.

    Values are decoded; missing ones are NaN. Of a vector, this is one component.
    """

    def __init__(self, array: Array, component: int) -> None:
        self._array, self._component = array, component
        self._has_components = array.field.components > 1
        self.shape: tuple[int, ...] = array.shape[:-1] if self._has_components else array.shape
        self.ndim = len(self.shape)
        self.size = math.prod(self.shape)
        self.dtype: np.dtype[Any] = self._decoded(np.zeros(1, array.dtype)).dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<LazyImage of {self._array!r}>"

    def __getitem__(self, index: Any) -> NDArray[Any]:
        items = index if isinstance(index, tuple) else (index,)
        if not self._has_components:
            return self._decoded(self._array[items])
        rest = () if any(item is Ellipsis for item in items) else (Ellipsis,)
        return self._decoded(self._array[(*items, *rest, self._component)])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[...], dtype)

    def _decoded(self, values: NDArray[Any]) -> NDArray[Any]:
        field = self._array.field
        found = decoded(field, values)
        if found.dtype.kind == "f":
            return found.filled(np.nan)
        if "_FillValue" in field.attrs or "missing_value" in field.attrs:
            return found.astype(np.float64).filled(np.nan)
        return np.ma.getdata(found)


def napari_get_reader(path: str | Sequence[str]) -> Callable[[str | Sequence[str]], list[Layer]] | None:
    """What reads a path, or None if that is no dataset with images."""
    if not isinstance(path, str):
        if len(path) != 1:
            return None
        path = path[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset = esker.open(dataset_path(path))
    except (OSError, ValueError, NotImplementedError):
        return None
    return (lambda _: layers_of(dataset)) if drawable(dataset) else None


def layers_of(dataset: Dataset) -> list[Layer]:
    """A layer per field and component; only the first one is shown at first."""
    layers = []
    for field in drawable(dataset):
        for component in range(field.components):
            levels = [LazyImage(field.array(stride=stride), component) for stride in _strides(field)]
            name = field.name if field.components == 1 else f"{field.name}[{component}]"
            how = {"name": name, "visible": not layers, "metadata": dict(field.attrs), **_placement(field)}
            if len(levels) > 1:
                layers.append((levels, {**how, "multiscale": True}, "image"))
            else:
                layers.append((levels[0], how, "image"))
    return layers


def _strides(field: Field) -> list[tuple[int, ...]]:
    """Each twice the one before it, along axes that have that many samples."""
    sizes = [high - low for low, high in zip(*field.box)]
    strides = [(1,) * len(sizes)]
    while max(-(-size // stride) for size, stride in zip(sizes, strides[-1])) > _COARSEST:
        strides.append(tuple(min(2 * stride, size) for size, stride in zip(sizes, strides[-1])))
    return strides


def _placement(field: Field) -> dict[str, Any]:
    """Scale, translation, names and units of the axes, as in the array. Coordinates that are not evenly spaced are replaced by
    indices."""
    names, axes = list(field.grid.dims), [_axis(field, dim) for dim in field.grid.dims]
    if not field.fixed:
        names.insert(0, field.dataset.time_dim or "time")
        axes.insert(0, _even(np.asarray(field.steps, np.float64), field.dataset.time_attrs))
    return {
        "scale": [spacing for spacing, _, _ in axes],
        "translate": [start for _, start, _ in axes],
        "units": [unit for _, _, unit in axes],
        "axis_labels": names,
    }


def _axis(field: Field, dim: str) -> tuple[float, float, str]:
    coords = np.asarray(field.grid.coords.get(dim, ()))
    attrs = field.dataset.dim_attrs.get(dim, {})
    return _even(coords.astype(np.float64), attrs) if coords.dtype.kind in "iuf" else (1.0, 0.0, _NO_UNIT)


def _even(coords: NDArray[np.float64], attrs: Mapping[str, Any]) -> tuple[float, float, str]:
    """Spacing, start and unit of evenly spaced coordinates."""
    unit = attrs.get("units", "")
    unit = unit if unit in _UNITS else _NO_UNIT
    if coords.size < 2 or not np.isfinite(coords).all():
        return 1.0, 0.0, _NO_UNIT
    spacing = float(coords[-1] - coords[0]) / (coords.size - 1)
    even = coords[0] + spacing * np.arange(coords.size)
    if spacing == 0 or np.abs(coords - even).max() > 1e-2 * abs(spacing):
        return 1.0, 0.0, _NO_UNIT
    return spacing, float(coords[0]), unit
