"""Rectangles that cover the samples of one kind, for hatches: they tell kinds apart without color."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_RECTANGLES = 4000
"""Of one kind. With more, coarser cells are hatched if half of them is of the kind: scattered samples then have none, and are
told by their color alone."""

Rectangles = dict[str, NDArray[np.float64]]
"""left, right, bottom, top of each."""


def rectangles(mask: NDArray[np.bool_], window: tuple[float, float, float, float]) -> Rectangles:
    """Rectangles in drawn coordinates over the samples of a mask, whose outer edges are `window`."""
    cells = _cells(mask)
    size = 1
    while len(cells) > MAX_RECTANGLES:
        mask = _halved(mask)
        size *= 2
        cells = _cells(mask)
    left, right, bottom, top = window
    rows, columns = mask.shape
    width, height = (right - left) / columns, (top - bottom) / rows
    corners = np.array(cells, dtype=np.float64).reshape(-1, 4)
    return {
        "left": left + corners[:, 0] * width,
        "right": left + corners[:, 1] * width,
        "bottom": bottom + corners[:, 2] * height,
        "top": bottom + corners[:, 3] * height,
    }


def _cells(mask: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """Runs of samples, joined over rows in which they are the same: left, right, bottom, top."""
    done: list[tuple[int, int, int, int]] = []
    open_runs: dict[tuple[int, int], int] = {}
    for row in range(len(mask) + 1):
        runs = _runs(mask[row]) if row < len(mask) else []
        now = set(runs)
        for run in [run for run in open_runs if run not in now]:
            done.append((*run, open_runs.pop(run), row))
        for run in runs:
            open_runs.setdefault(run, row)
    return done


def _runs(row: NDArray[np.bool_]) -> list[tuple[int, int]]:
    if not row.any():
        return []
    changes = np.flatnonzero(np.diff(np.concatenate([[False], row, [False]])))
    return list(zip(changes[::2].tolist(), changes[1::2].tolist()))


def _halved(mask: NDArray[Any]) -> NDArray[np.bool_]:
    """Half as many rows and columns; a sample is set if two of its four were."""
    rows, columns = (size + size % 2 for size in mask.shape)
    padded = np.zeros((rows, columns), bool)
    padded[: mask.shape[0], : mask.shape[1]] = mask
    return padded.reshape(rows // 2, 2, columns // 2, 2).sum(axis=(1, 3)) >= 2
