"""esker plan: predicts messages, files and memory of a step on N ranks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from esker import planning
from esker.cli.arguments import kind_of_picture
from esker.cli.errors import as_exit_status


class Extents(click.ParamType):
    """Numbers of samples, x first."""

    name = "X,Y,Z"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        words = value.split(",")
        if not all(word.isdigit() and int(word) > 0 for word in words):
            self.fail(f"expected extents such as 30,30,30, found {value!r}", param, ctx)
        return tuple(map(int, words))


@click.command(
    epilog="""\b
    Examples:
      esker plan --ranks 4096 --block 30,30,30 --fields 16 --restructure default
      esker plan --ranks 64 --dataset run.idx --json | jq .max_fan_in
      esker plan --ranks 512 --global 600,600,300 --compare --plot messages.png
      esker plan --ranks 512 --global 600,600,300 --format cdf5 --stripe-size 1M --stripe-count 16"""
)
@click.option(
    "--ranks",
    type=click.IntRange(min=1, max=2**31 - 1),
    help="Number of ranks that write.  [default: the ranks listed in --boxes]",
)
@click.option("--block", type=Extents(), help="Samples per rank.")
@click.option("--global", "extent", type=Extents(), help="Samples of the grid, split near-cubically.")
@click.option(
    "--dataset", type=click.Path(), help="Plan the grids and fields of this dataset, split near-cubically."
)
@click.option(
    "--boxes",
    "boxes_path",
    type=click.Path(exists=True, dir_okay=False),
    help="File with the boxes of the ranks, as lines 'rank x0 y0 z0 x1 y1 z1'. Without another option for the "
    "grid they also define it.",
)
@click.option("--fields", type=click.IntRange(min=1), default=1, show_default=True, help="Number of fields.")
@click.option("--type", "dtype", default="f8", show_default=True, help="NumPy type of the samples.")
@click.option("--restructure", help="off, default, expanded or X,Y,Z.")
@click.option("--format", help="idx, cdf5, netcdf4, cdf5+idx ...  [default: idx]")
@click.option("--chunks", help="NetCDF-4: X,Y,Z, decomposition or auto.")
@click.option("--pattern", help="Access pattern of a shared file: contiguous, stripes or slabs.")
@click.option("--stripe-size", help="Stripe size of the file system, e.g. 1M.")
@click.option("--stripe-count", type=int, help="Number of storage targets that a file is striped over.")
@click.option("--bits-per-block", type=int, help="A block holds 2^N samples.")
@click.option("--blocks-per-file", type=int, help="Number of blocks in a file.")
@click.option("--aggregators", type=int, help="Number of ranks that collect and write.")
@click.option("--aggregation-factor", type=int, help="Number of ranks per aggregator.")
@click.option("--max-fan-in", type=int, help="Maximum number of ranks that send to an aggregator in a round.")
@click.option("--memory-budget", help="Memory per rank, e.g. 64M.")
@click.option("--compare", is_flag=True, help="Compare one-, two- and three-phase writing.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the histogram of message sizes.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
def plan(
    ranks: int | None,
    dtype: str,
    boxes_path: str | None,
    compare: bool,
    plot: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Predict what writing a step on N ranks costs: messages, files, memory.

    Needs neither MPI nor data; a million ranks take about a minute. Options default to those of the
    configuration file and the environment.
    """
    n_grids = sum(given[name] is not None for name in ("block", "extent", "dataset"))
    if n_grids > 1 or (n_grids == 0 and not boxes_path):
        raise click.UsageError("expected one of --block, --global and --dataset, or only --boxes")
    if ranks is None and not boxes_path:
        raise click.UsageError("expected --ranks or --boxes")
    kind = kind_of_picture(plot) if plot else None
    arguments = {name: value for name, value in given.items() if value is not None}
    with as_exit_status():
        if boxes_path:
            arguments["boxes"] = planning.read_boxes(boxes_path)
            ranks = ranks or 1 + max((rank for rank, _ in arguments["boxes"]), default=0)
        if compare:
            plans = planning.compare_phases(ranks, type=dtype, **arguments)
        else:
            plans = {"plan": planning.plan(ranks, type=dtype, **arguments)}
        if plot:
            planning.histogram_figure(plans).savefig(plot, format=kind)
    texts = {name: facts.pop("text") for name, facts in plans.items()}
    if as_json:
        click.echo(json.dumps(plans if compare else plans["plan"], indent=2))
        return
    for name, text in texts.items():
        click.echo(f"{name}: {text}" if compare else text)
