"""The plug-in for ParaView: its file reader "Esker Reader". `esker paraview` prints the path of this file.

ParaView loads it with its own Python. If that has no package esker, it is taken from the folder that this file is in.
Functions have no annotations, which ParaView 5.11 refuses on Python before 3.11.
"""

import atexit
import importlib.machinery
import importlib.util
import os
import sys
import weakref

from paraview.util.vtkAlgorithm import smdomain, smhint, smproperty, smproxy

paraview_plugin_name = "Esker"


def _load_esker():
    """Imports the package that this file belongs to, and no other packages of its folder: VTK's must be ParaView's."""
    try:
        import esker  # noqa: F401
    except ModuleNotFoundError:
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        spec = importlib.machinery.PathFinder.find_spec("esker", [os.path.dirname(package)])
        if spec is None or spec.loader is None:
            raise
        module = importlib.util.module_from_spec(spec)
        sys.modules["esker"] = module
        try:
            spec.loader.exec_module(module)
        except ImportError as error:
            del sys.modules["esker"]
            mine = "{}.{}".format(*sys.version_info[:2])
            raise ImportError(
                f"esker in {package} does not work in ParaView's Python {mine}: {error}; install it for that version"
            ) from error


_load_esker()

from esker.integrations.grid_parts import AUTOMATIC, FULL, MAX_SAMPLES
from esker.integrations.vtk.reader import Reader
from esker.integrations.vtk.structured import BLANKINGS

_AUTOMATIC, _FIXED, _FULL = 0, 1, 2


def _choices(*labels):
    entries = "".join(f'<Entry value="{value}" text="{text}"/>' for value, text in enumerate(labels))
    return f'<EnumerationDomain name="enum">{entries}</EnumerationDomain>'


def _documented(text):
    """What ParaView shows of a property when the pointer is on it."""
    return smdomain.xml(f"<Documentation>{text}</Documentation>")


_readers = weakref.WeakSet()


@atexit.register
def _close():
    """Closes datasets, whose readers ParaView keeps until after Python has ended."""
    for reader in list(_readers):
        reader.SetFileName(None)


@smproxy.reader(
    name="EskerReader",
    label="Esker Reader",
    extensions=["idx", "zarr"],
    filename_patterns=["esker.json", "zarr.json"],
    file_description="Esker datasets: IDX, Zarr",
    support_reload=False,
)
@smhint.xml(
    '<ReaderFactory extensions="zarr" filename_patterns="*" is_directory="1" file_description="Directories of Esker datasets"/>'
)
class EskerReader(Reader):
    """esker.vtk.Reader with properties of ParaView."""

    def __init__(self):
        super().__init__()
        _readers.add(self)
        self._resolution = _AUTOMATIC
        self._fixed_level = 0

    @smproperty.stringvector(
        name="FileName", label="File Name", number_of_elements=1, panel_visibility="never"
    )
    @smdomain.filelist()
    def SetFileName(self, name):
        """Path of the dataset."""
        super().SetFileName(name)

    @smproperty.doublevector(name="TimestepValues", information_only="1", si_class="vtkSITimeStepsProperty")
    def GetTimestepValues(self):
        """Times of the steps."""
        return self.GetTimes()

    @smproperty.dataarrayselection(name="Fields")
    def GetFieldSelection(self):
        """Which fields are read."""
        return super().GetFieldSelection()

    @smproperty.intvector(name="Resolution", default_values=[_AUTOMATIC], number_of_elements=1)
    @smdomain.xml(_choices("Automatic", "Fixed level", "Full resolution"))
    @_documented("Automatic: the finest level with at most as many samples as Max Samples.")
    def SetResolution(self, which):
        """Automatic: the finest level with at most "Max Samples"."""
        self._resolution = int(which)
        self._choose()

    @smproperty.intvector(name="Level", default_values=[0], number_of_elements=1)
    def SetFixedLevel(self, level):
        """The level of resolution, with "Fixed level"."""
        self._fixed_level = int(level)
        self._choose()

    @smproperty.idtypevector(
        name="MaxSamples", label="Max Samples", default_values=[MAX_SAMPLES], number_of_elements=1
    )
    def SetMaxSamples(self, count):
        """The most samples of the largest field that "Automatic" reads."""
        super().SetMaxSamples(count)

    @smproperty.intvector(name="Box", default_values=[0] * 6, number_of_elements=6)
    @_documented("Lower corner, upper corner, half open, in samples of the largest field; zeros: everything.")
    def SetCorners(self, x0, y0, z0, x1, y1, z1):
        """Lower and upper corner, half open, in samples of the largest field; zeros: everything."""
        corners = ((x0, y0, z0), (x1, y1, z1))
        self.SetBox(corners if any(map(any, corners)) else None)

    @smproperty.stringvector(name="Grid", default_values="", number_of_elements=1)
    def SetGrid(self, name):
        """The name of a grid; empty: the first mesh, or all grids."""
        super().SetGrid("" if name == "None" else name)

    @smproperty.intvector(
        name="Blanking", default_values=[1], number_of_elements=1, panel_visibility="advanced"
    )
    @smdomain.xml(_choices("None", "Where all fields are missing", "Where any field is missing"))
    def SetBlankingNumber(self, which):
        """Which points are hidden."""
        self.SetBlanking(BLANKINGS[int(which)])

    def _choose(self):
        self.SetLevel({_AUTOMATIC: AUTOMATIC, _FULL: FULL}.get(self._resolution, self._fixed_level))
