"""What people ask a picture: a series over time, a profile, statistics and a histogram of a box, and the samples themselves.

All answers come from the finest level, as long as they stay within MAX_SAMPLES; else they name the level.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.dataset.decoding import scalars
from esker.dataset.field import Field
from esker.plot.labels import position_text, time_label
from esker.viewer.answers import tables
from esker.viewer.reading.samples import Picture, Stale
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.axes import Axis, Plane, axis_of
from esker.viewer.scenes.session import Scene, Window, written_steps

BINS = 40
FORMATS = {"npy": "application/octet-stream", "csv": "text/csv", "nc": "application/x-netcdf"}
"""Of exported samples, with their media types."""
Index = tuple[int, ...]
"""Of a sample, x first."""


@dataclass(frozen=True)
class Line:
    """Values along an axis; NaN where there is none."""

    label: str
    at: NDArray[np.float64]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Where:
    """The samples that have the least or the greatest value: how many, and the first of them."""

    samples: int
    across: float
    up: float
    """Coordinates of the drawn axes."""


@dataclass(frozen=True)
class Statistics:
    """Of the finite values of a box."""

    level: int
    samples: int
    without: int
    """Samples that have no finite value."""
    least: float
    greatest: float
    mean: float
    deviation: float
    least_at: Where
    greatest_at: Where
    counts: NDArray[np.int64]
    edges: NDArray[np.float64]
    """Of the bins of the histogram."""


def series(field: Field, index: Index, component: int | None, is_wanted: Callable[[], bool]) -> Line | None:
    """A sample at all steps; None for fixed fields."""
    if field.fixed:
        return None
    dataset = field.dataset
    steps = written_steps(field)
    values = [values_of(field, step, _box(index), component, is_wanted).item() for step in steps]
    times = np.array([dataset.steps[step] for step in steps], np.float64)
    return Line(time_label(dataset), times, np.array(values))


def profile(field: Field, scene: Scene, index: Index, is_wanted: Callable[[], bool]) -> Line | None:
    """The samples above and below one, along the slowest dimension of a 3-D field; None for maps."""
    if len(field.grid.dims) < 3:
        return None
    axis = axis_of(field, next(iter(field.grid.dims)))
    lo, hi = list(index), [i + 1 for i in index]
    lo[axis.number], hi[axis.number] = axis.lo, axis.hi
    step = 0 if field.fixed else scene.step
    values = values_of(field, step, (tuple(lo), tuple(hi)), scene.component, is_wanted).ravel()
    return Line(axis.label, np.array([axis.coordinate(i) for i in range(axis.lo, axis.hi)]), values)


def series_of(source: Source, index: Index, is_wanted: Callable[[], bool]) -> Line | None:
    """The series of a sample; of a difference if both have the same times and are not the same."""
    first = series(source.field, index, source.scene.component, is_wanted)
    if source.minus is None or first is None:
        return first
    other = source.minus
    if other.field is source.field and other.scene.component == source.scene.component:
        return None
    second = series(other.field, _at_place(index, other), other.scene.component, is_wanted)
    same = second is not None and np.array_equal(first.at, second.at)
    return _minus(first, second) if same else None


def profile_of(source: Source, index: Index, is_wanted: Callable[[], bool]) -> Line | None:
    """The profile of a sample, or of a difference."""
    first = profile(source.field, source.scene, index, is_wanted)
    if source.minus is None or first is None:
        return first
    return _minus(first, profile(source.minus.field, source.minus.scene, index, is_wanted))


def box_picture(source: Source, box: Window, is_wanted: Callable[[], bool]) -> Picture:
    """The samples whose cells reach into a box of the plane, at the finest level that an answer may have."""
    return source.read(source.box_request(box), is_wanted).cropped(box)


def _at_place(index: Index, source: Source) -> Index:
    """An index in the plane of another source."""
    if source.plane.normal is None:
        return index
    number = source.plane.normal.number
    return (*index[:number], source.scene.place, *index[number + 1 :])


def _minus(first: Line, second: Line | None) -> Line | None:
    return None if second is None else replace(first, values=first.values - second.values)


def statistics(picture: Picture) -> Statistics | None:
    """Of the samples of a picture; None without a finite value."""
    values = picture.values
    finite = values[np.isfinite(values)].astype(np.float64)
    if not finite.size:
        return None
    counts, edges = np.histogram(finite, bins=BINS)
    least, greatest = float(finite.min()), float(finite.max())
    return Statistics(
        picture.level, values.size, values.size - finite.size,
        least, greatest, float(finite.mean()), float(finite.std()),
        _where(picture, least), _where(picture, greatest), counts, edges,
    )  # fmt: skip


def drawn_at(picture: Picture, flat: int) -> tuple[float, float]:
    """The middle of a sample of a picture, in coordinates of the drawn axes."""
    rows, columns = picture.values.shape
    row, column = divmod(flat, columns)
    left, right, bottom, top = picture.window
    return left + (column + 0.5) * (right - left) / columns, bottom + (row + 0.5) * (top - bottom) / rows


def _where(picture: Picture, value: float) -> Where:
    found = np.flatnonzero(picture.values.astype(np.float64) == value)
    return Where(found.size, *drawn_at(picture, int(found[0])))


def exported(
    source: Source, picture: Picture, form: str, is_wanted: Callable[[], bool] = lambda: True
) -> bytes:
    """The samples of a picture as a file: an array of NumPy, comma-separated values, or netCDF. Raises Stale."""
    plane = source.plane
    across, up = coordinates(plane, picture)
    if form == "npy":
        file = io.BytesIO()
        np.save(file, picture.values)
        return file.getvalue()
    if form == "csv":
        return b"".join(csv_lines(source, picture, is_wanted))
    if form == "nc":
        return _netcdf(source, picture, across, up)
    raise ValueError(f"expected {', '.join(FORMATS)}, found {form!r}")


def _box(index: Index) -> tuple[Index, Index]:
    return index, tuple(i + 1 for i in index)


def values_of(
    field: Field, step: int, box: Any, component: int | None, is_wanted: Callable[[], bool]
) -> NDArray[np.float64]:
    """The samples of a box at the finest level; NaN where there is none. Raises Stale, OSError."""
    if not is_wanted():
        raise Stale
    found = scalars(field, field.read(step, box), component)
    return np.ma.filled(found.astype(np.float64), np.nan)


def coordinates(plane: Plane, picture: Picture) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The coordinates of the columns and rows of a picture."""
    left, right, bottom, top = picture.window
    rows, columns = picture.values.shape
    return (
        _along(plane.horizontal, left, right, columns),
        _along(plane.vertical, bottom, top, rows),
    )


