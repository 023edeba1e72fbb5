"""open, and the open Dataset: its fields by name, its steps, attributes, grids and files."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from esker import _core
from esker.base.counts import count_of
from esker.base.names import name_in_source
from esker.base.values import AttributeValue, attribute_of, attributes_of
from esker.dataset import display
from esker.dataset.description import Grid, Part, Scalar, Storage, grid_of, part_of
from esker.dataset.field import Field
from esker.integrations.remote import is_url, located

_UNSYNCED = ".esker-unsynced"
"""Suffix of the file that lists the steps which a power failure may have damaged."""


class DatasetWarning(UserWarning):
    """A dataset written by Esker is or may be incomplete; `Dataset.warnings` has the details."""


def _losses(dataset: Dataset) -> list[str]:
    """The warnings about lost data; those about files of other programs only name what Esker does not
    read."""
    is_idx = any(part.bits_per_block for part in dataset.parts)
    return [text for text in dataset.warnings if is_idx or _UNSYNCED in text]


def open(
    path: str | os.PathLike[str],
    *,
    verify: bool = False,
    threads: int | None = None,
    cache_bytes: int = 64 << 20,
    storage_options: Mapping[str, Any] | None = None,
) -> Dataset:
    """Opens a dataset: an `.idx` file, the directory of a writer with several grids, a CDF or an HDF5 file.

    `path` may be any URL that fsspec supports, such as "https://..." or "s3://bucket/run.idx"; a read then
    fetches only the blocks it needs. ARCO datasets (one file per block) can be read from a URL as well.

    In CDF files (netCDF's classic formats) and HDF5 files (NetCDF-4 or plain) written by other programs, the
    fields are the numeric variables with at least one axis in addition to the record axis, and the steps are
    the records. `warnings` lists what is left out. Names of variables in a group are prefixed by the group's
    name and '_'.

    Reads headers only. Damage that does not prevent reading is listed in `warnings` and issued as a
    DatasetWarning.

    verify:      compare each block with its checksum when it is read, if the file has checksums
    threads:     maximum number of threads of a read; the default is one per processor, and 16 for a URL
    cache_bytes: size of the cache of decoded and downloaded blocks; 0: no cache
    storage_options: with a URL, options for fsspec: credentials, endpoints

    Raises FileNotFoundError, OSError (damaged), or NotImplementedError.

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.zeros((5, 8), "f4")})
    >>> ds = esker.open("run.idx")
    >>> list(ds), ds.steps, ds["thk"].dims
    (['thk'], [0.0], ('y', 'x'))
    """
    how = {"verify": verify, "threads": threads or 0, "cache_bytes": cache_bytes}
    there, files = located(path, storage_options)
    again = how if files is None else {**how, "storage_options": storage_options}
    dataset = Dataset(os.fspath(path), _core.open(there, **how, files=files), again)
    for text in _losses(dataset):
        warnings.warn(text, DatasetWarning, stacklevel=2)
    return dataset


class Dataset:
    """An open dataset: `fields` by name, `steps` (time values), attributes, grids and files."""

    def __init__(self, path: str, core: _core.Dataset, how: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._core = core
        self._how = dict(how)
        self.path = path
        self.attrs: Mapping[str, AttributeValue] = attributes_of(core.attributes)
        self.time_attrs: Mapping[str, AttributeValue] = attributes_of(core.time_attributes)
        """Attributes of the times of the steps: units, calendar."""
        self.dim_attrs: Mapping[str, Mapping[str, AttributeValue]] = MappingProxyType(
            {dim.name: attributes_of(dim.attributes) for dim in core.dims}
        )
        """Attributes of each dimension's coordinates."""
        self.time_dim: str = core.time_name
        """Name of the time dimension in netCDF files; "" if all fields are fixed and there are no times."""
        self.time_dtype: np.dtype[Any] = np.dtype(core.time_type)
        """Type of the times in netCDF files."""
        self.scalars: Mapping[str, Scalar] = MappingProxyType(
            {
                one.name: Scalar(one.name, attribute_of(one.value), attributes_of(one.attributes))
                for one in core.scalars
            }
        )
        """Values without axes, by name."""
        self.steps: list[float] = core.steps
        """Time value of each step."""
        grids = [grid_of(grid, core.dims) for grid in core.grids]
        self.grids: Mapping[str, Grid] = MappingProxyType({grid.name: grid for grid in grids})
        fields = [Field(self, field, grids[field.grid]) for field in core.fields]
        self.fields: Mapping[str, Field] = MappingProxyType({field.name: field for field in fields})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the path and the arguments of open(); unpickling opens the dataset again."""
        return _reopened, (self.path if is_url(self.path) else os.path.abspath(self.path), self._how)

    def __getitem__(self, name: str) -> Field:
        """A field by its name, or by the one that it has in its source (`name_in_source`)."""
        found = self.fields.get(name) or self._of_sources.get(name)
        if found is None:
            known = ", ".join(self.fields)
            raise KeyError(f"{self.path}: no field {name!r}; the dataset has {known}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.fields or name in self._of_sources

    @cached_property
    def _of_sources(self) -> Mapping[str, Field]:
        """The fields by the names that they have in their sources."""
        return {name_in_source(field.name, field.attrs): field for field in self.fields.values()}

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __repr__(self) -> str:
        return f"<esker.Dataset {self.path!r}: {count_of(len(self.steps), 'step')}, fields {', '.join(self.fields)}>"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return display.dataset_html(self)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the dataset; in an IDX dataset each part is one `.idx` file."""
        return tuple(part_of(part) for part in self._core.parts)

    @property
    def warnings(self) -> list[str]:
        """Damage that does not prevent reading, and variables and attributes of other programs that are left
        out."""
        return self._core.warnings

    def storage(self) -> Storage:
        """Counts files and bytes; this inspects every file."""
        found = self._core.storage()
        return Storage(found.files, found.bytes)

    def _step(self, step: int) -> int:
        """`step` as a non-negative position; the library checks its range."""
        step = operator.index(step)
        return step + len(self.steps) if step < 0 else step


def _reopened(path: str, how: Mapping[str, Any]) -> Dataset:
    return open(path, **how)
