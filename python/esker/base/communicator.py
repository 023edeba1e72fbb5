"""Converts mpi4py communicators to Esker's. MPI is imported only when a communicator is passed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from esker import _core

if TYPE_CHECKING:
    from mpi4py import MPI


def communicator(comm: MPI.Intracomm | None) -> _core.Communicator | None:
    """Esker's communicator over the same ranks; None (a single process) if `comm` is None. Collective over
    `comm`.

    Raises ImportError if Esker was built without MPI, or for a different MPI than mpi4py.
    """
    if comm is None:
        return None
    # A communicator implies that mpi4py is already imported; importing it here would initialize MPI.
    mpi: Any = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Intracomm):
        raise TypeError(f"comm: expected an mpi4py.MPI.Intracomm or None, found {type(comm).__name__}")
    try:
        import esker._mpi
    except ModuleNotFoundError as error:
        if error.name != "esker._mpi":
            raise
        raise ImportError(
            "this esker was built without MPI; to build it with MPI:  "
            "pip install . --config-settings cmake.define.ESKER_MPI=ON"
        ) from error
    return esker._mpi.communicator(comm.py2f())
