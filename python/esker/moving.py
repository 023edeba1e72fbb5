"""copy and move: copies or renames a dataset with all its files.

The files of a dataset are `run.idx`, `run/`, `run.schema.json`, `run.report.json` and `run.nc`, or
`run.vtkhdf.series` and `run.vtkhdf.steps/`. The `.idx` contains the name of the block directory and the series the
names of the step files, so a copy under another name needs new ones: its indexes. Files next to a target `final`
record the progress:

    final.esker-moving/            staging directory; if it has no plan, a repeated command starts over
    final.esker-moving/plan.json   all new files are complete; the plan's renames and removals remain
    final.esker-moved              the plan is done; only final.esker-moving/ and this file remain
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from esker import _core
from esker.durable import replace_text, sync

Progress = Callable[[float], None]
Identity = list[int]
"""Numbers that tell a file from a replacement under the same name and from a later version of itself."""

_STAGING = ".esker-moving"
_DONE = ".esker-moved"
_PLAN = "plan.json"
_CHUNK = 16 << 20
_SERIES = ".vtkhdf.series"
_STEPS = ".vtkhdf.steps"


@dataclass(frozen=True)
class _Dataset:
    """The files of a dataset; some may be missing."""

    stem: Path
    single: Path | None
    """The netCDF file or the series."""
    is_idx: bool
    """There is a `stem.idx`, with its blocks in `stem/`."""
    is_directory: bool
    """There is a catalog `stem/esker.json`."""

    @property
    def series(self) -> Path | None:
        """The series, which has its step files in `stem.vtkhdf.steps/`."""
        return self.single if self.single and self.single.name.endswith(_SERIES) else None


@dataclass(frozen=True)
class _Plan:
    """The remaining work, in order, once all new files are in the staging directory. Paths are absolute."""

    verb: str
    source: str
    """The source without suffix."""
    path: str
    """The path to open afterwards."""
    renames: list[tuple[str, str, Identity]]
    removals: list[tuple[str, Identity]]
    """Files and links to remove; the one that makes it a dataset is first."""
    directories: list[str]
    """Directories to remove once they are empty; parents come before their children."""

    @property
    def command(self) -> str:
        return f"`esker {'cp' if self.verb == 'copy' else 'mv'}` of {self.source} to {self.path}"


def copy(
    source: str | os.PathLike[str], target: str | os.PathLike[str], progress: Progress | None = None
) -> Path:
    """Copies a dataset with schema and report, and returns the path to open. `progress` is called with the
    fraction done.

    `target` is a name, or a directory to copy into. The copy is published once it is complete. After a kill
    there is no dataset at the target; repeating the call starts over, or publishes a complete copy. Supports
    IDX, netCDF, VTKHDF and datasets in two formats. Symbolic links are followed and copied as files.

    Raises FileNotFoundError, FileExistsError (the target exists, or a writer has the source open), OSError.

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.ones((5, 8))})
    >>> esker.open(esker.copy("run.idx", "saved.idx")).steps
    [0.0]
    """
    return _carry_out("copy", source, target, progress)


def move(
    source: str | os.PathLike[str], target: str | os.PathLike[str], progress: Progress | None = None
) -> Path:
    """Renames a dataset with schema and report, and returns the path to open.

    Within a file system the files are renamed. Otherwise they are copied as by copy(), and the source is
    removed once the copy is complete. Targets of symbolic links are never removed. After a kill, repeat the
    call to finish it; until then possibly neither name can be opened.

    Raises the exceptions of copy(), and OSError if files of the source changed between the two calls.

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.ones((5, 8))})
    >>> esker.open(esker.move("run.idx", "final.idx")).steps
    [0.0]
    """
    return _carry_out("move", source, target, progress)


def _carry_out(
    verb: str, source: str | os.PathLike[str], target: str | os.PathLike[str], progress: Progress | None
) -> Path:
    # A repeated command may have another working directory.
    old, new = Path(os.path.abspath(source)), Path(os.path.abspath(target))
    found = _find(old, may_be_gone=True)
    stem = _target(found, new).stem
    staging, done = Path(f"{stem}{_STAGING}"), Path(f"{stem}{_DONE}")
    if plan := _read_plan(done):
        _clean_up(staging, done)
        is_new = verb == "move" and _exists(found)  # a new dataset under the name of the moved one
        if (plan.verb, plan.source) == (verb, os.fspath(found.stem)) and _has_target(plan) and not is_new:
            return Path(plan.path)
    if plan := _read_plan(staging / _PLAN):
        if (plan.verb, plan.source) != (verb, os.fspath(found.stem)):
            raise FileExistsError(
                f"{staging}: belongs to an unfinished {plan.command}; repeat that command, or remove the "
                "directory"
            )
        _refuse_locked(found)
        return _finish(plan, staging, done)
    found = _find(old)
    to = _target(found, new)
    _refuse_existing(to)
    _refuse_locked(found)
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    plan = _make_plan(verb, found, to, staging, progress)
    replace_text(staging / _PLAN, json.dumps(asdict(plan), indent=1))
    sync(staging.parent)
    return _finish(plan, staging, done)


def _make_plan(verb: str, found: _Dataset, to: _Dataset, staging: Path, progress: Progress | None) -> _Plan:
    """Creates the new files in the staging directory and returns the remaining work."""
    removals: list[tuple[str, Identity]] = []
    directories: list[str] = []
    if verb == "move" and _can_be_renamed(found, to, staging):
        renames = _renames(found, to, staging)
    else:
        own = [path for file in _files(found) if os.path.lexists(file) for path in _walk(file)]
        if verb == "move":
            directories = [os.fspath(path) for path in own if _is_directory(path)]
            removals = [(os.fspath(path), _identity(path)) for path in own if not _is_directory(path)]
        _copy_files(found, to, staging, progress)
        _refuse_incomplete(found, to, staging)
        renames = _publication(to, staging)
    with_identity = [(os.fspath(old), os.fspath(new), _identity(old)) for old, new in renames]
    return _Plan(verb, os.fspath(found.stem), os.fspath(_path_of(to)), with_identity, removals, directories)


def _identity(path: Path, *, follow_links: bool = False) -> Identity:
    found = path.stat(follow_symlinks=follow_links)
    is_directory = stat.S_ISDIR(found.st_mode)
    return [found.st_ino] if is_directory else [found.st_ino, found.st_size, found.st_mtime_ns]


def _is_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _find(path: Path, *, may_be_gone: bool = False) -> _Dataset:
    stem = Path(_core.split_name(os.fspath(path)).stem)
    if path.suffix == ".idx" and path.is_symlink():
        raise OSError(f"{path}: is a symbolic link; give the path of its target {os.path.realpath(path)}")
    there = _core.find_dataset(os.fspath(path))
    has_idx = there.format.endswith("idx")
    is_directory = has_idx and (stem / "esker.json").is_file()
    has_single = there.format not in ("", "idx") and Path(there.path).is_file()
    found = _Dataset(
        stem, Path(there.path) if has_single else None, has_idx and not is_directory, is_directory
    )
    if not (may_be_gone or _exists(found)):
        raise FileNotFoundError(f"{path}: no such dataset")
    return found


def _exists(dataset: _Dataset) -> bool:
    return dataset.is_idx or dataset.is_directory or dataset.single is not None


def _target(found: _Dataset, path: Path) -> _Dataset:
    """The target's files. `path` is a name, or a directory to put the dataset into (unless it is a block
    directory)."""
    is_taken = any(Path(f"{path}{end}").exists() for end in ("/esker.json", ".idx", _STAGING))
    if path.is_dir() and not is_taken:
        path = path / found.stem.name
    name = _core.split_name(os.fspath(path))
    stem = Path(name.stem)
    is_in_two = found.is_idx or found.is_directory  # their schema file contains the suffix of the single file
    suffix = "" if is_in_two or name.format == "idx" else name.suffix
    if found.single and suffix and bool(found.series) != (suffix == _SERIES):
        raise ValueError(f"{path}: {suffix} is the suffix of another format than that of {found.single}; omit it")
    own_suffix = _SERIES if found.series else found.single.suffix if found.single else ""
    single = Path(f"{stem}{suffix or own_suffix}") if found.single else None
    if (found.is_idx or found.is_directory) and "%" in os.fspath(stem):
        raise ValueError(f"{stem}: names with '%' are not supported for IDX datasets; choose another name")
    if stem == found.stem:
        raise FileExistsError(f"{stem}: source and target are the same")
    return _Dataset(stem, single, found.is_idx, found.is_directory)


def _idx_of(dataset: _Dataset) -> Path:
    return Path(f"{dataset.stem}.idx")


def _path_of(dataset: _Dataset) -> Path:
    """The path for esker.open()."""
    if dataset.is_idx:
        return _idx_of(dataset)
    return dataset.stem if dataset.is_directory or not dataset.single else dataset.single


def _indexes(dataset: _Dataset) -> dict[Path, Callable[[str, str], str]]:
    """The files that contain the dataset's name, and what returns their text for another path and name."""
    found: dict[Path, Callable[[str, str], str]] = {}
    if dataset.is_idx:
        found[_idx_of(dataset)] = _core.renamed_idx
    if dataset.series:
        found[dataset.series] = _core.renamed_series
    return found


