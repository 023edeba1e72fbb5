"""Reader: datasets of Esker as a source of VTK's pipelines."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonCore import (
    vtkDataArraySelection,
    vtkInformation,
    vtkInformationVector,
    vtkOutputWindow,
)
from vtkmodules.vtkCommonDataModel import (
    vtkCompositeDataSet,
    vtkDataObject,
    vtkImageData,
    vtkOverlappingAMR,
    vtkPartitionedDataSetCollection,
    vtkRectilinearGrid,
)
from vtkmodules.vtkCommonExecutionModel import (
    vtkAlgorithm,
    vtkExtentTranslator,
    vtkStreamingDemandDrivenPipeline,
)

import esker
from esker.base.boxes import Box
from esker.base.characters import has_characters
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.integrations import grid_parts as parts
from esker.integrations.grid_parts import GridPart, Level
from esker.integrations.vtk import meshes, structured

_ERRORS = (OSError, ValueError, IndexError, KeyError, NotImplementedError)


class Reader(VTKPythonAlgorithmBase):
    """Reads what esker.open opens.

    The output is vtkImageData if the coordinates are evenly spaced, else a vtkRectilinearGrid; of several grids a
    vtkPartitionedDataSetCollection of these, named; of a mesh (AMR) a vtkOverlappingAMR. Axes whose coordinates descend are
    reversed, as VTK needs ascending ones. Samples are points, those of meshes cells.

    Values are those of Field.read, times `scale_factor` plus `add_offset`. Missing values are NaN, and hidden
    (SetBlanking). Fields with two components get a third one that is 0. Time series are field data. Texts are left out.

    The reader takes requests for parts (extents of one grid, otherwise pieces) and times. It needs no MPI.
    If a request fails, `error` has the exception, and VTK displays its text.
    """

    def __init__(self) -> None:
        super().__init__(nInputPorts=0, nOutputPorts=1, outputType="vtkDataObject")
        self.error: Exception | None = None
        """Why the last request failed."""
        self._file = ""
        self._dataset: Dataset | None = None
        self._selection = vtkDataArraySelection()
        self._selection.AddObserver("ModifiedEvent", lambda *_: self.Modified())
        self._grid = ""
        self._level: Level = parts.AUTOMATIC
        self._max_samples = parts.MAX_SAMPLES
        self._box: Box | None = None
        self._indices: tuple[int, ...] = ()
        self._blanking = structured.BLANK_ALL
        self._read_level = 0

    def SetFileName(self, name: str | os.PathLike[str] | None) -> None:
        """The path of a dataset: an .idx file, a directory, or a file inside of it such as `esker.json`; or a URL."""
        path = parts.dataset_path(name or "")
        if path != self._file:
            self._file, self._dataset = path, None
            self.Modified()

    def GetFileName(self) -> str:
        """The path of the dataset."""
        return self._file

    def GetDataset(self) -> Dataset:
        """The open dataset. Raises the exceptions of esker.open."""
        if self._dataset is None:
            self._dataset = esker.open(self._file)
            names = [field.name for field in parts.drawable(self._dataset)]
            known = [self._selection.GetArrayName(n) for n in range(self._selection.GetNumberOfArrays())]
            for name in known:
                if name not in names:
                    self._selection.RemoveArrayByName(name)
            for name in names:
                self._selection.AddArray(name)
        return self._dataset

    def GetGrid(self) -> str:
        """The name given to SetGrid."""
        return self._grid

    def GetFieldSelection(self) -> vtkDataArraySelection:
        """Which fields are read: all at first. EnableArray(name), DisableArray(name), DisableAllArrays()."""
        if self._file and self._dataset is None:
            self._attempt(self.GetDataset)
        return self._selection

    def SetGrid(self, name: str) -> None:
        """Reads one grid; "": the first mesh, or all grids of a dataset without meshes."""
        self._set("_grid", name or "")

    def SetLevel(self, level: Level) -> None:
        """A level of the largest field (of a mesh: its finest level that is read), "full", or "automatic": the finest level
        with at most SetMaxSamples samples in the box."""
        self._set("_level", level)

    def SetMaxSamples(self, count: int) -> None:
        """The most samples of the largest field that the automatic level reads: 2^24 by default."""
        self._set("_max_samples", int(count))

    def GetReadLevel(self) -> int:
        """The level that the last update chose."""
        return self._read_level

    def SetBox(self, box: Box | None) -> None:
        """((x0, y0, z0), (x1, y1, z1)), half open, in samples of the largest field; None: all. Meshes are read as a whole."""
        self._set("_box", None if box is None else (tuple(map(int, box[0])), tuple(map(int, box[1]))))

    def SetIndices(self, indices: Sequence[int]) -> None:
        """Positions along the axes of a field after the third one: 0 by default."""
        self._set("_indices", tuple(map(int, indices)))

    def SetBlanking(self, which: str) -> None:
        """Hides points where "all" fields are missing, where "any" field is, or "none"."""
        if which not in structured.BLANKINGS:
            raise ValueError(f"blanking: expected one of {', '.join(structured.BLANKINGS)}, found {which!r}")
        self._set("_blanking", which)

    def GetTimes(self) -> list[float]:
        """What pipelines know as times: those of the steps, or their positions if the times do not ascend."""
        times = [float(time) for time in self.GetDataset().steps]
        if not np.isfinite(times).all() or not (np.diff(times) > 0).all():
            return [float(position) for position in range(len(times))]
        return times

    def FillOutputPortInformation(self, port: int, info: vtkInformation) -> int:
        """Called by VTK."""
        info.Set(vtkDataObject.DATA_TYPE_NAME(), "vtkDataObject")
        return 1

    def RequestDataObject(self, request: Any, inputs: Any, outputs: vtkInformationVector) -> int:
        """Called by VTK."""
        return self._attempt(lambda: self._make_output(outputs.GetInformationObject(0)))

    def RequestInformation(self, request: Any, inputs: Any, outputs: vtkInformationVector) -> int:
        """Called by VTK."""
        return self._attempt(lambda: self._inform(outputs.GetInformationObject(0)))

    def RequestData(self, request: Any, inputs: Any, outputs: vtkInformationVector) -> int:
        """Called by VTK."""
        return self._attempt(lambda: self._read(outputs.GetInformationObject(0)))

    def _set(self, name: str, value: Any) -> None:
        if getattr(self, name) != value:
            setattr(self, name, value)
            self.Modified()

    def _attempt(self, action: Callable[[], object]) -> int:
        self.error = None
        try:
            action()
        except Exception as error:
            self.error = error
            if not isinstance(error, _ERRORS):
                raise
            text = error.args[0] if isinstance(error, KeyError) and error.args else error
            vtkOutputWindow.GetInstance().DisplayErrorText(f"esker: {text}\n")
            return 0
        return 1

    def _fields(self) -> list[Field]:
        """The fields of the chosen grids."""
        return parts.fields_of(self.GetDataset(), self._grid)

    def _chosen(self) -> list[Field]:
        return [field for field in self._fields() if self._selection.ArrayIsEnabled(field.name)]

    def _kind(self) -> type[vtkDataObject]:
        """The class of the output, which depends on the dataset and the grid, not on fields, level and box."""
        fields = self._fields()
        if fields[0].grid.mesh is not None:
            return vtkOverlappingAMR
        if len({field.grid.name for field in fields}) > 1:
            return vtkPartitionedDataSetCollection
        return _kind_of(fields[0])

    def _make_output(self, info: vtkInformation) -> None:
        wanted = self._kind()
        found = info.Get(vtkDataObject.DATA_OBJECT())
        if found is None or found.GetClassName() != wanted.__name__:
            info.Set(vtkDataObject.DATA_OBJECT(), wanted())

    def _parts(self) -> list[GridPart]:
        """Level and parts of all fields of the grids, so that they do not depend on the selection of fields."""
        self._read_level, found = parts.grid_parts(
            self._fields(), self._box, self._level, self._indices, self._max_samples
        )
        return found

    def _inform(self, info: vtkInformation) -> None:
        executive = vtkStreamingDemandDrivenPipeline
        info.Remove(executive.TIME_STEPS())
        info.Remove(executive.TIME_RANGE())
        if times := self.GetTimes():
            for time in times:
                info.Append(executive.TIME_STEPS(), time)
            info.Set(executive.TIME_RANGE(), [times[0], times[-1]], 2)
        info.Remove(executive.WHOLE_EXTENT())
        info.Remove(vtkAlgorithm.CAN_PRODUCE_SUB_EXTENT())
        info.Remove(vtkAlgorithm.CAN_HANDLE_PIECE_REQUEST())
        if self._kind() in (vtkImageData, vtkRectilinearGrid):
            part = self._parts()[0]
            info.Set(executive.WHOLE_EXTENT(), part.extent, 6)
            info.Set(vtkAlgorithm.CAN_PRODUCE_SUB_EXTENT(), 1)
            if self._kind() is vtkImageData:
                info.Set(
                    vtkDataObject.ORIGIN(),
                    [float(axis.coords[0]) if axis.coords.size else 0.0 for axis in part.axes],
                    3,
                )
                info.Set(vtkDataObject.SPACING(), [axis.spacing for axis in part.axes], 3)
        else:
            info.Set(vtkAlgorithm.CAN_HANDLE_PIECE_REQUEST(), 1)

    def _read(self, info: vtkInformation) -> None:
        output = info.Get(vtkDataObject.DATA_OBJECT())
        output.Initialize()
        step = self._step(info, output)
        if isinstance(output, vtkOverlappingAMR):
            everything = self._fields()
            self._read_level = meshes.finest_level(everything[0], step, self._level, self._max_samples)
            meshes.fill(output, everything[0], self._chosen(), step, self._read_level, _piece_of(info))
        elif isinstance(output, vtkPartitionedDataSetCollection):
            self._fill_collection(output, step, _piece_of(info))
        else:
            key = vtkStreamingDemandDrivenPipeline.UPDATE_EXTENT()
            extent = tuple(info.Get(key, n) for n in range(2 * parts.AXES))
            self._fill(output, self._parts()[0], extent, step)
        texts = has_characters
        series = [
            one
            for one in self.GetDataset().fields.values()
            if one.is_series and not texts(one.dtype, one.attrs)
        ]
        structured.series_values(output.GetFieldData(), series, step)

    def _step(self, info: vtkInformation, output: vtkDataObject) -> int:
        """The last step that is not after the requested time; the first one without a request."""
        times = self.GetTimes()
        if not times:
            return -1
        key = vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP()
        wanted = info.Get(key) if info.Has(key) else times[0]
        step = max(int(np.searchsorted(times, wanted, side="right")) - 1, 0)
        output.GetInformation().Set(vtkDataObject.DATA_TIME_STEP(), times[step])
        return step

    def _fill(self, data: Any, part: GridPart, extent: parts.Extent, step: int) -> None:
        enabled = [field for field in part.fields if self._selection.ArrayIsEnabled(field.name)]
        chosen = GridPart(part.name, tuple(enabled), part.selection, part.axes)
        structured.fill(data, chosen, extent, step, self._blanking)

    def _fill_collection(
        self, output: vtkPartitionedDataSetCollection, step: int, piece: tuple[int, int]
    ) -> None:
        grids = self._parts()
        output.SetNumberOfPartitionedDataSets(len(grids))
        for number, part in enumerate(grids):
            output.GetMetaData(number).Set(vtkCompositeDataSet.NAME(), part.name)
            extent = _extent_of(piece, part.extent)
            if extent is not None:
                data = _kind_of(part.fields[0])()
                self._fill(data, part, extent, step)
                output.SetPartition(number, 0, data)


def _kind_of(field: Field) -> type[vtkDataObject]:
    return vtkImageData if parts.is_even(field) else vtkRectilinearGrid


def _piece_of(info: vtkInformation) -> tuple[int, int]:
    """The requested piece, and of how many."""
    executive = vtkStreamingDemandDrivenPipeline
    count = (
        info.Get(executive.UPDATE_NUMBER_OF_PIECES()) if info.Has(executive.UPDATE_NUMBER_OF_PIECES()) else 1
    )
    number = info.Get(executive.UPDATE_PIECE_NUMBER()) if info.Has(executive.UPDATE_PIECE_NUMBER()) else 0
    return number, max(count, 1)


def _extent_of(piece: tuple[int, int], whole: parts.Extent) -> parts.Extent | None:
    """The extent of a piece; None if it is empty. Neighbors share the points on their border."""
    if whole[1] < whole[0]:
        return None
    number, count = piece
    if count == 1:
        return whole
    translator = vtkExtentTranslator()
    translator.SetWholeExtent(*whole)
    translator.SetPiece(number)
    translator.SetNumberOfPieces(count)
    return tuple(translator.GetExtent()) if translator.PieceToExtent() else None
