"""esker repair: remove what killed runs left."""

from __future__ import annotations

import click

import esker
from esker.cli.errors import as_exit_status

_MAX_SHOWN = 20


@click.command(
    epilog="""\b
    Examples:
      esker repair run.idx
      esker repair run.idx --to-time 150      # and drop every step after time 150"""
)
@click.argument("path")
@click.option("--to-time", type=float, help="Drop all committed steps after this time.")
def repair(path: str, to_time: float | None) -> None:
    """Remove what killed runs left in the dataset at PATH: files of unfinished steps, temporary files, the lock.

    Committed steps stay, but for those after --to-time. Prints what is removed. Appending to a dataset does the same.
    """
    with as_exit_status():
        before = len(esker.open(path).steps)
        removed = esker.repair(path, to_time)
        after = len(esker.open(path).steps)
    dropped = f", {before - after} dropped" if after < before else ""
    for file in removed[:_MAX_SHOWN]:
        click.echo(f"removed {file}")
    if len(removed) > _MAX_SHOWN:
        click.echo(f"... and {len(removed) - _MAX_SHOWN} more")
    click.echo(f"{path}: {after} steps{dropped}, {len(removed)} files removed, nothing left over")
