"""repair removes leftovers of killed runs, rebuild restores an .idx file, adopt names the blocks of one again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from esker import _core
from esker.files.durable import replace_text


def repair(path: str | os.PathLike[str], to_time: float | None = None) -> tuple[str, ...]:
    """Removes leftovers of killed runs and, with `to_time`, all steps after that time. Returns the removed
    files' paths.

    Committed steps are kept. Steps of an IDX dataset that were not synced (fsync="close") when the machine
    went down are read and compared with their checksums, and kept if all are intact. netCDF files have no
    checksums; for such steps OSError asks for `to_time`, also if netCDF is one of two formats.

    If a dataset is stored in two formats, both are repaired; `path` may be either. Raises FileNotFoundError,
    FileExistsError (a writer has the dataset open), OSError (damaged; or steps that may be damaged or that
    only one of two formats has, which `to_time` drops), NotImplementedError (not written by Esker).
    """
    before = _files_of(path)
    _core.repair(os.fspath(path), to_time)
    return tuple(sorted(map(str, before - _files_of(path))))


def adopt(path: str | os.PathLike[str]) -> None:
    """Makes `run.idx`, after it was copied or renamed by hand, use the blocks in the directory `run/`.

    Changes its `filename_template`, which names the old directory. Raises FileNotFoundError (no directory
    `run/`), OSError.
    """
    idx = Path(path)
    blocks = idx.with_suffix("")
    if not blocks.is_dir():
        raise FileNotFoundError(f"{blocks}: no such directory; copy the blocks as well")
    replace_text(idx, _core.renamed_idx(os.fspath(idx), blocks.name))


@dataclass(frozen=True)
class Rebuilt:
    """The result of rebuild()."""

    path: str
    """Path of the .idx file."""
    source: str
    """The file that defines box, fields and blocks."""
    deduced: tuple[str, ...]
    given_up: tuple[str, ...]
    """What was lost, and why."""
    text: str
    """Contents of the new .idx file."""
    steps: int
    written: bool
    old_file: str
    """Path of the renamed old .idx file; empty if there was none or nothing was written."""


def rebuild(
    path: str | os.PathLike[str],
    like: str | os.PathLike[str] | None = None,
    *,
    times: Sequence[float] = (),
    bits_per_block: int = 0,
    blocks_per_file: int = 0,
    write: bool = False,
) -> Rebuilt:
    """Rebuilds a missing or damaged .idx file from the block files next to it. Without `write`, only reports
    the result.

    Box, fields and block sizes come from the .idx file `like`, from the remains of the .idx at `path`, or
    from the schema file next to it; the schema file also needs `bits_per_block` and `blocks_per_file` if the
    writer had them set. The new file has all steps whose blocks are complete. In a directory with several
    .idx files, `path` is one of them.

    Raises ValueError (box and fields are unknown), OSError (no step is complete), FileExistsError (a writer's
    lock), NotImplementedError (ARCO, chunks of PIDX).
    """
    found = _core.rebuild(
        os.fspath(path), os.fspath(like) if like else "", times, bits_per_block, blocks_per_file, write
    )
    return Rebuilt(
        path=found.path,
        source=found.source,
        deduced=tuple(found.deduced),
        given_up=tuple(found.given_up),
        text=found.text,
        steps=found.steps,
        written=found.written,
        old_file=found.old_file,
    )


def stem_of(path: str | os.PathLike[str]) -> Path:
    """The common prefix of the names of all files of a dataset."""
    return Path(_core.split_name(os.fspath(path)).stem)


def _files_of(path: str | os.PathLike[str]) -> set[Path]:
    """All files of a dataset: those in its directory, and those next to it with its name."""
    stem = stem_of(path)
    neighbors = stem.parent.iterdir() if stem.parent.is_dir() else ()
    named = {file for file in neighbors if file.name.startswith(f"{stem.name}.") and file.is_file()}
    directories = (stem, stem.with_name(f"{stem.name}.zarr"))
    return named | {file for directory in directories for file in directory.rglob("*") if file.is_file()}
