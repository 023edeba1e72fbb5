"""esker info --config: the current options and where each one is set."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from esker import _core
from esker.cli.tables import console, show, table


def print_config(as_json: bool) -> None:
    """Prints every option with its value, the place that sets it, and a description."""
    options = describe_config()
    if as_json:
        click.echo(json.dumps({"options": options}, indent=2))
        return
    _print(console(), options)


def describe_config() -> list[dict[str, Any]]:
    """The output of --json; values in the syntax of configuration files."""
    return [
        {"name": option.name, "value": option.value, "source": option.source, "help": option.help}
        for option in _core.options()
    ]


def _print(out: Console, options: list[dict[str, Any]]) -> None:
    shown = table("option", "value", "from", "description")
    for option in options:
        value = Text(option["value"] or '""')
        shown.add_row("", option["name"], value, Text(option["source"]), Text(option["help"]))
    show(out, shown)
    out.print(
        Text(
            "Options are set in ./esker.toml or the file named by ESKER_CONFIG. Environment variables"
            " (ESKER_BITS_PER_BLOCK=15) override the file; the program overrides both."
        )
    )
