"""esker plan: predicts messages, files and memory of a step on N ranks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from esker.base.counts import size_text
from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.errors import as_exit_status
from esker.cli.step_arguments import StepOptions, step_options
from esker.cli.tables import console, show, table
from esker.planning import keep_plans, planner, rank_boxes


@dataclass(frozen=True)
class PlanOptions(StepOptions):
    """Arguments of `esker plan`."""

    compare: bool
    plot: Path | None
    as_json: bool

    def check(self) -> None:
        """Raises UsageError unless the arguments go together."""
        super().check()
        if self.compare and self.is_mesh():
            raise click.UsageError("--compare does not apply to meshes (--patches, --fine-patches)")
        if self.compare and self.lists_several():
            raise click.UsageError("--compare compares ways to write one step: expected single values")


@click.command(
    epilog="""\b
    Examples:
      esker plan --ranks 4096 --block 30,30,30 --fields 16 --restructure default
      esker plan --ranks 64 --dataset run.idx --json | jq .max_fan_in
      esker plan --ranks 512 --global 600,600,300 --compare --plot messages.png
      esker plan --ranks 8192 --block 32,32,32 --fields 32 --partitions size:2048
      esker plan --ranks 512 --global 600,600,300 --format cdf5 --stripe-size 1M --stripe-count 16
      esker plan --ranks 1024 --block 25,25,25 --fine-patches 1412 --bits-per-block 15 --blocks-per-file 128
      esker plan --patches patches.txt --ratios 2,4 --fields 4
      esker plan --ranks 4096 --block 64,64,64 --keep 0.05,0.2 --bits-per-block 14,16,18 --plot keep.png"""
)
@step_options
@click.option("--compare", is_flag=True, help="Compare one-, two- and three-phase writing.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Draw the histogram of message sizes; of several plans what they store.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
@collected_in(PlanOptions)
def plan_command(options: PlanOptions) -> None:
    """Predict what writing a step on N ranks costs: messages, files, memory.

    With --keep, of a step that stores a part of the grid: how many of the stored samples are those that are
    kept (efficiency), and how even the bytes of the aggregators are. Several shares, orders and block sizes
    are planned one after the other, and printed as a table or a JSON list.

    With --patches or --fine-patches, of a step of a mesh with several levels (AMR), whose coarse samples are not
    stored where finer patches cover them. A dataset with a mesh is planned with the patches of its last step.

    Needs neither MPI nor data; a million ranks take some ten seconds. Options default to those of the
    configuration file and the environment.
    """
    options.check()
    kind = kind_of_picture(options.plot) if options.plot else None
    if options.lists_several():
        _print_sweep(options, kind)
        return
    with as_exit_status():
        plans = _plans(options)
        if options.plot:
            planner.histogram_figure(plans).savefig(options.plot, format=kind)
    texts = {name: facts.pop("text") for name, facts in plans.items()}
    if options.as_json:
        click.echo(json.dumps(plans if options.compare else plans["plan"], indent=2))
        return
    for name, text in texts.items():
        click.echo(f"{name}: {text}" if options.compare else text)


def _print_sweep(options: PlanOptions, kind: str | None) -> None:
    """A table, or a JSON list with a line for each plan."""
    with as_exit_status():
        ranks, arguments = options.shared_arguments()
        single: tuple[None] = (None,)
        plans = keep_plans.sweep(
            ranks,
            options.keep or single,
            options.keep_order or rank_boxes.ORDERS[:1],
            options.bits_per_block or single,
            options.planner(),
            **arguments,
        )
        if options.plot:
            keep_plans.figure(plans).savefig(options.plot, format=kind)
    if options.as_json:
        left_out = ("text", "message_sizes")
        lines = [json.dumps({k: v for k, v in plan.items() if k not in left_out}) for plan in plans]
        click.echo("[\n" + ",\n".join(lines) + "\n]")
        return
    columns = ("keep", "order", "bits", "efficiency", "blocks", "files", "stored", "imbalance")
    made = table(*columns, right=tuple(name for name in columns if name != "order"))
    for plan in plans:
        made.add_row(
            "",
            "all" if plan["keep"] is None else f"{plan['keep']:g}",
            plan["keep_order"],
            str(plan["bits_per_block"]),
            f"{plan['efficiency']:.4f}",
            str(plan["blocks"]),
            str(plan["files"]),
            size_text(plan["stored_bytes"]),
            f"{plan['write_imbalance']:.3f}",
        )
    show(console(), made)


def _plans(options: PlanOptions) -> dict[str, dict[str, Any]]:
    """Facts by phase with --compare, otherwise one plan with the name "plan"."""
    ranks, arguments = options.arguments()
    if options.compare:
        return planner.compare_phases(ranks, **arguments)
    return {"plan": options.planner()(ranks, **arguments)}