def _files(dataset: _Dataset) -> list[Path]:
    """Files and directories; the one that makes it a dataset is first."""
    names = [Path(f"{dataset.stem}{end}") for end in (".idx", "", ".schema.json", ".report.json")]
    if not dataset.is_idx:
        names = names[1:] if dataset.is_directory else names[3:]
    steps = [Path(f"{dataset.stem}{_STEPS}")] if dataset.series else []
    single = [dataset.single] if dataset.single else []
    return [*names, *single, *steps] if dataset.is_idx or dataset.is_directory else [*single, *steps, *names]


def _refuse_existing(to: _Dataset) -> None:
    for path in _files(to):
        if os.path.lexists(path):
            raise FileExistsError(f"{path}: already exists; choose another target, or remove it")


def _refuse_locked(found: _Dataset) -> None:
    journal = [Path(f"{found.single}.esker-journal")] if found.single else []
    for path in (Path(f"{found.stem}.esker-lock"), Path(f"{found.stem}.esker-unsynced"), *journal):
        if os.path.lexists(path):
            raise FileExistsError(
                f"{path}: a writer has the dataset open, or was killed; if no writer is running, run "
                f"`esker repair {_path_of(found)}` first"
            )
    merging = Path(f"{found.stem}.esker-merge")
    if os.path.lexists(merging):
        raise FileExistsError(f"{merging}: `esker merge` was interrupted; run it again first")


