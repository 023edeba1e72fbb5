"""esker repair: remove what killed runs left, or make an .idx again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

import esker
from esker import _core
from esker.cli.errors import as_exit_status
from esker.verification import stem_of

_MAX_SHOWN = 20


@click.command(
    epilog="""\b
    Examples:
      esker repair run.idx
      esker repair run.idx --to-time 150      # and drop every step after time 150
      esker repair run.idx --rebuild --like other.idx            # what a new run.idx would hold
      esker repair run.idx --rebuild --like other.idx --write    # run.idx is new, the old one run.idx.old"""
)
@click.argument("path")
@click.option("--to-time", type=float, help="Drop all committed steps after this time.")
@click.option(
    "--rebuild",
    is_flag=True,
    help="Make a missing or damaged .idx again; says how, and changes nothing without --write.",
)
@click.option(
    "--adopt",
    is_flag=True,
    help="Of an .idx that was copied or renamed by hand: take the blocks in the directory of its name for its own.",
)
@click.option("--like", default="", help="An .idx of the same box, fields and blocks.")
@click.option(
    "--time", "times", type=float, multiple=True, help="Time value of step 0, 1, 2 ...; once for each."
)
@click.option(
    "--bits-per-block", default=0, help="As the writer was told, where only the schema file is left."
)
@click.option("--blocks-per-file", default=0, help="The same.")
@click.option("--write", is_flag=True, help="Write the new .idx; the old one is kept under another name.")
@click.option("--json", "as_json", is_flag=True, help="What --rebuild found, as JSON.")
def repair(
    path: str,
    to_time: float | None,
    rebuild: bool,
    adopt: bool,
    like: str,
    times: tuple[float, ...],
    bits_per_block: int,
    blocks_per_file: int,
    write: bool,
    as_json: bool,
) -> None:
    """Remove what killed runs left in the dataset at PATH: files of unfinished steps, temporary files, the lock.

    Committed steps stay, but for those after --to-time. Prints what is removed. Appending to a dataset does the same.
    PATH is that of an .idx, a NetCDF or an HDF5 file; of a dataset in two formats, either: both are repaired.

    With --rebuild: the .idx is made again from its block files. Steps count whose blocks are all whole. Box, fields and
    blocks are those of --like, of what is left of the .idx, or of the schema file beside it. Files of steps that are
    given up stay until appending, or repair without --rebuild, removes them. Of a directory of several .idx, PATH is that
    of the one to make again.
    """
    if adopt:
        if rebuild or to_time is not None:
            raise click.UsageError("--adopt goes with no other option")
        with as_exit_status():
            esker.adopt(path)
        click.echo(f"{path}: its blocks are those in the directory of its name")
        return
    if rebuild:
        if to_time is not None:
            raise click.UsageError("--to-time is not for --rebuild")
        with as_exit_status():
            found = esker.rebuild(
                path,
                like,
                times=times,
                bits_per_block=bits_per_block,
                blocks_per_file=blocks_per_file,
                write=write,
            )
        _show(found, as_json)
        return
    if like or times or bits_per_block or blocks_per_file or write or as_json:
        raise click.UsageError(
            "--like, --time, --bits-per-block, --blocks-per-file, --write and --json need --rebuild"
        )
    with as_exit_status():
        before = len(esker.open(path).steps)
        removed = esker.repair(path, to_time)
        after = len(esker.open(path).steps)
        others = _halves_that_differ(path)
    for other, steps in others:
        click.echo(
            f"esker: warning: {other} holds the same fields, but {steps} steps; it is not known to be written together "
            f"with {path}, and is not touched",
            err=True,
        )
    dropped = f", {before - after} dropped" if after < before else ""
    for file in removed[:_MAX_SHOWN]:
        click.echo(f"removed {file}")
    if len(removed) > _MAX_SHOWN:
        click.echo(f"... and {len(removed) - _MAX_SHOWN} more")
    click.echo(f"{path}: {after} steps{dropped}, {len(removed)} files removed, nothing left over")


def _halves_that_differ(path: str) -> list[tuple[Path, int]]:
    """Files of the same name with the same fields and other steps: of runs in two formats that did not note it."""
    mine = esker.open(path)
    found = []
    for suffix in _core.dataset_suffixes():
        other = stem_of(path).with_name(stem_of(path).name + suffix)
        if not other.is_file() or other == Path(path):
            continue
        try:
            ds = esker.open(other)
        except OSError:  # not a dataset
            continue
        if ds.fields.keys() == mine.fields.keys() and ds.steps != mine.steps:
            found.append((other, len(ds.steps)))
    return found


def _show(found: esker.Rebuilt, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
        return
    for line in found.deduced:
        click.echo(f"deduced: {line}")
    for line in found.given_up:
        click.echo(f"given up: {line}")
    if found.old_file:
        click.echo(f"the old file is {found.old_file}")
    click.echo(
        f"{found.path}: {found.steps} steps, "
        + ("written" if found.written else "nothing changed without --write")
    )
