"""The widgets next to the picture. They change the scene, and show what it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

from bokeh.models import Button, CheckboxGroup, Column, NumericInput, Row, Select, Slider, Widget

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.viewer.colors import PALETTES, Coloring
from esker.viewer.session import RANGES, Scene, axis_number, shown_fields

_AUTOMATIC = "automatic"
_LENGTH = "length"
_RANGE_NAMES = {"view": "this view", "step": "this step", "steps": "all steps", "hand": "by hand"}
_SWITCHES = ("log", "zero", "reverse")
_SWITCH_NAMES = ["logarithmic", "about zero", "reversed"]
_WIDTH = 210

Change = Callable[..., object]


class Controls:
    """The widgets. `change` is called with the new values of a Scene by name."""

    def __init__(self, datasets: Sequence[Dataset], change: Change, play: Callable[[], object]) -> None:
        self._datasets = datasets
        self._change = change
        self._showing = False
        names = [(str(i), os.path.basename(ds.path.rstrip("/"))) for i, ds in enumerate(datasets)]
        self._dataset = self._select("Dataset", "dataset", int, names)
        self._field = self._select("Field", "field", str)
        self._component = self._select("Component", "component", lambda v: None if v == _LENGTH else int(v))
        self._step = self._slider("Step", "step")
        self.play = Button(label="Play", width=_WIDTH, button_type="default")
        self.play.on_click(lambda: play())
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
        self.widgets: list[Widget] = [
            self._dataset, self._field, self._component, self._step, self.play, self._normal, self._place,
            self._level, self._bits, self._palette, self._switches, self._range,
        ]  # fmt: skip
        self.column = Column(*self.widgets, self.ends, name="controls", width=_WIDTH, spacing=2)

    @property
    def fields(self) -> list[str]:
        """The fields that can be chosen."""
        return list(self._field.options)

    def show(self, scene: Scene, field: Field | None, colors: Coloring) -> None:
        """Sets all widgets; hides those without a choice."""
        with self._quietly():
            self._show_options(scene, field)
            self._switches.active = [i for i, name in enumerate(_SWITCHES) if getattr(scene, name)]
            self._palette.value, self._range.value = scene.palette, scene.range
            self.ends.visible = scene.range == "hand"
            self._low.value, self._high.value = colors.low, colors.high
            self._dataset.value = str(scene.dataset)
            self._dataset.visible = len(self._datasets) > 1

    def _show_options(self, scene: Scene, field: Field | None) -> None:
        names = shown_fields(self._datasets[scene.dataset])
        self._field.update(options=names, value=scene.field)
        for widget in self.widgets[1:]:
            widget.visible = field is not None
        if field is None:
            return
        components = [_LENGTH, *map(str, range(field.components))]
        value = _LENGTH if scene.component is None else str(scene.component)
        self._component.update(options=components, value=value, visible=field.components > 1)
        steps = 1 if field.fixed else len(field.dataset.steps)
        self._ends(self._step, 0, steps - 1, scene.step)
        self.play.visible = steps > 1
        dims = list(field.grid.dims) if scene.normal else []
        self._normal.update(options=dims, value=scene.normal, visible=bool(dims))
        if dims:
            axis = axis_number(field, scene.normal)
            self._ends(self._place, field.box[0][axis], field.box[1][axis] - 1, scene.place)
        self._place.visible = self._place.visible and bool(dims)
        levels = [_AUTOMATIC, *map(str, range(field.max_level, -1, -1))]
        self._level.update(options=levels, value=_AUTOMATIC if scene.level is None else str(scene.level))
        self._ends(self._bits, 1, field.stored_bits or 1, scene.bits or field.stored_bits or 1)

    @staticmethod
    def _ends(slider: Slider, start: int, end: int, value: int) -> None:
        slider.update(start=start, end=max(end, start + 1), value=value, visible=end > start)

    def _select(
        self, title: str, name: str, read: Callable[[str], Any], options: Sequence[Any] = ()
    ) -> Select:
        widget = Select(title=title, options=list(options), width=_WIDTH)
        widget.on_change("value", lambda attr, old, new: self._tell(**{name: read(new)}))
        return widget

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
