"""Fields on cells of the sphere: which fields of a dataset these are, at which level they are read, and which cells touch.

Panels: ten fields NAME_p0 ... NAME_p9 on squares of 2^n cells each, and NAME_poles, as esker-gcrm writes them; miniapps/gcrm/panels.h
describes their positions. Level 2m of each is the geodesic grid of level m. Lists: a field with an axis along which the dataset
has longitudes and latitudes; a coarse level has every 2^k-th cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.plot.levels import finest_level, shape_at
from esker.viewer.reading.reads import MAX_SAMPLES, Request
from esker.viewer.scenes.colors import PALETTES
from esker.viewer.scenes.session import Scene, scene_of, written_step

PANELS = 10
FIRST_CELLS = 1 << 13
"""Of the first, coarse picture."""
MOST_CELLS = 1 << 18
_PART = re.compile(r"(.+)_(?:p[0-9]|poles)")
_LEAST_CELLS = 3


@dataclass(frozen=True)
class Globe:
    """A quantity on the cells of a sphere."""

    name: str
    parts: tuple[str, ...]
    """Fields whose samples follow each other: ten panels and the poles, or one list of cells."""
    lon: tuple[str, ...]
    lat: tuple[str, ...]
    """Of the same cells."""
    layers: int
    layer_dim: str = ""
    """The axis of a list that has one sample in a picture; "" if layers are components, or there are none."""

    @property
    def has_panels(self) -> bool:
        return len(self.parts) > 1


@dataclass(frozen=True)
class GlobeScene:
    """What is shown; of `scene`, what globes have in common with planes."""

    scene: Scene
    name: str = ""
    layer: int = 0
    level: int | None = None
    """Of the fields; None: the finest with at most MOST_CELLS."""


def globes_of(dataset: Dataset) -> dict[str, Globe]:
    """The quantities of a dataset that are drawn on a globe."""
    panels = _panels(dataset)
    if panels:
        return panels
    lon, lat = (_places(dataset, kind) for kind in ("longitude", "latitude"))
    return {
        name: globe
        for name, field in dataset.fields.items()
        for dim in field.grid.dims
        if dim in lon and dim in lat and name not in (lon[dim], lat[dim])
        if (globe := _list_of(field, dim, lon[dim], lat[dim]))
    }


def _panels(dataset: Dataset) -> dict[str, Globe]:
    names = {match[1] for name in dataset.fields if (match := _PART.fullmatch(name))}
    whole = {name: _parts(name) for name in sorted(names) if _are_panels(dataset, _parts(name))}
    if not {"lon", "lat"} <= whole.keys():
        return {}
    side = dataset.fields["lon_p0"].shape[0]
    return {
        name: Globe(name, parts, whole["lon"], whole["lat"], dataset.fields[parts[0]].components)
        for name, parts in whole.items()
        if name not in ("lon", "lat") and dataset.fields[parts[0]].shape[0] == side
    }


def _parts(name: str) -> tuple[str, ...]:
    return (*(f"{name}_p{number}" for number in range(PANELS)), f"{name}_poles")


def _are_panels(dataset: Dataset, parts: tuple[str, ...]) -> bool:
    fields = [dataset.fields.get(part) for part in parts]
    if any(field is None or field.components != fields[0].components for field in fields):  # type: ignore[union-attr]
        return False
    sides = {tuple(field.grid.dims.values()) for field in fields[:PANELS]}  # type: ignore[union-attr]
    poles = tuple(fields[PANELS].grid.dims.values())  # type: ignore[union-attr]
    shape = next(iter(sides))
    is_square = len(shape) == 2 and shape[0] == shape[1] and shape[0] & (shape[0] - 1) == 0
    return len(sides) == 1 and is_square and poles == (2,)


def _places(dataset: Dataset, kind: str) -> dict[str, str]:
    """For each dimension of cells the field with their longitudes or latitudes, the first one if there are several."""
    found: dict[str, str] = {}
    for name, field in dataset.fields.items():
        dims = list(field.grid.dims)
        if len(dims) != 1 or field.components > 1 or field.shape[0] < _LEAST_CELLS or not _is_written(field):
            continue
        named = str(field.attrs.get("standard_name", field.attrs.get("long_name", ""))).lower()
        is_angle = str(field.attrs.get("units", "degrees")).lower().startswith(("deg", "rad"))
        if is_angle and (named == kind or name.lower().endswith(kind[:3])):
            found.setdefault(dims[0], name)
    return found


def _list_of(field: Field, dim: str, lon: str, lat: str) -> Globe | None:
    dims = dict(field.grid.dims)
    if dim not in dims or len(dims) > 2 or field.is_series:
        return None
    others = [other for other in dims if other != dim]
    if others and field.components > 1 or not _is_written(field):
        return None
    layers = dims[others[0]] if others else field.components
    return Globe(field.name, (field.name,), (lon,), (lat,), layers, others[0] if others else "")


def _is_written(field: Field) -> bool:
    return field.fixed or any(field.has(step) for step in range(len(field.dataset.steps)))


def globe_of(query: Mapping[str, str], datasets: Sequence[Dataset]) -> tuple[GlobeScene, list[str]]:
    """What a link's parameters show, and sentences about what was replaced; the name is "" without a globe."""
    own = {name: text for name, text in query.items() if name in ("field", "layer", "level")}
    rest = {
        name: text for name, text in query.items() if name not in ("field", "layer", "level", "component")
    }
    scene, notes = scene_of(rest, datasets, PALETTES)
    dataset = datasets[scene.dataset]
    globes = globes_of(dataset)
    if not globes:
        return GlobeScene(scene), notes
    asked = own.get("field", "")
    part = _PART.fullmatch(asked)
    name = asked if asked in globes else part[1] if part and part[1] in globes else next(iter(globes))
    if asked and name not in (asked, part[1] if part else ""):
        notes.append(f"{asked[:100]} is not on a globe; shown is {name}.")
    globe, field = globes[name], dataset.fields[globes[name].parts[0]]
    layer, level = _number(own.get("layer", "")), _number(own.get("level", ""))
    step = _step(field, rest, scene)
    return GlobeScene(
        scene.but(step=step),
        name,
        min(layer or 0, globe.layers - 1),
        None if level is None else min(level, field.max_level),
    ), notes


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _step(field: Field, query: Mapping[str, str], scene: Scene) -> int:
    """The nearest step at which the field was written; without a number the last."""
    if field.fixed:
        return scene.step
    asked = _number(query.get("step", ""))
    return written_step(field, len(field.dataset.steps) - 1 if asked is None else asked)


