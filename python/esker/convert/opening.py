"""Opens sources of conversions by their names: datasets, .npy and raw files, pictures, and any Zarr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from numpy.typing import DTypeLike

from esker.base.boxes import Box
from esker.base.names import name_in_source
from esker.convert.arrays import RAW_SUFFIXES, source_of_npy, source_of_raw
from esker.convert.datasets import source_of_dataset
from esker.convert.pictures import pictures_of, source_of_pictures
from esker.convert.source import Source, with_used_dims
from esker.convert.zarr_source import source_of_zarr
from esker.dataset.opening import Dataset, open
from esker.integrations.remote import is_url


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
    """Opens a source by the suffix of `path`: .npy; .raw or .bin, which need `shape` (slowest first) and
    `dtype`; a pattern or a directory of .png files. Anything else is opened as by esker.open(), and .zarr by
    zarr-python if Esker leaves some of its arrays out. `step`, `box` and `level` select a part of what
    esker.open() opens.
    """
    suffix = Path(path).suffix
    is_raw = suffix in RAW_SUFFIXES
    is_dataset = not (is_raw or suffix in (".npy", ".png") or pictures_of(path))
    dataset = _opened(path, threads) if is_dataset else None
    of_datasets = {"step": step, "box": box, "level": level}
    if given := [name for name, value in of_datasets.items() if value is not None and dataset is None]:
        raise ValueError(f"{path}: {given[0]} is supported for what esker.open() opens only; omit it")
    if (shape is not None or dtype is not None) and not is_raw:
        raise ValueError(
            f"{path}: shape and dtype are supported for raw samples (.raw, .bin) only; omit them"
        )
    if dataset is not None:
        return source_of_dataset(dataset, fields or tuple(dataset), step, box, level)
    if is_dataset:
        return _chosen(source_of_zarr(path), fields, path)
    if is_raw:
        return _chosen(source_of_raw(path, shape, dtype), fields, path)
    if suffix == ".npy":
        return _chosen(source_of_npy(path), fields, path)
    return _chosen(source_of_pictures(path, pictures_of(path)), fields, path)


def _opened(path: str, threads: int | None) -> Dataset | None:
    """As esker.open(). None: Zarr with arrays that zarr-python reads and Esker does not, for example of texts."""
    is_zarr = Path(path).suffix == ".zarr" and find_spec("zarr") is not None
    try:
        dataset = open(path, threads=threads, verify=not is_url(path))
    except NotImplementedError:
        if is_zarr:
            return None
        raise
    is_complete = not any(
        text.startswith("variable ") and " is left out: " in text for text in dataset.warnings
    )
    return dataset if is_complete or not is_zarr else None


def _chosen(source: Source, fields: Sequence[str], path: str) -> Source:
    known = {name_in_source(one.name, one.attrs): one for one in source.fields}
    known |= {one.name: one for one in source.fields}
    if unknown := [name for name in fields if name not in known]:
        raise KeyError(f"{path}: no field {unknown[0]!r}; there are {', '.join(known)}")
    chosen = tuple(known[name] for name in fields) if fields else source.fields
    return with_used_dims(replace(source, fields=chosen), path)
