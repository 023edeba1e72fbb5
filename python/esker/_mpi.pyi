import esker._core


def communicator(fortran_handle: int) -> esker._core.Communicator:
    """
    Duplicates the communicator with this Fortran handle. Collective over it.
    """

def library_version() -> str:
    """Name and version of the MPI library in use."""
