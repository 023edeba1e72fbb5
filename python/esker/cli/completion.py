"""esker completion: shell completion of the verbs and their options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(
    epilog="""\b
    Examples:
      esker completion bash > ~/.local/share/bash-completion/completions/esker
      esker completion zsh > ~/.zfunc/_esker
      esker completion fish > ~/.config/fish/completions/esker.fish"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the script that lets SHELL complete esker's verbs and options."""
    command = click.get_current_context().find_root().command
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(command, {}, "esker", "_ESKER_COMPLETE").source())
