"""The views of one page, as a value that its link keeps: up to four scenes, and which one the controls act on.

The first view has its parameters as they are, as in a link with one view; those of the others begin with "2.", "3." or "4.".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from esker.dataset.opening import Dataset
from esker.viewer.scenes.session import Scene, fitted, given_of, query_of, scene_of

MAX_VIEWS = 4
DIVERGING = "RdBu_r"
_OWN = ("window", "level", "bits", "palette", "reverse", "log", "zero", "range", "low", "high", "outlines")
"""What a difference does not take from its first view."""
_FROM_OTHERS: dict[str, Any] = {
    name: getattr(Scene(), name)
    for name in ("dataset", "field", "component", "step", "normal", "place", "follow")
}
"""What it takes from there, so that its own has no meaning."""


@dataclass(frozen=True)
class Views:
    """The scenes of a page, at least one, and the selected one."""

    scenes: tuple[Scene, ...]
    selected: int = 0

    @property
    def scene(self) -> Scene:
        """The selected one."""
        return self.scenes[self.selected]

    @property
    def is_full(self) -> bool:
        return len(self.scenes) == MAX_VIEWS

    def select(self, number: int) -> Views:
        """Selects a view, if there is one of this number."""
        return replace(self, selected=number) if 0 <= number < len(self.scenes) else self

    def put(self, number: int, scene: Scene) -> Views:
        """Replaces a scene."""
        return replace(self, scenes=(*self.scenes[:number], scene, *self.scenes[number + 1 :]))

    def add(self, scene: Scene) -> Views:
        """Adds a view and selects it. Nothing changes if there are MAX_VIEWS."""
        return self if self.is_full else Views((*self.scenes, scene), len(self.scenes))

    def remove(self, number: int) -> Views:
        """Removes a view, with the differences of it. The last view that is not a difference stays."""
        gone = {number} | {n for n, one in enumerate(self.scenes) if number in (one.difference or ())}
        kept = [n for n in range(len(self.scenes)) if n not in gone]
        if not any(self.scenes[n].difference is None for n in kept):
            return self
        place = {n: at for at, n in enumerate(kept)}
        scenes = tuple(
            one if one.difference is None else one.but(difference=tuple(place[n] for n in one.difference))
            for one in (self.scenes[n] for n in kept)
        )
        return Views(scenes, min(self.selected, len(scenes) - 1))

    def plain(self) -> list[int]:
        """The views that are not differences."""
        return [n for n, scene in enumerate(self.scenes) if scene.difference is None]

    def with_difference(self) -> Views:
        """Adds the difference of the selected view and the next one that is none. Nothing changes without two."""
        plain = self.plain()
        if self.is_full or len(plain) < 2:
            return self
        first = self.selected if self.selected in plain else plain[0]
        second = plain[(plain.index(first) + 1) % len(plain)]
        pair = (first, second) if first < second else (second, first)
        return self.add(
            Scene(window=self.scenes[first].window, palette=DIVERGING, zero=True, difference=pair)
        )

    def parts(self, number: int) -> tuple[Scene, Scene | None]:
        """What a view shows: a scene, and in a difference the one that is subtracted."""
        scene = self.scenes[number]
        if scene.difference is None:
            return scene, None
        first, second = (self.scenes[n] for n in scene.difference)
        own = {name: getattr(scene, name) for name in _OWN}
        return first.but(**own, difference=scene.difference), second


def fitted_views(views: Views, datasets: Sequence[Dataset]) -> Views:
    """All scenes in range. A difference of what is no other view becomes a separate view."""
    scenes = []
    plain = views.plain()
    for scene in views.scenes:
        pair = scene.difference
        if pair is not None and set(pair) <= set(plain) and pair[0] != pair[1]:
            scenes.append(scene.but(**_FROM_OTHERS))
        else:
            scenes.append(fitted(scene.but(difference=None), datasets))
    return Views(tuple(scenes), min(max(views.selected, 0), len(scenes) - 1))


def is_at_end(scene: Scene, dataset: Dataset) -> bool:
    """Whether a scene goes on when its dataset has a new step: it follows, at the last step, or shows nothing yet."""
    if not scene.field or not dataset.steps:
        return True
    last = len(dataset.steps) - 1
    return scene.follow and fitted(scene.but(dataset=0, step=last), [dataset]).step == scene.step


def query_of_views(views: Views) -> dict[str, str]:
    """All views as parameters of a link."""
    found: dict[str, str] = {}
    for number, scene in enumerate(views.scenes, 1):
        prefix = "" if number == 1 else f"{number}."
        mine = query_of(scene)
        if scene.difference is not None:
            mine = {name: text for name, text in mine.items() if name not in _FROM_OTHERS}
        found |= {prefix + name: text for name, text in mine.items()}
    if views.selected:
        found["view"] = str(views.selected + 1)
    return found


def views_of(
    query: Mapping[str, str], datasets: Sequence[Dataset], palettes: Sequence[str]
) -> tuple[Views, list[str]]:
    """The views of a link, fitted to the datasets, and sentences about what was replaced."""
    first, notes = scene_of(_of_view(query, ""), datasets, palettes)
    scenes = [first]
    for number in range(2, MAX_VIEWS + 1):
        mine = _of_view(query, f"{number}.")
        if mine:
            scene, said = _further(mine, datasets, palettes)
            scenes.append(scene)
            notes += [f"View {len(scenes)}: {text}" for text in said]
    selected, said = _selected(query, len(scenes))
    asked = Views(tuple(scenes), selected)
    views = fitted_views(asked, datasets)
    for number, (kept, given) in enumerate(zip(views.scenes, asked.scenes), 1):
        if kept.difference != given.difference:
            notes.append(f"The link has a difference in view {number} of views that do not exist.")
    return views, notes + said


def _further(
    query: Mapping[str, str], datasets: Sequence[Dataset], palettes: Sequence[str]
) -> tuple[Scene, list[str]]:
    if "difference" not in query:
        return scene_of(query, datasets, palettes)
    given, notes = given_of(query, datasets, palettes)
    return Scene(**given), notes


def _of_view(query: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name[len(prefix) :]: text for name, text in query.items() if name.startswith(prefix)}


def _selected(query: Mapping[str, str], count: int) -> tuple[int, list[str]]:
    text: Any = query.get("view", "1")
    if text.isascii() and text.isdigit() and len(text) == 1 and 1 <= int(text) <= count:
        return int(text) - 1, []
    return 0, [f"The link selects view {text[:40]!r}; there are {count}."]
