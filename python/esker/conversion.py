"""Converts a source (see esker.sources) to an Esker dataset or to Zarr, piece by piece."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker import _core
from esker.amr_source import GEOMETRIES, MeshSource, PatchType
from esker.base.boxes import Box
from esker.base.characters import has_characters
from esker.base.names import schema_names, with_name_in_source
from esker.base.options import Option
from esker.base.pieces import PIECE_BYTES
from esker.chombo import ChomboFile, is_chombo
from esker.plotfile import Plotfile, is_plotfile
from esker.sources import Source, SourceField
from esker.writing.chunked import Chunked, assembled, scratch_array
from esker.writing.definitions import WriterField, grid_name
from esker.writing.replacing import new_dataset
from esker.writing.writer import Writer
from esker.yt_source import YT_PREFIX, YtMesh
from esker.zarr_target import write_zarr

OnRead = Callable[[int], None]
"""Called with the number of bytes read since the last call."""

MESH_FORMATS = ("idx", "vtkhdf", "vtkhdf+idx")
"""Formats of convert_mesh()."""

_CLASSIC_TYPES = ("i1", "i2", "i4", "f4", "f8")
"""Types of CDF-1 and CDF-2."""


def format_of(path: str | os.PathLike[str]) -> str | None:
    """The format for the suffix of a path, or None; "netcdf" means the result of smallest_netcdf()."""
    if Path(path).suffix == ".zarr":
        return "zarr"
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
    if format == "zarr":
        if options:
            raise ValueError(f"{next(iter(options))}: writer options are not supported for Zarr; omit it")
        return write_zarr(source, Path(path), on_read, bool(overwrite))
    directory = _directory_of(path)
    with (
        new_dataset(path, format, overwrite) as staging,
        _writer(staging.path, format, source, **options) as writer,
    ):
        made = _define(writer, source)
        for step, time in enumerate(source.times):
            with writer.step(time) as s:
                for one in source.fields:
                    if one.has(step):
                        s.put(made[one.name], _array(one, step, directory, on_read))
    return staging.published


def open_mesh(path: str, destination: str | os.PathLike[str]) -> MeshSource[Any] | None:
    """The mesh in a plotfile of AMReX or a file of Chombo, by content, or what yt opens after "yt:"; None for
    other sources.

    Temporary files are made next to `destination`. Raises the exceptions of Plotfile, ChomboFile and YtMesh.
    """
    if path.startswith(YT_PREFIX):
        return YtMesh(path.removeprefix(YT_PREFIX))
    if is_plotfile(path):
        return Plotfile(path)
    return ChomboFile(path, _directory_of(destination)) if is_chombo(path) else None


def convert_mesh(
    source: MeshSource[PatchType],
    path: str | os.PathLike[str],
    on_read: OnRead,
    format: str = "idx",
    **options: Option,
) -> list[Path]:
    """Writes a mesh with one step, and returns the files and directories that it created.

    `format` is one of MESH_FORMATS. With "vtkhdf" levels are stored whole, and may have any ratio. The files
    are published as by convert(). Samples that are mapped, aligned and in native byte order are written
    from the files of the source. The others are copied to temporary files next to the destination. Raises the
    exceptions of MeshSource.read() and of esker.Writer.
    """
    overwrite = options.pop("overwrite", None)
    copies = _Copies(_directory_of(path))
    attrs = {} if source.geometry == GEOMETRIES[0] else {"geometry": source.geometry}
    with (
        new_dataset(path, format, overwrite) as staging,
        Writer(
            staging.path, None, dims={}, attrs=attrs, format=format, **{"report": "none", **options}
        ) as writer,
    ):
        mesh = writer.mesh(
            "mesh",
            dict(zip(source.axes, source.extent)),
            source.ratios,
            origin=source.origin,
            spacing=source.spacing,
        )
        fields = {
            name: writer.field(made, dtype, grid=mesh, attrs=with_name_in_source({}, name, made))
            for (name, made), dtype in zip(schema_names(source.fields).items(), source.dtypes)
        }
        with writer.step(source.time) as step:
            for patch in source.patches:
                samples = source.read(patch)
                for (name, field), dtype in zip(fields.items(), source.dtypes):
                    array = samples[name]
                    if not _is_mapped(array, dtype):
                        array = copies.of(array, dtype)
                    step.put(field, array, offset=patch.lo, level=patch.level)
                    on_read(array.nbytes)
    return staging.published


def _directory_of(path: str | os.PathLike[str]) -> str:
    return os.path.dirname(os.fspath(path)) or "."


def _is_mapped(array: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Whether the writer can take an array as it is, and it needs no memory."""
    return isinstance(array, np.memmap) and array.dtype == dtype and array.flags.aligned


