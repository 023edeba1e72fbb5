"""Cases of `esker bench --peers` in Python: plain files, zarr-python and TensorStore, where each process writes the
chunks or shards of its part of each field."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from esker.bench.parts import Part

Samples = list[NDArray[np.float64]]
"""Per part, the samples of one process."""

ZSTD_LEVEL = 3
"""That of Esker's compression=zstd."""


class Case(Protocol):
    """One way to store steps and to read them back, as in bench/case.h. All processes make all calls."""

    def begin_write(self) -> None: ...
    def write_step(self, step: int, samples: Samples) -> None: ...
    def begin_read(self) -> None: ...
    def read_step(self, step: int) -> Samples: ...


class Posix:
    """Each process writes one file per step directly from its memory."""

    def __init__(self, directory: Path, rank: int, parts: Sequence[Part]) -> None:
        self._directory, self._rank = directory, rank
        self._read = [part.memory() for part in parts]

    def begin_write(self) -> None:
        pass

    def write_step(self, step: int, samples: Samples) -> None:
        file = os.open(self._path(step), os.O_WRONLY | os.O_CREAT)
        for memory in map(_in_memory, samples):
            written = 0
            while written < memory.nbytes:
                written += os.write(file, memory[written:])
        os.close(file)

    def begin_read(self) -> None:
        pass

    def read_step(self, step: int) -> Samples:
        file = os.open(self._path(step), os.O_RDONLY)
        for memory in map(_in_memory, self._read):
            done = 0
            while done < memory.nbytes:
                n = os.readv(file, [memory[done:]])
                if n == 0:
                    raise OSError(f"{self._path(step)}: ends too early")
                done += n
        os.close(file)
        return self._read

    def _path(self, step: int) -> Path:
        return self._directory / f"{self._rank}_{step}"


class ZarrPython:
    """zarr-python: an array per field, which the first process creates with all steps."""

    def __init__(self, where: Where, is_sharded: bool, zstd: bool) -> None:
        import zarr

        self._zarr, self._where = zarr, where
        self._is_sharded, self._zstd = is_sharded, zstd
        self._arrays: list[Any] = []

    def begin_write(self) -> None:
        if self._where.rank == 0:
            for part in self._where.parts:
                self._create(part)
        self._where.wait()
        self._arrays = self._opened("r+")

    def write_step(self, step: int, samples: Samples) -> None:
        for array, part, own in zip(self._arrays, self._where.parts, samples):
            array[(step, *part.index)] = own

    def begin_read(self) -> None:
        self._arrays = self._opened("r")

    def read_step(self, step: int) -> Samples:
        return [array[(step, *part.index)] for array, part in zip(self._arrays, self._where.parts)]

    def _opened(self, mode: Any) -> list[Any]:
        # Otherwise it would compare each chunk with the fill value.
        config = {"write_empty_chunks": True}
        directory = self._where.directory
        return [
            self._zarr.open_array(directory / part.name, mode=mode, config=config)
            for part in self._where.parts
        ]

    def _create(self, part: Part) -> None:
        assert part.chunks
        self._zarr.create_array(
            self._where.directory / part.name,
            shape=(self._where.steps, *part.shape),
            dtype="float64",
            chunks=(1, *part.chunks.chunk),
            shards=(1, *part.chunks.shard) if self._is_sharded else None,
            compressors=self._zarr.codecs.ZstdCodec(level=ZSTD_LEVEL) if self._zstd else None,
            fill_value=0,
            zarr_format=3,
        )


