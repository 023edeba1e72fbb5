"""What can be converted: datasets of Esker, .npy and raw files, stacks of pictures, Zarr - all as fields that are read by box."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import esker
from esker._pieces import thickness
from esker.array import TIME_DIM
from esker.dataset import COMPONENT_DIM, Box, Dataset, Field
from esker.remote import is_url
from esker.same_part import Part, same_part
from esker.writer import attributes_with_dims
from esker.zarr_attributes import decoded_fill_value

AXES = ("x", "y", "z", "u", "v")


@dataclass(frozen=True)
class SourceField:
    """A field that is read by step and box; shapes and dims slowest first, boxes x first."""

    name: str
    dims: tuple[str, ...]
    """Of the grid: no time, no component."""
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    read: Callable[[int, Box], NDArray[Any]]
    """Samples of a step and a half-open box in indices of `shape`: (z, y, x[, component])."""
    components: int = 1
    fixed: bool = True
    every: int = 1
    grain: int = 1
    """Pieces of so many indices of the slowest axis are read best."""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    grid: str | None = None
    coords: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """Of one step."""
        return math.prod(self.shape) * self.components * self.dtype.itemsize

    def has(self, step: int) -> bool:
        """Whether it is there at a step; a fixed one is at the first."""
        return step == 0 if self.fixed else step % self.every == 0


@dataclass(frozen=True)
class Source:
    """Fields, and what they have in common."""

    fields: tuple[SourceField, ...]
    times: tuple[float, ...] = (0.0,)
    attrs: Mapping[str, Any] = field(default_factory=dict)
    """As esker.Writer takes them: those of dimensions and of the time under their names."""
    warnings: tuple[str, ...] = ()
    """What is left out, and why."""


def open_source(
    path: str,
    *,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    fields: Sequence[str] = (),
    step: int | None = None,
    box: Box | None = None,
    level: int | None = None,
    threads: int | None = None,
) -> Source:
    """Opens what `path` names by its suffix: .npy, .raw (which needs `shape`, slowest first, and `dtype`), a pattern or a
    directory of .png, .zarr; all others as esker.open() does, of which alone `step`, `box` and `level` choose a part.
    """
    suffix = Path(path).suffix
    is_raw = suffix in (".raw", ".bin")
    is_dataset = not (is_raw or suffix in (".npy", ".png", ".zarr") or _pictures(path))
    of_datasets = {"step": step, "box": box, "level": level}
    if given := [name for name, value in of_datasets.items() if value is not None and not is_dataset]:
        raise ValueError(f"{path}: {given[0]} chooses of datasets, not of other files")
    if (shape is not None or dtype is not None) and not is_raw:
        raise ValueError(f"{path}: shape and dtype are for raw samples, files called .raw or .bin")
    if is_dataset:
        dataset = esker.open(path, threads=threads, verify=not is_url(path))
        return of_dataset(dataset, fields or tuple(dataset), step, box, level)
    if suffix == ".zarr":
        return _chosen(_of_zarr(path), fields, path)
    if is_raw:
        return _chosen(_of_raw(path, shape, dtype), fields, path)
    if suffix == ".npy":
        return _chosen(_of_npy(path), fields, path)
    return _chosen(_of_pictures(path, _pictures(path)), fields, path)


def of_dataset(
    dataset: Dataset,
    fields: Sequence[str],
    step: int | None = None,
    box: Box | None = None,
    level: int | None = None,
) -> Source:
    """These fields, of all steps or of one; a box and a level of the largest, and the same part of the others.

    Dimensions of length 1 stay.
    """
    chosen = [dataset[name] for name in fields]
    steps: Sequence[int] = range(len(dataset.steps))
    if step is not None:
        if not -len(steps) <= step < len(steps):
            raise IndexError(f"{dataset.path}: step {step}, the dataset has {len(steps)}")
        steps = [steps[step]]
    elif all(source.fixed for source in chosen):
        steps = steps[:1]  # they are of none in particular
    parts = same_part(chosen, box, level)
    made = tuple(
        _of_field(source, steps, parts[source.name])
        for source in chosen
        if source.fixed or step is None or source.has(steps[0])
    )
    all_dims = (*dataset.dim_attrs.items(), (TIME_DIM, dataset.time_attrs))
    of_dims = {dim: dict(own) for dim, own in all_dims if own}
    attrs = attributes_with_dims(dataset.path, dataset.attrs, of_dims)
    times = tuple(dataset.steps[s] for s in steps) or (0.0,)
    return _used(Source(made, times, attrs, tuple(dataset.warnings)), dataset.path)


def _of_field(source: Field, steps: Sequence[int], part: Part) -> SourceField:
    selection = source._lattice(part.box, part.level, part.stride)
    if 0 in selection.shape:
        raise ValueError(f"{source.name}: no sample of level {selection.level} lies in the box")
    every = 1 if source.fixed else _every(source, [source.has(step) for step in steps])

    def read(step: int, box: Box) -> NDArray[Any]:
        number = -1 if source.fixed else steps[step]
        return source.read(number, selection.box_of(box), part.level, stride=part.stride)

    return SourceField(
        source.name,
        tuple(source.grid.dims),
        selection.shape[: len(source.grid.dims)],
        source.dtype,
        read,
        components=source.components,
        fixed=source.fixed,
        every=every,
        grain=thickness(selection.shape[0]),
        attrs=source.attrs,
        grid=source.grid.name,
        coords={dim: values[selection.indices(dim)] for dim, values in source.grid.coords.items()},
    )


def _every(source: Field, present: Sequence[bool]) -> int:
    """A field is there at each so many steps, from the first on; one that is there at others cannot be written."""
    at = [step for step, there in enumerate(present) if there]
    every = at[1] - at[0] if len(at) > 1 else len(present)
    if at != list(range(0, len(present), every)):
        raise NotImplementedError(
            f"{source.name}: is there at steps {', '.join(map(str, at[:8]))} ..., not at every n-th from the first on: "
            "convert the other fields, or a step of it"
        )
    return every


def _chosen(source: Source, fields: Sequence[str], path: str) -> Source:
    known = {one.name: one for one in source.fields}
    if unknown := [name for name in fields if name not in known]:
        raise KeyError(f"{path}: no field {unknown[0]!r}; there are {', '.join(known)}")
    chosen = tuple(known[name] for name in fields) if fields else source.fields
    return _used(Source(chosen, source.times, source.attrs, source.warnings), path)


def _used(source: Source, path: str) -> Source:
    """Without the attributes of dimensions that no field has."""
    if not source.fields:
        raise ValueError(f"{path}: there is no field to convert")
    used = {TIME_DIM, *(dim for one in source.fields for dim in one.dims)}
    attrs = {
        name: value for name, value in source.attrs.items() if name in used or not isinstance(value, Mapping)
    }
    return Source(source.fields, source.times, attrs, source.warnings)


def _name_of(path: str) -> str:
    return Path(path).stem


def _of_raw(path: str, shape: Sequence[int] | None, dtype: DTypeLike | None) -> Source:
    if shape is None or dtype is None:
        raise ValueError(f"{path}: raw samples say neither shape nor type: give both")
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise ValueError(f"{path}: {dtype!r} is no type of samples; f4, <i2 and >f8 are") from error
    expected, found = math.prod(shape) * kind.itemsize, os.path.getsize(path)
    if min(shape) < 1 or expected != found:
        sizes = " x ".join(map(str, shape))
        raise ValueError(f"{path}: has {found} bytes, {sizes} samples of type {kind} take {expected}")
    return _of_array(_name_of(path), np.memmap(path, kind, "r", shape=tuple(shape)))


def _of_npy(path: str) -> Source:
    try:
        return _of_array(_name_of(path), np.load(path, mmap_mode="r", allow_pickle=False))
    except (EOFError, ValueError) as error:
        raise ValueError(f"{path}: no .npy file, or one that was cut short: {error}") from error


def _of_array(name: str, array: NDArray[Any]) -> Source:
    if not 1 <= array.ndim <= len(AXES):
        raise ValueError(f"{name}: an array of {array.ndim} axes, expected 1 to {len(AXES)}")
    native = array.dtype.newbyteorder("=")

    def read(step: int, box: Box) -> NDArray[Any]:
        return np.asarray(array[_index(box)], native)

    return Source((SourceField(name, AXES[: array.ndim][::-1], array.shape, native, read),))


def _index(box: Box) -> tuple[slice, ...]:
    return tuple(slice(lo, hi) for lo, hi in zip(*box))[::-1]


def _pictures(path: str) -> list[str]:
    """Of a pattern, or of a directory that is no dataset; in the order of their names."""
    stem = path.rstrip("/")
    is_dataset = os.path.exists(f"{stem}.idx") or os.path.exists(os.path.join(path, "esker.json"))
    if os.path.isdir(path) and not is_dataset:
        return sorted(glob.glob(os.path.join(glob.escape(path), "*.png")))
    return sorted(glob.glob(path)) if path.endswith(".png") else []


def _of_pictures(path: str, names: Sequence[str]) -> Source:
    from PIL import Image

    if not names:
        raise FileNotFoundError(f"{path}: no such pictures")

    def pixels(name: str) -> NDArray[Any]:
        try:
            with Image.open(name) as picture:
                found = np.asarray(picture)
        except OSError as error:
            raise OSError(f"{name}: {error}") from error
        return found.astype(np.uint8) if found.dtype == bool else found

    layer = pixels(names[0])

    def read(step: int, box: Box) -> NDArray[Any]:
        zs, *rest = _index(box)
        return np.stack([load(name)[tuple(rest)] for name in names[zs]])

    def load(name: str) -> NDArray[Any]:
        found = pixels(name)
        if (found.shape, found.dtype) != (layer.shape, layer.dtype):
            raise ValueError(
                f"{name}: a picture of {found.dtype} and shape {found.shape}, {names[0]} is one of {layer.dtype} and "
                f"shape {layer.shape}"
            )
        return found

    components = 1 if layer.ndim == 2 else layer.shape[2]
    name = Path(names[0]).parent.name or "pictures"
    shape = (len(names), *layer.shape[:2])
    return Source((SourceField(name, ("z", "y", "x"), shape, layer.dtype, read, components=components),))


def _of_zarr(path: str) -> Source:
    try:
        import zarr
    except ImportError as error:
        raise NotImplementedError(f"{path}: needs the package zarr") from error
    node = zarr.open(path, mode="r")
    if isinstance(node, zarr.Array):
        return Source((_of_zarr_array(_name_of(path), node, {}),), attrs=_plain(node.attrs))
    arrays = dict(node.arrays())
    if not arrays:
        raise ValueError(f"{path}: a group without arrays")
    coords = {
        name: np.asarray(array[:], np.float64)
        for name, array in arrays.items()
        if _dims_of(array) == (name,) and array.dtype.kind in "iuf"
    }
    fields, left_out = [], []
    for name, array in arrays.items():
        if name in coords:
            continue
        if array.dtype.kind not in "iuf" or not [dim for dim in _dims_of(array) if dim != TIME_DIM]:
            left_out.append(f"array {name!r} is left out: {array.dtype} of dimensions {_dims_of(array)}")
        else:
            fields.append(_of_zarr_array(name, array, coords))
    of_dims = {name: own for name in coords if (own := _plain(arrays[name].attrs))}
    attrs = attributes_with_dims(path, _plain(node.attrs), of_dims)
    numbers = {array.shape[0] for array in arrays.values() if _dims_of(array)[:1] == (TIME_DIM,)}
    times = coords[TIME_DIM] if TIME_DIM in coords else range(max(numbers, default=1))
    return Source(tuple(fields), tuple(float(time) for time in times), attrs, tuple(left_out))


def _dims_of(array: Any) -> tuple[str, ...]:
    names = getattr(array.metadata, "dimension_names", None) or array.attrs.get("_ARRAY_DIMENSIONS")
    return tuple(names) if names and all(names) else AXES[: array.ndim][::-1]


def _plain(attrs: Any) -> dict[str, Any]:
    """Those that Esker stores."""
    kept = {}
    for name, value in dict(attrs).items():
        numbers = value if isinstance(value, list) else [value]
        if isinstance(value, str) or all(isinstance(number, int | float) for number in numbers):
            kept[name] = value
    kept.pop("_ARRAY_DIMENSIONS", None)
    return kept


def _of_zarr_array(name: str, array: Any, coords: Mapping[str, NDArray[np.float64]]) -> SourceField:
    dims = _dims_of(array)
    timed = dims[:1] == (TIME_DIM,)
    components = array.shape[-1] if dims[-1] == COMPONENT_DIM else 1
    end = len(dims) - (components > 1)
    native = np.dtype(array.dtype).newbyteorder("=")

    def read(step: int, box: Box) -> NDArray[Any]:
        return np.asarray(array[(*([step] if timed else []), *_index(box))], native)

    own = dims[timed:end]
    return SourceField(
        name,
        own,
        tuple(array.shape[timed:end]),
        native,
        read,
        components=components,
        fixed=not timed,
        grain=array.chunks[int(timed)],
        attrs=_plain(decoded_fill_value(dict(array.attrs), native)),
        coords={dim: coords[dim] for dim in own if dim in coords},
    )