def _copy_files(found: _Dataset, to: _Dataset, staging: Path, progress: Progress | None) -> None:
    """Copies all files to the staging directory, under the target's names, and flushes them to the device."""
    pairs = [(old, staging / new.name) for old, new in zip(_files(found), _files(to), strict=True)]
    files = [(old, new) for pair in pairs if os.path.lexists(pair[0]) for old, new in _tree(*pair)]
    before = [_identity(old, follow_links=True) for old, _ in files]
    total = sum(old.stat().st_size for old, _ in files) or 1
    done = 0
    for old, new in files:
        new.parent.mkdir(parents=True, exist_ok=True)
        with old.open("rb") as reading, new.open("wb") as writing:
            while bytes_ := reading.read(_CHUNK):
                writing.write(bytes_)
                done += len(bytes_)
                if progress:
                    progress(min(1.0, done / total))
            writing.flush()
            os.fsync(writing.fileno())
    for (old, _), identity in zip(files, before):
        if _identity(old, follow_links=True) != identity:
            raise OSError(
                f"{old}: changed while it was copied; repeat the command when no program writes to it"
            )
    for (old, renamed), new in zip(_indexes(found).items(), _indexes(to), strict=True):
        replace_text(staging / new.name, renamed(os.fspath(old), to.stem.name))
    for directory, _, _ in os.walk(staging):
        sync(Path(directory))


def _refuse_incomplete(found: _Dataset, to: _Dataset, staging: Path) -> None:
    """Raises OSError if the copy lacks block or step files of the source, for example ones in a directory of
    another name."""
    pairs = [(_path_of(found), _path_of(to))] if found.is_idx or found.is_directory else []
    pairs += [(found.series, to.series)] if found.series and to.series else []
    for old, new in pairs:
        paths = old, staging / new.name
        here, there = map(_storage, paths)
        if (there.files, there.bytes) == (here.files, here.bytes):
            continue
        what = "step" if old == found.series else "block"
        raise OSError(
            f"copy of {old}: expected {here.files} {what} files with {here.bytes} bytes, found "
            f"{there.files} with {there.bytes} bytes in {staging}; the copy was not published"
        )


def _storage(path: Path) -> _core.Storage:
    try:
        return _core.open(os.fspath(path)).storage()
    except KeyError as error:
        raise FileNotFoundError(f"{path}: the copy was not published: {error.args[0]}") from None


def _tree(old: Path, new: Path, above: tuple[tuple[int, int], ...] = ()) -> Iterator[tuple[Path, Path]]:
    """The files at or below `old`, paired with their copies at or below `new`. Links are followed."""
    if old.is_file():
        yield old, new
        return
    if not old.is_dir():
        raise OSError(f"{old}: expected a file, a directory or a link to one of these; correct or remove it")
    place = old.stat().st_dev, old.stat().st_ino
    if place in above:
        raise OSError(f"{old}: a link to a directory that contains it; remove the link")
    for name in sorted(os.listdir(old)):
        yield from _tree(old / name, new / name, (*above, place))


def _walk(path: Path) -> Iterator[Path]:
    """A path and, if it is a directory, everything in it, files first. Links are not followed."""
    yield path
    if _is_directory(path):
        for inner in sorted(path.iterdir(), key=lambda inner: (_is_directory(inner), inner)):
            yield from _walk(inner)


