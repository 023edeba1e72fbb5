"""Datasets that tests write with one process, and the samples that OpenVisus and readers must find in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from esker import _core

AXES = ("x", "y", "z", "u", "v")


@dataclass(frozen=True)
class FieldSpec:
    """A field to write: its type, and how many components each sample has."""

    dtype: str
    components: int = 1


def random_array(spec: FieldSpec, extent: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Random samples, none of them 0, as an array (..., z, y, x[, component])."""
    shape = (*reversed(extent), *([spec.components] if spec.components > 1 else []))
    dtype = np.dtype(spec.dtype)
    if dtype.kind == "f":
        return rng.uniform(1, 2, shape).astype(dtype)
    return rng.integers(1, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def start(
    path: Path, extent: Sequence[int], fields: Mapping[str, FieldSpec], options: Mapping[str, Any]
) -> _core.Writer:
    """A writer of one grid; `extent` x first."""
    texts = {"report": "none", **{name: str(value) for name, value in options.items()}}
    writer = _core.create(str(path), texts)
    dims = [writer.def_dim(AXES[a], n) for a, n in enumerate(extent)]
    grid = writer.def_grid("grid", dims)
    for name, spec in fields.items():
        writer.def_field(grid, name, spec.dtype, spec.components)
    return writer


def add_steps(writer: _core.Writer, steps: Iterable[Mapping[str, np.ndarray]], first_time: float = 0) -> None:
    """Writes one step after the other, and closes."""
    for number, arrays in enumerate(steps):
        writer.begin_step(first_time + number)
        for name, array in arrays.items():
            field = writer.field(name)
            rank = array.ndim - (writer.fields[field].components > 1)
            writer.put(field, array, [0] * rank)
        writer.end_step()
    writer.close()


def write(
    path: Path,
    extent: Sequence[int],
    fields: Mapping[str, FieldSpec],
    steps: Sequence[Mapping[str, np.ndarray]],
    **options: Any,
) -> None:
    """A whole dataset."""
    add_steps(start(path, extent, fields, options), steps)


def samples(array: np.ndarray, box: tuple[Sequence[int], Sequence[int]], stride: Sequence[int]) -> np.ndarray:
    """The expected answer to a query for `box` (x first) at a level of that stride: points k * stride in the box."""
    lo, hi = box
    slices = [slice(-(-l // s) * s, h, s) for l, h, s in zip(lo, hi, stride)]
    return array[tuple(reversed(slices))]
