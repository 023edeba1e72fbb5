"""esker --version: the version, and how the library and the package were built."""

from __future__ import annotations

import platform
from importlib.util import find_spec

import click
import numpy as np

from esker import __version__, _core


def show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """The callback of the option: prints and exits."""
    if not wanted or context.resilient_parsing:
        return
    click.echo(f"esker, version {__version__}")
    click.echo(_core.build_facts(), nl=False)
    mpi = "none" if find_spec("esker._mpi") is None else "esker._mpi"
    click.echo(f"MPI: {mpi}")
    click.echo(f"Python: {platform.python_version()}, NumPy {np.__version__}")
    context.exit()
