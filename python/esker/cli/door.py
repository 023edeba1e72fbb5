"""esker door: a file by which programs of netCDF open a dataset at a level."""

from __future__ import annotations

from pathlib import Path

import click

from esker.base.boxes import Box
from esker.cli.arguments import box_option
from esker.cli.errors import as_exit_status
from esker.integrations.netcdf import write_door


@click.command(
    "door",
    epilog="""\b
    Examples:
      esker door run.idx run.nc
      esker door run.idx coarse.nc --level 12
      esker run --netcdf -- cdo sinfo coarse.nc""",
)
@click.argument("path", metavar="PATH")
@click.argument("door", type=click.Path(path_type=Path), metavar="DOOR")
@click.option("--level", type=int, help="Resolution level of the largest field.  [default: the finest]")
@box_option
def door_command(path: str, door: Path, level: int | None, box: Box | None) -> None:
    """Write DOOR, a small file that programs of netCDF open in place of the dataset at PATH.

    Programs such as CDO and GDAL look at the first bytes of a file before they call netCDF, so that they refuse .idx files;
    a door is a netCDF file. It is in the directory of the dataset, or above it. Programs read it through the plug-in, with
    `esker run --netcdf`.
    """
    with as_exit_status():
        write_door(path, door, level, box)
