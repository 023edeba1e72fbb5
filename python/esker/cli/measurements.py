"""Arguments of commands that measure with esker-bench."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import click

from esker.bench import jobs

_Command = Callable[..., Any]


def measurement_options(repeat: int) -> Callable[[_Command], _Command]:
    """Adds --dir (as `directory`), --repeat, --store-rate, --program and --mpiexec."""
    options = (
        click.option("--dir", "directory", default=".", show_default=True, help="Directory for the data files."),
        click.option(
            "--repeat",
            default=repeat,
            show_default=True,
            type=click.IntRange(1),
            help="Repetitions of each measurement.",
        ),
        click.option(
            "--store-rate",
            type=click.FloatRange(min=0, min_open=True),
            metavar="BYTES",
            help="Storage takes this many bytes per second from each rank.",
        ),
        click.option("--program", help="Path of esker-bench.  [default: the one in this package, or in PATH]"),
        click.option("--mpiexec", help="MPI launcher.  [default: that of the program's MPI]"),
    )

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def program_and_launcher(program: str | None, mpiexec: str | None) -> tuple[str, str]:
    """The paths of esker-bench and of the MPI launcher that starts it. Raises RuntimeError."""
    found = program or jobs.find_program()
    if not found:
        raise RuntimeError("esker-bench was not found; build the package with MPI, or give --program")
    try:
        return found, mpiexec or jobs.output_of(found, "--mpiexec")
    except (OSError, subprocess.CalledProcessError) as error:
        raise RuntimeError(f"{found}: expected the program esker-bench: {error}") from error
