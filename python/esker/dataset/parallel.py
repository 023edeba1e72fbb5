"""Reader: collective reading, in which each rank reads its own boxes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from esker import _core
from esker.base.boxes import Box
from esker.base.communicator import communicator
from esker.base.options import Option, option_texts
from esker.dataset.destination import OutArray, destination
from esker.dataset.opening import Dataset
from esker.dataset.selection import query_of

if TYPE_CHECKING:
    from mpi4py import MPI


class Reader:
    """Opens a dataset for all ranks of an mpi4py communicator, or for this process alone.

    path:    as for esker.open()
    comm:    an mpi4py communicator, all of whose ranks make the same calls; None: this process alone, without
             MPI
    verify:  compare each block with its checksum when it is read, if the file has checksums
    options: memory_budget, aggregate_reads, aggregators ...: `esker options` lists them

    Opening and read() are collective. The boxes may overlap and need not match those of the ranks that wrote
    the dataset.

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
        """The open dataset; its own functions are local."""

    def read(
        self,
        wanted: Mapping[str, Box | None],
        step: int = -1,
        level: int | None = None,
        bits: int | None = None,
        mesh_level: int | None = None,
        *,
        out: Mapping[str, OutArray | None] | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Reads a box of each given field (None: the full grid), and returns arrays as Field.read() does.
        Collective.

        `wanted` may differ between ranks and may be empty; `out` has the arrays that are filled, as in Field.read(),
        for all of these fields or some. An error on one rank is raised on all ranks.
        """
        try:
            given: dict[str, Any] = {name: array for name, array in (out or {}).items() if array is not None}
            if unknown := given.keys() - wanted.keys():
                names = ", ".join(map(repr, sorted(unknown)))
                raise ValueError(f"read: out: expected arrays of fields that are read, found also {names}")
            arrays: dict[str, Any] = {}
            filled = []  # kept until the arrays are full
            for name, box in wanted.items():
                selection = self.dataset[name].select(step, box, level, mesh_level=mesh_level)
                filled.append(destination(name, given.get(name), selection))
                arrays[name] = given.get(name, filled[-1])
                self._core.request(name, filled[-1], *query_of(step, box, level), bits, mesh_level)
        except BaseException as error:
            self._core.fail(error)
            with suppress(Exception):
                self._core.read()
            raise
        self._core.read()
        return arrays

    @property
    def last_read(self) -> _core.ReadReport:
        """The cost of the last read(), the same on all ranks: bytes, seconds, readers, memory."""
        return self._core.last_read

    def tuning(self) -> dict[str, Any] | None:
        """What reads with tune=auto tried, and what it gained, like the member "tuning" of a report; None:
        not tuned. Collective; the same on all ranks.
        """
        found: dict[str, Any] | None = json.loads(self._core.tuning_json()).get("tuning")
        return found
