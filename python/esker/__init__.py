"""Esker: write and read multiresolution datasets of parallel simulations as NumPy arrays.

A single process needs no MPI. For parallel I/O, esker.Writer and esker.Reader take an mpi4py communicator.

Write:     write, Writer, Step, WriterGrid, WriterField, Chunked
Read:      open, Dataset, Grid, Field, Array, Selection, Reader, Camera, View
Describe:  Part, Scalar, Storage, StoredSamples, FieldErrors, ReadStatistics, Text, DatasetWarning
Look:      view
Check:     verify (Verification, Finding), repair, rebuild (Rebuilt), adopt
Copy:      copy, move, merge (Merged)
Predict:   plan, plan_mesh, simulate

`import esker.xarray` adds the method `to_esker` to the datasets of xarray; `esker.vtk` has a reader for VTK.

>>> import numpy as np
>>> import esker
>>> y, x = np.mgrid[0:561, 0:301]
>>> esker.write("run.idx", {"thk": (x * y).astype("f4")})
>>> ds = esker.open("run.idx")
>>> ds["thk"].read(step=-1).shape
(561, 301)
>>> ds["thk"].read(level=10).shape        # the full grid, at a coarse level
(18, 19)
"""

from esker import _core
from esker._core import ReadStatistics
from esker.base.values import Text
from esker.dataset.array import Array
from esker.dataset.description import FieldErrors, Grid, Part, Scalar, Storage, StoredSamples
from esker.dataset.field import Field
from esker.dataset.opening import Dataset, DatasetWarning, open
from esker.dataset.parallel import Reader
from esker.dataset.selection import Selection
from esker.dataset.viewing import Camera, View
from esker.files.merging import Merged, merge
from esker.files.moving import copy, move
from esker.files.repairing import Rebuilt, adopt, rebuild, repair
from esker.files.verification import Finding, Verification, verify
from esker.planning.planner import plan, plan_mesh
from esker.tune.simulation import simulate
from esker.viewer.serving.notebook import view
from esker.writing.chunked import Chunked
from esker.writing.definitions import WriterField, WriterGrid
from esker.writing.serial import write
from esker.writing.step import Step
from esker.writing.writer import Writer

__version__ = _core.version()

__all__ = [
    "Array",
    "Camera",
    "Chunked",
    "Dataset",
    "DatasetWarning",
    "Field",
    "FieldErrors",
    "Finding",
    "Grid",
    "Merged",
    "Part",
    "ReadStatistics",
    "Reader",
    "Rebuilt",
    "Scalar",
    "Selection",
    "Step",
    "Storage",
    "StoredSamples",
    "Text",
    "Verification",
    "View",
    "Writer",
    "WriterField",
    "WriterGrid",
    "__version__",
    "adopt",
    "copy",
    "merge",
    "move",
    "open",
    "plan",
    "plan_mesh",
    "rebuild",
    "repair",
    "simulate",
    "verify",
    "view",
    "write",
]
