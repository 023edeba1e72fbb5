"""The widgets next to the picture. They change the scene, and show what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from bokeh.models import Button, CheckboxGroup, Column, NumericInput, Row, Select, Slider

from esker.dataset.opening import Dataset
from esker.plot.planes import axis_number
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.colors import PALETTES, Coloring
from esker.viewer.scenes.session import RANGES, Scene, dataset_names, shown_fields
from esker.viewer.scenes.views import Views

_AUTOMATIC = "automatic"
_LENGTH = "length"
_RANGE_NAMES = {"view": "this view", "step": "this step", "steps": "all steps", "hand": "by hand"}
_SWITCHES = ("log", "zero", "reverse")
_SWITCH_NAMES = ["logarithmic", "about zero", "reversed"]
_VIEW_BUTTONS = (("Add view", "add", 80), ("Remove", "remove", 74), ("A - B", "difference", 48))
"""Label, what it does, and width."""
_WIDTH = 210

Change = Callable[..., object]


class Controls:
    """The widgets. `change` is called with the new values of a Scene by name."""

    def __init__(self, datasets: Sequence[Dataset], change: Change, do: Callable[[str], object]) -> None:
        self._datasets = datasets
        self._change = change
        self._showing = False
        buttons = (self._button(label, width, partial(do, action)) for label, action, width in _VIEW_BUTTONS)
        self._views = Row(*buttons, width=_WIDTH, spacing=4)
        self._pair = [self._select(title, "", str) for title in ("Difference of", "and")]
        for widget in self._pair:
            widget.on_change("value", lambda attr, old, new: self._pair_chosen())
        names = dataset_names(datasets)
        self._dataset = self._select("Dataset", "dataset", int, names)
        self._field = self._select("Field", "field", str)
        self._component = self._select("Component", "component", lambda v: None if v == _LENGTH else int(v))
        self._step = self._slider("Step (index)", "step")
        self.play = Button(label="Play", width=_WIDTH, button_type="default")
        self.play.on_click(lambda: do("play"))
        self._follow = self._check("follow new steps", "follow")
        self._normal = self._select("Plane across", "normal", str)
        self._place = self._slider("Position of the plane (index)", "place")
        self._level = self._select("Level", "level", lambda v: None if v == _AUTOMATIC else int(v))
        self._bits = self._slider("Bits of each sample", "bits")
        self._palette = self._select("Colors", "palette", str, [(name, name) for name in PALETTES])
        self._switches = CheckboxGroup(labels=_SWITCH_NAMES, width=_WIDTH)
        self._switches.on_change("active", self._switched)
        ranges = [(name, _RANGE_NAMES[name]) for name in RANGES]
        self._range = self._select("Range of the colors", "range", str, ranges)
        self._low, self._high = (
            self._number(title, name) for title, name in (("From", "low"), ("To", "high"))
        )
        self.ends = Row(self._low, self._high, width=_WIDTH)
        self._outlines = self._check("outlines of patches", "outlines")
        self._search = self._button("Least and greatest value", _WIDTH, partial(do, "search"))
        self._widgets: list[Any] = [
            *self._pair, self._dataset, self._field, self._component, self._step, self.play, self._follow,
            self._normal, self._place, self._level, self._bits, self._palette, self._switches, self._range,
            self.ends, self._outlines, self._search,
        ]  # fmt: skip
        self.column = Column(self._views, *self._widgets, name="controls", width=_WIDTH, spacing=2)

    @property
    def fields(self) -> list[str]:
        """The fields that can be chosen."""
        return list(self._field.options)

    def show(self, views: Views, source: Source | None, colors: Coloring) -> None:
        """Sets all widgets to the selected view; hides those without a choice. Only what differs is sent."""
        scene = views.scene
        shown = self._shown(scene, source)
        with self._quietly():
            self._show_pair(views)
            self._dataset.value = str(scene.dataset)
            self._field.update(options=shown_fields(self._datasets[scene.dataset]), value=scene.field)
            if source is not None:
                self._show_field(scene, source)
                self._show_resolution(scene, source)
            self._outlines.active = [0] * scene.outlines
            self._follow.active = [0] * scene.follow
            self._switches.active = [i for i, name in enumerate(_SWITCHES) if getattr(scene, name)]
            self._palette.value, self._range.value = scene.palette, scene.range
            if scene.range == "hand":
                self._low.value, self._high.value = colors.low, colors.high
            for widget in self._widgets:
                widget.visible = widget in shown

    def _shown(self, scene: Scene, source: Source | None) -> set[Any]:
        """The widgets that have a choice."""
        shown: set[Any] = {*(self._pair if scene.difference else [])}
        if scene.difference is None and len(self._datasets) > 1:
            shown.add(self._dataset)
        if source is None:
            return shown
        field = source.field
        shown |= {self._level, self._palette, self._switches, self._range}
        shown |= {self.ends} if scene.range == "hand" else set()
        shown |= {self._bits} if (field.stored_bits or 1) > 1 else set()
        shown |= {self._outlines} if field.grid.mesh is not None else set()
        if scene.difference is not None:
            return shown
        shown |= {self._field, self._search}
        shown |= {self._component} if field.components > 1 else set()
        shown |= set() if field.fixed else {self._follow}
        shown |= {self._step, self.play} if not field.fixed and len(field.dataset.steps) > 1 else set()
        if scene.normal:
            axis = axis_number(field, scene.normal)
            shown |= {self._normal} | (
                {self._place} if field.box[1][axis] - field.box[0][axis] > 1 else set()
            )
        return shown

    def _show_pair(self, views: Views) -> None:
        names = [(str(n), f"view {n + 1}") for n in views.plain()]
        for widget, number in zip(self._pair, views.scene.difference or (0, 0)):
            widget.update(options=names, value=str(number))

    def _show_field(self, scene: Scene, source: Source) -> None:
        field = source.field
        components = [_LENGTH, *map(str, range(field.components))]
        value = _LENGTH if scene.component is None else str(scene.component)
        self._component.update(options=components, value=value)
        self._ends(self._step, 0, 0 if field.fixed else len(field.dataset.steps) - 1, scene.step)
        self._normal.update(options=list(field.grid.dims) if scene.normal else [], value=scene.normal)
        if scene.normal:
            axis = axis_number(field, scene.normal)
            self._ends(self._place, field.box[0][axis], field.box[1][axis] - 1, scene.place)

    def _show_resolution(self, scene: Scene, source: Source) -> None:
        field = source.field
        levels = [_AUTOMATIC, *map(str, range(field.max_level, -1, -1))]
        self._level.update(options=levels, value=_AUTOMATIC if scene.level is None else str(scene.level))
        self._ends(self._bits, 1, field.stored_bits or 1, scene.bits or field.stored_bits or 1)

    def _pair_chosen(self) -> None:
        if not self._showing:
            first, second = (int(widget.value) for widget in self._pair)
            self._tell(difference=(first, second))

    @staticmethod
    def _ends(slider: Slider, start: int, end: int, value: int) -> None:
        slider.update(start=start, end=max(end, start + 1), value=value)

    def _select(
        self, title: str, name: str, read: Callable[[str], Any], options: Sequence[Any] = ()
    ) -> Select:
        widget = Select(title=title, options=list(options), width=_WIDTH)
        if name:
            widget.on_change("value", lambda attr, old, new: self._tell(**{name: read(new)}))
        return widget

    def _button(self, label: str, width: int, action: Callable[[], object]) -> Button:
        button = Button(label=label, width=width, margin=0, button_type="default")
        button.on_click(lambda: action())
        return button

    def _check(self, label: str, name: str) -> CheckboxGroup:
        box = CheckboxGroup(labels=[label], width=_WIDTH)
        box.on_change("active", lambda attr, old, new: self._tell(**{name: bool(new)}))
        return box

    def _slider(self, title: str, name: str) -> Slider:
        widget = Slider(title=title, start=0, end=1, value=0, step=1, width=_WIDTH)
        widget.on_change("value", lambda attr, old, new: self._tell(**{name: int(new)}))
        return widget

    def _number(self, title: str, name: str) -> NumericInput:
        widget = NumericInput(title=title, mode="float", width=_WIDTH // 2 - 4)
        widget.on_change(
            "value", lambda attr, old, new: self._tell(**{} if new is None else {name: float(new)})
        )
        return widget

    def _switched(self, attr: str, old: object, new: list[int]) -> None:
        self._tell(**{name: i in new for i, name in enumerate(_SWITCHES)})

    def _tell(self, **changes: Any) -> None:
        if not self._showing and changes:
            self._change(**changes)

    @contextmanager
    def _quietly(self) -> Any:
        self._showing = True
        try:
            yield
        finally:
            self._showing = False
