"""Pictures of datasets: reads and draws a plane of samples at a resolution level.

>>> import numpy as np
>>> import esker
>>> esker.write("run.idx", {"temp": np.ones((6, 20, 30))})
>>> plane = read_plane(esker.open("run.idx")["temp"], section=("y", 8))
>>> figure(plane).savefig("temp.png")

`esker plot` makes these two calls. Drawing imports matplotlib. Units come from the attribute `units` of the
coordinates and of the time; in datasets of older versions, from `coordinate_units` of the grid and
`time_units` of the dataset.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.base.units import with_units
from esker.dataset.decoding import scalars
from esker.dataset.field import Field
from esker.plot.color_ends import drawn_ends
from esker.plot.labels import (
    METERS,
    coordinate_units,
    field_label,
    field_name,
    position_text,
    shown_units,
    time_text,
)
from esker.plot.levels import coarsest_level, finest_level, shape_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

PICTURE_PX = 1024
"""Length of a picture's longer side. The default level is the coarsest with that many samples along one
side."""
_DPI = 128
_MAX_MAP_RATIO = 12
"""Maps with a larger ratio of length to width are not drawn to scale."""
_EM_PER_CHARACTER = 0.6
"""Average width of a character relative to the font size."""


@dataclass(frozen=True)
class Coordinate:
    """A position on an axis, given by its coordinate instead of its index."""

    value: float
    units: str = ""
    """ "" for the units of the axis; "m" and "km" are converted."""


@dataclass(frozen=True)
class PlaneAxis:
    """One axis of a picture: its dimension and the coordinates of the samples."""

    dim: str
    values: NDArray[Any]
    units: str
    """ "index" if the dataset has no coordinates; "" if their units are unknown."""
    limits: tuple[float, float]
    """The range that the box covers. It is the same for all levels, although coarse samples may end
    earlier."""

    @property
    def label(self) -> str:
        return with_units(self.dim, self.units)

    @property
    def edges(self) -> NDArray[np.float64]:
        """Cell borders, halfway between samples."""
        values = np.asarray(self.values, dtype=np.float64)
        if len(values) < 2:
            return np.array(self.limits)
        middle = (values[1:] + values[:-1]) / 2
        return np.concatenate([[2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]])


@dataclass(frozen=True)
class Plane:
    """Samples of one field on a plane, with the labels of a picture."""

    field: Field
    values: np.ma.MaskedArray[Any, Any]
    """(rows, columns) = (vertical, horizontal); fill values and NaN are masked."""
    horizontal: PlaneAxis
    vertical: PlaneAxis
    level: int
    nbytes: int
    """Bytes of the samples read."""
    time: str
    """ "t = 150 years"; "" for fixed fields."""
    position: str
    """Position of the plane in a 3-D grid, e.g. "y = -2000 km"; "" for fields of two dimensions."""
    shows_levels: bool = False
    """Whether the values are the finest stored levels."""

    @property
    def name(self) -> str:
        return field_name(self.field)

    @property
    def label(self) -> str:
        return "finest stored level" if self.shows_levels else field_label(self.field)

    @property
    def title(self) -> str:
        rows, columns = self.values.shape
        where = ", ".join(part for part in (self.field.name, self.time, self.position) if part)
        return f"{where}\nlevel {self.level} of {self.field.max_level}: {columns} × {rows} samples"


def read_plane(
    field: Field,
    step: int = -1,
    level: int | None = None,
    section: tuple[str, int | Coordinate] | None = None,
    box: Box | None = None,
    component: int | None = None,
    *,
    levels: bool = False,
) -> Plane:
    """Reads a map or a section of a field on a grid of two or three dimensions.

    level:     None: the coarsest level with about PICTURE_PX samples along the picture's longer side
    section:   (dim, index) or (dim, Coordinate): the position at which to cut a 3-D grid; None: the first
               index of its slowest dimension. The section is taken at the nearest index that has samples at
               the level.
    box:       as in Field.read
    component: of a field with several; None: the length of the vector
    levels:    shows the finest level that is stored at each place instead of the values
    """
    cut = _cut(field, section)
    box = field.box if box is None else box
    if level is None:
        level = _picture_level(field, step, cut, box)
    where = None
    if cut is not None:
        box, where = _cut_box(field, step, level, cut, box)
    selection = field.select(step, box, level)
    if 0 in selection.shape:
        raise ValueError(f"{field.name}: the box contains no sample of level {level}; choose a finer level")
    values = field.levels(step, box, level) if levels else field.read(step, box, level)
    plane_dims = list(selection.dims)
    if cut is not None:
        values = values.take(0, axis=plane_dims.index(cut[0]))
        plane_dims.remove(cut[0])
    vertical, horizontal = (_axis(field, dim, box, level) for dim in plane_dims)
    return Plane(
        field=field,
        values=values if levels else scalars(field, values, component),
        shows_levels=levels,
        horizontal=horizontal,
        vertical=vertical,
        level=level,
        nbytes=selection.nbytes,
        time=time_text(field, step),
        position="" if where is None else position_text(field, *where),
    )


def draw(axes: Axes, plane: Plane, *, log: bool = False, **mesh_options: Any) -> QuadMesh:
    """Draws the plane into matplotlib axes, with a cell around each sample and labeled axes. Returns the
    mesh.

    `mesh_options` are passed to pcolormesh (cmap, vmin, vmax, norm). `log` makes the colors logarithmic over
    the four decades below the largest value; values of 0 and less are masked.
    """
    values = drawn_values(plane, log=log)
    if log:
        mesh_options.setdefault("norm", _log_norm(values))
    mesh = axes.pcolormesh(
        plane.horizontal.edges, plane.vertical.edges, values, shading="flat", rasterized=True, **mesh_options
    )
    axes.set(xlabel=plane.horizontal.label, ylabel=plane.vertical.label)
    axes.set(xlim=plane.horizontal.limits, ylim=plane.vertical.limits)
    axes.set_aspect("equal" if _same_scale(plane) else "auto")
    _space_ticks(axes, plane)
    return mesh


def drawn_values(plane: Plane, *, log: bool) -> np.ma.MaskedArray[Any, Any]:
    """The values as draw() shows them: under logarithmic colors, 0 and less are masked."""
    return np.ma.masked_less_equal(plane.values, 0) if log else plane.values


def figure(plane: Plane, *, log: bool = False, cmap: str = "viridis", **mesh_options: Any) -> Figure:
    """The plane as a figure with title and color bar; its longer side has about PICTURE_PX pixels of data.

    `mesh_options` are those of draw().
    """
    from matplotlib.figure import Figure

    width, height = _data_size_px(plane)
    margins = np.array([260, 170])
    fig = Figure(figsize=tuple((np.array([width, height]) + margins) / _DPI), dpi=_DPI, layout="constrained")
    axes = fig.add_subplot()
    mesh = draw(axes, plane, log=log, cmap=cmap, **mesh_options)
    axes.set_title(plane.title, fontsize=10)
    bar = fig.colorbar(mesh, ax=axes, label=wrapped(plane.label, height))
    for text in (axes.title, axes.xaxis.label, axes.yaxis.label, bar.ax.yaxis.label):
        text.set_parse_math(False)  # names with $ are no formulas
    return fig


def wrapped(text: str, length_px: float, font_px: float = 10 / 72 * _DPI) -> str:
    """Wraps a label to the length of its axis. Units stay on one line."""
    name, bracket, units = text.partition("[")
    joined = name + bracket + units.replace(" ", "\N{NO-BREAK SPACE}")
    return textwrap.fill(joined, max(12, int(length_px / (font_px * _EM_PER_CHARACTER))))


def _space_ticks(axes: Axes, plane: Plane) -> None:
    """Chooses as many ticks as fit. With equal scales the axes may be narrower than the space reserved for
    them."""
    from matplotlib.ticker import MaxNLocator

    extent = axes.get_window_extent()
    width, height = extent.width, extent.height
    if _same_scale(plane):
        spans = [abs(axis.limits[1] - axis.limits[0]) for axis in (plane.horizontal, plane.vertical)]
        scale = min(width / spans[0], height / spans[1])
        width, height = spans[0] * scale, spans[1] * scale
    font_px = 10 / 72 * axes.get_figure().dpi
    characters = max(len(f"{limit:.4g}") for limit in plane.horizontal.limits)
    for axis, length, each in (
        (axes.xaxis, width, (characters + 2) * font_px * _EM_PER_CHARACTER),
        (axes.yaxis, height, 2 * font_px),
    ):
        count = int(length / each)
        prune = "lower" if count < 2 else None
        bins = max(1, min(9, count))
        axis.set_major_locator(MaxNLocator(bins, steps=[1, 2, 2.5, 5, 10], prune=prune, min_n_ticks=1))


def _log_norm(values: np.ma.MaskedArray[Any, Any]) -> LogNorm:
    from matplotlib.colors import LogNorm

    ends = (float(values.min()), float(values.max())) if values.count() else (1.0, 10.0)
    return LogNorm(*drawn_ends(*ends, log=True))


def why_no_plane(field: Field) -> str:
    """A sentence if the field has no plane that could be drawn, or ""."""
    axes = len(field.grid.dims)
    if field.is_series:
        return f"{field.name} is a time series without axes; draw it with `esker plot --series`"
    if axes not in (2, 3):
        word = "axis" if axes == 1 else "axes"
        return f"{field.name} has {axes} {word}; expected 2 or 3"
    if min(field.shape) < 1:
        return f"{field.name} has no samples"
    if not (field.fixed or any(field.has(step) for step in range(len(field.dataset.steps)))):
        return f"{field.name} was not written at any step"
    return ""


def _cut(field: Field, section: tuple[str, int | Coordinate] | None) -> tuple[str, int] | None:
    dims = list(field.grid.dims)
    if len(dims) not in (2, 3):
        raise ValueError(f"{field.name}: expected a field with 2 or 3 dimensions, found {len(dims)}")
    if section is None:
        return None if len(dims) == 2 else (dims[0], field.box[0][-1])
    dim, where = section
    if len(dims) == 2:
        raise ValueError(
            f"{field.name}: a section needs a field with 3 dimensions, found 2; omit the section"
        )
    if dim not in dims:
        raise ValueError(f"{field.name}: no dimension {dim!r}; the field has {', '.join(dims)}")
    if isinstance(where, Coordinate):
        return dim, _nearest_index(field, dim, where)
    axis = axis_number(field, dim)
    lo, hi = field.box[0][axis], field.box[1][axis]
    if not lo <= where < hi:
        raise IndexError(f"{field.name}: {dim}={where} is outside the grid, indices {lo} to {hi - 1}")
    return dim, where


def _nearest_index(field: Field, dim: str, where: Coordinate) -> int:
    """Index of the sample nearest to a coordinate."""
    coords = field.grid.coords.get(dim)
    if coords is None:
        raise ValueError(
            f"{field.name}: {dim} has no coordinates; give an index, which is an integer without units"
        )
    units = coordinate_units(field, dim)
    value = where.value
    if where.units and where.units != units:
        if not (where.units in METERS and units in METERS):
            raise ValueError(
                f"{field.name}: coordinates of {dim} are in {units or 'unknown units'}, not {where.units}"
            )
        value *= METERS[where.units] / METERS[units]
    lo, hi = float(coords.min()), float(coords.max())
    half_cell = (hi - lo) / max(1, len(coords) - 1) / 2
    if not lo - half_cell <= value <= hi + half_cell:
        raise IndexError(
            f"{field.name}: {dim}={value:g} is outside the coordinates, {lo:g} to {hi:g} {units}".rstrip()
        )
    return int(np.argmin(np.abs(coords - value)))


def level_within(
    field: Field, step: int, section: tuple[str, int | Coordinate] | None, level: int, most: int
) -> int:
    """The finest level up to `level` at which a plane has at most `most` samples."""
    cut = _cut(field, section)
    return finest_level(level, lambda coarser: math.prod(_sizes(field, step, cut, None, coarser)) <= most)


def picture_level(field: Field, step: int, section: tuple[str, int | Coordinate] | None) -> int:
    """The level that read_plane() chooses for a whole plane. Reads no samples."""
    return _picture_level(field, step, _cut(field, section), field.box)


def _picture_level(field: Field, step: int, cut: tuple[str, int] | None, box: Box) -> int:
    return coarsest_level(
        field.max_level, lambda level: max(_sizes(field, step, cut, box, level)) >= PICTURE_PX
    )


def _sizes(field: Field, step: int, cut: tuple[str, int] | None, box: Box | None, level: int) -> list[int]:
    """Rows and columns of a plane."""
    shape = zip(field.grid.dims, shape_at(field, step, box, level))
    return [count for dim, count in shape if cut is None or dim != cut[0]]


def _cut_box(
    field: Field, step: int, level: int, cut: tuple[str, int], box: Box
) -> tuple[Box, tuple[str, int]]:
    """The box reduced to the index nearest to the cut that has samples at the level, and that index."""
    dim, index = cut
    axis = axis_number(field, dim)
    indices = field.select(step, box, level).indices(dim)
    if len(indices) == 0:
        raise ValueError(f"{field.name}: the box contains no sample of level {level}; choose a finer level")
    nearest = int(indices[np.argmin(np.abs(indices - index))])
    lo, hi = list(box[0]), list(box[1])
    lo[axis], hi[axis] = nearest, nearest + 1
    return (tuple(lo), tuple(hi)), (dim, nearest)


def axis_number(field: Field, dim: str) -> int:
    """Position of a dimension in boxes (x first)."""
    return len(field.grid.dims) - 1 - list(field.grid.dims).index(dim)


def _axis(field: Field, dim: str, box: Box, level: int) -> PlaneAxis:
    axis = axis_number(field, dim)
    coords = field.grid.coords.get(dim)
    indices = np.arange(box[0][axis], box[1][axis])
    all_values = np.asarray(indices if coords is None else coords[indices], dtype=np.float64)
    unit, factor = shown_units(field, dim, all_values)
    step = all_values[1] - all_values[0] if len(all_values) > 1 else 1.0
    last_step = all_values[-1] - all_values[-2] if len(all_values) > 1 else 1.0
    return PlaneAxis(
        dim=dim,
        values=field.coords(dim, box, level) * factor,
        units=unit,
        limits=((all_values[0] - step / 2) * factor, (all_values[-1] + last_step / 2) * factor),
    )


def _same_scale(plane: Plane) -> bool:
    """Whether both axes have the same scale: on maps that are not too narrow, but not on vertical
    sections."""
    is_map = len(plane.field.grid.dims) == 2 or plane.vertical.dim != next(iter(plane.field.grid.dims))
    spans = [abs(axis.limits[1] - axis.limits[0]) for axis in (plane.horizontal, plane.vertical)]
    return (
        is_map
        and plane.horizontal.units == plane.vertical.units
        and max(spans) <= _MAX_MAP_RATIO * min(spans)
    )


def _data_size_px(plane: Plane) -> tuple[float, float]:
    if not _same_scale(plane):
        return PICTURE_PX, PICTURE_PX / 2
    width, height = (abs(axis.limits[1] - axis.limits[0]) for axis in (plane.horizontal, plane.vertical))
    scale = PICTURE_PX / max(width, height)
    return max(width * scale, PICTURE_PX / 6), max(height * scale, PICTURE_PX / 6)
