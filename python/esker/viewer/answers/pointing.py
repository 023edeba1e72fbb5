"""The sample under the pointer: coordinates, indices, and its exact value, read at the finest level when the pointer rests."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from esker.viewer.answers import texts
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.samples import exact_value
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.axes import Plane
from esker.viewer.scenes.session import Scene

if TYPE_CHECKING:
    from esker.viewer.planes.page import Link


class Pointer:
    """What one page's pointer shows."""

    def __init__(self, reader: Reader, later: Callable[[Callable[[], object]], object]) -> None:
        self._reader = reader
        self._later = later
        self._ticket = 0

    def at(self, link: Link, place: list[float], source: Source) -> None:
        """Shows what is at a place of the plane."""
        self._ticket += 1
        index = sample_at(place, source.scene, source.plane)
        if index is None:
            link.cursor = ""
            return
        where = where_of(index, source.plane)
        link.cursor = f"{where}: …"
        ticket = self._ticket

        def done(value: str | None, reason: str) -> None:
            self._later(partial(self._show, link, ticket, f"{where}: {value or reason}"))

        key = (
            "value",
            index,
            *((one.scene.dataset, one.scene.field, one.step, one.scene.component) for one in source.parts),
            source.parts[-1].scene.place,
        )
        self._reader.submit(key, lambda _: value_text(source, place), lambda: self._ticket == ticket, done)

    def _show(self, link: Link, ticket: int, text: str) -> None:
        if ticket == self._ticket:
            link.cursor = text


def value_text(source: Source, place: list[float]) -> str:
    """The exact value of the sample at a place with its units; in a difference also what it is the difference of."""
    texts = []
    for one in source.parts:
        index = sample_at(place, one.scene, one.plane)
        if index is None:
            return "no sample"
        texts.append(exact_value(one.field, one.step, index, one.scene.component))
    if len(texts) == 1:
        return f"{texts[0]} {source.units}".rstrip()
    try:
        first = f"{float(texts[0]) - float(texts[1]):.9g} {source.units}".rstrip()
    except ValueError:
        return f"{texts[0]} minus {texts[1]}"
    return f"{first} ({texts[0]} minus {texts[1]})"


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
