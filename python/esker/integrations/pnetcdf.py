"""Programs that use PnetCDF write with Esker: where the library is that takes PnetCDF's place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_DIRECTORY = Path(__file__).parents[1] / "lib" / "pnetcdf"


def library_directory() -> Path:
    """The directory with Esker's libpnetcdf.so.*. Raises FileNotFoundError if it was not built."""
    if not any(_DIRECTORY.glob("libpnetcdf.so.*")):
        raise FileNotFoundError(
            f"{_DIRECTORY}: the library with PnetCDF's interface was not built; build Esker's package again, with MPI "
            "and ESKER_PNETCDF"
        )
    return _DIRECTORY


def replaced(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which programs load Esker's library in place of PnetCDF's. Raises FileNotFoundError if it was
    not built."""
    before = environment.get("LD_LIBRARY_PATH", "")
    directory = os.fspath(library_directory())
    return {**environment, "LD_LIBRARY_PATH": f"{directory}:{before}" if before else directory}
