"""merge: brings a dataset of partitions into the global order."""

from __future__ import annotations

import os
from dataclasses import dataclass

from esker import _core


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
