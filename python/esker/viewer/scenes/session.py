"""Scene: what is shown, as a value that a link keeps.

A link may be edited or old: scene_of() takes what it can, and says in sentences what it replaced. Nothing here reads samples.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.plot.planes import axis_number, why_no_plane

Window = tuple[float, float, float, float]
"""left, right, bottom, top in coordinates of the drawn axes."""

RANGES = ("view", "step", "steps", "hand")
"""What the colors cover: the visible samples, the whole step, all steps, or two numbers given by hand."""
MAX_LINK = 4096
"""Characters of a link; longer ones are ignored."""


@dataclass(frozen=True)
class Scene:
    """One picture, without its samples."""

    dataset: int = 0
    """Position in the list of datasets."""
    field: str = ""
    component: int | None = None
    """None: the length of the vector."""
    step: int = 0
    normal: str = ""
    """The dimension that a plane of a 3-D field is perpendicular to; "" for maps."""
    place: int = 0
    """The requested index along `normal`."""
    window: Window | None = None
    """None: the whole plane."""
    level: int | None = None
    """None: automatic."""
    bits: int | None = None
    """None: all that are stored."""
    palette: str = "viridis"
    reverse: bool = False
    log: bool = False
    zero: bool = False
    """The range is symmetric about zero."""
    range: str = "view"
    low: float = 0.0
    high: float = 1.0
    """The range given by hand."""
    outlines: bool = False
    """The patches of a mesh are outlined."""
    follow: bool = False
    """At the last step: when the dataset has a new one, show it."""
    difference: tuple[int, int] | None = None
    """Positions of two views: this one shows the first minus the second, and takes field, step and plane from them."""

    def but(self, **changes: Any) -> Scene:
        """A scene that differs in some places."""
        return dataclasses.replace(self, **changes)


def shown_fields(dataset: Dataset) -> list[str]:
    """The fields of a dataset that the viewer shows."""
    return [name for name, field in dataset.fields.items() if not why_no_plane(field)]


def why_nothing_is_shown(dataset: Dataset) -> str:
    """Sentences about a dataset without a field that can be shown."""
    if not dataset.fields:
        return f"{dataset.path} has no fields."
    reasons = [why_no_plane(field) for field in dataset.fields.values()]
    return f"{dataset.path} has nothing to show: {'; '.join(reasons[:5])}."


def field_of(scene: Scene, datasets: Sequence[Dataset]) -> Field | None:
    """The field of a fitted scene; None if its dataset has nothing to show."""
    return datasets[scene.dataset].fields.get(scene.field)


def fitted(scene: Scene, datasets: Sequence[Dataset]) -> Scene:
    """The scene with everything in range: field, step, plane, component, level.

    A scene of a dataset without fields that can be shown has the field "".
    """
    dataset = datasets[scene.dataset]
    names = shown_fields(dataset)
    if not names:
        return scene.but(field="", component=None, normal="", place=0, window=None, level=None, bits=None)
    field = dataset.fields[scene.field if scene.field in names else names[0]]
    level, bits = scene.level, scene.bits
    return scene.but(
        field=field.name,
        component=_within(scene.component, 0, field.components - 1) if field.components > 1 else None,
        step=written_step(field, scene.step),
        level=None if level is None else _within(level, 0, field.max_level),
        bits=None if bits is None or field.stored_bits is None else _within(bits, 1, field.stored_bits),
        **_plane(field, scene),
    )


def turned(scene: Scene, normal: str, datasets: Sequence[Dataset]) -> Scene:
    """The plane across another dimension, in the middle: the first one is often outside of what was computed."""
    field = field_of(scene, datasets)
    if field is None or normal == scene.normal or normal not in field.grid.dims:
        return scene
    axis = axis_number(field, normal)
    return scene.but(normal=normal, place=(field.box[0][axis] + field.box[1][axis]) // 2)


def _plane(field: Field, scene: Scene) -> dict[str, Any]:
    dims = list(field.grid.dims)
    if len(dims) == 2:
        return {"normal": "", "place": 0}
    normal = scene.normal if scene.normal in dims else dims[0]
    axis = axis_number(field, normal)
    lo, hi = field.box[0][axis], field.box[1][axis]
    return {"normal": normal, "place": _within(scene.place, lo, hi - 1)}


def _within(value: int | None, low: int, high: int) -> int | None:
    return None if value is None else min(max(value, low), high)


def written_step(field: Field, step: int) -> int:
    """The nearest step at which the field was written."""
    count = len(field.dataset.steps)
    if field.fixed or not count:
        return min(max(step, 0), max(count - 1, 0))
    step = min(max(step, 0), count - 1)
    return next(near for near in sorted(range(count), key=lambda n: abs(n - step)) if field.has(near))


def written_steps(field: Field) -> list[int]:
    """The steps at which a field was written; of a fixed one none."""
    return [] if field.fixed else [n for n in range(len(field.dataset.steps)) if field.has(n)]


_Reader = Callable[[str], Any]


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(text)
    return text == "1"


def _window(text: str) -> Window:
    left, right, bottom, top = (float(part) for part in text.split(","))
    if not all(map(math.isfinite, (left, right, bottom, top))) or left >= right or bottom >= top:
        raise ValueError(text)
    return left, right, bottom, top


def _pair(text: str) -> tuple[int, int]:
    first, second = (int(part) - 1 for part in text.split(","))
    return first, second


def finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


_READERS: dict[str, tuple[_Reader, str]] = {
    "dataset": (int, "a number of a dataset"),
    "field": (str, "a name"),
    "component": (int, "a number"),
    "step": (int, "a number of a step"),
    "normal": (str, "a dimension"),
    "place": (int, "an index"),
    "window": (_window, "left,right,bottom,top"),
    "level": (int, "a number of a level"),
    "bits": (int, "a number of bits"),
    "palette": (str, "a color map"),
    "reverse": (_switch, "0 or 1"),
    "log": (_switch, "0 or 1"),
    "zero": (_switch, "0 or 1"),
    "range": (str, ", ".join(RANGES)),
    "low": (finite_number, "a number"),
    "high": (finite_number, "a number"),
    "outlines": (_switch, "0 or 1"),
    "follow": (_switch, "0 or 1"),
    "difference": (_pair, "two numbers of views"),
}


def query_of(scene: Scene) -> dict[str, str]:
    """The scene as parameters of a link: what differs from the defaults, and always field and step."""
    parameters = {}
    for field in dataclasses.fields(Scene):
        value = getattr(scene, field.name)
        if value != field.default or field.name in ("field", "step"):
            parameters[field.name] = _text(value)
    if scene.difference is not None:
        parameters["difference"] = ",".join(str(number + 1) for number in scene.difference)
    return parameters


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return ",".join(f"{number:.9g}" for number in value)
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def given_of(
    query: Mapping[str, str], datasets: Sequence[Dataset], palettes: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The values of a link that do not depend on a field, and sentences about those that cannot be."""
    given, notes = _read(query)
    if not 0 <= given.get("dataset", 0) < len(datasets):
        notes.append(f"The link names dataset {given.pop('dataset')}; there are {len(datasets)}.")
    for name, known in (("palette", palettes), ("range", RANGES)):
        if given.get(name, known[0]) not in known:
            notes.append(f"The link names the {name} {given.pop(name)!r}, which does not exist.")
    if not given.get("low", 0.0) < given.get("high", 1.0):
        notes.append("The link has a range whose end is not above its start.")
        given.pop("low", None), given.pop("high", None)
    return given, notes


