"""The command `esker`: one module per verb. Exit status: 0 success, 1 bad data, 2 wrong usage."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn, TextIO

import click

from esker.cli import guard
from esker.cli.bench import bench_command
from esker.cli.completion import completion_command
from esker.cli.config import options_command
from esker.cli.convert import convert_command
from esker.cli.diff import diff_command
from esker.cli.door import door_command
from esker.cli.errors import text_of
from esker.cli.export import export_command
from esker.cli.info import info_command
from esker.cli.manual import manual_command
from esker.cli.merge import merge_command
from esker.cli.move import cp_command, mv_command
from esker.cli.movie import movie_command
from esker.cli.paraview import paraview_command
from esker.cli.plan import plan_command
from esker.cli.plot import plot_command
from esker.cli.repair import repair_command
from esker.cli.report import report_command
from esker.cli.run import run_command
from esker.cli.simulate import simulate_command
from esker.cli.tune import tune_command
from esker.cli.verify import verify_command
from esker.cli.version import show_version
from esker.cli.view import view_command
from esker.cli.view_query import view_query_command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=show_version,
    help="Show the version, and how it was built.",
)
def esker() -> None:
    """Inspect, check, convert and export multiresolution datasets that Esker or OpenVisus wrote.

    Exit status: 0 success, 1 the data are bad or could not be read, 2 wrong usage.
    """


# click before 8.2 (Debian 12) names a command as its function.
esker.add_command(bench_command, "bench")
esker.add_command(completion_command, "completion")
esker.add_command(convert_command, "convert")
esker.add_command(cp_command, "cp")
esker.add_command(diff_command, "diff")
esker.add_command(door_command, "door")
esker.add_command(export_command, "export")
esker.add_command(info_command, "info")
esker.add_command(manual_command, "manual")
esker.add_command(merge_command, "merge")
esker.add_command(movie_command, "movie")
esker.add_command(mv_command, "mv")
esker.add_command(options_command, "options")
esker.add_command(paraview_command, "paraview")
esker.add_command(plan_command, "plan")
esker.add_command(plot_command, "plot")
esker.add_command(repair_command, "repair")
esker.add_command(report_command, "report")
esker.add_command(run_command, "run")
esker.add_command(simulate_command, "simulate")
esker.add_command(tune_command, "tune")
esker.add_command(verify_command, "verify")
esker.add_command(view_command, "view")
esker.add_command(view_query_command, "view-query")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits; errors are one line on stderr."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    guard.run(lambda: _run(given), given)


def _run(arguments: Sequence[str]) -> NoReturn:
    warnings.showwarning = _show_warning
    try:
        sys.exit(esker.main(arguments, prog_name="esker", standalone_mode=False))
    except click.ClickException as error:
        # Of click 8.2; earlier ones print the help without an error.
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            sys.exit(error.exit_code)
        message = " ".join(error.format_message().split())
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "esker"
        click.echo(f"{command}: {message}", err=True)
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("esker: interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output is gone: print nothing, not even at exit
        sys.exit(1)
    except OSError as error:  # while printing or writing output
        click.echo(f"esker: {text_of(error)}", err=True)
        _close_quietly(sys.stdout)
        sys.exit(1)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Prints a warning as one line on stderr, without file and line number."""
    click.echo(f"esker: warning: {message}", err=True)


def _close_quietly(stream: TextIO) -> None:
    """Closes the stream so that exit does not try to write the rest again."""
    with suppress(OSError):
        stream.close()
