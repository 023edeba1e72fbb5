"""The files of a dataset, under its own name and under a new one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from esker import _core

STAGING = ".esker-moving"
"""Suffix of the staging directory of a copy or a move."""
SERIES = ".vtkhdf.series"
_ZARR = ".zarr"
_STEPS = ".vtkhdf.steps"


@dataclass(frozen=True)
class DatasetFiles:
    """The files of a dataset; some may be missing."""

    stem: Path
    single: Path | None
    """The netCDF file, the series, or the directory of a Zarr group."""
    is_idx: bool
    """There is a `stem.idx`, with its blocks in `stem/`."""
    is_directory: bool
    """There is a catalog `stem/esker.json`."""
    has_group: bool = False
    """The netCDF file was written together with a Zarr group `stem.zarr`."""

    @property
    def group(self) -> Path | None:
        """The directory of a Zarr group."""
        if self.has_group:
            return Path(f"{self.stem}{_ZARR}")
        return self.single if self.single and self.single.name.endswith(_ZARR) else None

    @property
    def series(self) -> Path | None:
        """The series, which has its step files in `stem.vtkhdf.steps/`."""
        return self.single if self.single and self.single.name.endswith(SERIES) else None


def found_at(path: Path, *, may_be_gone: bool = False) -> DatasetFiles:
    """The files of the dataset at a path. Raises FileNotFoundError, unless they may be gone."""
    stem = Path(_core.split_name(os.fspath(path)).stem)
    if path.suffix == ".idx" and path.is_symlink():
        raise OSError(f"{path}: is a symbolic link; give the path of its target {os.path.realpath(path)}")
    there = _core.find_dataset(os.fspath(path))
    has_idx = there.format.endswith("idx")
    is_directory = has_idx and (stem / "esker.json").is_file()
    is_single = Path(there.path).is_dir if there.path.endswith(_ZARR) else Path(there.path).is_file
    has_single = there.format not in ("", "idx") and is_single()
    single = Path(there.path) if has_single else None
    has_group = has_single and there.format.endswith("+zarr")
    found = DatasetFiles(stem, single, has_idx and not is_directory, is_directory, has_group)
    if not (may_be_gone or exists(found)):
        raise FileNotFoundError(f"{path}: no such dataset")
    return found


def exists(dataset: DatasetFiles) -> bool:
    """Whether there is a file that makes it a dataset."""
    return dataset.is_idx or dataset.is_directory or dataset.single is not None


def target_of(found: DatasetFiles, path: Path) -> DatasetFiles:
    """The target's files. `path` is a name, or a directory to put the dataset into (unless it is a block
    directory)."""
    is_taken = any(Path(f"{path}{end}").exists() for end in ("/esker.json", "/zarr.json", ".idx", STAGING))
    if path.is_dir() and not is_taken:
        path = path / found.stem.name
    name = _core.split_name(os.fspath(path))
    stem = Path(name.stem)
    # The schema file, or the group, contains the suffix of the single file.
    is_in_two = found.is_idx or found.is_directory or found.has_group
    suffix = "" if is_in_two or name.format == "idx" else name.suffix
    if found.single and suffix and _kind_of(suffix) != _kind_of(found.single.name):
        raise ValueError(f"{path}: {suffix} is the suffix of another format than that of {found.single}; omit it")
    own_suffix = SERIES if found.series else found.single.suffix if found.single else ""
    single = Path(f"{stem}{suffix or own_suffix}") if found.single else None
    if (found.is_idx or found.is_directory) and "%" in os.fspath(stem):
        raise ValueError(f"{stem}: names with '%' are not supported for IDX datasets; choose another name")
    if stem == found.stem:
        raise FileExistsError(f"{stem}: source and target are the same")
    return DatasetFiles(stem, single, found.is_idx, found.is_directory, found.has_group)


def _kind_of(name: str) -> str:
    """The suffix of a series or a group; "" for netCDF files, whose suffixes may be replaced by each other."""
    return next((suffix for suffix in (SERIES, _ZARR) if name.endswith(suffix)), "")


def _idx_of(dataset: DatasetFiles) -> Path:
    return Path(f"{dataset.stem}.idx")


def path_of(dataset: DatasetFiles) -> Path:
    """The path for esker.open()."""
    if dataset.is_idx:
        return _idx_of(dataset)
    return dataset.stem if dataset.is_directory or not dataset.single else dataset.single


def indexes_of(dataset: DatasetFiles) -> dict[Path, Callable[[str, str], str]]:
    """The files that contain the dataset's name, and what returns their text for another path and name."""
    found: dict[Path, Callable[[str, str], str]] = {}
    if dataset.is_idx:
        found[_idx_of(dataset)] = _core.renamed_idx
    if dataset.series:
        found[dataset.series] = _core.renamed_series
    return found


def files_of(dataset: DatasetFiles) -> list[Path]:
    """Files and directories; the one that makes it a dataset is first."""
    names = [Path(f"{dataset.stem}{end}") for end in (".idx", "", ".schema.json", ".report.json")]
    if not dataset.is_idx:
        names = names[1:] if dataset.is_directory else names[3:]
    steps = [Path(f"{dataset.stem}{_STEPS}")] if dataset.series else []
    single = [dataset.single] if dataset.single else []
    single += [dataset.group] if dataset.has_group and dataset.group else []
    return [*names, *single, *steps] if dataset.is_idx or dataset.is_directory else [*single, *steps, *names]


def refuse_existing(to: DatasetFiles) -> None:
    """Raises FileExistsError if there is any file of the target."""
    for path in files_of(to):
        if os.path.lexists(path):
            raise FileExistsError(f"{path}: already exists; choose another target, or remove it")


def refuse_locked(found: DatasetFiles) -> None:
    """Raises FileExistsError if a writer or a merge has the dataset open, or was killed."""
    journal = [Path(f"{found.single}.esker-journal")] if found.single else []
    for path in (Path(f"{found.stem}.esker-lock"), Path(f"{found.stem}.esker-unsynced"), *journal):
        if os.path.lexists(path):
            raise FileExistsError(
                f"{path}: a writer has the dataset open, or was killed; if no writer is running, run "
                f"`esker repair {path_of(found)}` first"
            )
    merging = Path(f"{found.stem}.esker-merge")
    if os.path.lexists(merging):
        raise FileExistsError(f"{merging}: `esker merge` was interrupted; run it again first")
