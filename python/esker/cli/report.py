"""esker report: what a run did, from its JSON report, and a picture of what each rank did when."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.errors import as_exit_status
from esker.cli.tables import print_phases
from esker.tune.explain import run, run_report, timeline


@dataclass(frozen=True)
class ReportOptions:
    """Arguments of `esker report`."""

    path: Path
    draws_timeline: bool
    steps: int | None
    output: Path | None


@click.command(
    "report",
    short_help="Show what a run did, from its JSON report.",
    epilog="""\b
    Examples:
      esker report run.report.json
      esker report --timeline run.report.json
      esker report --timeline --steps 3 run.report.json -o last.svg""",
)
@click.argument("path", metavar="REPORT", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--timeline",
    "draws_timeline",
    is_flag=True,
    help="Draw what each rank did when, in the last steps. The run needs report_timeline=true.",
)
@click.option(
    "--steps",
    type=click.IntRange(1),
    help="Steps to draw: so many of the last.  [default: 1]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Picture file; its suffix chooses the format: png, pdf, svg, ...  [default: REPORT with .timeline.png]",
)
@collected_in(ReportOptions)
def report_command(options: ReportOptions) -> None:
    """Show what a run did, from the JSON report that it wrote next to its dataset.

    Prints the phases of a typical step: their mean over the ranks, on the slowest rank, and on the critical path, which
    is the rank that the others wait for. `esker tune explain` says what bounds them, and what could be changed.

    With --timeline it draws instead what each rank did when, and prints the name of the picture.
    """
    if (options.output or options.steps) and not options.draws_timeline:
        raise click.UsageError(f"{'-o' if options.output else '--steps'} is for --timeline")
    with as_exit_status():
        if not options.draws_timeline:
            print_phases(run.explain(run_report.read(options.path), None, None, 1))
            return
        output = options.output or options.path.with_name(
            options.path.name.removesuffix(".json").removesuffix(".report") + ".timeline.png"
        )
        kind = kind_of_picture(output)
        timeline.draw(timeline.read(options.path, options.steps or 1)).savefig(output, format=kind)
    click.echo(output)