class _Copies:
    """Copies of arrays that the writer cannot take as they are, in temporary files mapped into memory."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._free: NDArray[Any] = np.empty(0, np.uint8)

    def of(self, array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
        """A copy with the type `dtype`, aligned, that is valid as long as it is used."""
        size = array.size * dtype.itemsize
        if size > self._free.size:
            self._free = scratch_array((max(size, PIECE_BYTES),), np.dtype(np.uint8), self._directory)
        copy = self._free[:size].view(dtype).reshape(array.shape)
        self._free = self._free[-(-size // 16) * 16 :]
        copy[...] = array
        return copy


def smallest_netcdf(source: Source) -> str:
    """The oldest netCDF format that can hold the data, as most programs can read it.

    That is "cdf1", or "cdf2" if variables begin beyond 2 GiB. If these lack a type or a variable is too large
    for them, it is "netcdf4", or "cdf5" if Esker was built without HDF5.
    """
    types = [one.dtype for one in source.fields if not has_characters(one.dtype, one.attrs)]
    types += [values.dtype for one in source.fields for values in one.coords.values()]
    types += [source.time_dtype] if source.time_dim else []
    types += [one.value.dtype for one in source.scalars.values() if isinstance(one.value, np.generic)]
    if all(kind.str[1:] in _CLASSIC_TYPES for kind in types):
        for format in ("cdf1", "cdf2"):
            if _takes(format, source):
                return format
    return "netcdf4" if _takes("netcdf4", Source((), (), time_dim="")) else "cdf5"


def _takes(format: str, source: Source) -> bool:
    """Whether the format can hold the definitions; tries it with a file without samples."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            with _writer(Path(directory) / "x.nc", format, source) as writer:
                _define(writer, source)
        except (ValueError, NotImplementedError):
            return False
    return True


def _writer(path: Path, format: str, source: Source, **options: Option) -> Writer:
    sizes = {
        dim: size
        for one in source.fields
        if not one.is_series
        for dim, size in zip(reversed(one.dims), reversed(one.shape))
    }
    return Writer(
        path,
        None,
        dims=sizes,
        attrs=source.attrs,
        format=format,
        time_dim=source.time_dim,
        time_dtype=source.time_dtype,
        **{"report": "none", **options},
    )


def _define(writer: Writer, source: Source) -> dict[str, WriterField]:
    made: dict[str, WriterField] = {}
    for scalar in source.scalars.values():
        writer.scalar(scalar.name, scalar.value, scalar.attrs)

    def grid_of(one: SourceField) -> tuple[str, tuple[str, ...]]:
        dims = () if one.is_series else one.dims[::-1]
        return one.grid or ("series" if one.is_series else grid_name(dims)), dims

    for (name, dims), fields in groupby(sorted(source.fields, key=grid_of), key=grid_of):
        of_grid = list(fields)
        grid = writer.grid(name, dims, coords=of_grid[0].coords)
        for one in of_grid:
            made[one.name] = writer.field(
                one.name,
                one.dtype,
                grid=grid,
                components=one.components,
                fixed=one.fixed,
                every=one.every,
                compression=one.compression,
                stored_bits=one.stored_bits,
                attrs=one.attrs,
            )
    return made


def _array(one: SourceField, step: int, directory: str, on_read: OnRead) -> NDArray[Any]:
    def read(box: Box) -> NDArray[Any]:
        samples = one.read(step, box)
        on_read(samples.nbytes)
        return samples

    shape = (*one.shape, *([one.components] if one.components > 1 else []))
    return assembled(Chunked(shape, one.dtype, read, grain=one.grain), len(one.shape), directory, one.name)
