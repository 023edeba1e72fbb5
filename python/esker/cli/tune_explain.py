"""esker tune explain: what bounds a run, from its report or from a Darshan log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import esker
from esker import _core
from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.errors import as_exit_status
from esker.cli.tables import console, print_phases, show, table
from esker.tune import machine
from esker.tune.explain import access, darshan_log, figures, run, run_report
from esker.tune.fit import trees

_MOST_EFFECTS = 8


@dataclass(frozen=True)
class ExplainOptions:
    """Arguments of `esker tune explain`."""

    path: Path
    machine: str | None
    model: Path | None
    fields: int
    plot: Path | None
    as_json: bool


@click.command(
    "explain",
    short_help="Say what bounds a run, and what could be changed.",
    epilog="""\b
    Examples:
      esker tune explain run.report.json
      esker tune explain run.report.json --machine here.toml --fields 16 --plot explained.png
      esker tune explain model_id4711.darshan""",
)
@click.argument("path", metavar="REPORT", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--machine", help="Machine file, or a machine that Esker comes with: adds the limits of the machine."
)
@click.option(
    "--model",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Model of `esker tune fit --export`.  [default: the installed one]",
)
@click.option(
    "--fields",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Scalar fields of a step, for the model.",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw one picture.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
@collected_in(ExplainOptions)
def explain_command(options: ExplainOptions) -> None:
    """Say what bounds the steps of a run, from its JSON report, in plain words.

    Names the phase that bounds a step: the longest one on the critical path, which is the rank that the others wait for.
    Says what waits for it, what tune=auto did, and what is left to try. With --machine: what limit of the machine would
    remain, and how far the step is from it. With a model of this machine: what would change if an option were doubled,
    halved or set to another value.

    REPORT may also be a Darshan log (*.darshan) of any program: the shape of its accesses, the time in POSIX and
    MPI-IO, and advice. That needs PyDarshan: pip install 'esker[darshan]'.
    """
    kind = kind_of_picture(options.plot) if options.plot else None
    is_log = options.path.suffix == ".darshan"
    note = ""
    with as_exit_status():
        if is_log:
            facts = access.explain(darshan_log.read(options.path))
        else:
            model, note = _model(options)
            of = machine.read(options.machine) if options.machine else None
            facts = run.explain(run_report.read(options.path), of, model, options.fields)
        if options.plot:
            draw = figures.of_log if is_log else figures.of_run
            draw(facts).savefig(options.plot, format=kind)
    if options.as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    if not is_log:
        _print_run(facts)
    for sentence in facts["sentences"]:
        click.echo(sentence)
    if note:
        click.echo(note)


def _model(options: ExplainOptions) -> tuple[trees.Trees | None, str]:
    """The model that was asked for, or the installed one if it is good; else a note why there is none."""
    where = (_core.machine_kind(), esker.__version__)
    if options.model:
        return trees.read(options.model, *where), ""
    try:
        return trees.read(trees.installed_path(), *where), ""
    except FileNotFoundError:
        return None, "No model is installed (esker tune fit --install): other settings are not predicted."
    except (OSError, ValueError) as error:
        return None, f"The installed model is not used: {error}"


def _print_run(facts: dict[str, Any]) -> None:
    print_phases(facts)
    out = console()
    if limits := facts.get("limits_s"):
        made = table(f"limit on {facts['machine']}", "ms", right=("ms",))
        for name, seconds in limits.items():
            made.add_row("", name, f"{1e3 * seconds:.3g}" if seconds else "-")
        show(out, made)
    if effects := facts.get("effects"):
        made = table("option", "now", "then", "predicted time", right=("predicted time",))
        for effect in effects[:_MOST_EFFECTS]:
            made.add_row("", effect["option"], effect["now"], effect["then"], f"{effect['ratio']:.2f}")
        show(out, made)
