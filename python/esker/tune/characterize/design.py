"""Which settings are measured: one option at a time, and designs that fill the space."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from esker.planning import planner
from esker.tune.characterize import workloads

MODES = ("both", "network", "storage")
"""The engine as it is; the engine without a device; packed buffers without the engine."""
FORMATS: Mapping[str, str] = {"idx": "idx_two_phase", "cdf5": "cdf5"}
"""The cases of esker-bench."""
MOST_STEP_BYTES = 48 << 20
DEFAULTS = ("", "0", "auto", "off")
"""Values that leave an option to Esker or are its default. Neither the space nor a report has one of them as another
choice: false is "false" there."""
_NOT_MEASURED = ("aggregate", "aggregate_reads")
"""Options that the plan cannot do without, or that only readers have."""
_EDGES = (8, 12, 16, 24, 32, 40, 48, 64, 80)
"""Of the boxes of the microbenchmark, in samples."""
_VARIANTS_PER_RUN = 4
_APPLICATION_POINTS = {
    "s3d": ((20, 20, 20), (32, 32, 32), (44, 44, 44)),
    "icesheet": ((100, 100, 51), (200, 150, 101), (300, 300, 31)),
    "ocean": ((180, 120, 21), (240, 160, 30), (360, 240, 10)),
    "geodesic": ((32, 32, 8), (64, 64, 8), (96, 64, 12)),
}

_FOR_NOISE = (
    *(("boxes_1", (16, 16, 16)), ("boxes_4", (40, 40, 40)), ("boxes_16", (24, 24, 24))),
    *(("s3d", (32, 32, 32)), ("icesheet", (100, 100, 51)), ("ocean", (180, 120, 21))),
)
"""Small and large steps, of one and of several grids."""


@dataclass(frozen=True)
class Work:
    """What is written, by how many ranks, and which part of the machine is measured."""

    workload: str
    points: tuple[int, ...]
    ranks: int
    format: str = "idx"
    mode: str = "both"

    @property
    def group(self) -> str:
        """Measurements of the same group are never both in a training set and in a test set."""
        return f"{self.workload} {'x'.join(map(str, self.points))}"


@dataclass(frozen=True)
class Run:
    """Settings of the same work, measured in turn with the default. A setting: options and their values; in mode
    "storage": files, write_bytes."""

    work: Work
    settings: tuple[Mapping[str, str], ...] = field(default_factory=tuple)

    def key(self) -> str:
        """Identifies the run in the log of a sweep."""
        text = json.dumps([asdict(self.work), [dict(setting) for setting in self.settings]], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def runs(
    ranks: Sequence[int], seed: int, n_filling: int = 2000, modes: Sequence[str] = MODES
) -> Iterator[Run]:
    """The runs of a sweep: those that change one option at a time in a random order, each followed by runs of the
    design that fills the space, so that a sweep that ends early has both. Deterministic."""
    chosen = [run for run in one_at_a_time(ranks) if run.work.mode in modes]
    order = np.random.default_rng(seed).permutation(len(chosen))
    filling = (run for run in space_filling(ranks, seed, n_filling) if run.work.mode in modes)
    for place in order:
        yield chosen[place]
        yield from _next(filling, 2)
    yield from filling


def _next(of: Iterator[Run], count: int) -> Iterator[Run]:
    for _, run in zip(range(count), of):
        yield run


def one_at_a_time(ranks: Sequence[int]) -> list[Run]:
    """All values of each option, the others being the default, and sizes, for each number of ranks. Some runs, of
    several workloads, compare the default with itself: their ratios are noise."""
    found: list[Run] = []
    for count in ranks:
        for mode in ("both", "network"):
            for format in FORMATS:
                work = Work("boxes_4", (32, 32, 32), count, format, mode)
                found += _in_runs(work, _single_options(work))
            for edge in _EDGES:
                found += [Run(Work("boxes_4", (edge,) * 3, count, "idx", mode))]
            found += [Run(Work(name, points, count, "idx", mode), ({}, {})) for name, points in _FOR_NOISE]
        for edge in (16, 32, 64):
            work = Work("boxes_4", (edge,) * 3, count, "idx", "storage")
            found += _in_runs(work, [{"files": str(n)} for n in (1, 2, 4, 8, 16, 64)])
            found += _in_runs(work, [{"write_bytes": str(n << 10)} for n in (16, 64, 256, 1024)])
    return [run for run in found if is_small(run.work)]


def is_small(work: Work) -> bool:
    """Whether a step is small enough for many measurements."""
    parts = workloads.parts_of(work.workload, work.points, work.ranks)
    return sum(part.data_bytes for part in parts) <= MOST_STEP_BYTES


def _in_runs(work: Work, settings: Sequence[Mapping[str, str]]) -> Iterator[Run]:
    for first in range(0, len(settings), _VARIANTS_PER_RUN):
        yield Run(work, tuple(settings[first : first + _VARIANTS_PER_RUN]))


def space(work: Work) -> dict[str, list[str]]:
    """The values of each option that may change between two steps of a run, see `esker tune space`."""
    options: dict[str, Any] = {"format": work.format} if work.format != "idx" else {}
    part = workloads.parts_of(work.workload, work.points, work.ranks)[0]
    plan = planner.plan(work.ranks, **part.arguments(), **options)
    return {
        option["option"]: option["values"]
        for option in planner.tuning_space(plan, options)
        if option["cost"] == "a new plan"
        and len(option["values"]) > 1
        and option["option"] not in _NOT_MEASURED
    }


def _single_options(work: Work) -> list[dict[str, str]]:
    return [
        {option: value}
        for option, values in space(work).items()
        for value in values
        if value not in DEFAULTS
    ]


def space_filling(ranks: Sequence[int], seed: int, count: int) -> Iterator[Run]:
    """Runs whose works and settings are points of scrambled Sobol sequences: the microbenchmark, and smaller
    applications every third run."""
    from scipy.stats import qmc

    works = qmc.Sobol(6, seed=seed)
    settings = qmc.Sobol(12, seed=seed + 1)
    for number in range(count):
        u = works.random(1)[0]
        drawn = settings.random(_VARIANTS_PER_RUN)
        work = _work_at(u, ranks, is_application=number % 3 == 2)
        if not is_small(work):
            continue
        values = space(work) if work.mode != "storage" else _PACKED
        found: list[dict[str, str]] = []
        for row in drawn:
            setting = _setting_at(row, values)
            if setting and setting not in found:
                found.append(setting)
        yield Run(work, tuple(found))


_PACKED = {"files": ["0", "1", "2", "4", "8", "32"], "write_bytes": ["0", "16384", "65536", "1048576"]}
_MODE_SHARES = {"both": 0.7, "network": 0.2, "storage": 0.1}


def _work_at(u: np.ndarray, ranks: Sequence[int], is_application: bool) -> Work:
    """The work at a point of the unit cube."""
    names = workloads.APPLICATIONS if is_application else workloads.MICROBENCHMARK
    name = _pick(u[0], names)
    if is_application:
        points = _pick(u[1], _APPLICATION_POINTS[name])
    else:
        edge = _pick(u[1], _EDGES)
        points = (edge, edge, max(1, edge // _pick(u[5], (1, 1, 2, 4))))
    shares = np.cumsum(list(_MODE_SHARES.values()))
    mode = MODES[min(int(np.searchsorted(shares, u[4])), len(MODES) - 1)]
    return Work(name, tuple(points), _pick(u[2], ranks), _pick(u[3], ("idx", "idx", "cdf5")), mode)


def _setting_at(u: np.ndarray, values: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A value of each option; half of them stay as they are, so that effects can be told apart."""
    found = {}
    for place, (option, choices) in enumerate(values.items()):
        if u[place] < 0.5:
            value = _pick(2 * u[place], choices)
            if value not in DEFAULTS:
                found[option] = value
    return found


def _pick(u: float, of: Sequence[Any]) -> Any:
    return of[min(int(u * len(of)), len(of) - 1)]
