"""copy and move: copies or renames a dataset with all its files.

The files of a dataset are `run.idx`, `run/`, `run.schema.json`, `run.report.json` and `run.nc` or `run.zarr/` or
both, or `run.vtkhdf.series` and `run.vtkhdf.steps/`. The `.idx` contains the name of the block directory and the series the
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
from dataclasses import asdict
from pathlib import Path

from esker.files.copying import Progress, copy_files, refuse_incomplete
from esker.files.dataset_files import (
    STAGING,
    DatasetFiles,
    exists,
    files_of,
    found_at,
    path_of,
    refuse_existing,
    refuse_locked,
    target_of,
)
from esker.files.durable import replace_text, sync
from esker.files.move_plan import DONE, PLAN, Plan, clean_up, finish, has_target, read_plan
from esker.files.renaming import can_be_renamed, publication, renames_of
from esker.files.trees import Identity, identity_of, is_own_directory, walk


def copy(
    source: str | os.PathLike[str], target: str | os.PathLike[str], progress: Progress | None = None
) -> Path:
    """Copies a dataset with schema and report, and returns the path to open. `progress` is called with the
    fraction done.

    `target` is a name, or a directory to copy into. The copy is published once it is complete. After a kill
    there is no dataset at the target; repeating the call starts over, or publishes a complete copy. Supports
    IDX, Zarr, netCDF, VTKHDF and datasets in two formats. Symbolic links are followed and copied as files.

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
    found = found_at(old, may_be_gone=True)
    stem = target_of(found, new).stem
    staging, done = Path(f"{stem}{STAGING}"), Path(f"{stem}{DONE}")
    if plan := read_plan(done):
        clean_up(staging, done)
        is_new = verb == "move" and exists(found)  # a new dataset under the name of the moved one
        if (plan.verb, plan.source) == (verb, os.fspath(found.stem)) and has_target(plan) and not is_new:
            return Path(plan.path)
    if plan := read_plan(staging / PLAN):
        if (plan.verb, plan.source) != (verb, os.fspath(found.stem)):
            raise FileExistsError(
                f"{staging}: belongs to an unfinished {plan.command}; repeat that command, or remove the "
                "directory"
            )
        refuse_locked(found)
        return finish(plan, staging, done)
    found = found_at(old)
    to = target_of(found, new)
    refuse_existing(to)
    refuse_locked(found)
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    plan = _make_plan(verb, found, to, staging, progress)
    replace_text(staging / PLAN, json.dumps(asdict(plan), indent=1))
    sync(staging.parent)
    return finish(plan, staging, done)


def _make_plan(verb: str, found: DatasetFiles, to: DatasetFiles, staging: Path, progress: Progress | None) -> Plan:
    """Creates the new files in the staging directory and returns the remaining work."""
    removals: list[tuple[str, Identity]] = []
    directories: list[str] = []
    if verb == "move" and can_be_renamed(found, to, staging):
        renames = renames_of(found, to, staging)
    else:
        own = [path for file in files_of(found) if os.path.lexists(file) for path in walk(file)]
        if verb == "move":
            directories = [os.fspath(path) for path in own if is_own_directory(path)]
            removals = [(os.fspath(path), identity_of(path)) for path in own if not is_own_directory(path)]
        copy_files(found, to, staging, progress)
        refuse_incomplete(found, to, staging)
        renames = publication(to, staging)
    with_identity = [(os.fspath(old), os.fspath(new), identity_of(old)) for old, new in renames]
    return Plan(verb, os.fspath(found.stem), os.fspath(path_of(to)), with_identity, removals, directories)
