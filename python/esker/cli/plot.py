"""esker plot: a map or a section as a picture."""

from __future__ import annotations

from pathlib import Path

import click

import esker
from esker import plotting
from esker.cli.arguments import Section, box_option, kind_of_picture, step_option
from esker.cli.errors import as_exit_status
from esker.dataset import Box


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
@step_option
@click.option("--level", type=int, help="Resolution level.  [default: about 1024 samples across]")
@click.option("--section", type=Section(), help="Where to cut a 3-D field.  [default: its first layer]")
@box_option
@click.option("--component", type=int, help="Of a field with several.  [default: length of the vector]")
@click.option("--cmap", type=ColorMap(), default="viridis", show_default=True, help="matplotlib colour map.")
@click.option("--log", is_flag=True, help="Logarithmic colours, four decades; without values of 0 and less.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Picture; the suffix says what kind: png, pdf, svg, ...  [default: FIELD.png]",
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
    """Draw FIELD of the dataset at PATH: a map, or a section through a 3-D field.

    Reads only the samples that the picture shows. Prints the name of the picture.
    """
    output = output or Path(f"{field}.png")
    kind = kind_of_picture(output)
    with as_exit_status():
        plane = plotting.read_plane(esker.open(path)[field], step, level, section, box, component)
    picture = plotting.figure(plane, log=log, cmap=cmap)
    try:
        picture.savefig(output, format=kind)
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}") from error
    click.echo(output)
