"""Renames that publish or move a dataset, and whether links survive them."""

from __future__ import annotations

import os
from pathlib import Path

from esker.files.dataset_files import DatasetFiles, files_of, indexes_of
from esker.files.durable import replace_text
from esker.files.trees import walk


def publication(to: DatasetFiles, staging: Path) -> list[tuple[Path, Path]]:
    """Renames that publish the copied files. The file that makes it a dataset (the .idx if there is one) is
    last."""
    names = [path for path in reversed(files_of(to)) if (staging / path.name).exists()]
    return [(staging / path.name, path) for path in names]


def renames_of(found: DatasetFiles, to: DatasetFiles, staging: Path) -> list[tuple[Path, Path]]:
    """Renames that move a dataset: blocks, then indexes, then the old indexes out of the way."""
    pairs = [(old, new) for old, new in zip(files_of(found), files_of(to), strict=True) if os.path.lexists(old)]
    indexes = indexes_of(found)
    others = [pair for pair in pairs if pair[0] not in indexes]
    new: list[tuple[Path, Path]] = []
    removed: list[tuple[Path, Path]] = []
    for (old, renamed), target in zip(indexes.items(), indexes_of(to), strict=True):
        made = staging / f"new{target.suffix}"
        replace_text(made, renamed(os.fspath(old), to.stem.name))
        new.append((made, target))
        removed.append((old, staging / f"old{made.suffix}"))
    return [*others[::-1], *new[::-1], *removed]


def can_be_renamed(found: DatasetFiles, to: DatasetFiles, staging: Path) -> bool:
    """Whether all files are on the target's file system, and renaming does not break links."""
    device = staging.stat().st_dev
    for old, new in zip(files_of(found), files_of(to), strict=True):
        if not os.path.lexists(old):
            continue
        if old.lstat().st_dev != device or not all(_link_survives(path, old, new) for path in walk(old)):
            return False
    return True


def _link_survives(path: Path, old: Path, new: Path) -> bool:
    """Whether a link at or below `old` has the same target after `old` is renamed to `new`; True for
    files."""
    if not path.is_symlink():
        return True
    here, there = (Path(os.path.realpath(one.parent), one.name) for one in (old, new))
    inner, link = path.relative_to(old), os.readlink(path)
    before, after = (Path(os.path.normpath((one / inner).parent / link)) for one in (here, there))
    return after == (there / before.relative_to(here) if before.is_relative_to(here) else before)
