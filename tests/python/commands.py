"""Runs the command `esker` in a process that is forked from one that has imported it: starting Python and importing
take longer than most commands."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["esker.cli"])


def run(arguments: Sequence[str], folder: Path, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
    """The installed command, in `folder`, with the variables of this process."""
    files = [folder.parent / f"{folder.name}.{name}" for name in ("stdout", "stderr")]
    process = _PROCESSES.Process(target=_command, args=(arguments, folder, dict(os.environ), files))
    process.start()
    process.join(timeout_s)
    if process.exitcode is None:
        process.kill()
        raise subprocess.TimeoutExpired(["esker", *arguments], timeout_s)
    output, errors = (file.read_text() for file in files)
    return subprocess.CompletedProcess(["esker", *arguments], process.exitcode, output, errors)


def _command(
    arguments: Sequence[str], folder: Path, variables: Mapping[str, str], files: Sequence[Path]
) -> NoReturn:
    from esker.cli import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    for descriptor, file in enumerate(files, start=1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    sys.argv = ["esker", *arguments]
    main()
