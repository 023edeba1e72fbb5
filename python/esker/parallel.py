"""Reader: the ranks of a program read a dataset together, each the boxes that it wants."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from esker import _core
from esker._communicator import communicator
from esker.dataset import Box, Dataset, _query
from esker.writer import Option, option_texts

if TYPE_CHECKING:
    from mpi4py import MPI


class Reader:
    """Opens a dataset for all ranks of an mpi4py communicator; without one it reads as esker.open() does.

    path:    as esker.open() takes it
    comm:    an mpi4py communicator, all of whose ranks make the same calls; None: this process alone, without MPI
    verify:  compare each block that is read with its checksum, where the file has one
    options: memory_budget, aggregate_reads, aggregators ...: `esker info --config` lists them

    Opening and read() are collective. Boxes have nothing to do with those of the ranks that wrote; they may overlap.

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.arange(40.0).reshape(5, 8)})
    >>> reader = esker.Reader("run.idx")
    >>> reader.read({"thk": ((2, 1), (4, 3))})
    {'thk': array([[10., 11.],
           [18., 19.]])}
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        comm: MPI.Intracomm | None = None,
        *,
        verify: bool = False,
        **options: Option,
    ) -> None:
        path = os.fspath(path)
        self._core = _core.open_parallel(path, option_texts(options), communicator(comm), verify)
        self.dataset = Dataset(path, self._core.dataset)
        """What is in it; its own functions are local."""

    def read(
        self, wanted: Mapping[str, Box | None], step: int = -1, level: int | None = None
    ) -> dict[str, NDArray[Any]]:
        """Reads a box of each of some fields, None being the whole grid: arrays as Field.read() returns. Collective.

        What is wanted may differ from rank to rank, and be nothing: `{}`. An error of one rank is raised on all.
        """
        try:
            arrays = {}
            for name, box in wanted.items():
                field = self.dataset[name]
                arrays[name] = np.empty(field.select(step, box, level).shape, field.dtype)
                self._core.request(name, arrays[name], *_query(step, box, level))
        except BaseException as error:
            self._core.fail(error)
            with suppress(Exception):
                self._core.read()
            raise
        self._core.read()
        return arrays

    @property
    def last_read(self) -> _core.ReadReport:
        """What the last read() cost, the same on all ranks: bytes, seconds, readers, memory."""
        return self._core.last_read
