"""esker tune: the options that change how fast a run writes."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from esker.cli.arguments import collected_in
from esker.cli.errors import as_exit_status
from esker.cli.step_arguments import StepOptions, step_options
from esker.cli.tables import console, show, table
from esker.cli.tune_characterize import characterize_command
from esker.cli.tune_dataset import dataset_command
from esker.cli.tune_explain import explain_command
from esker.cli.tune_fit import fit_command
from esker.planning import planner


@dataclass(frozen=True)
class SpaceOptions(StepOptions):
    """Arguments of `esker tune space`."""

    as_json: bool

    def check(self) -> None:
        """Raises UsageError unless the arguments go together."""
        super().check()
        if self.lists_several():
            raise click.UsageError("--keep, --keep-order and --bits-per-block: expected single values")


@click.group("tune")
def tune_command() -> None:
    """Show what can be tuned, and learn from measurements. To tune a run while it writes, set tune=auto."""


tune_command.add_command(characterize_command, "characterize")
tune_command.add_command(dataset_command, "dataset")
tune_command.add_command(explain_command, "explain")
tune_command.add_command(fit_command, "fit")


@tune_command.command(
    "space",
    short_help="Print the options that change the speed of a step.",
    epilog="""\b
    Examples:
      esker tune space --ranks 64 --block 64,64,64 --fields 16
      esker tune space --ranks 16 --global 600,600,300 --format cdf5 --json""",
)
@step_options
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
@collected_in(SpaceOptions)
def space_command(options: SpaceOptions) -> None:
    """Print the options that change the speed of a step, the values worth trying, and what it costs to change
    them between two steps of a run.

    "a new plan": tune=auto may change it; the bytes of the files stay the same. "closing and appending": the
    same bytes, but not within one writer. "a new dataset": it changes the bytes. Options without values have
    none worth trying for this step, or take any.

    The step is described as for esker plan.
    """
    options.check()
    with as_exit_status():
        ranks, arguments = options.arguments()
        plan = options.planner()(ranks, **arguments)
        space = planner.tuning_space(plan, options.settings())
    if options.as_json:
        click.echo(json.dumps({"ranks": plan["ranks"], "options": space}, indent=2))
        return
    made = table("option", "configured", "change costs", "values", "constraint")
    for option in space:
        values = "set by the user" if option["is_set"] else " ".join(option["values"])
        made.add_row("", option["option"], option["value"], option["cost"], values, option["constraint"])
    show(console(), made)
