"""esker.vtk.Reader: values, coordinates, blanking, times, parts and pictures in VTK."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import esker

pytest.importorskip("vtkmodules")

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkDataSetAttributes

from esker.vtk import Reader

NX, NY, NZ = 13, 9, 5
X, Y, Z = np.linspace(-1, 5, NX), np.linspace(70, 62, NY), np.array([0, 1, 3, 7, 20.0])


@pytest.fixture(autouse=True)
def messages() -> Any:
    """What VTK says, which would be on stderr."""
    before, window = vtkOutputWindow.GetInstance(), vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(window)
    yield window
    vtkOutputWindow.SetInstance(before)


def reader_of(path: Path) -> Reader:
    reader = Reader()
    reader.SetFileName(path)
    return reader


def output_of(reader: Reader, time: float | None = None) -> Any:
    if time is None:
        reader.Update()
    else:
        reader.UpdateTimeStep(time)
    assert reader.error is None
    return reader.GetOutputDataObject(0)


def array_of(data: Any, name: str, attributes: Any = None) -> NDArray[Any]:
    """An array in the order of Esker: (z, y, x, component) without axes of size 1."""
    found = vtk_to_numpy((attributes or data.GetPointData()).GetArray(name))
    return found.reshape((*data.GetDimensions()[::-1], *found.shape[1:]))


def ghosts(attributes: Any) -> NDArray[Any]:
    return vtk_to_numpy(attributes.GetArray(vtkDataSetAttributes.GhostArrayName()))


def write_run(path: Path) -> None:
    """Three steps: a volume whose z is uneven; maps of a scalar, a vector and an integer that is fixed; a time series."""
    random = np.random.default_rng(1)
    with esker.Writer(
        path, dims={"x": NX, "y": NY, "z": NZ}, coords={"x": X, "y": Y, "z": Z}, report="none"
    ) as w:
        temp = w.field("temp", "f4", units="K")
        map_grid = w.grid("map", ("x", "y"))
        vel = w.field("vel", "f8", components=2, grid=map_grid)
        mask = w.field("mask", "i4", grid=map_grid, fixed=True)
        total = w.field("total", "f8", grid=w.grid("series", ()))
        for step in range(3):
            with w.step(step * 0.5) as s:
                s.put(temp, random.random((NZ, NY, NX), "f4"))
                s.put(vel, random.random((NY, NX, 2)))
                s.put(total, np.array([10.0 * step]))
                if step == 0:
                    s.put(mask, random.integers(0, 9, (NY, NX), "i4"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vtk") / "run"
    write_run(path)
    return path


def test_all_grids_are_a_named_collection(run: Path) -> None:
    reader = reader_of(run / "esker.json")
    source = esker.open(run)
    for step, time in enumerate(source.steps):
        grids = output_of(reader, time)
        assert grids.IsA("vtkPartitionedDataSetCollection")
        found = {}
        for n in range(grids.GetNumberOfPartitionedDataSets()):
            found[grids.GetMetaData(n).Get(grids.NAME())] = grids.GetPartition(n, 0)
        assert {name: grid.GetClassName() for name, grid in found.items()} == {
            source["temp"].grid.name: "vtkRectilinearGrid",
            "map": "vtkImageData",
        }
        volume, maps = found[source["temp"].grid.name], found["map"]
        np.testing.assert_array_equal(array_of(volume, "temp"), source["temp"].read(step)[:, ::-1])
        for name, coords in (("X", X), ("Y", Y[::-1]), ("Z", Z)):
            np.testing.assert_array_equal(vtk_to_numpy(getattr(volume, f"Get{name}Coordinates")()), coords)
        vectors = array_of(maps, "vel")[0]
        np.testing.assert_array_equal(vectors[..., :2], source["vel"].read(step)[::-1])
        assert vectors.shape[-1] == 3 and not vectors[..., 2].any()
        np.testing.assert_array_equal(array_of(maps, "mask")[0], source["mask"].read()[::-1])
        assert maps.GetPointData().GetArray("mask").GetDataType() == 6  # VTK_INT
        assert maps.GetOrigin() == (-1, 62, 0) and maps.GetSpacing() == (0.5, 1, 1)
        assert grids.GetInformation().Get(vtkDataObject.DATA_TIME_STEP()) == time
        assert vtk_to_numpy(grids.GetFieldData().GetArray("total")).tolist() == [10.0 * step]
    temp = volume.GetPointData().GetArray("temp")
    assert temp.GetInformation().Get(temp.UNITS_LABEL()) == "K"


def test_times_and_steps(run: Path) -> None:
    reader = reader_of(run)
    reader.SetGrid("map")
    reader.UpdateInformation()
    info = reader.GetOutputInformation(0)
    executive = reader.GetExecutive()
    assert [info.Get(executive.TIME_STEPS(), n) for n in range(3)] == [0, 0.5, 1]
    source = esker.open(run)["vel"]
    for time, step in ((-3, 0), (0.5, 1), (0.9, 1), (99, 2)):
        found = array_of(output_of(reader, time), "vel")[0]
        np.testing.assert_array_equal(found[..., :2], source.read(step)[::-1])


def test_a_level_and_a_box(run: Path) -> None:
    reader = reader_of(run)
    temp = esker.open(run)["temp"]
    reader.SetGrid(temp.grid.name)
    box = ((2, 1, 1), (12, 8, 4))
    for level in (temp.max_level, temp.max_level - 1, temp.max_level - 3):
        reader.SetLevel(level)
        reader.SetBox(box)
        grid = output_of(reader)
        assert reader.GetReadLevel() == level
        np.testing.assert_array_equal(array_of(grid, "temp"), temp.read(0, box, level)[:, ::-1])
        assert grid.GetNumberOfPoints() > 0
        np.testing.assert_array_equal(
            vtk_to_numpy(grid.GetYCoordinates()), temp.coords("y", box, level)[::-1]
        )
        np.testing.assert_array_equal(vtk_to_numpy(grid.GetZCoordinates()), temp.coords("z", box, level))
    reader.SetLevel("full")
    reader.SetBox(None)
    assert output_of(reader).GetDimensions() == (NX, NY, NZ)
    reader.SetBox(((-5, 0, 0), (99, 2, 99)))
    assert output_of(reader).GetDimensions() == (NX, 2, NZ)


def test_the_level_of_one_grid_is_that_of_the_others(run: Path) -> None:
    reader = reader_of(run)
    source = esker.open(run)
    reader.SetLevel(source["temp"].max_level - 3)
    stride = source["temp"].select(level=source["temp"].max_level - 3).stride
    grids = output_of(reader, 0.5)
    maps = next(grids.GetPartition(n, 0) for n in range(2) if grids.GetMetaData(n).Get(grids.NAME()) == "map")
    expected = source["vel"].read(1, stride=stride[:2])[::-1]
    np.testing.assert_array_equal(array_of(maps, "vel")[0][..., :2], expected)


def test_the_automatic_level_is_the_finest_one_that_fits(run: Path) -> None:
    reader = reader_of(run)
    temp = esker.open(run)["temp"]
    for most in (NX * NY * NZ, NX * NY * NZ - 1, 40, 1):
        reader.SetMaxSamples(most)
        output_of(reader)
        level = reader.GetReadLevel()
        assert temp.select(level=level).nbytes <= 4 * most
        assert level == temp.max_level or temp.select(level=level + 1).nbytes > 4 * most
    assert level == 0


def test_only_selected_fields_are_read(run: Path) -> None:
    reader = reader_of(run)
    reader.SetGrid("map")
    assert reader.GetFieldSelection().GetNumberOfArrays() == 3
    reader.GetFieldSelection().DisableArray("vel")
    points = output_of(reader).GetPointData()
    assert [points.GetArrayName(n) for n in range(points.GetNumberOfArrays())] == ["mask"]


@pytest.mark.parametrize("dtype", ["f4", "i2"])
def test_missing_values_are_hidden(tmp_path: Path, dtype: str) -> None:
    values = np.arange(20.0).reshape(4, 5).astype(dtype)
    values[1, 3] = values[3, 0] = -9
    other = np.arange(20.0).reshape(4, 5)
    other[1, 3] = other[0, 0] = np.nan
    attrs = {"a": {"_FillValue": np.dtype(dtype).type(-9), "scale_factor": 0.5}}
    esker.write(tmp_path / "run.idx", {"a": values, "b": other}, attrs=attrs)
    reader = reader_of(tmp_path / "run.idx")
    hidden = {}
    for which in ("all", "any", "none"):
        reader.SetBlanking(which)
        data = output_of(reader)
        of_points = data.GetPointData().GetArray("vtkGhostType")
        hidden[which] = [] if of_points is None else np.flatnonzero(vtk_to_numpy(of_points)).tolist()
        visible = sum(bool(data.IsPointVisible(n)) for n in range(20)) if of_points else 20
        assert visible == 20 - len(hidden[which])
    assert hidden == {"all": [8], "any": [0, 8, 15], "none": []}
    found = array_of(data, "a")[0]
    assert found.dtype == np.float64
    np.testing.assert_array_equal(np.isnan(found), values == -9)
    np.testing.assert_array_equal(found[values != -9], values[values != -9] * 0.5)
    reader.SetBlanking("all")
    cells = ghosts(output_of(reader).GetCellData()).reshape(3, 4)
    assert np.flatnonzero(cells == vtkDataSetAttributes.HIDDENCELL).tolist() == [2, 3, 6, 7]
    with pytest.raises(ValueError, match="blanking: expected one of none, all, any, found 'some'"):
        reader.SetBlanking("some")


def test_missing_integers_are_hidden_with_their_values(tmp_path: Path) -> None:
    values = np.array([[1, -9], [3, 4]], "i2")
    esker.write(tmp_path / "run.idx", {"a": values}, attrs={"a": {"_FillValue": np.int16(-9)}})
    data = output_of(reader_of(tmp_path / "run.idx"))
    np.testing.assert_array_equal(array_of(data, "a")[0], values)
    assert ghosts(data.GetPointData()).tolist() == [0, vtkDataSetAttributes.HIDDENPOINT, 0, 0]


@pytest.mark.parametrize("keeps_coarse", [True, False])
def test_blocks_that_are_not_stored_are_hidden(tmp_path: Path, keeps_coarse: bool) -> None:
    """Where a sparse step has coarser samples, these are shown in place of finer ones."""
    with esker.Writer(tmp_path / "run.idx", dims={"x": 8, "y": 8}, bits_per_block=2, report="none") as w:
        field = w.field("f", "f8")
        with w.step(0.0) as s:
            s.put(field, np.arange(64.0).reshape(8, 8))
            if keeps_coarse:
                s.keep(field, level=-2)
            s.keep(field, boxes=[((5, 5), (6, 6))])
    source = esker.open(tmp_path / "run.idx")["f"]
    data = output_of(reader_of(tmp_path / "run.idx"))
    found = array_of(data, "f")[0]
    stored = ~np.ma.getmaskarray(source.read(masked=True))
    assert 0 < stored.sum() < 64
    if keeps_coarse:
        assert data.GetPointData().GetArray("vtkGhostType") is None
        np.testing.assert_array_equal(found, source.read())
    else:
        np.testing.assert_array_equal(ghosts(data.GetPointData()).reshape(8, 8) == 0, stored)
        np.testing.assert_array_equal(found[stored], source.read()[stored])
        assert np.isnan(found[~stored]).all()


def test_a_field_without_samples_at_a_step_is_missing(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.idx", dims={"x": 4, "y": 3}, report="none") as w:
        w.field("often", "f4")
        w.field("rare", "f4", every=2)
        for step in range(2):
            with w.step(float(step)) as s:
                s.put("often", np.ones((3, 4), "f4"))
                if step == 0:
                    s.put("rare", np.ones((3, 4), "f4"))
    reader = reader_of(tmp_path / "run.idx")
    assert (array_of(output_of(reader, 0.0), "rare") == 1).all()
    later = output_of(reader, 1.0)
    assert np.isnan(array_of(later, "rare")).all() and (array_of(later, "often") == 1).all()
    assert later.GetPointData().GetArray("vtkGhostType") is None


@pytest.mark.parametrize("pieces", [3, 7])
@pytest.mark.parametrize("grid", ["map", ""])
def test_pieces_make_up_the_whole(run: Path, grid: str, pieces: int) -> None:
    """As ranks of a parallel program request them; neighbors share the points on their border."""
    source = esker.open(run)["vel"].read(0)[::-1]
    found = np.full((NY, NX, 2), np.nan)
    cells = 0
    for piece in range(pieces):
        reader = reader_of(run)
        reader.SetGrid(grid)
        reader.UpdatePiece(piece, pieces, 0)
        assert reader.error is None
        data = reader.GetOutputDataObject(0)
        if grid == "":
            data = next(
                data.GetPartition(n, 0) for n in range(2) if data.GetMetaData(n).Get(data.NAME()) == "map"
            )
        if data is None or data.GetNumberOfPoints() == 0:
            continue
        x0, x1, y0, y1, _, _ = data.GetExtent()
        assert data.GetNumberOfPoints() < NX * NY
        found[y0 : y1 + 1, x0 : x1 + 1] = array_of(data, "vel")[0][..., :2]
        assert data.GetPoint(0) == (-1 + 0.5 * x0, 62 + y0, 0)
        cells += data.GetNumberOfCells()
    np.testing.assert_array_equal(found, source)
    assert cells == (NX - 1) * (NY - 1)


def test_ghost_cells_of_pieces(run: Path) -> None:
    reader = reader_of(run)
    reader.SetGrid("map")
    reader.UpdatePiece(1, 3, 1)
    data = reader.GetOutputDataObject(0)
    duplicates = ghosts(data.GetCellData()) & vtkDataSetAttributes.DUPLICATECELL
    assert 0 < np.count_nonzero(duplicates == 0) < duplicates.size
    x0, x1, y0, y1, _, _ = data.GetExtent()
    whole = esker.open(run)["vel"].read(0)[::-1]
    np.testing.assert_array_equal(array_of(data, "vel")[0][..., :2], whole[y0 : y1 + 1, x0 : x1 + 1])


def test_coordinates_that_turn_are_replaced_by_indices(tmp_path: Path) -> None:
    coords = {"x": np.array([0.0, 1, 2, 1]), "y": np.array([5.0, np.nan, 7])}
    esker_field = np.arange(12.0).reshape(3, 4)
    with esker.Writer(tmp_path / "run.idx", dims={"x": 4, "y": 3}, coords=coords, report="none") as w:
        w.field("f", "f8")
        with w.step(0.0) as s:
            s.put("f", esker_field)
    data = output_of(reader_of(tmp_path / "run.idx"))
    assert data.GetBounds() == (0, 3, 0, 2, 0, 0)
    np.testing.assert_array_equal(array_of(data, "f")[0], esker_field)


def test_coordinates_in_single_precision_are_even(tmp_path: Path) -> None:
    with esker.Writer(
        tmp_path / "run.idx", dims={"x": 3600}, coords={"x": np.arange(0, 360, 0.1, "f4")}, report="none"
    ) as w:
        w.field("f", "f4")
        with w.step(0.0) as s:
            s.put("f", np.zeros(3600, "f4"))
    data = output_of(reader_of(tmp_path / "run.idx"))
    assert data.IsA("vtkImageData") and data.GetSpacing()[0] == pytest.approx(0.1, rel=1e-5)


def test_further_axes_are_at_an_index(tmp_path: Path) -> None:
    values = np.random.default_rng(1).random((3, 4, 5, 6))
    esker.write(tmp_path / "run.idx", {"f": values})
    reader = reader_of(tmp_path / "run.idx")
    for index in (0, 2):
        reader.SetIndices((index,))
        np.testing.assert_array_equal(array_of(output_of(reader), "f"), values[index])


@pytest.mark.parametrize("name", ["run.nc", "run.zarr"])
def test_other_formats(tmp_path: Path, name: str) -> None:
    values = np.random.default_rng(1).random((4, 5, 6))
    esker.write(tmp_path / name, {"f": values})
    path = tmp_path / name
    reader = reader_of(path / "zarr.json" if name == "run.zarr" else path)
    np.testing.assert_array_equal(array_of(output_of(reader), "f"), values)
    reader.SetLevel(5)
    expected = esker.open(path)["f"].read(level=5)
    np.testing.assert_array_equal(array_of(output_of(reader), "f"), expected)


def test_errors_are_told(tmp_path: Path, run: Path, messages: Any) -> None:
    reader = reader_of(tmp_path / "nothing.idx")
    reader.Update()
    assert isinstance(reader.error, FileNotFoundError)
    assert "esker: " in messages.GetOutput() and "nothing.idx" in messages.GetOutput()
    reader.SetFileName(run)
    output_of(reader)
    reader.SetGrid("none")
    reader.Update()
    assert isinstance(reader.error, ValueError) and "no grid 'none'; the dataset has" in str(reader.error)


def test_importing_esker_does_not_import_vtk() -> None:
    code = "import sys, esker; assert not [name for name in sys.modules if name.startswith('vtk')]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_vtk_the_message_says_what_to_install() -> None:
    code = "import sys; sys.modules['vtkmodules'] = None\ntry: import esker.vtk\nexcept ImportError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "esker.vtk: VTK is not installed; install it with: pip install 'esker[vtk]'"
