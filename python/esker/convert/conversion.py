"""Converts a Source to an Esker dataset, piece by piece."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from esker import _core
from esker.base.boxes import Box
from esker.base.characters import has_characters
from esker.base.options import Option
from esker.convert.destination import OnRead, define_fields, directory_of, writer_of
from esker.convert.netcdf import smallest_netcdf
from esker.convert.source import Source, SourceField
from esker.convert.zarr_target import write_zarr
from esker.writing.chunked import Chunked, assembled
from esker.writing.replacing import new_dataset


def format_of(path: str | os.PathLike[str]) -> str | None:
    """The format for the suffix of a path, or None; "netcdf" means the result of smallest_netcdf()."""
    format = _core.split_name(os.fspath(path)).format
    return "netcdf" if format == "cdf" else format or None


def size_of(source: Source) -> int:
    """Bytes of all samples."""
    return sum(one.nbytes * sum(map(one.has, range(len(source.times)))) for one in source.fields)


def convert(
    source: Source, path: str | os.PathLike[str], format: str, on_read: OnRead, **options: Option
) -> list[Path]:
    """Writes all fields and steps, and returns the files and directories that it created.

    They are published by rename once complete. Existing ones are kept until then, and replaced only with
    overwrite=True. The disk needs room for the fields of one step in addition to the dataset; memory does
    not. Raises the exceptions of esker.Writer.
    """
    overwrite = options.pop("overwrite", None)
    if format == "netcdf":
        format = smallest_netcdf(source)
    if format == "zarr" and any(has_characters(one.dtype, one.attrs) for one in source.fields):
        return _write_texts_in_zarr(source, Path(path), on_read, bool(overwrite), options)
    directory = directory_of(path)
    with (
        new_dataset(path, format, overwrite) as staging,
        writer_of(staging.path, format, source, **options) as writer,
    ):
        made = define_fields(writer, source)
        for step, time in enumerate(source.times):
            with writer.step(time) as s:
                for one in source.fields:
                    if one.has(step):
                        s.put(made[one.name], _array(one, step, directory, on_read))
    return staging.published


def _write_texts_in_zarr(
    source: Source, path: Path, on_read: OnRead, overwrite: bool, options: Mapping[str, Option]
) -> list[Path]:
    """Through zarr-python, because esker.Writer stores texts along axes as numbers, the codes of their characters."""
    if options:
        name = next(iter(options))
        raise ValueError(f"{name}: writer options are not supported for Zarr with texts along axes; omit it")
    return write_zarr(source, path if path.suffix == ".zarr" else Path(f"{path}.zarr"), on_read, overwrite)


def _array(one: SourceField, step: int, directory: str, on_read: OnRead) -> NDArray[Any]:
    def read(box: Box) -> NDArray[Any]:
        samples = one.read(step, box)
        on_read(samples.nbytes)
        return samples

    shape = (*one.shape, *([one.components] if one.components > 1 else []))
    return assembled(Chunked(shape, one.dtype, read, grain=one.grain), len(one.shape), directory, one.name)
