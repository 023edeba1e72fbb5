"""esker run: starts a program with a library of Esker in the place of another one."""

from __future__ import annotations

import os
import shutil

import click

from esker.cli.errors import as_exit_status
from esker.integrations.netcdf import preloaded
from esker.integrations.pnetcdf import replaced


@click.command(
    "run",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="""\b
    Examples:
      esker run --netcdf -- ncdump -h run.idx
      esker run --netcdf --level 12 -- ncks -v thk run.idx thk.nc
      esker run --netcdf -- cdo sinfo run.nc       # a door, written by `esker door run.idx run.nc`
      esker run --pnetcdf -- mpiexec -n 64 ./simulation""",
)
@click.option("--netcdf", is_flag=True, help="Load the plug-in for netCDF: PROGRAM reads datasets of Esker.")
@click.option(
    "--pnetcdf", is_flag=True, help="Put Esker's library in the place of PnetCDF: PROGRAM writes with Esker."
)
@click.option(
    "--level",
    type=int,
    help="With --netcdf: resolution level of datasets that are opened without a door.  [default: the finest]",
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM...")
def run_command(netcdf: bool, pnetcdf: bool, level: int | None, program: tuple[str, ...]) -> None:
    """Start PROGRAM, unchanged, so that it uses Esker: reads its datasets as netCDF files, or writes files of PnetCDF
    with it.

    Its exit status is that of PROGRAM.
    """
    if not netcdf and not pnetcdf:
        raise click.UsageError("expected --netcdf or --pnetcdf")
    if level is not None and not netcdf:
        raise click.UsageError("--level goes with --netcdf")
    if shutil.which(program[0]) is None:
        raise click.UsageError(f"{program[0]}: no such program")
    with as_exit_status():
        environment = dict(os.environ)
        if netcdf:
            environment = preloaded(environment, level)
        if pnetcdf:
            environment = replaced(environment)
        os.execvpe(program[0], program, environment)
