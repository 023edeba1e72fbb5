"""From mpi4py's communicators to Esker's. Imports no MPI but when a communicator is passed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from esker import _core

if TYPE_CHECKING:
    from mpi4py import MPI


def communicator(comm: MPI.Intracomm | None) -> _core.Communicator | None:
    """Esker's communicator of the same ranks; None, one process alone, for None. Collective over `comm`.

    ImportError if Esker was built without MPI, or for another than mpi4py's.
    """
    if comm is None:
        return None
    # A communicator can only come from mpi4py, which then is imported; importing it here would start MPI.
    mpi: Any = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Intracomm):
        raise TypeError(f"comm: expected an mpi4py.MPI.Intracomm or None, found {type(comm).__name__}")
    try:
        import esker._mpi
    except ModuleNotFoundError as error:
        if error.name != "esker._mpi":
            raise
        raise ImportError(
            "this esker was built without MPI; with it:  pip install . --config-settings cmake.define.ESKER_MPI=ON"
        ) from error
    return esker._mpi.communicator(comm.py2f())
