"""esker merge: brings a dataset of partitions into the global order."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

import esker
from esker.base.counts import count_of
from esker.cli.errors import as_exit_status


@click.command(
    epilog="""\b
    Examples:
      esker merge run.idx
      esker merge run.idx --json | jq .blocks"""
)
@click.argument("path")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON object.")
def merge_command(path: str, as_json: bool) -> None:
    """Make the dataset at PATH, written with partition_index=hybrid, that of partition_index=global.

    Changes the dataset in place, so that OpenVisus opens it: for each step, field and partition one block is
    replaced. If it is interrupted, run it again. No other process may have the dataset open: a reader that opened
    it before may get samples of other places. Other datasets are not changed.
    """
    with as_exit_status():
        done = esker.merge(path)
    if as_json:
        click.echo(json.dumps({"path": path, **asdict(done)}, indent=2))
    elif done.steps == 0:
        click.echo(f"{path}: nothing to merge")
    else:
        steps, blocks = count_of(done.steps, "step"), count_of(done.blocks, "block")
        click.echo(f"{path}: {steps} of .idx files merged, {blocks} replaced")
