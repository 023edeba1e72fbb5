import esker._core


def communicator(fortran_handle: int) -> esker._core.Communicator:
    """
    Duplicates the communicator that has this Fortran handle. Collective over it.
    """

def library_version() -> str:
    """The MPI library in use, as it names itself."""
