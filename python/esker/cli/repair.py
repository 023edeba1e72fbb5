"""esker repair: remove what killed runs left, or make an .idx again."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

import esker
from esker.cli.errors import as_exit_status

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
    like: str,
    times: tuple[float, ...],
    bits_per_block: int,
    blocks_per_file: int,
    write: bool,
    as_json: bool,
) -> None:
    """Remove what killed runs left in the dataset at PATH: files of unfinished steps, temporary files, the lock.

    Committed steps stay, but for those after --to-time. Prints what is removed. Appending to a dataset does the same.

    With --rebuild: the .idx is made again from its block files. Steps count whose blocks are all whole. Box, fields and
    blocks are those of --like, of what is left of the .idx, or of the schema file beside it. Files of steps that are
    given up stay until appending, or repair without --rebuild, removes them. Of a directory of several .idx, PATH is that
    of the one to make again.
    """
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
    dropped = f", {before - after} dropped" if after < before else ""
    for file in removed[:_MAX_SHOWN]:
        click.echo(f"removed {file}")
    if len(removed) > _MAX_SHOWN:
        click.echo(f"... and {len(removed) - _MAX_SHOWN} more")
    click.echo(f"{path}: {after} steps{dropped}, {len(removed)} files removed, nothing left over")


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
