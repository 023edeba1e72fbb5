"""esker options: the options of writers, group by group, and where each one is set."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from esker import _core
from esker.cli.errors import as_exit_status
from esker.cli.tables import console, show, table

_TITLES = {
    "dataset": "what is stored",
    "speed": "how steps are written, with how much memory; defaults suit most runs, and tune=auto tries others",
    "safety": "what happens when something fails",
    "experts": "details that few runs need to set",
}


@click.command(
    epilog="""\b
    Examples:
      esker options
      ESKER_FSYNC=step esker options safety"""
)
@click.argument("group", required=False, type=click.Choice(list(_TITLES)))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def options_command(group: str | None, as_json: bool) -> None:
    """Show the options of writers, of all groups or of GROUP, with their values and where these come from."""
    with as_exit_status():
        print_config(as_json, group)


def print_config(as_json: bool, group: str | None = None) -> None:
    """Prints every option, or those of a group, with its value, the place that sets it, and a description."""
    options = [option for option in describe_config() if group in (None, option["group"])]
    if as_json:
        click.echo(json.dumps({"options": options}, indent=2))
        return
    _print(console(), options)


def describe_config() -> list[dict[str, Any]]:
    """The output of --json; values in the syntax of configuration files."""
    return [
        {
            "name": option.name,
            "value": option.value,
            "source": option.source,
            "help": option.help,
            "group": option.group,
        }
        for option in _core.options()
    ]


def _print(out: Console, options: list[dict[str, Any]]) -> None:
    for group, title in _TITLES.items():
        of_group = [option for option in options if option["group"] == group]
        if not of_group:
            continue
        out.print(Text(f"{group}: {title}", style="bold"))
        shown = table("option", "value", "from", "description")
        for option in of_group:
            value = Text(option["value"] or '""')
            shown.add_row("", option["name"], value, Text(option["source"]), Text(option["help"]))
        show(out, shown)
        out.print()
    out.print(
        Text(
            "Options are set in ./esker.toml or the file named by ESKER_CONFIG. Environment variables"
            " (ESKER_BITS_PER_BLOCK=15) override the file; the program overrides both."
        )
    )
