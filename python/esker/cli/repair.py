"""esker repair: removes leftovers of killed runs, or rebuilds an .idx file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import click

import esker
from esker import _core
from esker.base.counts import count_of
from esker.cli.arguments import collected_in
from esker.cli.errors import as_exit_status
from esker.files.repairing import stem_of

_MAX_SHOWN = 20


@dataclass(frozen=True)
class RepairOptions:
    """Arguments of `esker repair`."""

    path: str
    to_time: float | None
    rebuild: bool
    adopt: bool
    like: str
    times: tuple[float, ...]
    bits_per_block: int
    blocks_per_file: int
    write: bool
    as_json: bool

    @property
    def uses_rebuild(self) -> bool:
        """Whether an option is given that requires --rebuild."""
        values = (self.like, self.times, self.bits_per_block, self.blocks_per_file, self.write, self.as_json)
        return any(values)


@click.command(
    epilog="""\b
    Examples:
      esker repair run.idx
      esker repair run.idx --to-time 150                        # also drops every step after time 150
      esker repair run.idx --rebuild --like other.idx           # shows what a new run.idx would contain
      esker repair run.idx --rebuild --like other.idx --write   # keeps the old file as run.idx.old"""
)
@click.argument("path")
@click.option("--to-time", type=float, help="Drop all committed steps after this time.")
@click.option(
    "--rebuild",
    is_flag=True,
    help="Rebuild a missing or damaged .idx file. Changes nothing without --write.",
)
@click.option(
    "--adopt",
    is_flag=True,
    help="After an .idx file was copied or renamed by hand: use the blocks in the directory with the new "
    "name.",
)
@click.option("--like", default="", help="An .idx file with the same box, fields and blocks.")
@click.option(
    "--time", "times", type=float, multiple=True, help="Time value of step 0, 1, 2 ...; repeat for each step."
)
@click.option(
    "--bits-per-block", default=0, help="The writer's option; needed if only the schema file is left."
)
@click.option(
    "--blocks-per-file", default=0, help="The writer's option; needed if only the schema file is left."
)
@click.option(
    "--write", is_flag=True, help="Write the new .idx file; the old one is kept under another name."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result of --rebuild as JSON.")
@collected_in(RepairOptions)
def repair_command(options: RepairOptions) -> None:
    """Remove leftovers of killed runs from the dataset at PATH: files of unfinished steps, temporary files,
    the lock.

    Keeps all committed steps, except those after --to-time. Prints the removed files. Appending to a dataset
    does the same. PATH is an .idx, NetCDF or HDF5 file, or a Zarr group. If the dataset is stored in two formats, both are
    repaired.

    With --rebuild, the .idx file is rebuilt from its block files, with all steps whose blocks are complete.
    Box, fields and block sizes come from --like, from the remains of the .idx file, or from the schema file
    next to it. Files of dropped steps remain until appending, or repair without --rebuild, removes them. For
    a directory with several .idx files, PATH is the one to rebuild.
    """
    if options.adopt:
        _adopt(options)
    elif options.rebuild:
        _rebuild(options)
    else:
        _remove_leftovers(options)


def _adopt(options: RepairOptions) -> None:
    if options.rebuild or options.to_time is not None:
        raise click.UsageError("--adopt cannot be combined with --rebuild or --to-time")
    with as_exit_status():
        esker.adopt(options.path)
    click.echo(f"{options.path}: now uses the blocks in {stem_of(options.path)}/")


def _rebuild(options: RepairOptions) -> None:
    if options.to_time is not None:
        raise click.UsageError("--to-time cannot be combined with --rebuild")
    with as_exit_status():
        found = esker.rebuild(
            options.path,
            options.like,
            times=options.times,
            bits_per_block=options.bits_per_block,
            blocks_per_file=options.blocks_per_file,
            write=options.write,
        )
    if options.as_json:
        click.echo(json.dumps(asdict(found), indent=2))
    else:
        _print_rebuilt(found)


def _print_rebuilt(found: esker.Rebuilt) -> None:
    for line in found.deduced:
        click.echo(f"deduced: {line}")
    for line in found.given_up:
        click.echo(f"lost: {line}")
    if found.old_file:
        click.echo(f"the old file is {found.old_file}")
    result = "written" if found.written else "nothing changed; to write it, add --write"
    click.echo(f"{found.path}: {count_of(found.steps, 'step')}, {result}")


def _remove_leftovers(options: RepairOptions) -> None:
    path = options.path
    if options.uses_rebuild:
        raise click.UsageError(
            "--like, --time, --bits-per-block, --blocks-per-file, --write and --json require --rebuild"
        )
    with as_exit_status():
        before = len(esker.open(path).steps)
        removed = esker.repair(path, options.to_time)
        after = len(esker.open(path).steps)
        others = _unrelated_halves(path)
    for other, steps in others:
        click.echo(
            f"esker: warning: {other} has the same fields but {count_of(steps, 'step')}; "
            f"it may not belong to {path} and was not changed",
            err=True,
        )
    for file in removed[:_MAX_SHOWN]:
        click.echo(f"removed {file}")
    if len(removed) > _MAX_SHOWN:
        click.echo(f"... and {len(removed) - _MAX_SHOWN} more")
    dropped = f", {before - after} dropped" if after < before else ""
    click.echo(
        f"{path}: {count_of(after, 'step')}{dropped}, {count_of(len(removed), 'file')} removed, no leftovers"
    )


def _unrelated_halves(path: str) -> list[tuple[Path, int]]:
    """Datasets with the same name and fields but other steps: older versions did not record that both belong
    together."""
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
