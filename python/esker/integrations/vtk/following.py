"""follow: sets the level and the box of a reader to what a camera sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import esker
from esker.dataset.field import Field
from esker.dataset.viewing import Camera, View
from esker.integrations.grid_parts import AXES, axis_of, dataset_path, fields_of, largest_of


class Following:
    """A reader that follows a camera. `update()` is called after each interaction; call it after other changes."""

    def __init__(self, view: Any, reader: Any, pixels_per_sample: float) -> None:
        self._is_paraview = hasattr(view, "SMProxy")
        self._view, self._reader = view, reader
        self._pixels_per_sample = pixels_per_sample
        self._level: int | None = None
        self._dataset = (
            esker.open(dataset_path(_path_of(reader))) if self._is_paraview else reader.GetDataset()
        )
        self._interactor = _interactor_of(view, self._is_paraview)
        self._observer = self._observed()

    def update(self) -> View | None:
        """Sets level and box, and returns them; None, without a change, if nothing of the data is in view."""
        field = largest_of(fields_of(self._dataset, self._grid()))
        if field.grid.mesh is not None:
            raise ValueError(
                f"{self._dataset.path}: expected a grid without mesh levels, found {field.grid.name!r}"
            )
        start, spacing, size = _placement(field)
        corners = (start, start + spacing * (size - 1))
        camera = camera_of(self._view.GetActiveCamera(), _viewport_of(self._view, self._is_paraview), corners)
        found = field.view(
            camera,
            origin=start.tolist(),
            spacing=spacing.tolist(),
            pixels_per_sample=self._pixels_per_sample,
            previous_level=self._level,
        )
        if found is not None:
            self._level = found.level
            self._apply(found)
        return found

    def stop(self) -> None:
        """Leaves level and box as they are."""
        if self._observer is not None:
            self._interactor.RemoveObserver(self._observer)
            self._observer = None

    def _grid(self) -> str:
        return str(self._reader.Grid or "") if self._is_paraview else self._reader.GetGrid()

    def _observed(self) -> int | None:
        if self._interactor is None:
            return None

        def after_interaction(*_: Any) -> None:
            self.update()
            self._view.StillRender() if self._is_paraview else self._view.GetRenderWindow().Render()

        return self._interactor.AddObserver("EndInteractionEvent", after_interaction)

    def _apply(self, view: View) -> None:
        box = tuple(tuple(map(int, corner)) for corner in view.box)
        if not self._is_paraview:
            self._reader.SetLevel(view.level)
            self._reader.SetBox(box)
            return
        self._reader.Resolution = "Fixed level"
        self._reader.Level = view.level
        self._reader.Box = [*_three(box[0], 0), *_three(box[1], 1)]


def follow(view: Any, reader: Any, *, pixels_per_sample: float = 1.0) -> Following:
    """Reads what the camera of a view sees, at the level whose samples are about a pixel apart; again after each
    interaction.

    view:   a vtkRenderer, or a render view of paraview.simple
    reader: an esker.vtk.Reader, or the source of ParaView that the plug-in made. Datasets with meshes are refused

    Keep the result as long as the view is to be followed. Raises ValueError, and the exceptions of esker.open: ParaView's
    client opens the dataset, too.
    """
    following = Following(view, reader, pixels_per_sample)
    following.update()
    return following


def camera_of(camera: Any, viewport: tuple[int, int], corners: tuple[NDArray[Any], NDArray[Any]]) -> Camera:
    """The esker.Camera of a vtkCamera. Its near and far planes enclose the box between two corners: VTK's enclose what was
    read before."""
    eye, target, up = camera.GetPosition(), camera.GetFocalPoint(), camera.GetViewUp()
    ahead = np.subtract(target, eye)
    ahead = ahead / np.linalg.norm(ahead)
    axes = np.meshgrid(*zip(*corners), indexing="ij")
    distances = (np.stack(axes, axis=-1).reshape(-1, AXES) - eye) @ ahead
    margin = 1e-3 * max(float(np.ptp(distances)), float(np.linalg.norm(np.subtract(target, eye))))
    near, far = float(distances.min()) - margin, float(distances.max()) + margin
    if camera.GetParallelProjection():
        height = 2 * camera.GetParallelScale()
        return Camera.orthographic(eye, target, up=up, height=height, near=near, far=far, viewport=viewport)
    near = max(near, 1e-4 * abs(far), margin)
    angle = camera.GetViewAngle()
    if camera.GetUseHorizontalViewAngle():
        angle = 2 * np.degrees(np.arctan(np.tan(np.radians(angle) / 2) * viewport[1] / viewport[0]))
    far = max(far, 2 * near)
    return Camera.perspective(eye, target, up=up, field_of_view=angle, near=near, far=far, viewport=viewport)


def _placement(field: Field) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """World coordinates of index 0, the distance between samples, and their number, for three axes. Uneven coordinates
    count as even between their ends."""
    start, spacing, size = np.zeros(AXES), np.ones(AXES), np.ones(AXES, np.int64)
    for axis, (dim, count) in enumerate(list(field.grid.dims.items())[::-1][:AXES]):
        placed = axis_of(field, dim, np.arange(count))
        start[axis] = placed.coords[-1 if placed.is_reversed else 0]
        spacing[axis] = -placed.spacing if placed.is_reversed else placed.spacing
        size[axis] = count
    return start, spacing, size


def _three(corner: tuple[int, ...], rest: int) -> list[int]:
    return [*corner[:AXES], *[rest] * (AXES - len(corner))]


def _path_of(reader: Any) -> str:
    """Of a source of ParaView, which gives a list of names as well as one."""
    name = reader.FileName
    return str(name if isinstance(name, str) else name[0])


def _viewport_of(view: Any, is_paraview: bool) -> tuple[int, int]:
    width, height = view.ViewSize if is_paraview else view.GetSize()
    return int(width), int(height)


def _interactor_of(view: Any, is_paraview: bool) -> Any:
    get: Callable[[], Any] = (
        view.GetInteractor if is_paraview else lambda: view.GetRenderWindow().GetInteractor()
    )
    return get()
