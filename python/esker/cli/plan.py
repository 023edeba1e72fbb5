"""esker plan: predicts messages, files and memory of a step on N ranks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from esker import planning
from esker.cli.arguments import collected_in, kind_of_picture
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


@dataclass(frozen=True)
class PlanOptions:
    """Arguments of `esker plan`."""

    ranks: int | None
    block: tuple[int, ...] | None
    extent: tuple[int, ...] | None
    dataset: str | None
    boxes_path: str | None
    fields: int
    dtype: str
    stored_bits: int | None
    restructure: str | None
    format: str | None
    chunks: str | None
    pattern: str | None
    stripe_size: str | None
    stripe_count: int | None
    bits_per_block: int | None
    blocks_per_file: int | None
    aggregators: int | None
    aggregation_factor: int | None
    max_fan_in: int | None
    memory_budget: str | None
    compare: bool
    plot: Path | None
    as_json: bool

    def check(self) -> None:
        """Raises UsageError unless ranks and grid are given exactly once."""
        n_grids = sum(value is not None for value in (self.block, self.extent, self.dataset))
        if n_grids > 1 or (n_grids == 0 and not self.boxes_path):
            raise click.UsageError("expected one of --block, --global and --dataset, or only --boxes")
        if self.ranks is None and not self.boxes_path:
            raise click.UsageError("expected --ranks or --boxes")

    def given(self) -> dict[str, Any]:
        """The arguments of planning.plan_step() that are given, except ranks, boxes and type."""
        others = ("ranks", "boxes_path", "dtype", "compare", "plot", "as_json")
        return {name: value for name, value in vars(self).items() if name not in others and value is not None}


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
@click.option(
    "--stored-bits", type=int, help="Bits per sample that are stored: 1, 2, 4 ... 64.  [default: samples]"
)
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
@collected_in(PlanOptions)
def plan_command(options: PlanOptions) -> None:
    """Predict what writing a step on N ranks costs: messages, files, memory.

    Needs neither MPI nor data; a million ranks take about a minute. Options default to those of the
    configuration file and the environment.
    """
    options.check()
    kind = kind_of_picture(options.plot) if options.plot else None
    with as_exit_status():
        plans = _plans(options)
        if options.plot:
            planning.histogram_figure(plans).savefig(options.plot, format=kind)
    texts = {name: facts.pop("text") for name, facts in plans.items()}
    if options.as_json:
        click.echo(json.dumps(plans if options.compare else plans["plan"], indent=2))
        return
    for name, text in texts.items():
        click.echo(f"{name}: {text}" if options.compare else text)


def _plans(options: PlanOptions) -> dict[str, dict[str, Any]]:
    """Facts by phase with --compare, otherwise one plan with the name "plan"."""
    arguments = {"type": options.dtype, **options.given()}
    ranks = options.ranks
    if options.boxes_path:
        arguments["boxes"] = planning.read_boxes(options.boxes_path)
        ranks = ranks or 1 + max((rank for rank, _ in arguments["boxes"]), default=0)
    assert ranks is not None
    if options.compare:
        return planning.compare_phases(ranks, **arguments)
    return {"plan": planning.plan_step(ranks, **arguments)}
