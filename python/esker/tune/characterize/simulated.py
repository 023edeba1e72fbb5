"""The table of a machine that one does not have: seconds by the closed form, of a machine that its model does not know.

The machine file gives ranges. A "real" machine is one draw from these ranges, and noise. The cost model of the table
(`model_s`) has the values in the middle of the ranges, as anyone would have who knows only the machine file. So what a
table shows is how well models learn what the file does not say, not how well the closed form is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import esker
from esker.tune import cost
from esker.tune.characterize import table
from esker.tune.characterize.attributes import known, values_of
from esker.tune.characterize.design import Run, Work
from esker.tune.characterize.sweep import names_of, text_of
from esker.tune.machine import Machine

NOISE = 0.05
"""Standard deviation of the logarithm of seconds."""
_EDGES = (16, 24, 32, 48)
_POINTS = {
    "s3d": ((20, 20, 20), (32, 32, 32), (40, 40, 40)),
    "icesheet": ((3000, 2800, 151), (6000, 5600, 101)),
    "ocean": ((3600, 2400, 42), (7200, 4800, 20)),
    "geodesic": ((1024, 1024, 26), (2048, 1024, 20)),
}


def works(ranks: Sequence[int]) -> Iterator[Work]:
    """The microbenchmark and applications, on each number of ranks."""
    for count in ranks:
        for edge in _EDGES:
            yield from (Work(name, (edge,) * 3, count) for name in ("boxes_1", "boxes_4", "boxes_16"))
            yield from (Work("boxes_4", (edge,) * 3, count, "idx", mode) for mode in ("network", "storage"))
            yield Work("boxes_4", (edge,) * 3, count, "cdf5")
        for name, choices in _POINTS.items():
            yield from (Work(name, points, count) for points in choices)


def settings_of(work: Work) -> tuple[Mapping[str, str], ...]:
    """What is tried of a work, apart from the default."""
    if work.mode == "storage":
        return tuple({"files": str(max(1, work.ranks // share))} for share in (1, 8, 64, 512))
    fewer = [{"aggregators": str(max(1, work.ranks // share))} for share in (8, 32, 128)]
    others = [{"restructure": "default"}, {"restructure": "expanded"}, {"collective_buffer": "1M"}]
    return (*fewer, *others, {"aggregators": str(max(1, work.ranks // 32)), "restructure": "default"})


def simulate(
    machine: Machine,
    ranks: Sequence[int],
    seed: int,
    minutes: float,
    notify: Callable[[str], None] = print,
    clock: Callable[[], float] = time.monotonic,
) -> table.Table:
    """The rows of as many works, in a random order, as the time allows. Deterministic but for the time."""
    random = np.random.default_rng(seed)
    sets = _truth_and_model(machine, seed)
    listed = list(works(ranks))
    rows: list[dict[str, Any]] = []
    start = clock()
    for place in random.permutation(len(listed)):
        if clock() - start >= minutes * 60:
            break
        run = Run(listed[place], settings_of(listed[place]))
        rows += _rows(run, machine, sets, random)
        notify(f"{len(rows)} rows, {machine.name}: {text_of(run)}")
    if not rows:
        raise RuntimeError(f"{machine.name}: no time to simulate anything; expected more --minutes")
    return table.of_rows(rows, _about(machine, seed))


def _truth_and_model(machine: Machine, seed: int) -> cost.Parameters:
    truth, model = cost.drawn(machine, 1, seed), values_of(machine)
    return {name: np.concatenate((truth[name], model[name])) for name in truth}


def _rows(
    run: Run, machine: Machine, sets: cost.Parameters, random: np.random.Generator
) -> Iterator[dict[str, Any]]:
    default_s = 0.0
    for setting in ({}, *run.settings):
        facts = known(run.work, setting, machine, sets)
        truth, model = map(float, facts.model_s)
        seconds = truth * float(np.exp(random.normal(0, NOISE)))
        default_s = default_s or seconds
        yield {
            "run": run.key(),
            **names_of(run.work, setting),
            **facts.row(),
            "model_s": model,
            "seconds": seconds,
            "quiet_seconds": seconds,
            "default_seconds": default_s,
            "ratio": seconds / default_s,
            "is_default": float(not setting),
            "machine": machine.name,
            "machine_kind": machine.name,
            "esker": esker.__version__,
        }


def _about(machine: Machine, seed: int) -> dict[str, Any]:
    return {
        "kind": "simulated",
        "machine_kind": machine.name,
        "esker": esker.__version__,
        "cost_model": machine.name,
        "seed": seed,
        "noise": NOISE,
    }


def joined(tables: Sequence[table.Table]) -> table.Table:
    """The rows of several machines, whose works are different groups."""
    kinds = [given.about["machine_kind"] for given in tables]
    if len(tables) == 1:
        return tables[0]
    named = [_with_machine_in_groups(given) for given in tables]
    columns = {name: np.concatenate([given[name] for given in named]) for name in named[0].columns}
    return table.Table(columns, {**tables[0].about, "machine_kind": "+".join(kinds)})


def _with_machine_in_groups(given: table.Table) -> table.Table:
    group = np.array([f"{given.about['machine_kind']} {group}" for group in given["group"]], dtype=object)
    return replace(given, columns={**given.columns, "group": group})
