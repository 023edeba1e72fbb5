"""verify: is a dataset what its writer left? repair: remove what killed runs left. rebuild: an .idx anew."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from esker import _core
from esker.durable import write_whole
from esker.remote import located


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a dataset, or worth knowing."""

    is_error: bool
    """False: nothing that was committed is lost."""
    path: str
    text: str


@dataclass(frozen=True)
class Verification:
    """What verify() found."""

    findings: tuple[Finding, ...]
    """The first 1000."""
    num_errors: int
    num_warnings: int
    steps: int
    files: int
    """Block files that were opened."""
    blocks: int
    """Blocks that were read."""
    bytes: int
    """Bytes of these blocks, as stored."""
    blocks_with_checksum: int
    blocks_left_out: int
    """Blocks that another program's dataset does not hold; they read as the default value."""

    @property
    def good(self) -> bool:
        """Whether all that was committed is there, attributes included, as far as can be told."""
        return self.num_errors == 0


def verify(
    path: str | os.PathLike[str],
    progress: Callable[[float], None] | None = None,
    *,
    storage_options: Mapping[str, Any] | None = None,
) -> Verification:
    """Reads every block of every committed step: tables, sizes, checksums, decoding; and looks for leftovers.

    CDF and HDF5 files have neither blocks nor checksums: all values are read, but changed ones are not noticed.

    `progress` is called with the part done, 0 to 1. `path` may be a URL, with `storage_options`, as in esker.open(), which
    says what is raised when the dataset cannot be opened at all. Web servers list no files: of a dataset of Esker all files of
    committed steps are asked for; another program's IDX raises NotImplementedError there.

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.ones((5, 8))})
    >>> found = esker.verify("run.idx")
    >>> found.good, found.steps, found.blocks_with_checksum == found.blocks
    (True, 1, True)
    """
    there, files = located(path, storage_options)
    report = _core.verify(there, progress, files)
    return Verification(
        findings=tuple(Finding(found.is_error, found.path, found.text) for found in report.findings),
        num_errors=report.num_errors,
        num_warnings=report.num_warnings,
        steps=report.steps,
        files=report.files,
        blocks=report.blocks,
        bytes=report.bytes,
        blocks_with_checksum=report.blocks_with_checksum,
        blocks_left_out=report.blocks_left_out,
    )


def repair(path: str | os.PathLike[str], to_time: float | None = None) -> tuple[str, ...]:
    """Removes what runs that were killed left behind, and, with `to_time`, all steps after that time.

    Steps of an IDX dataset that were not synced (fsync="close") when the machine went down are read and compared with
    their checksums; if all are whole they stay. netCDF files have no checksums, also as one of two formats: OSError asks
    for `to_time`. Returns the paths of the files that are gone. Committed steps are not touched otherwise.

    The format is that of the files; a dataset in two formats is repaired in both, by the path of either. Raises
    FileNotFoundError, FileExistsError (a writer holds the dataset), OSError (damaged; steps that may be damaged, or that
    only one of two formats holds: `to_time` drops them), NotImplementedError (not written by Esker).
    """
    before = _files_of(path)
    _core.repair(os.fspath(path), to_time)
    return tuple(sorted(map(str, before - _files_of(path))))


def adopt(path: str | os.PathLike[str]) -> None:
    """Takes the blocks in the directory `run/` for those of `run.idx`, which was copied or renamed by hand.

    Its `filename_template` names another directory; afterwards it names this one. Raises FileNotFoundError (no such
    directory), OSError.
    """
    idx = Path(path)
    blocks = idx.with_suffix("")
    if not blocks.is_dir():
        raise FileNotFoundError(f"{blocks}: no such directory; copy the blocks, too")
    write_whole(idx, _core.renamed_idx(os.fspath(idx), blocks.name))


@dataclass(frozen=True)
class Rebuilt:
    """What rebuild() found, and did."""

    path: str
    """Of the .idx."""
    source: str
    """The file that says box, fields and blocks."""
    deduced: tuple[str, ...]
    given_up: tuple[str, ...]
    """What is lost, and why."""
    text: str
    """Of the new .idx."""
    steps: int
    written: bool
    old_file: str
    """Where the old .idx is now; empty: there was none, or nothing was written."""


def rebuild(
    path: str | os.PathLike[str],
    like: str | os.PathLike[str] | None = None,
    *,
    times: Sequence[float] = (),
    bits_per_block: int = 0,
    blocks_per_file: int = 0,
    write: bool = False,
) -> Rebuilt:
    """Makes a missing or damaged .idx again from the block files beside it; without `write` only says how.

    Box, fields and blocks are those of the .idx `like`, of what is left of the .idx at `path`, or of the schema file beside it,
    then with `bits_per_block` and `blocks_per_file` if they were given to the writer. A step counts if all its blocks are whole.
    Raises ValueError (nothing says box and fields), OSError (no step is whole), FileExistsError (a writer's lock),
    NotImplementedError (ARCO, PIDX' chunks). Of a directory of several .idx, `path` is that of one.
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
    """What all files of a dataset are named after."""
    return Path(_core.split_name(os.fspath(path)).stem)


def _files_of(path: str | os.PathLike[str]) -> set[Path]:
    """All files of a dataset: those in its directory, and those next to it that have its name."""
    stem = stem_of(path)
    beside = stem.parent.iterdir() if stem.parent.is_dir() else ()
    named = {file for file in beside if file.name.startswith(f"{stem.name}.") and file.is_file()}
    return named | {file for file in stem.rglob("*") if file.is_file()}
