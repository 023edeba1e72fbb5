"""What a saved page shows: coarse pictures of the fields at one step, as many as fit, and what it says about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.viewer.answers import texts
from esker.viewer.answers.asking import coordinates
from esker.viewer.reading.reads import coarse_request
from esker.viewer.reading.samples import Kind, Picture, finite_range, read_picture
from esker.viewer.scenes.axes import Plane, plane_of
from esker.viewer.scenes.colors import Coloring, coloring
from esker.viewer.scenes.session import Scene, fitted, shown_fields

MAX_BYTES = 5_000_000
"""Of the data in the page, as text."""
_LEAST_SAMPLES, _MOST_SAMPLES = 1 << 15, 1 << 19
"""Of a picture: with more fields than fit, and with few."""
_SAMPLE_BYTES = 20 / 3
"""A float32 and its kind, in base64."""
MODEL_BYTES = 20_000
"""Of the axes, colors and texts of a picture, about."""
_MAX_NAMES = 20


@dataclass(frozen=True)
class SavedPicture:
    """One field of the page."""

    field: Field
    scene: Scene
    plane: Plane
    picture: Picture
    colors: Coloring
    facts: dict[str, Any]
    """What the page says, and the coordinates of columns and rows; nothing of it is HTML."""

    @property
    def has_kinds(self) -> bool:
        """Whether some samples have no value."""
        return bool((self.picture.kinds != Kind.VALUE).any())


@dataclass(frozen=True)
class SavedPage:
    """All of the page."""

    pictures: list[SavedPicture]
    note: str
    """Which fields the page leaves out, and why; "" if it has all."""

    @property
    def warnings(self) -> list[str]:
        """What the page lacks: fields, and blocks that could not be read."""
        damaged = [f"{one.facts['name']}: {one.picture.error}" for one in self.pictures if one.picture.error]
        return [*filter(None, self.note.split("\n")), *damaged]


def saved_page(
    datasets: Sequence[Dataset], size_of: Callable[[SavedPicture], int], update: Callable[[float], object]
) -> SavedPage:
    """Reads the pictures of the last step, in the order of the fields, until the next one does not fit.

    `size_of` tells the bytes of a picture in the page. Calls update() with the fraction done. Raises ValueError if there
    is nothing to show.
    """
    fields = [(n, name) for n, dataset in enumerate(datasets) for name in shown_fields(dataset)]
    if not fields:
        raise ValueError("; ".join(f"{dataset.path}: no field with 2 or 3 axes" for dataset in datasets))
    most = int((MAX_BYTES / len(fields) - MODEL_BYTES) / _SAMPLE_BYTES)
    most = min(max(most, _LEAST_SAMPLES), _MOST_SAMPLES)
    pictures: list[SavedPicture] = []
    unread, left_out, used = [], [], 0
    for number, (dataset, name) in enumerate(fields):
        update(number / len(fields))
        try:
            found = _picture(datasets, dataset, name, most)
        except OSError as error:
            unread.append(f"{_whose(datasets, dataset)}{name} could not be read: {error}")
            continue
        size = size_of(found)
        if used + size > MAX_BYTES:
            left_out += [_whose(datasets, n) + other for n, other in fields[number:]]
            break
        used += size
        pictures.append(found)
    if not pictures:
        raise OSError("; ".join(unread) or "no picture fits in the page")
    return SavedPage(pictures, _note(len(fields), left_out, unread))


def _picture(datasets: Sequence[Dataset], number: int, name: str, most: int) -> SavedPicture:
    dataset = datasets[number]
    field = dataset.fields[name]
    scene = fitted(Scene(dataset=number, field=name, step=max(len(dataset.steps) - 1, 0)), datasets)
    plane = plane_of(field, scene)
    request = coarse_request(field, scene, plane, most)
    picture = read_picture(field, request, plane, lambda: True)
    rows, columns = picture.values.shape
    level = f"level {picture.level} of {field.max_level}"
    colors = coloring(scene, finite_range(picture.values), f"range of the samples of {level}")
    across, up = coordinates(plane, picture)
    whose = _whose(datasets, number)
    facts = {
        "name": whose + name,
        "title": whose + texts.title(field, scene, plane, picture.place),
        "status": f"{texts.step_text(field, scene)} \u00b7 {level}: {columns} \u00d7 {rows} samples",
        "colors": texts.range_text(colors.low, colors.high, colors.source),
        "kinds": texts.kinds_text(picture),
        "notes": "\n".join(filter(None, (picture.error, colors.note, *picture.notes))),
        "axes": [[axis.dim, axis.units] for axis in (plane.horizontal, plane.vertical)],
        "across": _short(across),
        "up": _short(up),
        "units": str(field.attrs.get("units", "")),
        "window": list(plane.window),
        "to_scale": plane.to_scale,
    }
    return SavedPicture(field, scene, plane, picture, colors, facts)


def _whose(datasets: Sequence[Dataset], number: int) -> str:
    """What comes before the names of the fields of a dataset, if there are several datasets."""
    return f"{PurePath(str(datasets[number].path)).name}: " if len(datasets) > 1 else ""


def _short(values: NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.7g}") for value in values]


def _note(count: int, left_out: Sequence[str], unread: Sequence[str]) -> str:
    notes = list(unread)
    if left_out:
        more = ", ..." if len(left_out) > _MAX_NAMES else ""
        notes.append(
            f"This page has {count - len(left_out)} of {count} fields. These did not fit in {MAX_BYTES // 10**6} MB: "
            f"{', '.join(left_out[:_MAX_NAMES])}{more}."
        )
    return "\n".join(notes)
