"""esker manual: man pages, generated from the --help texts."""

from __future__ import annotations

from pathlib import Path

import click

from esker import __version__


@click.command(
    epilog="""\b
    Examples:
      esker manual -o ~/.local/share/man/man1 && man esker-plot"""
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Directory to write to.",
)
def manual_command(output: Path) -> None:
    """Write a man page for esker and one for each verb."""
    context = click.get_current_context().find_root()
    group = context.command
    assert isinstance(group, click.Group)
    output.mkdir(parents=True, exist_ok=True)
    pages = {"esker": page("esker", group, context)}
    for verb, command in group.commands.items():
        with click.Context(command, info_name=verb, parent=context) as own:
            pages[f"esker-{verb}"] = page(f"esker-{verb}", command, own)
    for name, text in pages.items():
        (output / f"{name}.1").write_text(text, encoding="utf-8")
    click.echo(f"{output}: {len(pages)} pages")


def page(name: str, command: click.Command, context: click.Context) -> str:
    """One page, in roff."""
    lines = [f'.TH "{name.upper()}" "1" "" "esker {__version__}" "Esker"', ".SH NAME"]
    lines.append(f"{_text(name)} \\- {_text(command.get_short_help_str(200))}")
    usage = " ".join(command.collect_usage_pieces(context))
    lines += [".SH SYNOPSIS", f"\\fB{_text(context.command_path)}\\fR {_text(usage)}", ".SH DESCRIPTION"]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [_text(" ".join(paragraph.split())), ".PP"]
    lines.append(".SH OPTIONS")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            lines += [".TP", f"\\fB{_text(record[0])}\\fR", _text(" ".join(record[1].split()))]
    if isinstance(command, click.Group):
        lines.append(".SH VERBS")
        for verb in command.list_commands(context):
            lines += [
                ".TP",
                f"\\fBesker\\-{_text(verb)}\\fR(1)",
                _text(command.commands[verb].get_short_help_str(200)),
            ]
    examples = [
        line.strip() for line in (command.epilog or "").splitlines() if line.strip().startswith("esker ")
    ]
    if examples:
        lines += [".SH EXAMPLES", ".nf", *map(_text, examples), ".fi"]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Escapes what roff would take for a command."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
