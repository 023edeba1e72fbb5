"""Copies the files of a dataset to a staging directory, and checks that none is missing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from esker import _core
from esker.files.dataset_files import DatasetFiles, files_of, indexes_of, path_of
from esker.files.durable import replace_text, sync
from esker.files.trees import identity_of

Progress = Callable[[float], None]

_CHUNK = 16 << 20


def copy_files(found: DatasetFiles, to: DatasetFiles, staging: Path, progress: Progress | None) -> None:
    """Copies all files to the staging directory, under the target's names, and flushes them to the device."""
    pairs = [(old, staging / new.name) for old, new in zip(files_of(found), files_of(to), strict=True)]
    files = [(old, new) for pair in pairs if os.path.lexists(pair[0]) for old, new in _tree(*pair)]
    before = [identity_of(old, follow_links=True) for old, _ in files]
    total = sum(old.stat().st_size for old, _ in files) or 1
    done = 0
    for old, new in files:
        new.parent.mkdir(parents=True, exist_ok=True)
        with old.open("rb") as reading, new.open("wb") as writing:
            while bytes_ := reading.read(_CHUNK):
                writing.write(bytes_)
                done += len(bytes_)
                if progress:
                    progress(min(1.0, done / total))
            writing.flush()
            os.fsync(writing.fileno())
    for (old, _), identity in zip(files, before):
        if identity_of(old, follow_links=True) != identity:
            raise OSError(
                f"{old}: changed while it was copied; repeat the command when no program writes to it"
            )
    for (old, renamed), new in zip(indexes_of(found).items(), indexes_of(to), strict=True):
        replace_text(staging / new.name, renamed(os.fspath(old), to.stem.name))
    for directory, _, _ in os.walk(staging):
        sync(Path(directory))


def refuse_incomplete(found: DatasetFiles, to: DatasetFiles, staging: Path) -> None:
    """Raises OSError if the copy lacks block or step files or shards of the source, for example ones in a
    directory of another name."""
    pairs = [(path_of(found), path_of(to))] if found.is_idx or found.is_directory else []
    pairs += [(found.series, to.series)] if found.series and to.series else []
    pairs += [(found.group, to.group)] if found.group and to.group else []
    for old, new in pairs:
        paths = old, staging / new.name
        here, there = map(_storage, paths)
        if (there.files, there.bytes) == (here.files, here.bytes):
            continue
        what = {found.series: "step", found.group: "shard"}.get(old, "block")
        raise OSError(
            f"copy of {old}: expected {here.files} {what} files with {here.bytes} bytes, found "
            f"{there.files} with {there.bytes} bytes in {staging}; the copy was not published"
        )


def _storage(path: Path) -> _core.Storage:
    try:
        return _core.open(os.fspath(path)).storage()
    except KeyError as error:
        raise FileNotFoundError(f"{path}: the copy was not published: {error.args[0]}") from None


def _tree(old: Path, new: Path, above: tuple[tuple[int, int], ...] = ()) -> Iterator[tuple[Path, Path]]:
    """The files at or below `old`, paired with their copies at or below `new`. Links are followed."""
    if old.is_file():
        yield old, new
        return
    if not old.is_dir():
        raise OSError(f"{old}: expected a file, a directory or a link to one of these; correct or remove it")
    place = old.stat().st_dev, old.stat().st_ino
    if place in above:
        raise OSError(f"{old}: a link to a directory that contains it; remove the link")
    for name in sorted(os.listdir(old)):
        yield from _tree(old / name, new / name, (*above, place))
