"""esker plot: draws a map, a section, a histogram or a time series."""

from __future__ import annotations

import json
from pathlib import Path

import click

import esker
from esker import charts, plotting
from esker.cli.arguments import Section, box_option, kind_of_picture, step_option
from esker.cli.errors import as_exit_status
from esker.cli.progress import progress
from esker.dataset import Box


class ColorMap(click.ParamType):
    name = "NAME"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        import matplotlib

        if value not in matplotlib.colormaps:
            self.fail(
                f"unknown color map {value!r}; expected one of matplotlib's, such as viridis", param, ctx
            )
        return value


@click.command(
    epilog="""\b
    Examples:
      esker plot run.idx thk
      esker plot run.idx velsurf_mag --log --cmap magma -o speed.png
      esker plot run.idx temp --section y=280 --step 0          # at an index
      esker plot run.idx temp --section y=-2000km                # at a coordinate: a number with units or a
      decimal point esker plot run.idx temp --section z=10 --box 100:200,50:250,0:61 --level 16
      esker plot run.idx thk --histogram --log
      esker plot run.idx thk --series --box 120:121,300:301     # of one point; without --box the minimum,
      mean and maximum"""
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
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Picture file; its suffix chooses the format: png, pdf, svg, ...  [default: FIELD.png]",
)
@click.option("--json", "as_json", is_flag=True, help="Print file name and level as one JSON object.")
def plot(
    path: str,
    field: str,
    step: int,
    level: int | None,
    section: tuple[str, int | plotting.Coordinate] | None,
    box: Box | None,
    component: int | None,
    cmap: str,
    log: bool,
    histogram: bool,
    bins: int,
    series: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Draw FIELD of the dataset at PATH: a map, a section through a 3-D field, or a chart of its values.

    Reads only the samples that the picture shows. Prints the name of the picture.
    """
    if histogram + series + (section is not None) > 1:
        raise click.UsageError("expected at most one of --section, --histogram and --series")
    output = output or Path(f"{field}.png")
    kind = kind_of_picture(output)
    with as_exit_status():
        source = esker.open(path)[field]
        if histogram:
            spread = charts.read_histogram(source, step, level, box, component, bins)
            picture, level = charts.draw_histogram(spread, log=log), spread.level
        elif series:
            with progress(f"reading {field}") as update:
                course = charts.read_series(source, level, box, component, update)
            picture, level = charts.draw_series(course, log=log), course.level
        else:
            plane = plotting.read_plane(source, step, level, section, box, component)
            picture, level = plotting.figure(plane, log=log, cmap=cmap), plane.level
    try:
        picture.savefig(output, format=kind)
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}") from error
    facts = {"output": str(output), "field": field, "level": level, "max_level": source.max_level}
    click.echo(json.dumps(facts, indent=2) if as_json else output)
