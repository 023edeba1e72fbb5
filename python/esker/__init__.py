"""Esker: read multiresolution datasets that a parallel simulation wrote; needs no MPI.

>>> import esker
>>> ds = esker.open("run.idx")
>>> ds.fields["thk"].shape
(561, 301)
>>> ds["thk"].read(step=-1, level=10)        # an array (z, y, x[, component]) at a coarse level
"""

from esker import _core
from esker.dataset import Dataset, Field, Grid, Part, Selection, Storage, open
from esker.verification import Finding, Verification, repair, verify

__version__ = _core.version()

__all__ = [
    "Dataset",
    "Field",
    "Finding",
    "Grid",
    "Part",
    "Selection",
    "Storage",
    "Verification",
    "__version__",
    "open",
    "repair",
    "verify",
]
