"""esker view-query: the part of a field that a camera sees."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import esker
from esker.base.counts import size_text
from esker.cli.arguments import collected_in, step_option
from esker.cli.errors import as_exit_status
from esker.cli.json_text import json_text


@dataclass(frozen=True)
class ViewQueryOptions:
    """Arguments of `esker view-query`."""

    path: str
    field: str
    camera: Path
    step: int
    pixels: float
    previous_level: int | None
    as_json: bool


@click.command(
    "view-query",
    epilog="""\b
    Examples:
      esker view-query run.idx temp --camera camera.json
      esker view-query run.idx thk --camera camera.json --previous-level 14 --json

    \b
    A camera file gives a matrix (by rows) or the position of the camera:
      {"matrix": [[...], [...], [...], [...]], "viewport": [1920, 1080]}
      {"eye": [9, 9, 5], "target": [0, 0, 0], "up": [0, 0, 1], "field_of_view": 45,
       "near": 0.1, "far": 100, "viewport": [1920, 1080]}
      {"eye": [0, 0, 9], "target": [0, 0, 0], "up": [0, 1, 0], "height": 20,
       "near": 0, "far": 10, "viewport": [800, 600]}""",
)
@click.argument("path")
@click.argument("field")
@click.option(
    "--camera",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="JSON file with the camera; see below.",
)
@step_option
@click.option("--pixels", default=1.0, show_default=True, help="Maximum distance between samples, in pixels.")
@click.option(
    "--previous-level", type=int, help="Level of the previous view; it is kept if it is nearly as good."
)
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
@collected_in(ViewQueryOptions)
def view_query_command(options: ViewQueryOptions) -> None:
    """Print the box and level of FIELD of the dataset at PATH that a camera needs, and their size in bytes.

    Reads headers only.
    """
    with as_exit_status():
        field = esker.open(options.path)[options.field]
        facts = _facts(field, options)
    if options.as_json:
        click.echo(json_text(facts))
    elif not facts["visible"]:
        click.echo(f"nothing is in view; the grid covers {_extent(field)}")
    else:
        lo, hi = facts["box"]
        ranges = ",".join(f"{first}:{last}" for first, last in zip(lo, hi))
        click.echo(
            f"box {ranges}, level {facts['level']} of {facts['max_level']}, {facts['samples']} samples, "
            f"{size_text(facts['bytes'])} of {size_text(facts['bytes_of_field'])}, "
            f"at most {facts['pixels']:.2f} pixels apart"
        )


def _camera(path: Path) -> esker.Camera:
    try:
        facts = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path}: not valid JSON: {error}") from error
    if not isinstance(facts, dict):
        raise ValueError(f"{path}: expected a JSON object, found {type(facts).__name__}")
    return esker.Camera.of(facts)


def _extent(field: esker.Field) -> str:
    """The grid's extent in world coordinates: "x 0 to 1023, y 0 to 1023"."""
    ends = {dim: field.coords(dim)[[0, -1]] for dim in reversed(field.grid.dims)}
    return ", ".join(f"{dim} {first:g} to {last:g}" for dim, (first, last) in ends.items())


def _facts(field: esker.Field, options: ViewQueryOptions) -> dict[str, Any]:
    view = field.view(
        _camera(options.camera), pixels_per_sample=options.pixels, previous_level=options.previous_level
    )
    if view is None:
        return {"visible": False}
    wanted = field.select(options.step, view.box, view.level)
    return {
        "visible": True,
        "box": [list(corner) for corner in view.box],
        "level": view.level,
        "max_level": field.max_level,
        "pixels": view.pixels,
        "shape": list(wanted.shape),
        "samples": wanted.nbytes // (field.dtype.itemsize * field.components),
        "bytes": wanted.nbytes,
        "bytes_of_field": field.select(options.step).nbytes,
    }
