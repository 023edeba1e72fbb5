"""The datasets of this benchmark: samples follow from their indices, so that pictures can be checked without reading them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import esker

Formula = Callable[..., NDArray[Any]]

HUGE = {"x": 8192, "y": 8192, "z": 4096}
"""1.1 TB of float32."""
TINY = {"x": 64, "y": 64, "z": 32}
BANDS = 16
"""Of `wave` along y and z: its samples change from band to band."""
_KEPT_LEVELS_BELOW = 12
"""The finest level of `huge` that is stored, counted from the finest one: one sample of 16 along each axis."""


def smooth(x: Any, y: Any, step: int = 0) -> NDArray[Any]:
    """A field from 0 to 1 without symmetry."""
    return (
        0.5
        + 0.3 * np.sin(7 * np.asarray(x) + 0.4 * step)
        + 0.2 * np.cos(5 * np.asarray(y) + 2 * np.asarray(x))
    )


def flat(path: Path, columns: int, rows: int, steps: int = 1) -> Path:
    """Maps: smooth(x / columns, y / rows, step)."""
    y, x = np.mgrid[0:rows, 0:columns] / np.reshape([rows, columns], (2, 1, 1))
    with esker.Writer(path, dims={"x": columns, "y": rows}, report="none") as writer:
        field = writer.field("map", "f4")
        for n in range(steps):
            with writer.step(n) as step:
                step.put(field, smooth(x, y, n).astype("f4"))
    return path


def deep(path: Path, sides: tuple[int, int, int] = (512, 384, 96)) -> Path:
    """A volume: smooth(x / columns, y / rows, z)."""
    columns, rows, layers = sides
    z, y, x = (axis.astype("f4") for axis in np.ogrid[0:layers, 0:rows, 0:columns])
    esker.write(path, {"deep": smooth(x / columns, y / rows, z).astype("f4")})  # type: ignore[arg-type]
    return path


def wave(x: Any, band_y: Any, band_z: Any, columns: int) -> NDArray[Any]:
    """The samples of sparse(), from -1 to 12."""
    return np.sin(8 * np.asarray(x) / columns) + np.asarray(band_y) / 4 + np.asarray(band_z) / 2


def sparse(path: Path, dims: dict[str, int], levels_below: int) -> Path:
    """A volume that is stored at coarse levels only, but for a box in the middle at all levels: files with holes.

    Each row along x is repeated in its bands, so that memory holds a few rows only.
    """
    height, depth = dims["y"] // BANDS, dims["z"] // BANDS
    with esker.Writer(path, dims=dims, report="none") as writer:
        field = writer.field("wave", "f4")
        with writer.step(0) as step:
            for k in range(BANDS):
                for j in range(BANDS):
                    row = wave(np.arange(dims["x"]), j, k, dims["x"]).astype("f4")
                    rows = np.broadcast_to(row, (depth, height, dims["x"]))
                    step.put(field, rows, (0, j * height, k * depth))
            middle = [size // 2 for size in dims.values()]
            step.keep(level=-levels_below)
            step.keep(boxes=[(middle, [at + max(size // 64, 1) for at, size in zip(middle, dims.values())])])
    return path


def huge(path: Path) -> Path:
    return sparse(path, HUGE, _KEPT_LEVELS_BELOW)


def tiny(path: Path) -> Path:
    """As `huge`, but for its size."""
    return sparse(path, TINY, 0)
