"""xarray engine "esker": `xarray.open_dataset("run.idx", engine="esker", level=12)`, and open_datatree.

xarray finds the engine by its entry point; Esker itself does not need xarray. Variables are lazy: only the
samples in use are read. docs/guide/xarray.md has examples.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import xarray as xr
from xarray.backends import BackendEntrypoint

from esker import _core
from esker.base.names import names_again, without_name_in_source
from esker.dataset.opening import Dataset, open
from esker.integrations.remote import is_url
from esker.integrations.xarray.attributes import attributes_for_xarray
from esker.integrations.xarray.levels import level_datasets
from esker.integrations.xarray.times import time_dim_of
from esker.integrations.xarray.variables import Levels, scalar_of, variables_of, with_level_maps

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def _reporting_damage(make: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Raises OSError if a damaged file has impossible sizes or times, which cause MemoryError or
    OverflowError."""

    @wraps(make)
    def made(*arguments: _Given.args, **named: _Given.kwargs) -> _Made:
        try:
            return make(*arguments, **named)
        except (MemoryError, OverflowError) as error:
            path = arguments[1] if len(arguments) > 1 else named.get("filename_or_obj")
            raise OSError(f"{path}: the file is damaged: impossible sizes or times: {error}") from error

    return made


class EskerBackendEntrypoint(BackendEntrypoint):
    """Opens everything that esker.open() opens. Without `engine=`, xarray uses it only for `.idx` files and
    IDX directories, which no other engine reads."""

    description = "Multiresolution datasets of Esker and OpenVisus (.idx), at any level"
    open_dataset_parameters = (
        "filename_or_obj",
        "drop_variables",
        "level",
        "stored_levels",
        "verify",
        "storage_options",
        "mask_and_scale",
        "decode_times",
        "concat_characters",
        "decode_coords",
        "use_cftime",
        "decode_timedelta",
    )
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        if not isinstance(filename_or_obj, str | os.PathLike):
            return False
        is_idx = _core.split_name(os.fspath(filename_or_obj)).format == "idx"
        return is_idx or (not is_url(filename_or_obj) and (Path(filename_or_obj) / "esker.json").is_file())

    @_reporting_damage
    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        level: Levels = None,
        stored_levels: bool = False,
        verify: bool = False,
        storage_options: Mapping[str, Any] | None = None,
        mask_and_scale: bool = True,
        decode_times: Any = True,
        concat_characters: bool = True,
        decode_coords: bool | None = True,
        use_cftime: bool | None = None,
        decode_timedelta: Any = None,
    ) -> xr.Dataset:
        """level: level of the field with the most samples, or levels by the name of a field or grid. None:
        all samples.

        With a single level, fields on other grids have samples at the same indices of the dimensions that
        they share. With levels by name, the other fields have all their samples; if two fields then have
        different samples along the same dimension, ValueError names both.

        stored_levels: adds a coordinate FIELD_stored_level to each field with sparse steps, its level map.
        """
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        source = open(os.fspath(filename_or_obj), verify=verify, storage_options=storage_options)
        _check_names(source, level)
        _warn_of_omissions(source, dropped)
        raw = variables_of(source, level, dropped)
        if stored_levels:
            raw = with_level_maps(raw, source, level)
        return _decoded(
            source,
            raw,
            concat_characters=concat_characters,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            decode_coords=decode_coords,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )

    @_reporting_damage
    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        verify: bool = False,
        storage_options: Mapping[str, Any] | None = None,
        **decoders: Any,
    ) -> dict[str, xr.Dataset]:
        """One group per grid, and for a mesh, in its group, one per level: `amr/level_0` is the coarsest.

        A level has the samples of its patches. Those outside are missing, see docs/guide/xarray.md. Attributes
        and scalars of the dataset are in the root. `decoders` as for open_dataset().
        """
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        source = open(os.fspath(filename_or_obj), verify=verify, storage_options=storage_options)
        _warn_of_omissions(source, dropped)
        scalars = {name: scalar_of(one) for name, one in source.scalars.items() if name not in dropped}
        groups = {"/": xr.Dataset(scalars, attrs=attributes_for_xarray(source.attrs))}
        for name, grid in source.grids.items():
            if grid.mesh is None:
                others = {f.name for f in source.fields.values() if f.grid.name != name}
                raw = variables_of(source, None, {*dropped, *others, *source.scalars})
                groups[f"/{name}"] = raw.drop_attrs(deep=False)
                continue
            groups[f"/{name}"] = xr.Dataset()
            for level, raw in level_datasets(source, grid, dropped).items():
                groups[f"/{name}/{level}"] = raw
        return {path: _decoded(source, raw, **decoders) for path, raw in groups.items()}

    def open_datatree(self, filename_or_obj: Any, **arguments: Any) -> xr.DataTree:
        """The groups of open_groups_as_dict() as a tree."""
        return xr.DataTree.from_dict(self.open_groups_as_dict(filename_or_obj, **arguments))


def _decoded(source: Dataset, raw: xr.Dataset, decode_coords: Any = True, **decoders: Any) -> xr.Dataset:
    named = _with_names_in_source(raw)
    decoded = xr.decode_cf(named, decode_coords=True if decode_coords is None else decode_coords, **decoders)
    decoded.encoding["source"] = source.path
    if (time_dim := time_dim_of(source)) in decoded.dims:
        decoded.encoding["unlimited_dims"] = {time_dim}
    decoded.set_close(_close)
    return decoded


def _warn_of_omissions(source: Dataset, dropped: set[str]) -> None:
    """Issues one warning about everything that esker.open() left out, except for dropped variables. Those about names are
    not for xarray, which shows the names of the file."""
    texts = [
        text
        for text in source.warnings
        if " is renamed to " not in text
        and not any(text.startswith(f"variable '{name}' is left out") for name in dropped)
    ]
    if texts:
        warnings.warn(f"{source.path}: {'; '.join(texts)}", stacklevel=4)


def _close() -> None:
    """Does nothing: files are closed with the last array that uses them."""


def _with_names_in_source(made: xr.Dataset) -> xr.Dataset:
    """Variables under the names that they have in the source of the dataset, without the attribute that says so."""
    attrs_of = {str(name): of.attrs for name, of in made.variables.items()}
    again = names_again(attrs_of, map(str, made.dims), lambda name: "/" not in name)
    for name in again:
        made[name].attrs = without_name_in_source(made[name].attrs)
    return made.rename(again)


def _check_names(source: Dataset, level: Levels) -> None:
    known = [*source.fields, *source.grids]
    if isinstance(level, Mapping) and (unknown := [name for name in level if name not in known]):
        raise ValueError(
            f"{source.path}: level: no field or grid {unknown[0]!r}; the dataset has {', '.join(known)}"
        )