def _along(axis: Axis, low: float, high: float, count: int) -> NDArray[np.float64]:
    drawn = low + (np.arange(count) + 0.5) * (high - low) / count
    return np.array([axis.coordinate(round(axis.index(place))) for place in drawn])


def _name(source: Source) -> str:
    """Of the samples in a file."""
    return "_minus_".join(one.field.name for one in source.parts)


def csv_lines(source: Source, picture: Picture, is_wanted: Callable[[], bool]) -> Iterator[bytes]:
    """One line for each sample, in pieces. Names are quoted, and cannot be formulas of a spreadsheet. Raises Stale."""
    across, up = coordinates(source.plane, picture)
    names = [source.plane.horizontal.label, source.plane.vertical.label, _name(source)]
    yield tables.header(names).encode()
    digits = tables.digits_of(picture.values.dtype)
    for place, row in zip(up, picture.values.astype(np.float64)):
        if not is_wanted():
            raise Stale
        file = io.BytesIO()
        lines = np.column_stack([across, np.full(len(across), place), row])
        np.savetxt(file, lines, delimiter=",", fmt=["%.12g", "%.12g", digits])
        yield file.getvalue()


def _netcdf_attributes(source: Source, picture: Picture) -> dict[str, Any]:
    """Of the axes, of time, and of the file: the place of the plane, which is no axis."""
    field, plane = source.field, source.plane
    attrs: dict[str, Any] = {axis.dim: {"units": axis.units} for axis in (plane.horizontal, plane.vertical)}
    times = field.dataset.time_attrs
    known = {name: times[name] for name in ("units", "calendar") if name in times}
    if known and not field.fixed:
        attrs["time"] = known
    if plane.normal is not None and picture.place is not None and source.minus is None:
        attrs["plane"] = position_text(field, plane.normal.dim, picture.place)
    return attrs


def _netcdf(source: Source, picture: Picture, across: Any, up: Any) -> bytes:
    """A netCDF file of Esker, with coordinates and the attributes of the field."""
    import tempfile
    from pathlib import Path

    from esker.writing.writer import Writer

    field, plane = source.field, source.plane
    rows, columns = picture.values.shape
    axes = {plane.horizontal.dim: columns, plane.vertical.dim: rows}
    coords = {plane.horizontal.dim: across, plane.vertical.dim: up}
    attrs = _netcdf_attributes(source, picture)
    names = ("units", "long_name", "standard_name") if source.minus is None else ("units",)
    kept = {name: text for name, text in field.attrs.items() if name in names}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "box.nc"
        with Writer(path, dims=axes, coords=coords, attrs=attrs, report="none") as writer:
            made = writer.field(_name(source), picture.values.dtype.str[1:], attrs=kept)
            with writer.step(0.0 if field.fixed else field.dataset.steps[source.step]) as step:
                step.put(made, picture.values)
        return path.read_bytes()
