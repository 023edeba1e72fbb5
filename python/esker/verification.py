"""verify checks a dataset for damage, repair removes leftovers of killed runs, rebuild restores an .idx
file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from esker import _core
from esker.dataset.opening import open
from esker.durable import replace_text
from esker.originals import Original, core_original
from esker.remote import located


@dataclass(frozen=True)
class Finding:
    """An error or a warning about a dataset."""

    is_error: bool
    """Whether committed data are lost or damaged."""
    path: str
    text: str


@dataclass(frozen=True)
class Verification:
    """The result of verify()."""

    findings: tuple[Finding, ...]
    """The first 1000."""
    num_errors: int
    num_warnings: int
    steps: int
    files: int
    """Number of block files that were opened."""
    blocks: int
    """Number of blocks that were read."""
    bytes: int
    """Stored bytes of these blocks."""
    blocks_with_checksum: int
    blocks_left_out: int
    """Number of blocks that a dataset of another program does not store; they read as the default value."""
    blocks_compared: int = 0
    """Number of blocks that were compared with the original."""

    @property
    def checked(self) -> str:
        """What could be checked: "checksums" (of all blocks), "some" (of some of them), or "readable" (no checksums:
        changed values are not detected)."""
        if self.blocks_with_checksum == 0:
            return "readable"
        return "checksums" if self.blocks_with_checksum == self.blocks else "some"

    @property
    def good(self) -> bool:
        """Whether no error was found in the committed data and attributes."""
        return self.num_errors == 0


def verify(
    path: str | os.PathLike[str],
    progress: Callable[[float], None] | None = None,
    *,
    against: Original | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Verification:
    """Reads every block of every committed step, checks tables, sizes, checksums and decoding, and looks for
    leftovers.

    CDF and HDF5 files have neither blocks nor checksums. All values are read, but changed values are not
    detected. In VTKHDF files a patch, or 1 MiB of a larger one, counts as a block. `checked` says in one word what
    could be checked.

    `against` has the samples that an IDX dataset was made from: another dataset (or its path), the path of an
    .npy file, or an array for each field. Arrays have the shape of the field, with the steps as an additional
    first axis if there are several. Each block is compared with them: it may differ by the errors that are
    recorded with the block, and not at all if it is stored without loss. Only a few blocks of the original
    are in memory at a time. Raises ValueError if the original has other shapes or types, or no field and step
    of the dataset, and NotImplementedError for other formats.

    `progress` is called with the fraction done, 0 to 1. `path` may be a URL, with `storage_options`, as for
    esker.open(). Web servers cannot list files. For a dataset of Esker all files of committed steps are
    requested by name; an IDX dataset of another program raises NotImplementedError there. If the dataset
    cannot be opened, raises what esker.open() raises.

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.ones((5, 8))})
    >>> found = esker.verify("run.idx")
    >>> found.good, found.steps, found.blocks_with_checksum == found.blocks
    (True, 1, True)
    >>> esker.verify("run.idx", against={"thk": np.ones((5, 8))}).good
    True
    """
    there, files = located(path, storage_options)
    if against is None:
        report = _core.verify(there, progress, files)
    else:
        original = core_original(open(path, storage_options=storage_options), against)
        report = _core.verify_against(there, original, progress, files)
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
        blocks_compared=report.blocks_compared,
    )


@dataclass(frozen=True)
class Merged:
    """What merge() did: `steps` were brought into the global order, for which `blocks` of `bytes` in all were
    replaced.
    """

    steps: int
    blocks: int
    bytes: int


def merge(path: str | os.PathLike[str]) -> Merged:
    """Makes the bytes of partition_index="global" from a dataset that was written with
    partition_index="hybrid", in place.

    For each step, field and partition one block is replaced. If it is interrupted, also by a kill, another call
    finishes it; until then, a reader that opens the dataset gets OSError for the step that it was about. No other
    process may have the dataset open: a reader that opened it before may get samples of other places. Does nothing
    for other datasets, also of other formats; of IDX datasets it takes the writer's lock.

    Raises FileNotFoundError, FileExistsError (a writer has the dataset open), ValueError (a link, or a part of a
    dataset), OSError (a block is missing or damaged), NotImplementedError (an .idx of bricks without Esker's
    record).

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.ones((5, 8))})
    >>> esker.merge("run.idx").steps
    0
    """
    report = _core.merge(os.fspath(path))
    return Merged(report.steps, report.blocks, report.bytes)


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
    return named | {file for file in stem.rglob("*") if file.is_file()}