def _publication(to: _Dataset, staging: Path) -> list[tuple[Path, Path]]:
    """Renames that publish the copied files. The file that makes it a dataset (the .idx if there is one) is
    last."""
    names = [path for path in reversed(_files(to)) if (staging / path.name).exists()]
    return [(staging / path.name, path) for path in names]


def _renames(found: _Dataset, to: _Dataset, staging: Path) -> list[tuple[Path, Path]]:
    pairs = [(old, new) for old, new in zip(_files(found), _files(to), strict=True) if os.path.lexists(old)]
    indexes = _indexes(found)
    others = [pair for pair in pairs if pair[0] not in indexes]
    new: list[tuple[Path, Path]] = []
    removed: list[tuple[Path, Path]] = []
    for (old, renamed), target in zip(indexes.items(), _indexes(to), strict=True):
        made = staging / f"new{target.suffix}"
        replace_text(made, renamed(os.fspath(old), to.stem.name))
        new.append((made, target))
        removed.append((old, staging / f"old{made.suffix}"))
    return [*others[::-1], *new[::-1], *removed]


def _can_be_renamed(found: _Dataset, to: _Dataset, staging: Path) -> bool:
    """Whether all files are on the target's file system, and renaming does not break links."""
    device = staging.stat().st_dev
    for old, new in zip(_files(found), _files(to), strict=True):
        if not os.path.lexists(old):
            continue
        if old.lstat().st_dev != device or not all(_link_survives(path, old, new) for path in _walk(old)):
            return False
    return True


def _link_survives(path: Path, old: Path, new: Path) -> bool:
    """Whether a link at or below `old` has the same target after `old` is renamed to `new`; True for
    files."""
    if not path.is_symlink():
        return True
    here, there = (Path(os.path.realpath(one.parent), one.name) for one in (old, new))
    inner, link = path.relative_to(old), os.readlink(path)
    before, after = (Path(os.path.normpath((one / inner).parent / link)) for one in (here, there))
    return after == (there / before.relative_to(here) if before.is_relative_to(here) else before)


def _read_plan(path: Path) -> _Plan | None:
    try:
        return _Plan(**json.loads(path.read_text()))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _has_target(plan: _Plan) -> bool:
    """Whether the target that the plan created still exists unchanged."""
    made = {new: identity for _, new, identity in plan.renames}
    return os.path.lexists(plan.path) and _identity(Path(plan.path)) == made[plan.path]


def _finish(plan: _Plan, staging: Path, done: Path) -> Path:
    """Carries out the remaining steps of a plan."""
    renames = [(Path(old), Path(new), identity) for old, new, identity in plan.renames]
    left = [(old, new) for old, new, is_of in renames if not _is_renamed(old, new, is_of, plan, staging)]
    for _, new in left:
        if os.path.lexists(new):
            raise FileExistsError(f"{new}: already exists; choose another target, or remove it")
    for old, new in left:
        os.rename(old, new)
    for directory in {path.parent for pair in renames for path in pair[:2]}:
        sync(directory)
    _refuse_removal(plan, staging)
    for name, _ in plan.removals:
        Path(name).unlink(missing_ok=True)
    for name in reversed(plan.directories):
        if os.path.lexists(name):
            os.rmdir(name)
    os.rename(staging / _PLAN, done)
    sync(staging.parent)
    _clean_up(staging, done)
    return Path(plan.path)


def _is_renamed(old: Path, new: Path, identity: Identity, plan: _Plan, staging: Path) -> bool:
    if os.path.lexists(old):
        if _identity(old) == identity:
            return False
        raise _changed(old, plan, staging)
    if os.path.lexists(new) and _identity(new) == identity:
        return True
    raise _changed(new, plan, staging)


def _refuse_removal(plan: _Plan, staging: Path) -> None:
    """Raises OSError if files of the source changed or were added after the copy."""
    for name, identity in plan.removals:
        if os.path.lexists(name) and _identity(Path(name)) != identity:
            raise _changed(name, plan, staging)
    known = {*(name for name, _ in plan.removals), *plan.directories}
    for name in plan.directories:
        for path in Path(name).iterdir() if os.path.lexists(name) else ():
            if os.fspath(path) not in known:
                raise _changed(path, plan, staging)


def _changed(path: str | Path, plan: _Plan, staging: Path) -> OSError:
    return OSError(
        f"{path}: changed after an unfinished {plan.command} began; nothing was removed. Compare source and "
        f"target, then remove {staging} and the files that you do not need"
    )


def _clean_up(staging: Path, done: Path) -> None:
    if staging.exists():
        shutil.rmtree(staging)
    os.unlink(done)
