"""Pictures that VTK draws of datasets, without a display, and readers that follow the camera."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import esker

pytest.importorskip("vtkmodules")

import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (the implementation of windows)
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkPolyDataMapper,
    vtkRenderer,
    vtkRenderWindow,
    vtkWindowToImageFilter,
)

from esker.vtk import Reader, follow

BLACK = (0, 0, 0)


PROBE = """
import sys
import vtkmodules.vtkRenderingOpenGL2
from vtkmodules.vtkRenderingCore import vtkRenderWindow
window = vtkRenderWindow()
window.SetOffScreenRendering(1)
sys.exit(not window.SupportsOpenGL())
"""


@pytest.fixture(scope="module", autouse=True)
def _can_draw() -> None:
    """In a program that may crash: VTK looks for the libraries when it draws."""
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    done = subprocess.run([sys.executable, "-c", PROBE], env=environment, capture_output=True, timeout=120)
    if done.returncode:
        pytest.skip("VTK draws nothing without a display: neither EGL nor OSMesa (Debian: libegl1)")


@pytest.fixture(autouse=True)
def _without_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)


def scene(reader: Reader, name: str, size: tuple[int, int]) -> tuple[vtkRenderer, vtkRenderWindow]:
    """Colors of a field with values from 0 (blue) over 0.5 (green) to 1 (red), without light, on black."""
    surface = vtkGeometryFilter()
    surface.SetInputConnection(reader.GetOutputPort())
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(surface.GetOutputPort())
    table = vtkLookupTable()
    table.SetNumberOfTableValues(3)
    for n, color in enumerate(((0, 0, 1, 1), (0, 1, 0, 1), (1, 0, 0, 1))):
        table.SetTableValue(n, color)
    mapper.SetLookupTable(table)
    mapper.SetScalarRange(0, 1)
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray(name)
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().LightingOff()
    renderer, window = vtkRenderer(), vtkRenderWindow()
    renderer.SetBackground(0, 0, 0)
    renderer.AddActor(actor)
    window.SetOffScreenRendering(1)
    window.SetSize(*size)
    window.AddRenderer(renderer)
    return renderer, window


def look_at(renderer: vtkRenderer, center: tuple[float, float], height: float) -> None:
    """From above, without perspective."""
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(*center, 0)
    camera.SetPosition(*center, 1)
    camera.SetViewUp(0, 1, 0)
    camera.SetParallelScale(height / 2)
    renderer.ResetCameraClippingRange()


def picture(window: vtkRenderWindow) -> NDArray[np.uint8]:
    """Pixels, the lowest row first."""
    window.Render()
    grab = vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    image = grab.GetOutput()
    width, height, _ = image.GetDimensions()
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[..., :3]


@pytest.mark.parametrize("descends", [False, True])
def test_a_map_is_the_right_way_round(tmp_path: Path, descends: bool) -> None:
    """East is right and north is up, whether the coordinates of y ascend or not; missing samples show the background."""
    north_first = np.zeros(
        (41, 41), "f4"
    )  # as on a map: blue, green in the north-west, red in the north-east
    north_first[:12, :12], north_first[:12, -12:] = 0.5, 1
    north_first[-12:, :12] = np.nan
    y = np.arange(41.0)
    coords = {"x": np.arange(41.0), "y": y[::-1] if descends else y}
    with esker.Writer(tmp_path / "run.idx", dims={"x": 41, "y": 41}, coords=coords, report="none") as w:
        w.field("f", "f4")
        with w.step(0.0) as s:
            s.put("f", np.ascontiguousarray(north_first if descends else north_first[::-1]))
    reader = Reader()
    reader.SetFileName(tmp_path / "run.idx")
    renderer, window = scene(reader, "f", (82, 82))
    look_at(renderer, (20, 20), 41)
    pixels = picture(window)
    colors = {(0, 0, 255): "blue", (0, 255, 0): "green", (255, 0, 0): "red", BLACK: "none"}
    found = [
        [colors.get(tuple(pixels[row, column].tolist()), "?") for column in (10, 40, 71)]
        for row in (71, 40, 10)
    ]
    assert found == [["green", "blue", "red"], ["blue"] * 3, ["none", "blue", "blue"]]


def write_map(path: Path) -> esker.Field:
    """A map of 256 x 192 samples, 10 apart, whose y descends."""
    coords = {"x": 10.0 * np.arange(256), "y": 10.0 * np.arange(192)[::-1]}
    with esker.Writer(path, dims={"x": 256, "y": 192}, coords=coords, report="none") as w:
        w.field("f", "f4")
        with w.step(0.0) as s:
            s.put("f", np.random.default_rng(1).random((192, 256), "f4"))
    return esker.open(path)["f"]


def test_a_reader_follows_the_camera(tmp_path: Path) -> None:
    field = write_map(tmp_path / "run.idx")
    reader = Reader()
    reader.SetFileName(tmp_path / "run.idx")
    renderer, window = scene(reader, "f", (64, 48))
    look_at(renderer, (1280, 960), 1920)
    following = follow(renderer, reader)
    assert picture(window)[24, 32].tolist() != [0, 0, 0]
    far = reader.GetOutputDataObject(0)
    assert far.GetDimensions() == (64, 48, 1) and far.GetSpacing()[:2] == (40, 40)
    look_at(renderer, (500, 300), 480)  # closer: 48 pixels for 48 samples
    view = following.update()
    assert view is not None and view.level == field.max_level
    reader.Update()
    near = reader.GetOutputDataObject(0)
    x0, x1, y0, y1, _, _ = near.GetBounds()
    assert x0 <= 180 and x1 >= 820 and y0 <= 60 and y1 >= 540 and near.GetNumberOfPoints() < 75 * 60
    lo, hi = view.box
    values = vtk_to_numpy(near.GetPointData().GetArray("f")).reshape(near.GetDimensions()[1::-1])
    np.testing.assert_array_equal(values, field.read(box=(lo, hi))[::-1])
    look_at(renderer, (1280, 960), 1920)
    assert following.update() is not None
    reader.Update()
    assert reader.GetOutputDataObject(0).GetDimensions() == (64, 48, 1)
    look_at(renderer, (1e6, 0), 10)
    assert following.update() is None
    following.stop()


def test_the_box_does_not_depend_on_what_was_read_before(tmp_path: Path) -> None:
    """VTK's near and far planes enclose only what is drawn."""
    esker.write(tmp_path / "run.idx", {"f": np.random.default_rng(1).random((32, 32, 32), "f4")})
    reader = Reader()
    reader.SetFileName(tmp_path / "run.idx")
    renderer, window = scene(reader, "f", (400, 400))
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(16, 16, 16)
    camera.SetPosition(16, 16, 150)
    reader.SetBox(((0, 0, 14), (32, 32, 17)))
    window.Render()
    renderer.ResetCameraClippingRange()
    view = follow(renderer, reader).update()
    assert view is not None and view.box == ((0, 0, 0), (32, 32, 32))


def test_each_interaction_is_followed(tmp_path: Path) -> None:
    from vtkmodules.vtkRenderingCore import vtkRenderWindowInteractor

    field = write_map(tmp_path / "run.idx")
    reader = Reader()
    reader.SetFileName(tmp_path / "run.idx")
    renderer, window = scene(reader, "f", (64, 48))
    interactor = vtkRenderWindowInteractor()
    interactor.SetRenderWindow(window)
    look_at(renderer, (1280, 960), 1920)
    following = follow(renderer, reader)
    look_at(renderer, (500, 300), 480)
    interactor.InvokeEvent("EndInteractionEvent")
    reader.Update()
    assert reader.GetReadLevel() == field.max_level
    following.stop()
    look_at(renderer, (1280, 960), 1920)
    interactor.InvokeEvent("EndInteractionEvent")
    reader.Update()
    assert reader.GetReadLevel() == field.max_level
