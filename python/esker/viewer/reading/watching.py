"""Sees that a dataset on disk changed, such as by a running model that adds steps, and opens it again.

A step is committed by replacing or extending one file, so a look is one call of stat. Datasets from URLs are not watched.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from esker.dataset.opening import Dataset
from esker.dataset.opening import open as open_dataset
from esker.files.dataset_files import found_at, path_of
from esker.integrations.remote import is_url

EVERY_S = 2.0
"""Between two looks."""
_HEADS = ("esker.json", "zarr.json")
"""What a commit replaces in datasets that are directories."""

_State = tuple[tuple[int, int, int], ...]
"""Inode, size and time of change of the files that a commit changes."""


@dataclass(frozen=True)
class Change:
    """What a look found."""

    dataset: Dataset | None
    """Opened again; None if nothing else can be shown."""
    note: str = ""
    """A sentence, for as long as nothing else is found."""


class Watch:
    """Looks at one dataset."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._path = _path_of(dataset)
        self._shown = self._seen = _state(self._path)
        self._note = ""

    def look(self) -> Change | None:
        """What changed since the last look; None if nothing did. Reads headers if the files changed."""
        found, before = self._state_now(), self._seen
        self._seen = found
        if not self._shown and not found:
            return self._say(
                f"{self._dataset.path} is not watched: its files were not found. New steps are not shown."
            )
        if found == self._shown and not self._note:
            return None
        if not found:
            return self._say(f"{self._dataset.path} is missing; shown is what was read before.")
        if found == self._shown:
            return self._say("")
        try:
            opened = open_dataset(self._dataset.path, **self._dataset._how)
        except Exception as error:  # files that change while they are read may hold anything
            return self._say(f"{self._dataset.path} changed and cannot be opened: {error}")
        if is_like(opened, self._dataset) and found != before:
            return None  # a step is being written, or the same dataset again: wait until it is complete
        note = (
            ""
            if is_longer(opened, self._dataset)
            else f"{self._dataset.path} was replaced while it was shown."
        )
        self._dataset, self._shown, self._note = opened, found, ""
        return Change(opened, note)

    def _state_now(self) -> _State:
        """Of the path that was opened, or of what has the dataset's name now."""
        found = _state(self._path)
        if not found:
            self._path = _path_of(self._dataset)
            found = _state(self._path)
        return found

    def _say(self, note: str) -> Change | None:
        if note == self._note:
            return None
        self._note = note
        return Change(None, note)


def watches(datasets: list[Dataset]) -> dict[int, Watch]:
    """A watch for each dataset on disk, by its position."""
    return {n: Watch(dataset) for n, dataset in enumerate(datasets) if not is_url(dataset.path)}


def is_like(one: Dataset, other: Dataset) -> bool:
    """Whether the same fields have the same steps."""
    return one.steps == other.steps and _fields(one) == _fields(other)


def is_longer(one: Dataset, other: Dataset) -> bool:
    """Whether one is the other with more steps."""
    count = len(other.steps)
    return len(one.steps) > count and one.steps[:count] == other.steps and _fields(one) == _fields(other)


def _fields(dataset: Dataset) -> dict[str, object]:
    return {name: (field.shape, field.dtype) for name, field in dataset.fields.items()}


def _path_of(dataset: Dataset) -> str:
    """The path of the file or directory that a commit changes: `run.idx` may be a name of the directory `run`."""
    try:
        return os.fspath(path_of(found_at(Path(dataset.path))))
    except (OSError, ValueError):  # datasets of other programs, and links
        return dataset.path


def _state(path: str) -> _State:
    """Empty if the dataset is missing."""
    try:
        found = [os.stat(path)]
    except OSError:
        return ()
    for name in _HEADS if os.path.isdir(path) else ():
        try:
            found.append(os.stat(os.path.join(path, name)))
        except OSError:
            continue
    return tuple((one.st_ino, one.st_size, one.st_mtime_ns) for one in found)
