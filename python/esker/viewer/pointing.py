"""The sample under the pointer: coordinates, indices, and its exact value, read at the finest level when the pointer rests."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from esker.dataset.field import Field
from esker.viewer import texts
from esker.viewer.axes import Plane
from esker.viewer.reader import Reader
from esker.viewer.samples import exact_value
from esker.viewer.session import Scene

if TYPE_CHECKING:
    from esker.viewer.page import Link


class Pointer:
    """What one page's pointer shows."""

    def __init__(self, reader: Reader, later: Callable[[Callable[[], object]], object]) -> None:
        self._reader = reader
        self._later = later
        self._ticket = 0

    def at(self, link: Link, field: Field, scene: Scene, plane: Plane) -> None:
        """Shows what is at link.pointer."""
        self._ticket += 1
        index = sample_at(link.pointer, scene, plane)
        if index is None:
            link.cursor = ""
            return
        where = where_of(index, plane)
        link.cursor = f"{where}: …"
        ticket = self._ticket

        def done(value: str | None, reason: str) -> None:
            self._later(partial(self._show, link, ticket, f"{where}: {value or reason}"))

        units = field.attrs.get("units", "")
        step = 0 if field.fixed else scene.step

        def read(_: object) -> str:
            return f"{exact_value(field, step, index, scene.component)} {units}".rstrip()

        key = ("value", scene.dataset, scene.field, step, index, scene.component)
        self._reader.submit(key, read, lambda: self._ticket == ticket, done)

    def _show(self, link: Link, ticket: int, text: str) -> None:
        if ticket == self._ticket:
            link.cursor = text


def sample_at(place: list[float], scene: Scene, plane: Plane) -> tuple[int, ...] | None:
    """The indices, x first, of the sample whose cell of the finest level has a place; None outside the plane."""
    if len(place) != 2:
        return None
    found = {}
    for axis, drawn in zip((plane.horizontal, plane.vertical), place):
        index = round(axis.index(drawn))
        if not axis.lo <= index < axis.hi:
            return None
        found[axis.number] = index
    if plane.normal is not None:
        found[plane.normal.number] = scene.place
    return tuple(found[number] for number in sorted(found))


def where_of(index: tuple[int, ...], plane: Plane) -> str:
    """The coordinates and indices of a sample, as text."""
    axes = [plane.horizontal, plane.vertical, *([plane.normal] if plane.normal else [])]
    return ", ".join(texts.coordinate_text(axis, index[axis.number]) for axis in axes)
