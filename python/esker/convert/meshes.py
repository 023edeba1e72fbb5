"""Converts adaptive meshes: opens them by content, and writes their patches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.base.names import schema_names, with_name_in_source
from esker.base.options import Option
from esker.base.pieces import PIECE_BYTES
from esker.convert.amrex import Plotfile, is_plotfile
from esker.convert.chombo import ChomboFile, is_chombo
from esker.convert.destination import OnRead, directory_of
from esker.convert.mesh_source import GEOMETRIES, MeshSource, PatchType
from esker.convert.yt_source import YT_PREFIX, YtMesh
from esker.writing.chunked import scratch_array
from esker.writing.replacing import new_dataset
from esker.writing.writer import Writer

MESH_FORMATS = ("idx", "vtkhdf", "vtkhdf+idx")
"""Formats of convert_mesh()."""


def open_mesh(path: str, destination: str | os.PathLike[str]) -> MeshSource[Any] | None:
    """The mesh in a plotfile of AMReX or a file of Chombo, by content, or what yt opens after "yt:"; None for
    other sources.

    Temporary files are made next to `destination`. Raises the exceptions of Plotfile, ChomboFile and YtMesh.
    """
    if path.startswith(YT_PREFIX):
        return YtMesh(path.removeprefix(YT_PREFIX))
    if is_plotfile(path):
        return Plotfile(path)
    return ChomboFile(path, directory_of(destination)) if is_chombo(path) else None


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
    copies = _Copies(directory_of(path))
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
