"""What notebooks show of datasets and fields: tables, with thumbnails of coarse levels.

All texts of datasets are escaped; nothing comes from another host. A thumbnail that cannot be read is left out, and those
of remote datasets are, too, because a display shall not wait for a network.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from esker.base.counts import count_of, size_text
from esker.base.units import with_units
from esker.dataset.decoding import scalars
from esker.integrations.remote import is_url

if TYPE_CHECKING:
    from esker.dataset.field import Field
    from esker.dataset.opening import Dataset

_MAX_ROWS = 40
_MAX_THUMBNAILS = 8
_SMALL_PX, _LARGE_PX = 64, 256
_CELL = 'style="text-align: left; vertical-align: middle; white-space: nowrap"'
_COLORED_PERCENT = (2, 98)
"""Percentiles of the samples between which the colors change: a few extremes would hide all others."""


def dataset_html(dataset: Dataset) -> str:
    """A table of the fields, and the attributes."""
    fields = [dataset[name] for name in dataset]
    heads = ["", "field", "type", "axes", "steps", "levels", "size per step", ""]
    rows = [
        [_picture(field, _SMALL_PX) if number < _MAX_THUMBNAILS else "", *_cells(field)]
        for number, field in enumerate(fields[:_MAX_ROWS])
    ]
    rest = len(fields) - len(rows)
    return (
        f"<div><b>{escape(str(dataset.path))}</b>: {count_of(len(dataset.steps), 'step')}{_span(dataset)}, "
        f"{count_of(len(fields), 'field')}{_table(rows, heads)}"
        + (f"<div>and {count_of(rest, 'more field')}</div>" if rest > 0 else "")
        + _attributes(dataset.attrs)
        + "</div>"
    )


def field_html(field: Field) -> str:
    """A picture, what the field is, and its attributes."""
    facts = [
        [f"<b>{escape(name)}</b>", text]
        for name, text in zip(("type", "axes", "steps", "levels", "size per step"), _cells(field)[1:])
    ]
    return (
        f"<div><b>{escape(field.name)}</b> {_described(field)}"
        f'<div style="display: flex; gap: 1em">{_picture(field, _LARGE_PX)}<div>{_table(facts)}</div></div>'
        f"{_attributes(field.attrs)}</div>"
    )


def _cells(field: Field) -> list[str]:
    """Name, type, axes, steps, levels, size, and what it is."""
    axes = ", ".join(f"{dim}: {size}" for dim, size in zip(field.dims, field.shape))
    steps = "fixed" if field.fixed else str(len(field.steps))
    size = size_text(math.prod(field.shape) * field.dtype.itemsize)
    cells = [
        field.name,
        str(field.dtype),
        "" if field.is_series else axes,
        steps,
        f"0 to {field.max_level}",
        size,
    ]
    return [*map(escape, cells), _described(field)]


def _described(field: Field) -> str:
    name, units = (
        field.attrs.get("long_name", field.attrs.get("standard_name", "")),
        field.attrs.get("units", ""),
    )
    return escape(with_units(name, units))


def _span(dataset: Dataset) -> str:
    if not dataset.steps:
        return ""
    units = dataset.time_attrs.get("units", "")
    return escape(f", t = {dataset.steps[0]:g} to {dataset.steps[-1]:g} {units}".rstrip())


def _table(rows: Iterable[list[str]], heads: Iterable[str] = ()) -> str:
    head = "".join(f"<th {_CELL}>{text}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def _attributes(attrs: Mapping[str, Any]) -> str:
    if not attrs:
        return ""
    rows = [[f"<b>{escape(name)}</b>", escape(str(value))] for name, value in attrs.items()]
    return f"<details><summary>{count_of(len(rows), 'attribute')}</summary>{_table(rows)}</details>"


def _picture(field: Field, pixels: int) -> str:
    """An image of the last step that has the field, or of a fixed field, with what it shows as its alternative text; "" if
    there is none."""
    if is_url(field.dataset.path) or len(field.grid.dims) not in (2, 3) or not (field.fixed or field.steps):
        return ""
    try:
        plane, where = _plane(field, pixels)
        shown = plane.compressed()
        if shown.size == 0:
            return ""
        png = _png(plane, *np.percentile(shown, _COLORED_PERCENT))
    except Exception:  # a display of a damaged dataset still says what the dataset is
        return ""
    text = escape(f"{field.name}{where}, from {shown.min():g} to {shown.max():g}")
    height = round(pixels * min(1, plane.shape[0] / plane.shape[1]))
    width = round(pixels * min(1, plane.shape[1] / plane.shape[0]))
    return (
        f'<img src="data:image/png;base64,{png}" alt="{text}" title="{text}" width="{max(width, 1)}" '
        f'height="{max(height, 1)}" style="image-rendering: auto">'
    )


def _plane(field: Field, pixels: int) -> tuple[np.ma.MaskedArray[Any, Any], str]:
    """The coarsest samples that fill the picture, first row at the top, of the middle of a volume; and where that is."""
    lo, hi = field.box
    longest = max(high - low for low, high in zip(lo[:2], hi[:2]))
    stride = 1 << max(0, (longest // pixels).bit_length() - 1)
    box, where = (lo, hi), ""
    if len(lo) == 3:
        middle = max(lo[2], (lo[2] + hi[2]) // 2 // stride * stride)  # of the coarse level
        box = ((*lo[:2], middle), (*hi[:2], middle + 1))
        where = f" at {field.grid.dims and list(field.grid.dims)[0]} index {middle}"
    steps = (stride, stride, 1)[: len(lo)]
    step = next((n for n in reversed(range(len(field.dataset.steps))) if field.has(n)), 0)
    values = scalars(field, field.read(step, box, stride=steps))
    plane = values.reshape(values.shape[-2:])
    return plane if _goes_down(field) else plane[::-1], where


def _goes_down(field: Field) -> bool:
    """Whether the coordinates of the rows decrease."""
    rows = field.grid.coords.get(list(field.grid.dims)[-2])
    return rows is not None and len(rows) > 1 and bool(rows[0] > rows[-1])


def _png(plane: np.ma.MaskedArray[Any, Any], low: float, high: float) -> str:
    import matplotlib
    from matplotlib.image import imsave

    part = (plane.astype(np.float64) - low) / (high - low if high > low else 1)
    colors: NDArray[Any] = matplotlib.colormaps["viridis"](part)
    colors[np.ma.getmaskarray(plane)] = (0, 0, 0, 0)
    out = io.BytesIO()
    imsave(out, colors, format="png")
    return base64.b64encode(out.getvalue()).decode()
