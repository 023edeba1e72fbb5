#!/usr/bin/env python3
"""Central comparisons of the literature on IDX, next to what `esker simulate` computes for them.

    bench/shapes.py [--only TEXT]     prints a table for docs/guide/scale.md; minutes

Each row is a ratio of two speeds on a machine file that Esker comes with, at the middle of its ranges and, as "low to
high", over 200 sets of parameters from them. The published direction is reproduced ("agree") if the middle has it,
"over the band" if all sets have it. Nothing is fitted to these comparisons.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from esker.tune import cost, machine, simulation, statistics

NUM_SETS = 200
SHARED_FILE = {"format": "cdf5", "pattern": "contiguous", "stripe_count": 156}
"""One file on all targets that the ranks of a collective write share, as PnetCDF's."""


@dataclass(frozen=True)
class Comparison:
    published: str
    """What is said of the ratio."""
    ratio: Callable[[], np.ndarray]
    """The ratio of speeds: at the middle, then for each set of parameters."""
    holds: Callable[[np.ndarray], np.ndarray]


@cache
def _speeds(name: str, ranks: int, step: tuple[tuple[str, Any], ...]) -> np.ndarray:
    of = machine.read(name)
    asked = simulation.plan_loads(of, ranks, simulation.default_ranks_per_node(of, ranks), **dict(step))
    given = dict(step).get("stripe_count")
    stripes = {"targets_per_file": given} if given else {}
    found = statistics.of_loads(asked, next(simulation._layouts(of, stripes)))
    middle, sets = cost.corners(of), cost.drawn(of, NUM_SETS, seed=20)
    parameters = {key: np.concatenate((middle[key][1:2], sets[key])) for key in sets}
    return asked.data_bytes / cost.cost_of(found, parameters).seconds


def speeds(name: str, ranks: int, **step: Any) -> np.ndarray:
    """Bytes of data per second."""
    return _speeds(name, ranks, tuple(sorted(step.items())))


def at_least(least: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda ratio: ratio >= least


def at_most(most: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda ratio: ratio <= most


def three_phases(ranks: int) -> np.ndarray:
    """Restructured over direct aggregation: blocks of 60³ samples, 4 fields."""
    step = {"block": (60, 60, 60), "fields": 4}
    return speeds("hopper", ranks, **step, restructure="default") / speeds(
        "hopper", ranks, **step, restructure="off"
    )


def idx_over_shared_file(ranks: int) -> np.ndarray:
    step = {"block": (60, 60, 60), "fields": 4}
    return speeds("hopper", ranks, **step) / speeds("hopper", ranks, **step, **SHARED_FILE)


def shared_file_growth(few: int, many: int) -> np.ndarray:
    step = {"block": (60, 60, 60), "fields": 4, **SHARED_FILE}
    return speeds("hopper", many, **step) / speeds("hopper", few, **step)


def aggregators_growth(few: int, many: int) -> np.ndarray:
    """2048³ samples on 8192 ranks of Hopper."""
    step = {"extent": (2048, 2048, 2048), "fields": 1}
    return speeds("hopper", 8192, **step, aggregators=many) / speeds("hopper", 8192, **step, aggregators=few)


COMPARISONS = [
    *(
        Comparison(
            f"Hopper, {n} ranks of 60³: three phases are 1.25 times as fast as two",
            lambda n=n: three_phases(n),
            at_least(1.05),
        )
        for n in (256, 1024, 4096)
    ),
    Comparison(
        "Hopper, 2048 ranks of 60³: IDX is slower than PnetCDF",
        lambda: idx_over_shared_file(2048),
        at_most(1),
    ),
    Comparison(
        "Hopper, 8192 ranks of 60³: IDX is slower than PnetCDF",
        lambda: idx_over_shared_file(8192),
        at_most(1),
    ),
    Comparison(
        "Hopper, 65,536 ranks of 60³: IDX is 3 times as fast as PnetCDF",
        lambda: idx_over_shared_file(65536),
        at_least(1.5),
    ),
    Comparison(
        "Hopper, PnetCDF on 65,536 ranks of 60³ is slower than on 8192",
        lambda: shared_file_growth(8192, 65536),
        at_most(1),
    ),
    Comparison(
        "Hopper, 2048³ on 8192 ranks: 4096 aggregators are faster than 512",
        lambda: aggregators_growth(512, 4096),
        at_least(1),
    ),
]


def row(comparison: Comparison) -> str:
    ratio = comparison.ratio()
    holds = comparison.holds(ratio)
    verdict = "agree, over the band" if holds.all() else "agree" if holds[0] else "disagree"
    return f"| {comparison.published} | {ratio[0]:.2f} ({ratio.min():.2f} to {ratio.max():.2f}) | {verdict} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="only comparisons that have this text")
    wanted = parser.parse_args().only
    print("| published | ratio of speeds by the closed form | |\n| --- | --- | --- |")
    for comparison in COMPARISONS:
        if wanted in comparison.published:
            print(row(comparison), flush=True)


if __name__ == "__main__":
    main()
