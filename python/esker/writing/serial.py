"""write: writes a dataset of one step in a single process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from esker.base.boxes import Box
from esker.base.dimensions import AXES, TIME_DIM
from esker.base.options import Option
from esker.writing.chunked import Chunked, assembled
from esker.writing.definitions import WriterField, grid_name
from esker.writing.replacing import new_dataset
from esker.writing.writer import Writer


def write(
    path: str | os.PathLike[str],
    fields: Mapping[str, ArrayLike | Chunked],
    *,
    components: Mapping[str, int] | None = None,
    dims: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    coords: Mapping[str, ArrayLike] | None = None,
    attrs: Mapping[str, Any] | None = None,
    time: float = 0.0,
    format: str | None = None,
    compression: str | Mapping[str, str] | None = None,
    stored_bits: int | Mapping[str, int] | None = None,
    **options: Option,
) -> None:
    """Writes arrays as a dataset of one step.

    fields:     name to samples: arrays (z, y, x); objects with shape, dtype and slicing (numpy.memmap, dask
                arrays, variables of h5py, zarr and netCDF4); or esker.Chunked, for computed samples
    components: name to the number of values per sample, for fields whose last axis holds components; a single
                component is read back without that axis
    dims:       names of the axes, x first, for all fields or per field; default: x, y, z, u, v. A field with
                fewer axes uses the first names. Fields with different axes are stored on separate grids.
    coords:     dimension to its coordinates, one value per index
    attrs:      attributes of the dataset: texts, numbers, or lists of either. A mapping under the name of a
                field, a dimension or "time" holds those of the field, the coordinates or the times
    time:       time value of the step
    format:     as for esker.Writer: "idx", "cdf", "cdf5", "cdf5+idx" ...; None: by configuration or suffix
    compression, stored_bits: as for Writer.field(), for all fields, or a mapping by name
    options:    overwrite=True; bits_per_block, blocks_per_file, in_block="row_major" or "hz", and the others
                that `esker options` lists

    NumPy arrays and memory-mapped files are written directly. Other sources larger than 32 MiB are first read
    into a temporary file. Samples are not converted: big-endian, float16 and masked arrays are errors.

    Raises FileExistsError unless overwrite=True, ValueError, TypeError, NotImplementedError, OSError. After
    an error there is no new dataset, and an existing one is unchanged: only a complete one replaces it.

    >>> import numpy as np
    >>> import esker
    >>> y, x = np.mgrid[0:40, 0:60]
    >>> wind = np.stack([y, -x], axis=-1).astype("f8")
    >>> esker.write("out.idx", {"height": np.hypot(x, y), "wind": wind}, components={"wind": 2},
    ...             attrs={"title": "example", "height": {"units": "m"}}, coords={"x": np.arange(60) * 500.0})
    >>> ds = esker.open("out.idx")
    >>> ds["wind"].shape, ds["height"].attrs["units"], float(ds["height"].coords("x")[-1])
    ((40, 60, 2), 'm', 29500.0)
    """
    sources = {name: _source(name, value) for name, value in fields.items()}
    axes = _axes(sources, components or {}, dims)
    sizes = _sizes(sources, axes)
    own, of_fields = _split_attributes(attrs or {}, sources, (*sizes, options.get("time_dim", TIME_DIM)))
    stored = {"compression": compression, "stored_bits": stored_bits}
    settings = _settings(sources, components=components, attrs=of_fields, **stored)
    how = {"report": "none", "dims": sizes, "coords": coords, "attrs": own, **options}
    with (
        new_dataset(path, format, how.pop("overwrite", None)) as staging,
        Writer(staging.path, None, format=format, **how) as writer,
    ):
        made = _define(writer, sources, axes, settings)
        _write_step(writer, time, [(made[name], source) for name, source in sources.items()], path)


def _source(name: str, value: Any) -> NDArray[Any] | Chunked:
    """An array that can be written directly, or a Chunked that is read piece by piece."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name}: expected a plain array, found a masked array; convert it with filled()")
    if isinstance(value, (np.ndarray, Chunked)):
        return value
    if not (hasattr(value, "shape") and hasattr(value, "dtype") and hasattr(value, "__getitem__")):
        return np.asarray(value)

    def read(box: Box) -> NDArray[Any]:
        lo, hi = box
        return np.asanyarray(value[tuple(slice(l, h) for l, h in zip(reversed(lo), reversed(hi)))])

    chunks = getattr(value, "chunks", None)
    grain = chunks[0] if isinstance(chunks, (tuple, list)) and chunks and isinstance(chunks[0], int) else 1
    return Chunked(value.shape, value.dtype, read, grain=grain)


