"""The page of the command line: the help of each verb of `esker`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

WIDTH = 78


def pages(root: Path) -> dict[str, str]:
    from esker.cli import esker

    lines = ["# Command line", ""]
    for name, command in verbs("esker", esker):
        context = click.Context(command, info_name=name, max_content_width=WIDTH, terminal_width=WIDTH)
        lines += [f"## {name}", "", "```text", command.get_help(context), "```", ""]
    return {"reference/command_line.md": "\n".join(lines)}


def verbs(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """The command and the verbs below it, each with its full name."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for verb in command.list_commands(context):
            found = command.get_command(context, verb)
            if found and not found.hidden:
                yield from verbs(f"{name} {verb}", found)
