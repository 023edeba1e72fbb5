"""Variables that are computed or read in chunks, a few at a time."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from esker.base.pieces import PIECE_BYTES
from esker.writing.chunked import scratch_array

_BATCH_BYTES = 4 * PIECE_BYTES


def in_pieces(dataset: xr.Dataset, time_dim: str) -> xr.Dataset:
    """The dataset with large variables that are not loaded split into dask chunks of at most one step."""
    if find_spec("dask") is None:
        return dataset
    chunked = {}
    for name, variable in dataset.variables.items():
        is_lazy = variable.chunks is None and not variable._in_memory  # xarray has no public property for it
        if not is_lazy or variable.nbytes <= PIECE_BYTES:
            continue
        chunks = {dim: 1 if dim == time_dim else size for dim, size in variable.sizes.items()}
        for dim in variable.dims:
            others = (
                math.prod(size for other, size in chunks.items() if other != dim) * variable.dtype.itemsize
            )
            chunks[dim] = min(chunks[dim], max(1, PIECE_BYTES // others))
        chunked[name] = variable.chunk(chunks)
    return dataset.assign(chunked)


def samples_of(
    variables: Mapping[Hashable, xr.Variable], directory: str
) -> Iterator[tuple[Hashable, NDArray[Any]]]:
    """The values of variables, one after the other."""
    for name, variable in variables.items():
        native = variable.dtype.newbyteorder("=")
        array = (
            np.asarray(variable.values, native) if variable.chunks is None else _computed(variable, directory)
        )
        yield name, array if array.ndim else array.reshape(1)


def _computed(variable: xr.Variable, directory: str) -> NDArray[Any]:
    """All chunks: in memory if they are small, else in a scratch_array().

    The coarse levels of a dataset take samples from the entire grid, so all samples must be available when a
    step ends.
    """
    native = variable.dtype.newbyteorder("=")
    if variable.nbytes <= PIECE_BYTES:
        return np.asarray(variable.compute().values, native)
    array = scratch_array(variable.shape, native, directory)
    for batch in _batches(variable):
        for where, chunk in zip(batch, _compute([variable[where] for where in batch])):
            array[where] = chunk
    return array


def _batches(variable: xr.Variable) -> Iterator[list[tuple[slice, ...]]]:
    """The slices of chunks, in batches that are computed in parallel."""
    from dask.array.core import slices_from_chunks

    largest = int(np.prod([max(sizes) for sizes in variable.chunks])) * variable.dtype.itemsize
    slices = iter(slices_from_chunks(variable.chunks))
    while batch := list(islice(slices, max(1, _BATCH_BYTES // largest))):
        yield batch


def _compute(chunks: Sequence[xr.Variable]) -> Sequence[NDArray[Any]]:
    """Computes chunks with the current dask scheduler, possibly on a cluster, and returns the results."""
    import dask

    return dask.compute(*(chunk.data for chunk in chunks))
