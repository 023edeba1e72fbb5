"""Image data and rectilinear grids of VTK."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import (
    vtkDataSet,
    vtkDataSetAttributes,
    vtkFieldData,
    vtkImageData,
    vtkRectilinearGrid,
)

from esker.base.values import AttributeValue
from esker.dataset.field import Field
from esker.integrations.grid_parts import Axis, Extent, GridPart
from esker.integrations.grid_samples import as_vectors, read_extent

BLANK_NONE, BLANK_ALL, BLANK_ANY = "none", "all", "any"
BLANKINGS = (BLANK_NONE, BLANK_ALL, BLANK_ANY)
"""Which points are hidden: none, those where all fields are missing, or those where any field is."""

_GHOSTS = vtkDataSetAttributes.GhostArrayName()


def fill(
    data: vtkImageData | vtkRectilinearGrid, part: GridPart, extent: Extent, step: int, blanking: str
) -> None:
    """Gives the grid the coordinates and the fields of an extent at a step."""
    data.SetExtent(*extent)
    place(data, part.axes, extent)
    hidden = None
    for field in part.fields:
        values, missing = read_extent(part, field, step, extent)
        add_array(data.GetPointData(), field.name, as_vectors(values), field.attrs)
        hidden = missing if hidden is None else _combined(hidden, missing, blanking)
    if blanking != BLANK_NONE and hidden is not None and hidden.any():
        hide(data, hidden)


def place(data: vtkImageData | vtkRectilinearGrid, axes: tuple[Axis, ...], extent: Extent) -> None:
    """Coordinates of an extent. Those of image data are the position of index 0, also if it is not in the extent."""
    if isinstance(data, vtkImageData):
        data.SetOrigin([float(axis.coords[0]) if axis.coords.size else 0.0 for axis in axes])
        data.SetSpacing([axis.spacing for axis in axes])
        return
    for n, (axis, name) in enumerate(zip(axes, "XYZ")):
        chosen = axis.coords[extent[2 * n] : extent[2 * n + 1] + 1]
        getattr(data, f"Set{name}Coordinates")(as_vtk(chosen.reshape(-1, 1)))


def as_vtk(values: NDArray[np.generic]) -> vtkDataArray:
    """An array of VTK on the same memory: samples in any shape, and components along the last axis."""
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    return numpy_to_vtk(native.reshape(-1, values.shape[-1]))


def add_array(
    to: vtkFieldData, name: str, values: NDArray[np.generic], attrs: Mapping[str, AttributeValue]
) -> None:
    array = as_vtk(values)
    array.SetName(name)
    if isinstance(units := attrs.get("units"), str):
        array.GetInformation().Set(vtkDataArray.UNITS_LABEL(), units)
    to.AddArray(array)


def series_values(data: vtkFieldData, fields: list[Field], step: int) -> None:
    """Adds the values of time series at a step, as field data."""
    for field in fields:
        if field.has(step):
            add_array(data, field.name, field.read(step).reshape(1, field.components), field.attrs)


def hide(data: vtkDataSet, points: NDArray[np.bool_]) -> None:
    """Hides points (z, y, x), and the cells that have one of them as corner."""
    cells = points
    for axis in range(points.ndim):
        if points.shape[axis] > 1:
            first = tuple(slice(None, -1) if n == axis else slice(None) for n in range(points.ndim))
            second = tuple(slice(1, None) if n == axis else slice(None) for n in range(points.ndim))
            cells = cells[first] | cells[second]
    add_ghosts(data.GetPointData(), points * np.uint8(vtkDataSetAttributes.HIDDENPOINT))
    add_ghosts(data.GetCellData(), cells * np.uint8(vtkDataSetAttributes.HIDDENCELL))


def add_ghosts(to: vtkDataSetAttributes, flags: NDArray[np.uint8]) -> None:
    add_array(to, _GHOSTS, flags.astype(np.uint8)[..., np.newaxis], {})


def _combined(first: NDArray[np.bool_], second: NDArray[np.bool_], blanking: str) -> NDArray[np.bool_]:
    return first | second if blanking == BLANK_ANY else first & second
