"""Publishes datasets by rename once they are complete; until then, existing files are kept."""

from __future__ import annotations

import glob
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from esker import _core
from esker.base.options import Option, option_texts

_OLD = ".old"
_PARTIAL = ".partial"


@dataclass
class Staging:
    """A temporary location for files until they are published."""

    path: Path
    """Path to write to, in a temporary directory."""
    published: list[Path] = field(default_factory=list)
    """The published files and directories; empty before."""


@contextmanager
def staged(path: Path, old: Iterable[str] = ()) -> Iterator[Staging]:
    """Stages the files of `path` in a temporary directory, and publishes all of them by rename when the block
    ends.

    `old` are names in the directory of `path` to remove then. If the block raises, nothing changes. A process
    that is killed leaves a directory `.NAME.*.partial`.
    """
    partial = _partial_directory(path)
    try:
        staging = Staging(partial / path.name)
        yield staging
        staging.published = _publish(partial, path.parent, old)
    finally:
        replaced = partial / _OLD
        # If publishing failed, it may still hold old files that could not be moved back.
        if staging.published or not replaced.exists() or not os.listdir(replaced):
            shutil.rmtree(partial, ignore_errors=True)


def _partial_directory(path: Path) -> Path:
    """A new directory next to `path`. Errors name the directory that was asked for."""
    try:
        return Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=_PARTIAL, dir=path.parent))
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path.parent)) from error


@contextmanager
def new_dataset(
    path: str | os.PathLike[str], format: str | None, overwrite: Option | None
) -> Iterator[Staging]:
    """Stages the dataset that esker.Writer creates for `path`, and holds the lock of `path` until it is
    published.

    Raises FileExistsError like esker.Writer: if `path` exists, unless `overwrite` is set and Esker wrote it.
    """
    target = Path(path)
    texts = option_texts({"format": format, "overwrite": overwrite, "report": "none"})
    guard = _core.create(os.fspath(path), texts, None)
    try:
        options = json.loads(guard.report_json())["configuration"]
        stem = _core.split_name(target.name).stem
        old = [f"{target.name}.esker-journal"]
        formats = options["format"]["value"].split("+")
        if "idx" in formats:
            old += [stem, f"{stem}.idx", f"{stem}.schema.json", f"{stem}.esker-merge"]
        if "vtkhdf" in formats:
            old += [f"{stem}.vtkhdf.series", f"{stem}.vtkhdf.steps"]
        _remove_partial(target)
        with staged(target, old) as staging:
            yield staging
    finally:
        with suppress(Exception):  # the guard only held the lock
            guard.abandon(RuntimeError("the dataset was written by another writer"))


def _remove_partial(path: Path) -> None:
    """Removes staging directories that killed processes left. The caller holds the lock of `path`.
    Directories with replaced files that were not published are kept."""
    for partial in path.parent.glob(f".{glob.escape(path.name)}.*{_PARTIAL}"):
        replaced = partial / _OLD
        if not replaced.is_dir() or not os.listdir(replaced):
            shutil.rmtree(partial, ignore_errors=True)


def _publish(partial: Path, parent: Path, old: Iterable[str]) -> list[Path]:
    """Moves the old files into a subdirectory of `partial` and the new ones into `parent`; undoes all if one
    fails."""
    # A series after its steps, an .idx after its blocks.
    new = sorted(os.listdir(partial), key=lambda name: (name.endswith(".idx"), name.endswith(".series")))
    replaced = partial / _OLD
    replaced.mkdir()
    existing = [name for name in sorted({*old, *new}) if os.path.lexists(parent / name)]
    moves = [(parent / name, replaced / name) for name in existing]
    moves += [(partial / name, parent / name) for name in new]
    done: list[tuple[Path, Path]] = []
    try:
        for move in moves:
            os.rename(*move)
            done.append(move)
    except BaseException:
        for source, target in reversed(done):
            os.rename(target, source)
        raise
    return [parent / name for name in new]
