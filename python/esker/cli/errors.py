"""What the library raises, as the command line says it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def as_exit_status() -> Iterator[None]:
    """Errors of Esker calls inside become exit status 2 (the arguments name what is not there) or 1 (the rest)."""
    try:
        yield
    except (FileNotFoundError, KeyError, IndexError, ValueError) as error:
        raise click.UsageError(text_of(error), click.get_current_context()) from error
    except (OSError, NotImplementedError, MemoryError, RuntimeError) as error:
        raise click.ClickException(text_of(error)) from error


def text_of(error: Exception) -> str:
    """Without the class and the number that Python puts before it."""
    if isinstance(error, OSError) and error.errno is not None:  # not the library's, which says it all
        return f"{error.filename or 'output'}: {error.strerror}"
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
