"""The keys of a field as an OME-Zarr image (version 0.5, Zarr v3), and what they hold.

    zarr.json               the image: the attribute `ome` with axes and levels
    0/zarr.json             a group for each level, 0 the finest; xarray opens one as a dataset
    0/FIELD/zarr.json       its samples; 0/FIELD/c/3/0/1/1: a chunk of them
    0/x/zarr.json           coordinates of an axis, if the dataset has them

Everything is made when it is asked for. The key of chunks with samples is found here; Pyramid.read() reads them.
"""

from __future__ import annotations

import base64
import json
import math
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.units import time_units
from esker.base.values import plain
from esker.plot.labels import coordinate_units
from esker.viewer.images.pyramid import Counts, Pyramid
from esker.viewer.scenes.axes import Axis

METADATA = "zarr.json"
_COORDINATES = 1 << 16
"""Of a chunk, at most."""
_MAX_DIGITS = 10
_NUMBER = re.compile(rf"0|[1-9][0-9]{{0,{_MAX_DIGITS - 1}}}")
_SPACE_UNITS = {
    **dict.fromkeys(("m", "metre", "meter", "metres", "meters"), "meter"),
    **dict.fromkeys(("km", "kilometre", "kilometer", "kilometres", "kilometers"), "kilometer"),
    **dict.fromkeys(("cm", "centimetre", "centimeter"), "centimeter"),
    **dict.fromkeys(("mm", "millimetre", "millimeter"), "millimeter"),
    **dict.fromkeys(("um", "µm", "micrometer", "micrometre", "micron"), "micrometer"),
    **dict.fromkeys(("nm", "nanometre", "nanometer"), "nanometer"),
}
_TIME_UNITS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), "second"),
    **dict.fromkeys(("min", "minute", "minutes"), "minute"),
    **dict.fromkeys(("h", "hr", "hour", "hours"), "hour"),
    **dict.fromkeys(("d", "day", "days"), "day"),
}
"""The names that OME has for units; it has none for years and degrees."""


@dataclass(frozen=True)
class Chunk:
    """The key of a chunk with samples."""

    level: int
    index: Counts


def answer(pyramid: Pyramid, key: Sequence[str]) -> bytes | Chunk | None:
    """What a key of the image holds, or the chunk to read; None if there is no such key. Reads no samples."""
    if list(key) == [METADATA]:
        return _json(_image(pyramid))
    if len(key) < 2 or (number := _number(key[0])) is None or number >= len(pyramid.levels):
        return None
    if list(key[1:]) == [METADATA]:
        return _json(_level(pyramid, number))
    arrays, name, rest = _arrays(pyramid, number), key[1], list(key[2:])
    if name not in arrays:
        return None
    if rest == [METADATA]:
        return _json(arrays[name])
    index = [_number(part) for part in rest[1:]]
    if rest[:1] != ["c"] or None in index:
        return None
    if name == samples_name(pyramid):
        chunk = Chunk(number, tuple(n for n in index if n is not None))
        return chunk if pyramid.levels[number].has_chunk(chunk.index) else None
    return _coordinates(pyramid, number, name, index)


def encoded(samples: NDArray[Any]) -> bytes:
    """The bytes of a chunk. They are not compressed: gzip makes 17 MB/s of them, a network more."""
    return samples.tobytes()


def samples_name(pyramid: Pyramid) -> str:
    """The name of the array of samples: that of the field, unless it would not do as a key."""
    name = pyramid.field.name
    return "samples" if "/" in name or name in (METADATA, ".", "..", *pyramid.dims) else name


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def _json(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False).encode()


def _group(attributes: Mapping[str, Any], members: Mapping[str, Any]) -> dict[str, Any]:
    """A group with the metadata of its members, because a web server has no lists of names."""
    return {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": dict(attributes),
        "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": dict(members)},
    }


def _image(pyramid: Pyramid) -> dict[str, Any]:
    members = {}
    for number in range(len(pyramid.levels)):
        members[str(number)] = _group(_json_attributes(pyramid.field.dataset.attrs), {})
        members |= {f"{number}/{name}": array for name, array in _arrays(pyramid, number).items()}
    multiscale = {
        "name": pyramid.field.name,
        "axes": [*_other_axes(pyramid), *(_space_axis(pyramid, axis) for axis in pyramid.space)],
        "datasets": [
            {
                "path": f"{number}/{samples_name(pyramid)}",
                "coordinateTransformations": _places(pyramid, number),
            }
            for number in range(len(pyramid.levels))
        ],
        "metadata": {"description": "Coarse levels are samples of the finest one, not means."},
    }
    return _group({"ome": {"version": "0.5", "multiscales": [multiscale]}}, members)


def _level(pyramid: Pyramid, number: int) -> dict[str, Any]:
    return _group(_json_attributes(pyramid.field.dataset.attrs), _arrays(pyramid, number))


