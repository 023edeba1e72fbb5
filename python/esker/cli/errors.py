"""Turns the library's exceptions into messages and exit statuses of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def as_exit_status() -> Iterator[None]:
    """Errors raised inside end the command with exit status 2 (wrong arguments, such as a missing file) or 1
    (others)."""
    try:
        yield
    except (FileNotFoundError, KeyError, IndexError, ValueError) as error:
        raise click.UsageError(text_of(error), click.get_current_context()) from error
    except (OSError, ImportError, NotImplementedError, MemoryError, RuntimeError) as error:
        raise click.ClickException(text_of(error)) from error


def text_of(error: Exception) -> str:
    """The message of an exception, without the class and the error number that Python adds."""
    if (
        isinstance(error, OSError) and error.errno is not None
    ):  # from Python; the library's messages are complete
        return f"{error.filename or 'output'}: {error.strerror}"
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
