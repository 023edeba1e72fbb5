"""esker run: starts a program that reads datasets of Esker as its own files."""

from __future__ import annotations

import os
import shutil

import click

from esker.cli.errors import as_exit_status
from esker.integrations.netcdf import preloaded


@click.command(
    "run",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="""\b
    Examples:
      esker run --netcdf -- ncdump -h run.idx
      esker run --netcdf --level 12 -- ncks -v thk run.idx thk.nc
      esker run --netcdf -- cdo sinfo run.nc       # a door, written by `esker door run.idx run.nc`""",
)
@click.option("--netcdf", is_flag=True, help="Load the plug-in for netCDF into PROGRAM.")
@click.option(
    "--level",
    type=int,
    help="Resolution level of datasets that are opened without a door.  [default: the finest]",
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM...")
def run_command(netcdf: bool, level: int | None, program: tuple[str, ...]) -> None:
    """Start PROGRAM so that it reads datasets of Esker in place of netCDF files, without being changed.

    Its exit status is that of PROGRAM.
    """
    if not netcdf:
        raise click.UsageError("expected --netcdf")
    if shutil.which(program[0]) is None:
        raise click.UsageError(f"{program[0]}: no such program")
    with as_exit_status():
        environment = preloaded(os.environ, level)
        os.execvpe(program[0], program, environment)