def _arrays(pyramid: Pyramid, number: int) -> dict[str, Any]:
    """The metadata of the arrays of a level, by name."""
    field, level = pyramid.field, pyramid.levels[number]
    attributes = _json_attributes(
        {name: value for name, value in field.attrs.items() if name != "_FillValue"}
    )
    if "_FillValue" in field.attrs:
        attributes["_FillValue"] = _fill_attribute(pyramid.fill)
    found = {
        samples_name(pyramid): _array(level.shape, level.chunks, pyramid.dims, pyramid.fill, attributes),
    }
    for name in pyramid.dims:
        values = _values(pyramid, number, name)
        if values is not None:
            attrs = (
                field.dataset.time_attrs if name == pyramid.time else field.dataset.dim_attrs.get(name, {})
            )
            kept = {key: value for key, value in attrs.items() if key not in ("_FillValue", "missing_value")}
            size = min(_COORDINATES, len(values))
            found[name] = _array(values.shape, (size,), (name,), values.dtype.type(0), _json_attributes(kept))
    return found


def _array(
    shape: Counts, chunks: Counts, dims: Sequence[str], fill: Any, attributes: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(map(int, shape)),
        "data_type": fill.dtype.name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(map(int, chunks))}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": _number_in_json(fill.item()),
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "dimension_names": list(dims),
        "attributes": dict(attributes),
    }


def _values(pyramid: Pyramid, number: int, name: str) -> NDArray[Any] | None:
    """The coordinates of a level along an axis; None without."""
    if name == pyramid.time:
        return np.asarray(pyramid.field.dataset.steps, np.float64)
    axis = next((axis for axis in pyramid.space if axis.dim == name), None)
    return None if axis is None else pyramid.coords(number, axis)


def _coordinates(pyramid: Pyramid, number: int, name: str, index: Sequence[int | None]) -> bytes | None:
    """A chunk of coordinates."""
    values = _values(pyramid, number, name)
    if values is None or len(index) != 1 or index[0] is None:
        return None
    size = min(_COORDINATES, len(values))
    part = values[index[0] * size : (index[0] + 1) * size]
    if not part.size:
        return None
    chunk = np.zeros(size, values.dtype.newbyteorder("<"))
    chunk[: len(part)] = part
    return encoded(chunk)


def _other_axes(pyramid: Pyramid) -> list[dict[str, str]]:
    axes = []
    if pyramid.time:
        axes.append({"name": pyramid.time, "type": "time", **_unit_of_time(pyramid)})
    if pyramid.channel:
        axes.append({"name": pyramid.channel, "type": "channel"})
    return axes


def _unit_of_time(pyramid: Pyramid) -> dict[str, str]:
    dataset = pyramid.field.dataset
    units = time_units(dataset.time_attrs, dataset.attrs).partition(" since ")[0]
    return {"unit": _TIME_UNITS[units]} if _is_even(dataset.steps) and units in _TIME_UNITS else {}


def _space_axis(pyramid: Pyramid, axis: Axis) -> dict[str, str]:
    units = coordinate_units(pyramid.field, axis.dim) if _is_placed(pyramid, axis) else ""
    return {
        "name": axis.dim,
        "type": "space",
        **({"unit": _SPACE_UNITS[units]} if units in _SPACE_UNITS else {}),
    }


def _is_placed(pyramid: Pyramid, axis: Axis) -> bool:
    """Whether an axis is placed by its coordinates; others are placed by their indices."""
    return axis.uneven is None and axis.dim in pyramid.field.grid.coords


def _places(pyramid: Pyramid, number: int) -> list[dict[str, Any]]:
    """Scale and translation: where the samples of a level are."""
    scale, translation = [], []
    if pyramid.time:
        steps = pyramid.field.dataset.steps
        is_even = _is_even(steps)
        scale.append(float(steps[1] - steps[0]) if is_even else 1.0)
        translation.append(float(steps[0]) if is_even else 0.0)
    if pyramid.channel:
        scale.append(1.0)
        translation.append(0.0)
    for axis in pyramid.space:
        stride, first = pyramid.levels[number].selection.stride[axis.number], pyramid.first(number, axis)
        coords = pyramid.field.grid.coords[axis.dim] if _is_placed(pyramid, axis) else None
        distance = 1.0
        if coords is not None and len(coords) > 1:
            distance = abs(float(coords[-1]) - float(coords[0])) / (len(coords) - 1)
        scale.append(distance * stride)
        translation.append(float(first if coords is None else coords[first]))
    return [{"type": "scale", "scale": scale}, {"type": "translation", "translation": translation}]


def _is_even(times: Sequence[float]) -> bool:
    """Whether the times of the steps have equal, positive distances."""
    distances = np.diff(np.asarray(times, np.float64))
    return bool(
        distances.size and distances[0] > 0 and np.allclose(distances, distances[0], rtol=1e-6, atol=0)
    )


def _fill_attribute(fill: Any) -> Any:
    """As xarray reads it: the base64 form of the eight bytes of a real."""
    if fill.dtype.kind != "f":
        return fill.item()
    return base64.standard_b64encode(struct.pack("<d", float(fill))).decode()


def _json_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _in_json(value) for name, value in plain(attributes).items()}


def _in_json(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_in_json(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): _in_json(part) for name, part in value.items()}
    return _number_in_json(value) if isinstance(value, float) else value


def _number_in_json(value: Any) -> Any:
    """A number; the names of Zarr for those that JSON does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
