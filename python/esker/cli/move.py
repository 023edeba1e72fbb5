"""esker cp and esker mv: a dataset under another name."""

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
def cp(source: str, target: str) -> None:
    """Copy the dataset SOURCE to TARGET: its files, its blocks, schema and report, and its name in the .idx.

    TARGET is a name or a directory; nothing is overwritten. The copy appears whole or not at all. A command that was
    killed can be repeated.
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
def mv(source: str, target: str) -> None:
    """Rename the dataset SOURCE to TARGET: its files, its blocks, schema and report, and its name in the .idx.

    TARGET is a name or a directory; nothing is overwritten. Between file systems the dataset is copied. A command that
    was killed can be repeated, and goes on.
    """
    _run(esker.move, source, target)


def _run(verb: Callable[..., Path], source: str, target: str) -> None:
    with as_exit_status(), progress("copying") as tell:
        path = verb(source, target, tell)
    click.echo(f"{source} -> {path}")
