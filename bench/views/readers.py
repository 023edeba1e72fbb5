"""The compared systems: each writes an array once and reads parts of it.

Every read opens the file again. A part is a request of a viewer: a `box` ((x0, y0, ...), (x1, y1, ...)) and a
`stride`, which is a power of two, so that all systems return the same samples.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Box = tuple[tuple[int, ...], tuple[int, ...]]


class System(Protocol):
    """A way to store an array and to read parts of it."""

    needs: tuple[str, ...]
    """Required Python packages."""

    def write(self, directory: Path, array: Array) -> None: ...

    def read(self, directory: Path, box: Box, stride: int) -> Array: ...


def slices(box: Box, stride: int) -> tuple[slice, ...]:
    """The part as an index of an array, slowest axis first."""
    return tuple(slice(-(-lo // stride) * stride, hi, stride) for lo, hi in zip(*box))[::-1]


class Esker:
    """IDX, raw blocks, without checksums, like the other systems."""

    needs = ("esker",)

    def write(self, directory: Path, array: Array) -> None:
        import esker

        esker.write(directory / "a.idx", {"a": array}, checksums=False, overwrite=True)

    def read(self, directory: Path, box: Box, stride: int) -> Array:
        import esker

        return esker.open(directory / "a.idx")["a"].read(box=box, stride=(stride,) * len(box[0]))


class OpenVisus:
    """IDX, raw blocks, written and read by OpenVisus."""

    needs = ("OpenVisus",)

    def write(self, directory: Path, array: Array) -> None:
        import OpenVisus as ov

        ov.CreateIdx(
            url=str(directory / "a.idx"),
            dims=list(array.shape[::-1]),
            fields=[ov.Field("a", str(array.dtype), "row_major")],
            arco=0,
        ).write(array, field="a")

    def read(self, directory: Path, box: Box, stride: int) -> Array:
        import OpenVisus as ov

        dataset = ov.LoadDataset(str(directory / "a.idx"))
        finest = dataset.getMaxResolution()
        digits = len(box[0]) * (stride.bit_length() - 1)
        read = dataset.read(logic_box=[list(box[0]), list(box[1])], field="a", max_resolution=finest - digits)
        return read


class Xarray:
    """NetCDF-4, one contiguous variable; netCDF4's strided reads through xarray."""

    needs = ("xarray", "netCDF4")
    chunked = False

    def write(self, directory: Path, array: Array) -> None:
        import netCDF4

        with netCDF4.Dataset(directory / "a.nc", "w") as file:
            names = [f"d{i}" for i in range(array.ndim)]
            for name, size in zip(names, array.shape):
                file.createDimension(name, size)
            chunks = {"chunksizes": _chunks(array)} if self.chunked else {"contiguous": True}
            file.createVariable("a", array.dtype, names, **chunks)[:] = array

    def read(self, directory: Path, box: Box, stride: int) -> Array:
        import xarray as xr

        with xr.open_dataset(directory / "a.nc", engine="netcdf4", decode_cf=False) as file:
            return file["a"][slices(box, stride)].values


class XarrayChunked(Xarray):
    """NetCDF-4, one chunked variable."""

    chunked = True


class H5py:
    """HDF5, one contiguous dataset; strided hyperslabs."""

    needs = ("h5py",)

    def write(self, directory: Path, array: Array) -> None:
        import h5py

        with h5py.File(directory / "a.h5", "w") as file:
            file["a"] = array

    def read(self, directory: Path, box: Box, stride: int) -> Array:
        import h5py

        with h5py.File(directory / "a.h5", "r") as file:
            return file["a"][slices(box, stride)]


class Zarr:
    """Zarr v3 without a codec: a pyramid with one array per power of two."""

    needs = ("zarr",)

    def write(self, directory: Path, array: Array) -> None:
        import zarr

        group = zarr.open_group(directory / "a.zarr", mode="w")
        for name, coarse in _pyramid(array):
            group.create_array(
                name, shape=coarse.shape, dtype=coarse.dtype, chunks=_chunks(coarse), compressors=None
            )[...] = coarse

    def read(self, directory: Path, box: Box, stride: int) -> Array:
        import zarr

        return zarr.open_group(directory / "a.zarr", mode="r")[str(stride)][_coarse(box, stride)]


class TensorStore:
    """The same store as for Zarr, through TensorStore."""

    needs = ("tensorstore", "zarr")

    def write(self, directory: Path, array: Array) -> None:
        import tensorstore

        for name, coarse in _pyramid(array):
            path = f"file://{directory}/t.zarr/{name}/"
            metadata = {
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(_chunks(coarse))}},
                "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            }
            spec = {"driver": "zarr3", "kvstore": path, "metadata": metadata}
            store = tensorstore.open(
                spec, create=True, delete_existing=True, shape=coarse.shape, dtype=str(coarse.dtype)
            ).result()
            store.write(coarse).result()

    def read(self, directory: Path, box: Box, stride: int) -> Array:
        import tensorstore

        spec = {"driver": "zarr3", "kvstore": f"file://{directory}/t.zarr/{stride}/"}
        return tensorstore.open(spec, open=True).result()[_coarse(box, stride)].read().result()


class MemoryMap:
    """A memory-mapped .npy file, as the upper limit."""

    needs = ()

    def write(self, directory: Path, array: Array) -> None:
        np.save(directory / "a.npy", array)

    def read(self, directory: Path, box: Box, stride: int) -> Array:
        return np.array(np.load(directory / "a.npy", mmap_mode="r")[slices(box, stride)])


SYSTEMS: dict[str, Callable[[], System]] = {
    "esker": Esker,
    "openvisus": OpenVisus,
    "xarray": Xarray,
    "xarray_chunked": XarrayChunked,
    "h5py": H5py,
    "zarr": Zarr,
    "tensorstore": TensorStore,
    "memory_map": MemoryMap,
}


def missing(name: str) -> list[str]:
    """Required packages of a system that are not installed."""
    return [package for package in SYSTEMS[name].needs if importlib.util.find_spec(package) is None]


def _chunks(array: Array) -> tuple[int, ...]:
    """As nearly cubic as possible, at most 2^18 samples: 1 MiB of float32, 2 MiB of float64."""
    edge = 1 << (18 // array.ndim)
    return tuple(min(edge, size) for size in array.shape)


def _pyramid(array: Array) -> Iterator[tuple[str, Array]]:
    for halvings in range(5):
        stride = 1 << halvings
        yield str(stride), np.ascontiguousarray(array[(slice(None, None, stride),) * array.ndim])


def _coarse(box: Box, stride: int) -> tuple[slice, ...]:
    return tuple(slice(-(-lo // stride), -(-hi // stride)) for lo, hi in zip(*box))[::-1]


def drop_from_cache(directory: Path) -> None:
    """Removes the files from the page cache."""
    for path in directory.rglob("*"):
        if path.is_file():
            file = os.open(path, os.O_RDONLY)
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)
