"""xarray's engine "esker": `xarray.open_dataset("run.idx", engine="esker", level=12)`.

xarray finds it by its entry point; Esker itself does not need xarray. Variables are read when they are used, and no
more of them than is used. docs/guide/xarray.md has examples.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

import esker
from esker.array import TIME_DIM, Array
from esker.dataset import Dataset, Field
from esker.remote import is_url
from esker.same_part import Part, same_part

SCALAR_DIM = "esker_scalar"
"""The dimension, of one index, of fields that were variables without one."""

Levels = int | Mapping[str, int] | None


class EskerBackendEntrypoint(BackendEntrypoint):
    """Opens what esker.open() opens; guesses only what no other engine reads: `.idx` files and IDX directories."""

    description = "Multiresolution datasets of Esker and OpenVisus (.idx), at any level"
    open_dataset_parameters = (
        "filename_or_obj",
        "drop_variables",
        "level",
        "verify",
        "storage_options",
        "mask_and_scale",
        "decode_times",
        "concat_characters",
        "decode_coords",
        "use_cftime",
        "decode_timedelta",
    )
    supports_groups = False

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        if not isinstance(filename_or_obj, str | os.PathLike):
            return False
        if is_url(filename_or_obj):
            return str(filename_or_obj).endswith(".idx")
        path = Path(filename_or_obj)
        return path.suffix == ".idx" or (path / "esker.json").is_file()

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        level: Levels = None,
        verify: bool = False,
        storage_options: Mapping[str, Any] | None = None,
        mask_and_scale: bool = True,
        decode_times: Any = True,
        concat_characters: bool = True,
        decode_coords: bool | None = True,
        use_cftime: bool | None = None,
        decode_timedelta: Any = None,
    ) -> xr.Dataset:
        """level: of the field with the most samples, or by the name of a field or grid. None: all samples.

        Of one number the fields of other grids have the samples at the same indices of the dimensions they share; by names
        the others are read whole, and where levels leave fields other samples of the same dimension, ValueError names them.
        """
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        source = esker.open(os.fspath(filename_or_obj), verify=verify, storage_options=storage_options)
        _check_names(source, level)
        raw = _variables(source, level, dropped)
        decoded = xr.decode_cf(
            raw,
            concat_characters=concat_characters,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            decode_coords=True if decode_coords is None else decode_coords,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )
        decoded.encoding["source"] = source.path
        decoded.set_close(_close)
        return decoded


def _close() -> None:
    """Files are closed with the last array that needs them."""


class _LazyArray(BackendArray):
    """An esker.Array as xarray's lazy indexing takes it."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self.shape = array.shape
        self.dtype = array.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._array.__getitem__
        )


def _variables(source: Dataset, level: Levels, dropped: set[str]) -> xr.Dataset:
    variables: dict[str, xr.Variable] = {}
    indices: dict[str, tuple[str, NDArray[np.int64]]] = {}  # of a dimension: whose they are
    taken = any(TIME_DIM in grid.dims for grid in source.grids.values())
    of_steps = "step" if taken else TIME_DIM
    times: dict[tuple[int, ...], str] = {tuple(range(len(source.steps))): of_steps}
    fields = [field for field in source.fields.values() if field.name not in dropped and _is_there(field)]
    parts = _parts(fields, level)
    for field in fields:
        array = field.array(parts[field.name].level, parts[field.name].stride)
        dims = list(array.dims)
        if not field.fixed:
            written = tuple(s for s in range(len(source.steps)) if field.has(s))
            dims[0] = times.setdefault(written, f"{of_steps}_{field.name}")
            if dims[0] not in variables and dims[0] not in dropped:
                values = np.array([source.steps[s] for s in written])
                variables[dims[0]] = xr.Variable(dims[0], values, dict(source.time_attrs))
        for dim in field.grid.dims:
            own = array.selection.indices(dim)
            name, known = indices.setdefault(dim, (field.name, own))
            if not np.array_equal(own, known):
                raise ValueError(
                    f"{source.path}: at these levels {name!r} has {known.size} samples along {dim!r}, {field.name!r} "
                    f"{own.size}; give levels by name, e.g. level={{{field.name!r}: {array.level}}}, or drop one"
                )
            if dim in field.grid.coords and dim not in variables and dim not in dropped:
                values = field.grid.coords[dim][own]
                variables[dim] = xr.Variable(dim, values, dict(source.dim_attrs.get(dim, {})))
        lazy = indexing.LazilyIndexedArray(_LazyArray(array))
        encoding = {"preferred_chunks": dict(zip(dims, _chunk_of(source, field, array)))}
        variable = xr.Variable(dims, lazy, _attributes(field), encoding)
        variables[field.name] = variable.squeeze(SCALAR_DIM) if SCALAR_DIM in dims else variable
    return xr.Dataset(variables, attrs=dict(source.attrs))


def _is_there(field: Field) -> bool:
    """Esker's fixed fields come with the first step, those of other programs need none."""
    if not field.fixed or field.dataset.steps:
        return True
    try:
        field.read(box=(field.box[0], field.box[0]))
    except KeyError:
        return False
    return True


def _attributes(field: Field) -> dict[str, Any]:
    """As netCDF gives them: numbers have NumPy's types, and those that are samples have the field's."""
    attributes: dict[str, Any] = {}
    for name, value in field.attrs.items():
        array = value if isinstance(value, str) else np.asarray(value)[()]
        if name in ("_FillValue", "missing_value") and not isinstance(array, str):
            array = array.astype(field.dtype)
        attributes[name] = array
    return attributes


def _parts(fields: Sequence[Field], level: Levels) -> dict[str, Part]:
    if not isinstance(level, Mapping):
        return same_part(fields, None, None if level is None else operator.index(level))
    levels = {field.name: level.get(field.name, level.get(field.grid.name)) for field in fields}
    return {name: Part(level=None if own is None else operator.index(own)) for name, own in levels.items()}


def _check_names(source: Dataset, level: Levels) -> None:
    known = [*source.fields, *source.grids]
    if isinstance(level, Mapping) and (unknown := [name for name in level if name not in known]):
        raise ValueError(
            f"{source.path}: level of {unknown[0]!r}: no such field or grid; there are {', '.join(known)}"
        )


def _chunk_of(source: Dataset, field: Field, array: Array) -> tuple[int, ...]:
    """A step, and of the other axes what is read in one go: a block with the coarser samples among its own."""
    part = next(part for part in source.parts if field.name in part.fields)
    shape = list(array.shape)
    if not field.fixed:
        shape[0] = 1
    if part.bits_per_block == 0:
        return tuple(shape)
    digits = part.bitmask[1:][: array.level][-(part.bits_per_block + 1) :]
    num_axes = len(field.grid.dims)
    first = 0 if field.fixed else 1
    for axis in range(num_axes):
        at = first + num_axes - 1 - axis
        shape[at] = min(shape[at], 1 << digits.count(str(axis)))
    return tuple(shape)
