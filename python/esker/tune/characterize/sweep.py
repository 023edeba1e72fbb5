"""A sweep: runs of a design within a budget. Finished runs are in a log, so that a sweep that was killed continues."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import esker
from esker import _core
from esker.bench import jobs
from esker.tune.characterize import table
from esker.tune.characterize.attributes import known
from esker.tune.characterize.design import Run, Work
from esker.tune.characterize.measuring import Bench
from esker.tune.machine import Machine

Notify = Callable[[str], None]


def log_of(path: Path) -> Path:
    """The log of a table: its path with .log."""
    return path.with_name(path.name + ".log")


def sweep(
    path: Path,
    runs: Iterable[Run],
    bench: Bench,
    machine: Machine,
    minutes: float,
    *,
    notify: Notify = print,
    clock: Callable[[], float] = time.monotonic,
) -> table.Table:
    """Measures runs until the time is over, and writes the table to `path`. Runs that the log of an earlier sweep has
    are not measured again. A run that fails is reported, and left out.

    Raises OSError, ValueError (a damaged log, or one of other circumstances, see _origin).
    """
    log = table.Log(log_of(path))
    rows = log.rows()
    _check_origin(rows, _origin(bench, machine), log_of(path))
    done = {row["run"] for row in rows}
    start = clock()
    for run in runs:
        if clock() - start >= minutes * 60:
            break
        if run.key() in done:
            continue
        try:
            found = rows_of(run, bench, machine)
        except RuntimeError as error:
            notify(f"left out: {error}")
            continue
        log.append(found)
        done.add(run.key())
        rows += found
        notify(
            f"{len(rows)} measurements, {(clock() - start) / 60:.1f} of {minutes:g} minutes: {text_of(run)}"
        )
    if not rows:
        raise RuntimeError("nothing was measured: no run ended well within the time")
    made = finished(rows, about(bench, machine))
    table.write(made, path)
    return made


def _origin(bench: Bench, machine: Machine) -> dict[str, Any]:
    """What all rows of a log have in common."""
    return {
        "machine_kind": _core.machine_kind(),
        "esker": esker.__version__,
        "cost_model": machine.name,
        "file_system": jobs.machine(bench.directory)["file_system"],
        "steps": float(bench.steps),
        "repeat": float(bench.repeat),
        "store_rate": float(bench.store_rate or 0),
    }


def _check_origin(rows: Iterable[dict[str, Any]], origin: Mapping[str, Any], path: Path) -> None:
    for number, row in enumerate(rows, start=1):
        for name, expected in origin.items():
            if row.get(name) != expected:
                raise ValueError(
                    f"{path}:{number}: a measurement with another {name}: expected {expected!r}, found "
                    f"{row.get(name)!r}; write to another file, or remove this one"
                )


def text_of(run: Run) -> str:
    work = run.work
    return (
        f"{work.mode}, {work.workload} {'x'.join(map(str, work.points))}, {work.ranks} ranks, {work.format}"
    )


def rows_of(run: Run, bench: Bench, machine: Machine) -> list[dict[str, Any]]:
    """Measures a run; a row for the default and one for each setting."""
    found = bench.measure(run)
    origin = _origin(bench, machine)
    shared = {**origin, "rows_of_run": len(found), "load": os.getloadavg()[0], "time": time.time()}
    return [
        {**row(run, setting, machine), **result, **shared, "is_default": float(place == 0)}
        for place, (setting, result) in enumerate(zip(({}, *run.settings), found, strict=True))
    ]


def row(run: Run, setting: Mapping[str, str], machine: Machine) -> dict[str, Any]:
    """What is known before anything is measured."""
    facts = known(run.work, setting, machine)
    return {
        "run": run.key(),
        **names_of(run.work, setting),
        **facts.row(),
        "model_s": float(facts.model_s[0]),
    }


def names_of(work: Work, setting: Mapping[str, str]) -> dict[str, str]:
    return {
        "workload": work.workload,
        "points": ",".join(map(str, work.points)),
        "group": work.group,
        "format": work.format,
        "mode": work.mode,
        "setting": json.dumps(dict(setting), sort_keys=True),
    }


def about(bench: Bench, machine: Machine) -> dict[str, Any]:
    return {
        "kind": "measured",
        "machine_kind": _core.machine_kind(),
        "esker": esker.__version__,
        "cost_model": machine.name,
        "machine": jobs.machine(bench.directory),
        "steps": bench.steps,
        "repeat": bench.repeat,
        "store_rate": bench.store_rate,
    }


def finished(rows: list[dict[str, Any]], about: dict[str, Any]) -> table.Table:
    """The table of the rows of a log."""
    made = table.of_rows(rows, about)
    return table.Table({**made.columns, "quiet_seconds": made["best_seconds"]}, made.about)
