"""Stacks of pictures as sources."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.boxes import Box
from esker.convert.source import Source, SourceField, box_index


def pictures_of(path: str) -> list[str]:
    """The .png files of a pattern, or of a directory that is not a dataset, sorted by name."""
    stem = path.rstrip("/")
    is_dataset = os.path.exists(f"{stem}.idx") or os.path.exists(os.path.join(path, "esker.json"))
    if os.path.isdir(path) and not is_dataset:
        return sorted(glob.glob(os.path.join(glob.escape(path), "*.png")))
    return sorted(glob.glob(path)) if path.endswith(".png") else []


def source_of_pictures(path: str, names: Sequence[str]) -> Source:
    """Pictures as layers of one field; the path is for messages."""
    from PIL import Image

    if not names:
        raise FileNotFoundError(f"{path}: no .png file found")

    def pixels(name: str) -> NDArray[Any]:
        try:
            with Image.open(name) as picture:
                found = np.asarray(picture)
        except OSError as error:
            raise OSError(f"{name}: {error}") from error
        return found.astype(np.uint8) if found.dtype == bool else found

    layer = pixels(names[0])

    def read(step: int, box: Box) -> NDArray[Any]:
        zs, *rest = box_index(box)
        return np.stack([load(name)[tuple(rest)] for name in names[zs]])

    def load(name: str) -> NDArray[Any]:
        found = pixels(name)
        if (found.shape, found.dtype) != (layer.shape, layer.dtype):
            raise ValueError(
                f"{name}: expected {layer.dtype} pixels of shape {layer.shape} as in {names[0]}, found "
                f"{found.dtype} of shape {found.shape}"
            )
        return found

    components = 1 if layer.ndim == 2 else layer.shape[2]
    name = Path(names[0]).parent.name or "pictures"
    shape = (len(names), *layer.shape[:2])
    one = SourceField(name, ("z", "y", "x"), shape, layer.dtype, read, components=components)
    return Source((one,), time_dim="")