def scene_of(
    query: Mapping[str, str], datasets: Sequence[Dataset], palettes: Sequence[str]
) -> tuple[Scene, list[str]]:
    """The scene of a link's parameters, fitted to the datasets, and sentences about what was replaced.

    Without parameters: the first field that can be shown, at the last step.
    """
    given, notes = given_of(query, datasets, palettes)
    steps = len(datasets[given.get("dataset", 0)].steps)
    asked = Scene(**{"step": max(steps - 1, 0), **given})
    scene = fitted(asked, datasets)
    names = {"field": "field", "step": "step", "normal": "dimension", "place": "index", "level": "level"}
    names |= {"component": "component", "bits": "number of bits"}
    for name, called in names.items():
        found = getattr(scene, name)
        if name in given and found != given[name]:
            instead = "" if found in (None, "") else f"; shown is {found!r}"
            notes.append(f"The link names the {called} {given[name]!r}, which does not exist{instead}.")
    return scene, notes


def _read(query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    if sum(map(len, query.values())) > MAX_LINK:
        return {}, [f"The link is longer than {MAX_LINK} characters and was ignored."]
    return read_parameters(query, _READERS)


def read_parameters(
    query: Mapping[str, str], readers: Mapping[str, tuple[Callable[[str], Any], str]]
) -> tuple[dict[str, Any], list[str]]:
    """The values of the parameters that have a reader, and a sentence for each that its reader refuses by ValueError.
    With each reader is what it expects."""
    given: dict[str, Any] = {}
    notes = []
    for name, (read, expected) in readers.items():
        if name in query:
            try:
                given[name] = read(query[name])
            except ValueError:
                notes.append(f"The link has {name}={query[name][:40]!r}; expected {expected}.")
    return given, notes


def dataset_names(datasets: Sequence[Dataset]) -> list[tuple[str, str]]:
    """Number and name of each dataset, for a choice. Those with the same last part have their whole paths."""
    paths = [dataset.path.rstrip("/") for dataset in datasets]
    names = [path.rpartition("/")[2] for path in paths]
    return [
        (str(number), path if names.count(name) > 1 else name)
        for number, (path, name) in enumerate(zip(paths, names))
    ]