class TensorStore:
    """TensorStore, without syncing. All fields of a step are written together, each step in a transaction, so that a
    shard is written once."""

    def __init__(self, where: Where, is_sharded: bool, zstd: bool) -> None:
        import tensorstore

        self._ts, self._where = tensorstore, where
        self._is_sharded, self._zstd = is_sharded, zstd
        self._arrays: list[Any] = []

    def begin_write(self) -> None:
        if self._where.rank == 0:
            self._open(create=True)
        self._where.wait()
        self._arrays = self._open()

    def write_step(self, step: int, samples: Samples) -> None:
        transaction = self._ts.Transaction() if self._is_sharded else None
        writes = [
            (array.with_transaction(transaction) if transaction else array)[(step, *part.index)].write(own)
            for array, part, own in zip(self._arrays, self._where.parts, samples)
        ]
        if transaction:
            for write in writes:
                write.copy.result()
            transaction.commit_async().result()
        for write in writes:
            write.result()

    def begin_read(self) -> None:
        self._arrays = self._open()

    def read_step(self, step: int) -> Samples:
        reads = [array[(step, *part.index)].read() for array, part in zip(self._arrays, self._where.parts)]
        return [read.result() for read in reads]

    def _open(self, create: bool = False) -> list[Any]:
        context = self._ts.Context({"file_io_sync": False})
        opened = [
            self._ts.open(self._spec(part, create), context=context, open=True, create=create)
            for part in self._where.parts
        ]
        return [one.result() for one in opened]

    def _spec(self, part: Part, create: bool) -> dict[str, Any]:
        spec = {
            "driver": "zarr3",
            "kvstore": {"driver": "file", "path": f"{self._where.directory / part.name}/"},
        }
        return {**spec, "metadata": self._metadata(part)} if create else spec

    def _metadata(self, part: Part) -> dict[str, Any]:
        assert part.chunks
        chunk, shard = [1, *part.chunks.chunk], [1, *part.chunks.shard]
        codecs: list[Any] = [{"name": "bytes", "configuration": {"endian": "little"}}]
        if self._zstd:
            codecs.append({"name": "zstd", "configuration": {"level": ZSTD_LEVEL}})
        if self._is_sharded:
            codecs = [{"name": "sharding_indexed", "configuration": {"chunk_shape": chunk, "codecs": codecs}}]
        return {
            "shape": [self._where.steps, *part.shape],
            "data_type": "float64",
            "chunk_grid": {
                "name": "regular",
                "configuration": {"chunk_shape": shard if self._is_sharded else chunk},
            },
            "codecs": codecs,
            "fill_value": 0,
        }


class Where:
    """What a case knows of its process."""

    def __init__(
        self, directory: Path, rank: int, parts: Sequence[Part], steps: int, wait: Callable[[], object]
    ) -> None:
        self.directory, self.rank, self.parts, self.steps, self.wait = directory, rank, parts, steps, wait


_LIBRARIES = {"zarr_python": ("zarr", ZarrPython), "tensorstore": ("tensorstore", TensorStore)}
_KINDS = {"": (False, False), "_sharded": (True, False), "_zstd": (True, True)}
"""Suffix to: has shards, is compressed."""
_ON_REQUEST = ("_zstd",)


def cases(on_request: bool) -> list[str]:
    """The names of the cases in the order in which they run: the default ones, or also the others."""
    kinds = [kind for kind in _KINDS if on_request or kind not in _ON_REQUEST]
    return ["posix", *(library + kind for library in _LIBRARIES for kind in kinds)]


def package_of(case: str) -> str | None:
    """The Python package that a case needs."""
    return next((package for name, (package, _) in _LIBRARIES.items() if case.startswith(name)), None)


def lacks(case: str) -> bool:
    package = package_of(case)
    return package is not None and find_spec(package) is None


def versions() -> dict[str, str]:
    return {
        package: metadata.version(package)
        for package, _ in _LIBRARIES.values()
        if find_spec(package) is not None
    }


def make(name: str, where: Where) -> Case:
    if name == "posix":
        return Posix(where.directory, where.rank, where.parts)
    library = next(library for library in _LIBRARIES if name.startswith(library))
    is_sharded, zstd = _KINDS[name.removeprefix(library)]
    return _LIBRARIES[library][1](where, is_sharded, zstd)


def stored_bytes(directory: Path) -> int:
    """Bytes of all files below a directory."""
    return sum((Path(at) / name).stat().st_size for at, _, names in os.walk(directory) for name in names)


def _in_memory(samples: NDArray[np.float64]) -> memoryview:
    """The bytes of samples in the order of memory."""
    order = np.argsort([-stride for stride in samples.strides], kind="stable")
    return memoryview(samples.transpose(order)).cast("B")
