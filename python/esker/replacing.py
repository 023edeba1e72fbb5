"""Datasets that take their place only when they are whole: until then, what is there stays."""

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
from esker.writer import Option, option_texts

_OLD = ".old"
_PARTIAL = ".partial"


@dataclass
class Place:
    """Where something is written before it stands where it belongs."""

    path: Path
    """To be written to, in a directory of its own."""
    made: list[Path] = field(default_factory=list)
    """Files and directories that stand in their places, once they do."""


@contextmanager
def in_place_of(path: Path, old: Iterable[str] = ()) -> Iterator[Place]:
    """A place to write what will be at `path`: all that is made beside it there moves beside `path`.

    `old` are names beside `path` that go when the block ends well. If it ends with an exception, nothing has changed; a
    process that is killed leaves a directory `.NAME.*.partial`.
    """
    partial = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=_PARTIAL, dir=path.parent))
    try:
        place = Place(partial / path.name)
        yield place
        place.made = _moved(partial, path.parent, old)
    finally:
        aside = partial / _OLD
        if (
            place.made or not aside.exists() or not os.listdir(aside)
        ):  # else it holds what could not be put back
            shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def new_dataset(
    path: str | os.PathLike[str], format: str | None, overwrite: Option | None
) -> Iterator[Place]:
    """A place for what esker.Writer makes at `path`, and the lock of `path` meanwhile.

    Raises FileExistsError as esker.Writer does: without `overwrite`, or for what Esker did not write.
    """
    target = Path(path)
    texts = option_texts({"format": format, "overwrite": overwrite, "report": "none"})
    guard = _core.create(os.fspath(path), texts, None)
    try:
        options = json.loads(guard.report_json())["configuration"]
        stem = target.name.removesuffix(".idx")
        old = [f"{target.name}.esker-journal"]
        if "idx" in options["format"]["value"].split("+"):
            old += [stem, f"{stem}.idx", f"{stem}.schema.json"]
        _remove_partial(target)
        with in_place_of(target, old) as place:
            yield place
    finally:
        with suppress(Exception):  # it makes no dataset
            guard.abandon(RuntimeError("another one has taken its place"))


def _remove_partial(path: Path) -> None:
    """What killed processes left that wrote to `path`, whose lock the caller holds; not where it holds what a killed
    process had moved aside."""
    for partial in path.parent.glob(f".{glob.escape(path.name)}.*{_PARTIAL}"):
        aside = partial / _OLD
        if not aside.is_dir() or not os.listdir(aside):
            shutil.rmtree(partial, ignore_errors=True)


def _moved(partial: Path, parent: Path, old: Iterable[str]) -> list[Path]:
    new = sorted(os.listdir(partial), key=lambda name: name.endswith(".idx"))  # behind what it names
    aside = partial / _OLD
    aside.mkdir()
    gone = [name for name in sorted({*old, *new}) if os.path.lexists(parent / name)]
    moves = [(parent / name, aside / name) for name in gone]
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