def levels_of(dataset: Dataset, shown: GlobeScene) -> tuple[int, ...]:
    """The levels that are read, coarse first."""
    globe = globes_of(dataset)[shown.name]
    field = dataset.fields[globe.parts[0]]
    top = field.max_level if shown.level is None else shown.level
    last = _finest_within(field, globe, shown, MOST_CELLS, top)
    first = _finest_within(field, globe, shown, FIRST_CELLS, last)
    return (last,) if first >= last else (first, last)


def _finest_within(field: Field, globe: Globe, shown: GlobeScene, most: int, finest: int) -> int:
    def fits(level: int) -> bool:
        if globe.has_panels and level % 2:
            return False
        counts = shape_at(field, 0, _box(field, globe, shown.layer, level), level)
        cells = (PANELS if globe.has_panels else 1) * math.prod(counts)
        return cells <= most and cells * field.components <= MAX_SAMPLES

    return finest_level(finest, fits)


def nearest_layer(field: Field, globe: Globe, layer: int, level: int) -> int:
    """The layer of a level nearest to the one that was asked for."""
    if not globe.layer_dim:
        return layer
    axis = len(field.grid.dims) - 1 - list(field.grid.dims).index(globe.layer_dim)
    stride = field.select(0, None, level).stride[axis]
    return min(round(layer / stride) * stride, (globe.layers - 1) // stride * stride)


def _box(field: Field, globe: Globe, layer: int, level: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    lo, hi = list(field.box[0]), list(field.box[1])
    if globe.layer_dim:
        axis = len(field.grid.dims) - 1 - list(field.grid.dims).index(globe.layer_dim)
        lo[axis] = nearest_layer(field, globe, layer, level)
        hi[axis] = lo[axis] + 1
    return tuple(lo), tuple(hi)


def requests_of(dataset: Dataset, shown: GlobeScene, level: int, names: tuple[str, ...]) -> list[Request]:
    """The reads of all parts of a quantity, or of its coordinates, at the same cells."""
    globe = globes_of(dataset)[shown.name]
    field = dataset.fields[globe.parts[0]]
    found = []
    for name in names:
        part = dataset.fields[name]
        is_value, is_pole = names == globe.parts, globe.has_panels and name == names[-1]
        cell_level = level if is_value or globe.has_panels else _cells_level(field, globe, part, level)
        component = shown.layer if is_value and part.components > 1 else None
        box = _box(part, globe, shown.layer, level) if is_value and not globe.has_panels else part.box
        step = 0 if part.fixed else shown.scene.step
        found.append(
            Request(
                shown.scene.dataset, name, step, component, box,
                part.max_level if is_pole else cell_level, shown.scene.bits if is_value else None,
            )
        )  # fmt: skip
    return found


def _cells_level(field: Field, globe: Globe, part: Field, level: int) -> int:
    """The level of the coordinates that has the cells of a level of the values."""
    dim = next(dim for dim in field.grid.dims if dim != globe.layer_dim)
    axis = len(field.grid.dims) - 1 - list(field.grid.dims).index(dim)
    return max(0, part.max_level - (field.select(0, None, level).stride[axis].bit_length() - 1))


def points(lon: NDArray[np.float64], lat: NDArray[np.float64]) -> NDArray[np.float32]:
    """Places on the unit sphere of longitudes and latitudes in radians; the center without a finite place."""
    with np.errstate(invalid="ignore"):
        across = np.cos(lat)
        places = np.stack([across * np.cos(lon), across * np.sin(lon), np.sin(lat)], axis=-1)
    return np.nan_to_num(places, nan=0.0).astype(np.float32)


def triangles(side: int) -> NDArray[np.uint32]:
    """The triangles of neighboring cells of ten panels and two poles, 20 side^2: each cell is a corner of five or six."""
    base = np.arange(PANELS * side**2).reshape(PANELS, side, side)
    north, south = PANELS * side**2, PANELS * side**2 + 1
    wide = np.empty((PANELS, side + 1, side + 1), np.int64)
    wide[:, :side, :side] = base
    back = side - np.arange(1, side + 1)
    for upper in range(5):
        lower, upper_east, lower_east = upper + 5, (upper + 1) % 5, (upper + 1) % 5 + 5
        wide[upper, :side, side] = base[lower, :, 0]
        wide[upper, side, 0] = north
        wide[upper, side, 1:] = base[upper_east, back, 0]
        wide[lower, side, :side] = base[upper_east, 0, :]
        wide[lower, 0, side] = south
        wide[lower, 1:, side] = base[lower_east, 0, back]
    near, far = wide[:, :-1, :-1], wide[:, 1:, 1:]
    first = np.stack([near, wide[:, :-1, 1:], far], axis=-1)
    second = np.stack([near, far, wide[:, 1:, :-1]], axis=-1)
    return np.concatenate([first.reshape(-1, 3), second.reshape(-1, 3)]).astype(np.uint32)


def places_step(dataset: Dataset, shown: GlobeScene) -> int:
    """The step whose places the cells have: 0 if they do not move."""
    globe = globes_of(dataset)[shown.name]
    return 0 if all(dataset[name].fixed for name in (*globe.lon, *globe.lat)) else shown.scene.step
