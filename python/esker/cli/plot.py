"""esker plot: draws a map, a section, a histogram or a time series."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

import esker
from esker.base.boxes import Box
from esker.cli.arguments import ColorMap, Section, box_option, collected_in, kind_of_picture, step_option
from esker.cli.errors import as_exit_status
from esker.cli.progress import progress
from esker.dataset.field import Field
from esker.plot import charts, planes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PlotOptions:
    """Arguments of `esker plot`."""

    path: str
    field: str
    step: int
    level: int | None
    section: tuple[str, int | planes.Coordinate] | None
    box: Box | None
    component: int | None
    cmap: str
    log: bool
    histogram: bool
    bins: int
    series: bool
    levels: bool
    output: Path | None
    as_json: bool


@click.command(
    epilog="""\b
    Examples:
      esker plot run.idx thk
      esker plot run.idx velsurf_mag --log --cmap magma -o speed.png
      esker plot run.idx temp --section y=280 --step 0         # an integer is an index
      esker plot run.idx temp --section y=-2000km              # with units or a decimal point: a coordinate
      esker plot run.idx temp --section z=10 --box 100:200,50:250,0:61 --level 16
      esker plot run.idx temp --levels                         # what a sparse step stores
      esker plot run.idx thk --histogram --log
      esker plot run.idx thk --series                          # minimum, mean and maximum
      esker plot run.idx thk --series --box 120:121,300:301    # a single point"""
)
@click.argument("path")
@click.argument("field")
@step_option
@click.option(
    "--level",
    type=int,
    help="Resolution level.  [default: about 1024 samples across, or a million samples for charts]",
)
@click.option(
    "--section",
    type=Section(),
    help="Index or coordinate at which to cut a 3-D field.  [default: its first layer]",
)
@box_option
@click.option("--component", type=int, help="Component to draw.  [default: the length of the vector]")
@click.option("--cmap", type=ColorMap(), default="viridis", show_default=True, help="matplotlib color map.")
@click.option(
    "--log", is_flag=True, help="Logarithmic colors over four decades; for charts, a logarithmic axis."
)
@click.option("--histogram", is_flag=True, help="Draw a histogram of the values.")
@click.option("--bins", type=click.IntRange(1), default=100, show_default=True, help="Bins of the histogram.")
@click.option("--series", is_flag=True, help="Draw minimum, mean and maximum over time.")
@click.option("--levels", is_flag=True, help="Draw the finest level that is stored at each place.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Picture file; its suffix chooses the format: png, pdf, svg, ...  [default: FIELD.png]",
)
@click.option("--json", "as_json", is_flag=True, help="Print file name and level as one JSON object.")
@collected_in(PlotOptions)
def plot_command(options: PlotOptions) -> None:
    """Draw FIELD of the dataset at PATH: a map, a section through a 3-D field, or a chart of its values.

    Reads only the samples that the picture shows. Prints the name of the picture.
    """
    if options.levels and (options.histogram or options.series):
        raise click.UsageError("--levels draws a map or a section, not a chart")
    if options.histogram + options.series + (options.section is not None) > 1:
        raise click.UsageError("expected at most one of --section, --histogram and --series")
    output = options.output or Path(f"{options.field}.png")
    kind = kind_of_picture(output)
    with as_exit_status():
        field = esker.open(options.path)[options.field]
        picture, level = _picture(field, options)
    try:
        picture.savefig(output, format=kind)
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}") from error
    facts = {"output": str(output), "field": field.name, "level": level, "max_level": field.max_level}
    click.echo(json.dumps(facts, indent=2) if options.as_json else output)


def _picture(field: Field, options: PlotOptions) -> tuple[Figure, int]:
    """The figure and the level that it shows."""
    if options.histogram:
        histogram = charts.read_histogram(
            field, options.step, options.level, options.box, options.component, options.bins
        )
        return charts.draw_histogram(histogram, log=options.log), histogram.level
    if options.series:
        with progress(f"reading {field.name}") as update:
            series = charts.read_series(field, options.level, options.box, options.component, update)
        return charts.draw_series(series, log=options.log), series.level
    plane = planes.read_plane(
        field,
        options.step,
        options.level,
        options.section,
        options.box,
        options.component,
        levels=options.levels,
    )
    return planes.figure(plane, log=options.log, cmap=options.cmap), plane.level
