"""esker info --config: what options are in force, and from where."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from esker import _core
from esker.cli.tables import console, show, table


def print_config(as_json: bool) -> None:
    """Every option with its value, where that comes from, and what it does."""
    options = describe_config()
    if as_json:
        click.echo(json.dumps({"options": options}, indent=2))
        return
    _print(console(), options)


def describe_config() -> list[dict[str, Any]]:
    """What --json prints. Values as configuration files take them."""
    return [
        {"name": option.name, "value": option.value, "source": option.source, "help": option.help}
        for option in _core.options()
    ]


def _print(out: Console, options: list[dict[str, Any]]) -> None:
    shown = table("option", "value", "from", "what")
    for option in options:
        value = Text(option["value"] or '""')
        shown.add_row("", option["name"], value, Text(option["source"]), Text(option["help"]))
    show(out, shown)
    out.print(
        Text(
            "Set in esker.toml here or the file that ESKER_CONFIG names, above it in the environment"
            " (ESKER_BITS_PER_BLOCK=15), above that in the program."
        )
    )
