"""esker plot: a map or a section as a PNG."""

from __future__ import annotations

from pathlib import Path

import click

import esker
from esker import plotting
from esker.cli.errors import as_exit_status
from esker.dataset import Box


class Section(click.ParamType):
    name = "DIM=INDEX"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        dim, equals, index = value.partition("=")
        if not (dim and equals and index.lstrip("-").isdigit()):
            self.fail(f"expected a dimension and an index such as y=280, found {value!r}", param, ctx)
        return dim, int(index)


class BoxRange(click.ParamType):
    name = "X0:X1,Y0:Y1[,Z0:Z1]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Box:
        try:
            ranges = [tuple(int(end) for end in part.split(":")) for part in value.split(",")]
            lo, hi = zip(*((first, last) for first, last in ranges))
        except ValueError:
            self.fail(f"expected half-open ranges such as 0:100,50:90, found {value!r}", param, ctx)
        return lo, hi


class ColorMap(click.ParamType):
    name = "NAME"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        import matplotlib

        if value not in matplotlib.colormaps:
            self.fail(f"matplotlib has no colour map {value!r}", param, ctx)
        return value


@click.command(
    epilog="""\b
    Examples:
      esker plot run.idx thk
      esker plot run.idx velsurf_mag --log --cmap magma -o speed.png
      esker plot run.idx temp --section y=280 --step 0
      esker plot run.idx temp --section z=10 --box 100:200,50:250,0:61 --level 16"""
)
@click.argument("path")
@click.argument("field")
@click.option("--step", default=-1, show_default=True, help="Position in the steps; negative from the end.")
@click.option("--level", type=int, help="Resolution level.  [default: about 1024 samples across]")
@click.option("--section", type=Section(), help="Where to cut a 3-D field.  [default: its first layer]")
@click.option("--box", type=BoxRange(), help="Part of the grid, in indices of the full grid, half open.")
@click.option("--component", type=int, help="Of a field with several.  [default: length of the vector]")
@click.option("--cmap", type=ColorMap(), default="viridis", show_default=True, help="matplotlib colour map.")
@click.option("--log", is_flag=True, help="Logarithmic colours, four decades; without values of 0 and less.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="PNG.  [default: FIELD.png]"
)
def plot(
    path: str,
    field: str,
    step: int,
    level: int | None,
    section: tuple[str, int] | None,
    box: Box | None,
    component: int | None,
    cmap: str,
    log: bool,
    output: Path | None,
) -> None:
    """Draw FIELD of the dataset at PATH as a PNG: a map, or a section through a 3-D field.

    Reads only the samples that the picture shows. Prints the name of the PNG.
    """
    output = output or Path(f"{field}.png")
    with as_exit_status():
        plane = plotting.read_plane(esker.open(path)[field], step, level, section, box, component)
    picture = plotting.figure(plane, log=log, cmap=cmap)
    try:
        picture.savefig(output, format="png")
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}") from error
    click.echo(output)
