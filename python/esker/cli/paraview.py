"""esker paraview: the plug-in for ParaView."""

from __future__ import annotations

import click

from esker.cli.errors import as_exit_status
from esker.integrations.vtk.paraview import HOW, PLUGIN, check


@click.command(
    "paraview",
    epilog="""\b
    Examples:
      esker paraview
      esker paraview --check
      pvpython script.py $(esker paraview --path)""",
)
@click.option("--path", "only_path", is_flag=True, help="Print the path of the plug-in and nothing else.")
@click.option("--check", "try_it", is_flag=True, help="Load the plug-in in pvpython, which must be in PATH.")
def paraview_command(only_path: bool, try_it: bool) -> None:
    """Say where the plug-in for ParaView is and how to load it.

    ParaView then opens IDX and Zarr datasets at any level, with boxes, fields and time steps; docs/guide/programs.md.
    """
    with as_exit_status():
        if try_it:
            click.echo(check())
        else:
            click.echo(PLUGIN if only_path else HOW)