def _axes(
    sources: Mapping[str, NDArray[Any] | Chunked],
    components: Mapping[str, int],
    dims: Sequence[str] | Mapping[str, Sequence[str]] | None,
) -> dict[str, tuple[str, ...]]:
    """The names of each field's axes, x first."""
    if not sources:
        raise ValueError("fields: expected at least one array, found none")
    if isinstance(dims, str):
        raise TypeError(f"dims: expected names such as ('x', 'y'), found the text {dims!r}")
    _check_names("components", components, sources)
    axes = {}
    for name, source in sources.items():
        shape, n = source.shape, components.get(name)
        if n is not None and (len(shape) < 2 or shape[-1] != n):
            raise ValueError(
                f"{name}: expected a last axis of {n} components, found an array of shape {shape}"
            )
        n_dims = len(shape) - (n is not None)
        names = tuple((dims.get(name, AXES) if isinstance(dims, Mapping) else dims) or AXES)
        if not 1 <= n_dims <= len(names):
            expected = "1 axis" if len(names) == 1 else f"1 to {len(names)} axes"
            raise ValueError(f"{name}: expected {expected} (names: {', '.join(names)}), found {n_dims}")
        axes[name] = names[:n_dims]
    return axes


def _sizes(
    sources: Mapping[str, NDArray[Any] | Chunked], axes: Mapping[str, tuple[str, ...]]
) -> dict[str, int]:
    """Dimension to size, in the order of the field with the most axes."""
    sizes: dict[str, int] = {}
    first: dict[str, str] = {}
    for name in sorted(axes, key=lambda name: -len(axes[name])):
        n_dims = len(axes[name])
        for dim, size in zip(axes[name], reversed(sources[name].shape[:n_dims])):
            if sizes.setdefault(dim, size) != size:
                raise ValueError(
                    f"dimension {dim!r} has size {sizes[dim]} in {first[dim]!r} and {size} in {name!r}; "
                    "use dims= to give the axes of the fields different names"
                )
            first.setdefault(dim, name)
    return sizes


def _split_attributes(
    attrs: Mapping[str, Any], sources: Mapping[str, Any], others: Iterable[Option]
) -> tuple[dict[str, Any], dict[str, Mapping[str, Any]]]:
    """The attributes of the dataset, its dimensions and times, and those of its fields."""
    mappings = {name: value for name, value in attrs.items() if isinstance(value, Mapping)}
    known = [*sources, *map(str, others)]
    if unknown := [name for name in mappings if name not in known]:
        raise ValueError(f"attrs: no field or dimension {unknown[0]!r}; there are {', '.join(known)}")
    of_fields = {name: value for name, value in mappings.items() if name in sources}
    return {name: value for name, value in attrs.items() if name not in of_fields}, of_fields


def _check_names(setting: str, of_fields: Mapping[str, Any], sources: Mapping[str, Any]) -> None:
    if unknown := [name for name in of_fields if name not in sources]:
        raise ValueError(f"{setting}: no field {unknown[0]!r}; there are {', '.join(sources)}")


def _settings(sources: Mapping[str, Any], **settings: Any) -> dict[str, dict[str, Any]]:
    """The arguments of Writer.field() for each field. A setting is a mapping of fields, a value for all, or None."""
    of_field: dict[str, dict[str, Any]] = {name: {} for name in sources}
    for setting, given in settings.items():
        values = given if isinstance(given, Mapping) else dict.fromkeys(sources, given)
        _check_names(setting, values, sources)
        for name, value in values.items():
            if value is not None:
                of_field[name][setting] = value
    return of_field


def _define(
    writer: Writer,
    sources: Mapping[str, NDArray[Any] | Chunked],
    axes: Mapping[str, tuple[str, ...]],
    settings: Mapping[str, dict[str, Any]],
) -> dict[str, WriterField]:
    grids = {dims: writer.grid(grid_name(dims), dims) for dims in dict.fromkeys(axes.values())}
    return {
        name: writer.field(name, source.dtype, grid=grids[axes[name]], **settings[name])
        for name, source in sources.items()
    }


def _write_step(
    writer: Writer,
    time: float,
    sources: Sequence[tuple[WriterField, NDArray[Any] | Chunked]],
    path: str | os.PathLike[str],
) -> None:
    directory = os.path.dirname(os.fspath(path)) or "."
    with writer.step(time) as step:
        for field, source in sources:
            step.put(field, _array(field, source, directory))


def _array(field: WriterField, source: NDArray[Any] | Chunked, directory: str) -> NDArray[Any]:
    """The samples in the field's shape; a single component has no axis there."""
    if isinstance(source, Chunked):
        n_dims = len(field.shape) - (field.components > 1)
        source = assembled(source, n_dims, directory, field.name)
    return source[..., 0] if source.ndim > len(field.shape) else source
