"""esker movie: draws a field at all steps as an MP4 or a GIF file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

import esker
from esker.cli.arguments import ColorMap, Section, collected_in
from esker.cli.errors import as_exit_status
from esker.cli.progress import progress
from esker.dataset.field import Field
from esker.plot import encoders, movies, planes
from esker.plot.planes import why_no_plane
from esker.writing.replacing import staged

_RANGE_SHARE = 0.2
"""Of the time, about, in which the range is read."""


class Steps(click.ParamType):
    """A slice of the steps, as in Python."""

    name = "FIRST:END[:EVERY]"

    def convert(self, value: str | slice, param: click.Parameter | None, ctx: click.Context | None) -> slice:
        if isinstance(value, slice):
            return value
        try:
            parts = [int(part) if part else None for part in value.split(":")]
            if len(parts) not in (2, 3) or parts[2:] == [0]:
                raise ValueError(value)
        except ValueError:
            self.fail(f"expected positions such as 0:100, 0:100:10 or -5:, found {value!r}", param, ctx)
        return slice(*parts)


class ValueRange(click.ParamType):
    """Two values with a colon in between."""

    name = "LOW:HIGH"

    def convert(
        self, value: str | tuple[float, float], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        try:
            low, high = map(float, value.split(":"))
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ValueError(value)
        except ValueError:
            self.fail(
                f"expected two values such as 0:3000, the smaller one first, found {value!r}", param, ctx
            )
        return low, high


@dataclass(frozen=True)
class MovieOptions:
    """Arguments of `esker movie`."""

    path: str
    output: Path
    field: str | None
    steps: slice
    level: int | None
    section: tuple[str, int | planes.Coordinate] | None
    component: int | None
    ends: tuple[float, float] | None
    log: bool
    cmap: str
    fps: int
    overwrite: bool
    as_json: bool


@click.command(
    epilog="""\b
    Examples:
      esker movie run.idx out.mp4
      esker movie run.idx speed.mp4 --field velsurf_mag --log --cmap magma --fps 25
      esker movie run.idx temp.gif --field temp --section y=-2000km --steps 0:100:10
      esker movie run.idx out.mp4 --range 0:3000"""
)
@click.argument("path")
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--field", help="Field to draw.  [default: the first that varies in time and has 2 or 3 axes]")
@click.option(
    "--steps",
    type=Steps(),
    default=slice(None),
    help="Positions of the steps, as a slice in Python; negative counts from the end.  [default: all]",
)
@click.option(
    "--section",
    type=Section(),
    help="Index or coordinate at which to cut a 3-D field.  [default: its first layer]",
)
@click.option("--component", type=int, help="Component to draw.  [default: the length of the vector]")
@click.option("--level", type=int, help="Resolution level.  [default: about 1024 samples across]")
@click.option(
    "--range",
    "ends",
    type=ValueRange(),
    help="Values at the ends of the colors.  [default: range of all drawn steps, at a coarse level]",
)
@click.option("--log", is_flag=True, help="Logarithmic colors, over at most four decades.")
@click.option("--cmap", type=ColorMap(), default="viridis", show_default=True, help="matplotlib color map.")
@click.option(
    "--fps", type=click.IntRange(1, 60), default=10, show_default=True, help="Steps shown in a second."
)
@click.option("--overwrite", is_flag=True, help="Replace an existing OUTPUT.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print file name, number of pictures and range as one JSON object.",
)
@collected_in(MovieOptions)
def movie_command(options: MovieOptions) -> None:
    """Draw a field of the dataset at PATH at all steps, as the movie OUTPUT: .mp4 or .gif.

    MP4 needs the program ffmpeg; without it the movie becomes a GIF file. All pictures have the same colors, and say
    where their range comes from. Prints the name of the movie, which is published by rename once it is complete.
    """
    output = _output(options)
    with as_exit_status():
        field = _field(options)
        movie = movies.Movie(
            field, movies.written_steps(field, options.steps), options.level, options.section,
            options.component, options.log, options.cmap,
        )  # fmt: skip
        colors = _write(movie, options, output)
    facts = {
        "output": str(output), "field": field.name, "pictures": len(movie.steps),
        "low": colors.low, "high": colors.high, "range": colors.source,
    }  # fmt: skip
    click.echo(json.dumps(facts, indent=2) if options.as_json else output)


def _output(options: MovieOptions) -> Path:
    """Where the movie goes: without ffmpeg, a GIF file instead of an MP4 file."""
    output = options.output
    suffix = output.suffix.lower()
    if suffix not in encoders.FORMATS:
        raise click.UsageError(
            f"{output}: unknown suffix {output.suffix!r}; expected {' or '.join(encoders.FORMATS)}"
        )
    if suffix == ".mp4" and encoders.ffmpeg() is None:
        output = output.with_suffix(".gif")
        click.echo(f"esker: ffmpeg is not in PATH, so the movie becomes {output}", err=True)
    if os.path.lexists(output) and not options.overwrite:
        raise click.UsageError(f"{output} exists; choose another name or give --overwrite")
    if not output.parent.is_dir():
        raise click.UsageError(f"{output.parent}: no such directory")
    return output


def _field(options: MovieOptions) -> Field:
    dataset = esker.open(options.path)
    if options.field is not None:
        return dataset[options.field]
    fields = [field for field in dataset.fields.values() if not field.fixed and not why_no_plane(field)]
    if not fields:
        raise ValueError(f"{options.path}: no field varies in time and has 2 or 3 axes")
    return fields[0]


def _write(movie: movies.Movie, options: MovieOptions, output: Path) -> movies.ColorRange:
    """Writes the movie and returns the range of its colors."""
    with progress(f"drawing {movie.field.name}") as update, staged(output) as staging:
        if options.ends is None:
            colors = movies.range_of(movie, lambda done: update(_RANGE_SHARE * done))
        else:
            colors = movies.given_range(*options.ends, movie.log)
        encoders.write_movie(staging.path, _counted(movie, colors, update), options.fps)
    return colors


def _counted(
    movie: movies.Movie, colors: movies.ColorRange, update: Callable[[float], object]
) -> Iterator[movies.Picture]:
    """The pictures; tells the progress."""
    for number, picture in enumerate(movies.pictures(movie, colors)):
        yield picture
        update(_RANGE_SHARE + (1 - _RANGE_SHARE) * (number + 1) / len(movie.steps))
