"""verify: checks a dataset for damage, and compares it with what it was made from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from esker import _core
from esker.dataset.opening import open
from esker.files.originals import Original, core_original
from esker.integrations.remote import located


@dataclass(frozen=True)
class Finding:
    """An error or a warning about a dataset."""

    is_error: bool
    """Whether committed data are lost, damaged or cannot be read."""
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
    num_unreadable: int = 0
    """Number of the errors that are of the system, for example no permission to read a file: what was not read may be
    intact."""

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
        num_unreadable=report.num_unreadable,
    )
