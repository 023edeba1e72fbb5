"""esker cp and esker mv: copies or renames a dataset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

import esker
from esker.cli.errors import as_exit_status
from esker.cli.progress import progress


@click.command(
    epilog="""\b
    Examples:
      esker cp run.idx saved.idx
      esker cp run /archive/2026/            # a directory of several .idx, into a directory"""
)
@click.argument("source")
@click.argument("target")
def cp_command(source: str, target: str) -> None:
    """Copy the dataset SOURCE to TARGET: all its files, with blocks, schema and report, and the name in the
    .idx.

    TARGET is a name or a directory; nothing is overwritten. The copy is published once it is complete. If the
    command is killed, repeat it.
    """
    _run(esker.copy, source, target)


@click.command(
    epilog="""\b
    Examples:
      esker mv run.idx final.idx
      esker mv out/run.nc /archive/"""
)
@click.argument("source")
@click.argument("target")
def mv_command(source: str, target: str) -> None:
    """Rename the dataset SOURCE to TARGET: all its files, with blocks, schema and report, and the name in the
    .idx.

    TARGET is a name or a directory; nothing is overwritten. Between file systems the dataset is copied. If
    the command is killed, repeat it to continue.
    """
    _run(esker.move, source, target)


def _run(verb: Callable[..., Path], source: str, target: str) -> None:
    with as_exit_status(), progress("copying") as update:
        path = verb(source, target, update)
    click.echo(f"{source} -> {path}")
