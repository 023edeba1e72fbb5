"""Arguments that several verbs share: boxes, sections, steps, pictures."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from esker.base.boxes import Box
from esker.plot.planes import Coordinate

_Options = TypeVar("_Options")


def collected_in(kind: type[_Options]) -> Callable[[Callable[[_Options], None]], Callable[..., None]]:
    """Passes a command's arguments as one object of the dataclass `kind`, whose fields have their names."""

    def decorate(command: Callable[[_Options], None]) -> Callable[..., None]:
        @functools.wraps(command)
        def callback(**arguments: object) -> None:
            command(kind(**arguments))

        return callback

    return decorate


class BoxRange(click.ParamType):
    """Half-open ranges of indices, x first, as an esker.base.boxes.Box."""

    name = "X0:X1,Y0:Y1[,Z0:Z1]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Box:
        try:
            ranges = [tuple(int(end) for end in part.split(":")) for part in value.split(",")]
            lo, hi = zip(*((first, last) for first, last in ranges))
        except ValueError:
            self.fail(f"expected half-open ranges such as 0:100,50:90, found {value!r}", param, ctx)
        return lo, hi


class Section(click.ParamType):
    """A dimension and an index of it, or a coordinate."""

    name = "DIM=PLACE"
    _place = re.compile(r"([-+]?\d+)|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\d\s.][^\s]*)?")

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int | Coordinate]:
        dim, _, place = value.partition("=")
        found = self._place.fullmatch(place.strip())
        if not (dim and found):
            self.fail(
                "expected a dimension and an index such as y=280, or a coordinate such as y=-2000.0 or "
                f"y=-2000km, found {value!r}",
                param,
                ctx,
            )
        index, number, units = found.groups()
        return dim, int(index) if index else Coordinate(float(number), units or "")


class ColorMap(click.ParamType):
    """The name of one of matplotlib's color maps."""

    name = "NAME"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        import matplotlib

        if value not in matplotlib.colormaps:
            self.fail(
                f"unknown color map {value!r}; expected one of matplotlib's, such as viridis", param, ctx
            )
        return value


step_option = click.option(
    "--step", default=-1, show_default=True, help="Position of the step; negative counts from the end."
)
box_option = click.option(
    "--box", type=BoxRange(), help="Part of the grid: half-open index ranges in the full grid."
)


def kind_of_picture(output: Path) -> str:
    """matplotlib's name of the picture format for the suffix of `output`."""
    from matplotlib.backend_bases import FigureCanvasBase

    kind = output.suffix[1:].lower()
    known = FigureCanvasBase.get_supported_filetypes()
    if kind not in known:
        raise click.UsageError(
            f"{output}: unknown picture format {output.suffix!r}; expected one of {', '.join(sorted(known))}"
        )
    return kind
