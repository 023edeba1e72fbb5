"""What remains of a copy or a move once all new files are complete: a plan, which a repeated command finishes."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from esker.files.durable import sync
from esker.files.trees import Identity, identity_of

DONE = ".esker-moved"
"""Suffix of the file of a plan that is carried out."""
PLAN = "plan.json"
"""Name of the file in the staging directory."""


@dataclass(frozen=True)
class Plan:
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


def read_plan(path: Path) -> Plan | None:
    """The plan in a file; None if there is no file."""
    try:
        return Plan(**json.loads(path.read_text()))
    except (FileNotFoundError, NotADirectoryError):
        return None


def has_target(plan: Plan) -> bool:
    """Whether the target that the plan created still exists unchanged."""
    made = {new: identity for _, new, identity in plan.renames}
    return os.path.lexists(plan.path) and identity_of(Path(plan.path)) == made[plan.path]


def finish(plan: Plan, staging: Path, done: Path) -> Path:
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
    os.rename(staging / PLAN, done)
    sync(staging.parent)
    clean_up(staging, done)
    return Path(plan.path)


def _is_renamed(old: Path, new: Path, identity: Identity, plan: Plan, staging: Path) -> bool:
    if os.path.lexists(old):
        if identity_of(old) == identity:
            return False
        raise _changed(old, plan, staging)
    if os.path.lexists(new) and identity_of(new) == identity:
        return True
    raise _changed(new, plan, staging)


def _refuse_removal(plan: Plan, staging: Path) -> None:
    """Raises OSError if files of the source changed or were added after the copy."""
    for name, identity in plan.removals:
        if os.path.lexists(name) and identity_of(Path(name)) != identity:
            raise _changed(name, plan, staging)
    known = {*(name for name, _ in plan.removals), *plan.directories}
    for name in plan.directories:
        for path in Path(name).iterdir() if os.path.lexists(name) else ():
            if os.fspath(path) not in known:
                raise _changed(path, plan, staging)


def _changed(path: str | Path, plan: Plan, staging: Path) -> OSError:
    return OSError(
        f"{path}: changed after an unfinished {plan.command} began; nothing was removed. Compare source and "
        f"target, then remove {staging} and the files that you do not need"
    )


def clean_up(staging: Path, done: Path) -> None:
    """Removes the staging directory and the plan."""
    if staging.exists():
        shutil.rmtree(staging)
    os.unlink(done)
