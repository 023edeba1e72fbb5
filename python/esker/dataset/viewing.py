"""Cameras, and the box and level of a field that they see.

World points and vectors are (x, y, z). docs/internals/viewing.md describes the method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from esker import _core

Box = tuple[Sequence[int], Sequence[int]]
Vector = Sequence[float]


class Camera:
    """A model-view-projection matrix and a viewport.

    matrix:   4 x 4; (x, y, z, w) = matrix @ (point, 1). Visible points have -w <= x, y, z <= w, as in OpenGL:
              x to the right, y up, z = -w on the near plane and w on the far plane
    viewport: (width, height) in pixels
    """

    def __init__(self, matrix: ArrayLike, viewport: tuple[int, int]) -> None:
        rows = np.asarray(matrix, dtype=np.float64)
        if rows.shape != (4, 4):
            raise ValueError(f"camera: expected a matrix of shape (4, 4), found {rows.shape}")
        self._core = _core.Camera(rows.ravel().tolist(), *viewport)

    @classmethod
    def perspective(
        cls,
        eye: Vector,
        target: Vector,
        *,
        viewport: tuple[int, int],
        near: float,
        far: float,
        up: Vector = (0, 0, 1),
        field_of_view: float = 45,
    ) -> Camera:
        """A camera at `eye` that looks at `target`. `near` and `far` are distances; `field_of_view` is
        vertical, in degrees."""
        return cls._of(_core.Camera.perspective(eye, target, up, field_of_view, near, far, *viewport))

    @classmethod
    def orthographic(
        cls,
        eye: Vector,
        target: Vector,
        *,
        viewport: tuple[int, int],
        height: float,
        near: float,
        far: float,
        up: Vector = (0, 0, 1),
    ) -> Camera:
        """A camera without perspective; `height` is the height of the picture in world units."""
        return cls._of(_core.Camera.orthographic(eye, target, up, height, near, far, *viewport))

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Camera:
        """A camera from the contents of a camera file: "matrix" and "viewport", or the arguments of
        orthographic() (with "height") or perspective() by name."""
        try:
            if "matrix" in facts:
                return cls(facts["matrix"], tuple(facts["viewport"]))
            make = cls.orthographic if "height" in facts else cls.perspective
            given = dict(facts)
            return make(given.pop("eye"), given.pop("target"), **given)
        except KeyError as error:
            raise ValueError(f"camera: {error.args[0]!r} is missing") from error
        except TypeError as error:
            raise ValueError(f"camera: {error}") from error

    @classmethod
    def _of(cls, core: _core.Camera) -> Camera:
        camera = cls.__new__(cls)
        camera._core = core
        return camera

    @property
    def matrix(self) -> NDArray[np.float64]:
        """4 x 4."""
        return np.array(self._core.matrix).reshape(4, 4)

    @property
    def viewport(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._core.width, self._core.height

    def __repr__(self) -> str:
        return f"<esker.Camera of {self.viewport[0]} x {self.viewport[1]} pixels>"


@dataclass(frozen=True)
class View:
    """The part of a field to read for a camera: Field.read(box=view.box, level=view.level)."""

    box: Box
    """Samples in view and their neighbors at the level; half open, x first."""
    level: int
    """The coarsest level whose samples are no farther apart than requested."""
    pixels: float
    """Maximum distance on the screen between neighboring samples of that level."""


def view_of(
    core: _core.Dataset,
    field: str,
    camera: Camera,
    origin: Vector | None,
    spacing: Vector | None,
    pixels_per_sample: float,
    previous_level: int | None,
) -> View | None:
    """See esker.Field.view."""
    placement = _core.GridPlacement.of(core, field)
    if origin is not None or spacing is not None:
        steps = placement.step if spacing is None else np.diag([*spacing, 1, 1][:3]).tolist()
        start = placement.origin if origin is None else [*origin, 0, 0][:3]
        placement = _core.GridPlacement(start, steps)
    seen = _core.view(core, field, camera._core, placement, pixels_per_sample, previous_level)
    return View((tuple(seen.box[0]), tuple(seen.box[1])), seen.level, seen.pixels) if seen.visible else None
