"""Sentences that the page shows about a picture. They are plain text; the page never makes HTML of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from esker.base.counts import size_text
from esker.base.units import with_units
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.plot import labels
from esker.plot.labels import position_text, time_text
from esker.viewer.answers import tables
from esker.viewer.answers.asking import Line, Statistics, Where, drawn_at
from esker.viewer.reading.reads import Plan
from esker.viewer.reading.samples import Kind, Picture, finite_range
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.axes import Axis, Plane
from esker.viewer.scenes.colors import Coloring
from esker.viewer.scenes.session import Scene
from esker.viewer.scenes.views import is_at_end

KEYS = (
    ("Left, Right", "previous and next step"),
    ("Up, Down", "move the plane by one sample"),
    ("Space", "play and stop"),
    ("+, -", "zoom in and out"),
    ("W, A, S, D", "pan up, left, down, right"),
    ("0", "show all of the plane"),
    ("F", "next field"),
    ("C", "next component"),
    ("N", "next direction of the plane"),
    ("L", "logarithmic colors"),
    ("P", "next palette"),
    ("R", "reverse the palette"),
    ("Z", "range symmetric about zero"),
    ("V", "next range: view, step, all steps, by hand"),
    ("[ and ]", "a coarser and a finer level; \\ chooses it automatically"),
    ("O", "outlines of the patches of a mesh"),
    ("H", "follow new steps, from the last one on"),
    ("Enter", "time series and profile of the sample at the pointer, or in the middle"),
    ("K", "one end of a line at the pointer, or in the middle; the second end shows the section along it"),
    ("B", "statistics and histogram of all that is visible"),
    (
        "G",
        "least and greatest value of the field at all steps: reads all of it at the finest level; Escape ends this",
    ),
    (", and .", "show the sample with the least and with the greatest value, after G"),
    ("T", "table of coarse values"),
    ("M, X", "another view, and remove the selected one; pictures with the same axes move together"),
    ("1 to 4, Tab", "select a view; the controls and the other keys act on it"),
    ("E", "the difference of the selected view and the next one"),
    ("Escape", "close what is open"),
    ("?", "this list"),
)

_MOST_LETTERS = 120
"""Of the name of a file."""
TABLE_SIZE = 9
"""Rows and columns of the table of coarse values."""

KIND_NAMES = {
    Kind.FILL: "fill value (dots)",
    Kind.NAN: "NaN (crosses)",
    Kind.MISSING: "missing block (slanted lines)",
    Kind.COARSER: "not stored at this level (horizontal lines)",
    Kind.NO_LOGARITHM: "0 or less (vertical lines)",
}
"""With the hatches of canvas.HATCHES."""


def field_label(field: Field, component: int | None) -> str:
    """The name of the color bar, with units."""
    if field.components == 1:
        return labels.field_label(field)
    return labels.field_label(field, ", length" if component is None else f", component {component}")


def title(field: Field, scene: Scene, plane: Plane, place: int | None) -> str:
    """Field, time and position: "temp, t = 30 years, z = 0 m"."""
    where = "" if plane.normal is None or place is None else position_text(field, plane.normal.dim, place)
    return ", ".join(part for part in (field.name, time_text(field, scene.step), where) if part)


def title_of(source: Source, place: int | None, names: Sequence[str] = ()) -> str:
    """The title of a source: in a difference those of both, "difference of temp, t = 3 years and temp, t = 0 years".

    names: of the datasets; if there are several, theirs come first: "a.idx: temp, t = 0 years"
    """
    first = _named(source, place, names)
    if source.minus is None:
        return first
    return f"difference of {first} and {_named(source.minus, source.minus.scene.place, names)}"


def _named(source: Source, place: int | None, names: Sequence[str]) -> str:
    whose = f"{names[source.scene.dataset]}: " if len(names) > 1 else ""
    return whose + title(source.field, source.scene, source.plane, place)


def view_title(number: int, scene: Scene, source: Source | None, said: str) -> str:
    """What is above a view if there are several; a difference names the views."""
    if scene.difference is not None:
        begin = "difference" if source is not None else "no difference"
        said = f"{begin} of {scene.difference[0] + 1} and {scene.difference[1] + 1}"
    return f"{number + 1}: {said}"


def label_of(source: Source) -> str:
    """The name of the color bar of a source, with units."""
    label = field_label(source.field, source.scene.component)
    if source.minus is None:
        return label
    return with_units("difference", source.units or source.minus.units)


def steps_of(source: Source) -> str:
    """The steps of a source, and whether it follows new ones."""
    said = " minus ".join(step_text(one.field, one.scene) for one in source.parts)
    follows = (
        source.minus is None and not source.field.fixed and is_at_end(source.scene, source.field.dataset)
    )
    return f"{said}, follows new steps" if follows else said


def loss_of(source: Source) -> str:
    """What is recorded of the errors of a source."""
    return "; ".join(
        dict.fromkeys(filter(None, (error_text(one.field, one.scene.step) for one in source.parts)))
    )


def alternative_of(source: Source, picture: Picture, colors: Coloring) -> str:
    """The picture of a source in words."""
    said = alternative(source.field, source.scene, source.plane, picture, colors)
    return said if source.minus is None else f"{title_of(source, picture.place).capitalize()}. {said}"


def file_name(source: Source, ending: str = "", *, all_steps: bool = False) -> str:
    """The name of a file of what is shown, without a suffix: "run_temp_z12_step3"; letters, digits, - and _ alone."""
    parts = []
    for one in source.parts:
        plane = f"{one.scene.normal}{one.scene.place}" if one.scene.normal else ""
        step = "" if one.field.fixed or all_steps else f"step{one.scene.step + 1}"
        parts.append([PurePath(str(one.field.dataset.path)).stem, one.field.name, plane, step])
    name = "-minus-".join("_".join(filter(None, words)) for words in parts)
    most = _MOST_LETTERS - len(ending)
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)[:most] + ending


def files_of_sample(
    source: Source, index: Sequence[int], over_time: Line | None, upwards: Line | None
) -> list[list[str]]:
    """The series and the profile of a sample as files: what is said, the name of the file, and its text."""
    place = "_".join(map(str, index))
    files = []
    if over_time is not None:
        name = file_name(source, f"_series_{place}", all_steps=True)
        files.append(_line_file(source, "time series", name, over_time))
    if upwards is not None:
        files.append(_line_file(source, "profile", file_name(source, f"_profile_{place}"), upwards))
    return files


def files_of_section(source: Source, found: Line | None) -> list[list[str]]:
    """A section as a file, in the same way."""
    return [] if found is None else [_line_file(source, "section", file_name(source, "_section"), found)]


def _line_file(source: Source, said: str, name: str, line: Line) -> list[str]:
    is_single = all(one.field.dtype == np.float32 for one in source.parts) and source.minus is None
    values = line.values.astype(np.float32) if is_single else line.values
    return [said, f"{name}.csv", tables.table(line.label, line.at, label_of(source), values)]


def step_text(field: Field, scene: Scene) -> str:
    """ "step 4 of 4, t = 30 years"; "fixed" for fields without time."""
    if field.fixed:
        return "fixed"
    return f"step {scene.step + 1} of {len(field.dataset.steps)}, {time_text(field, scene.step)}"


def status(
    field: Field,
    plan: Plan,
    picture: Picture | None,
    nbytes: int,
    pixels_apart: float,
    *,
    is_final: bool,
    failed: bool,
) -> str:
    """The line that is always visible: level, samples per pixel, whether more is to come, bytes read."""
    if picture is None:
        return f"level {plan.overview.level} of {field.max_level} · {'not read' if failed else 'reading …'}"
    done = "complete" if is_final else f"refining to level {plan.final.level}"
    density = (1 / pixels_apart) ** 2 if pixels_apart else 0.0
    return " · ".join(
        [
            f"level {picture.level} of {field.max_level}",
            density_text(density),
            done,
            f"{size_text(nbytes)} read",
        ]
    )


def density_text(density: float) -> str:
    """How many samples a pixel has.

    >>> density_text(0.253), density_text(0.999), density_text(123.4)
    ('0.25 samples per pixel', '1 sample per pixel', '123 samples per pixel')
    """
    amount = f"{density:.2g}" if density < 100 else f"{density:.0f}"
    return f"{amount} sample{'' if amount == '1' else 's'} per pixel"


def where_text(field: Field, scene: Scene, plane: Plane, picture: Picture | None) -> str:
    """Where the plane really is; coarse levels move it."""
    if plane.normal is None or picture is None or picture.place is None:
        return ""
    found = position_text(field, plane.normal.dim, picture.place)
    if picture.place == scene.place:
        return f"plane at {found} (index {picture.place})"
    asked = position_text(field, plane.normal.dim, scene.place)
    return f"plane at {found} (index {picture.place}), nearest of this level to {asked} (index {scene.place})"


def error_text(field: Field, step: int) -> str:
    """The recorded error of a lossy field; "" without loss."""
    errors = field.errors(-1 if field.fixed else step)
    if errors is None:
        return ""
    if not np.isfinite(errors.largest):
        return "stored with loss; its error is not recorded"
    units = field.attrs.get("units", "")
    return f"stored with an error of at most {errors.largest:.3g} {units} (RMS {errors.rms:.2g})"


def kinds_text(picture: Picture) -> str:
    """What the hatched samples are: "fill value (dots): 12 %, NaN (crosses): 3 samples"."""
    counts = np.bincount(picture.kinds.ravel(), minlength=len(Kind))
    parts = []
    for kind, name in KIND_NAMES.items():
        if counts[kind]:
            share = 100 * counts[kind] / picture.kinds.size
            amount = f"{share:.0f} %" if share >= 1 else f"{counts[kind]} samples"
            parts.append(f"{name}: {amount}")
    return ", ".join(parts)


def range_text(low: float, high: float, source: str) -> str:
    """ "colors from 223 to 273.1: range of this view"."""
    return f"colors from {number(low)} to {number(high)}: {source}"


def number(value: float) -> str:
    """A short number."""
    return f"{value:.6g}"


def coordinate_text(axis: Axis, index: int) -> str:
    """ "x = -120 km (index 17)"; "x = 17" without coordinates."""
    if axis.units == "index" and axis.uneven is None:
        return f"{axis.dim} = {index}"
    return f"{axis.dim} = {axis.coordinate(index):.7g} {axis.units}".rstrip() + f" (index {index})"


def alternative(field: Field, scene: Scene, plane: Plane, picture: Picture, colors: Coloring) -> str:
    """The picture in words: field, step, range, and where the extremes are."""
    found = finite_range(picture.values)
    said = f"{field_label(field, scene.component)}. {step_text(field, scene)}. "
    if found is None:
        return said + "No sample of this view has a finite value."
    finite = np.where(np.isfinite(picture.values), picture.values, np.nan)
    least = _place_text(picture, plane, int(np.nanargmin(finite)))
    greatest = _place_text(picture, plane, int(np.nanargmax(finite)))
    return (
        f"{said}Least value {number(found[0])} at {least}; greatest {number(found[1])} at {greatest}, "
        f"at level {picture.level}. {range_text(colors.low, colors.high, colors.source).capitalize()}."
    )


def statistics_text(found: Statistics, source: Source) -> str:
    """The numbers of a box, and where the extremes are."""
    units = source.field.attrs.get("units", "")
    without = f", {found.without} without a value" if found.without else ""
    extremes = (
        f"{name} {number(value)} at {_extreme_text(where, source.plane)}"
        for name, value, where in (
            ("least", found.least, found.least_at),
            ("greatest", found.greatest, found.greatest_at),
        )
    )
    return (
        f"box of {found.samples} samples of level {found.level}{without}: {'; '.join(extremes)}; "
        f"mean {number(found.mean)}, standard deviation {number(found.deviation)} {units}".rstrip()
    )


def _extreme_text(where: Where, plane: Plane) -> str:
    place = _drawn_place_text(plane, where.across, where.up)
    return place if where.samples == 1 else f"{where.samples} samples, the first at {place}"


def _place_text(picture: Picture, plane: Plane, flat: int) -> str:
    return _drawn_place_text(plane, *drawn_at(picture, flat))


def _drawn_place_text(plane: Plane, across: float, up: float) -> str:
    places = ((plane.horizontal, across), (plane.vertical, up))
    return ", ".join(coordinate_text(axis, round(axis.index(drawn))) for axis, drawn in places)


def table(plane: Plane, picture: Picture) -> str:
    """The picture as rows of at most TABLE_SIZE values, from top to bottom; the first row and column are coordinates."""
    rows, columns = picture.values.shape
    down = np.linspace(0, rows - 1, min(rows, TABLE_SIZE)).round().astype(int)[::-1]
    along = np.linspace(0, columns - 1, min(columns, TABLE_SIZE)).round().astype(int)
    left, right, bottom, top = picture.window
    across = [left + (column + 0.5) * (right - left) / columns for column in along]
    up = [bottom + (row + 0.5) * (top - bottom) / rows for row in down]
    lines = [
        [
            f"{plane.vertical.dim} \\ {plane.horizontal.dim}",
            *(_drawn_text(plane.horizontal, place) for place in across),
        ]
    ]
    for row, place in zip(down, up):
        values = (number(value) if np.isfinite(value) else "-" for value in picture.values[row, along])
        lines.append([_drawn_text(plane.vertical, place), *values])
    return "\n".join("\t".join(cell.replace("\t", " ") for cell in line) for line in lines)


def _drawn_text(axis: Axis, drawn: float) -> str:
    return f"{axis.coordinate(round(axis.index(drawn))):.6g}"


def opening_notes(datasets: Sequence[Dataset]) -> list[str]:
    """Sentences about the datasets that are shown once: damage, no steps."""
    notes = []
    for dataset in datasets:
        notes += [str(text) for text in dataset.warnings[:3]]
        if not dataset.steps and any(not field.fixed for field in dataset.fields.values()):
            notes.append(f"{dataset.path} has no steps yet.")
    return notes
