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
from functools import cache, partial
from typing import Any

import numpy as np

from esker.tune import baselines, cost, machine, simulation, statistics

NUM_SETS = 200


@dataclass(frozen=True)
class Comparison:
    published: str
    """What is said of the ratio."""
    ratio: Callable[[], np.ndarray]
    """The ratio of speeds: at the middle, then for each set of parameters."""
    holds: Callable[[np.ndarray], np.ndarray]


@cache
def _speeds(name: str, ranks: int, case: str, step: tuple[tuple[str, Any], ...]) -> np.ndarray:
    of = machine.read(name)
    per_node = simulation.default_ranks_per_node(of, ranks)
    arguments = baselines.arguments_of(case, of, ranks, per_node, dict(step))
    asked = baselines.loads_of(case, of, ranks, per_node, arguments)
    layout = simulation.usual_layout(of, simulation.stripes_of(arguments))
    found = statistics.of_loads(asked, layout)
    middle, sets = cost.corners(of), cost.drawn(of, NUM_SETS, seed=20)
    parameters = {key: np.concatenate((middle[key][1:2], sets[key])) for key in sets}
    return asked.data_bytes / cost.cost_of(found, parameters).seconds


def speeds(name: str, ranks: int, case: str = "esker", **step: Any) -> np.ndarray:
    """Bytes of data per second."""
    return _speeds(name, ranks, case, tuple(sorted(step.items())))


def at_least(least: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda ratio: ratio >= least


def at_most(most: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda ratio: ratio <= most


def between(least: float, most: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda ratio: (ratio >= least) & (ratio <= most)


COMBUSTION = {"block": (60, 60, 60), "fields": 4}
SMALL = {"block": (30, 30, 30), "fields": 16}


def restructured(name: str, ranks: int, how: str = "default", than: str = "off") -> np.ndarray:
    """Restructured boxes over others, or over direct aggregation."""
    of = speeds(name, ranks, **COMBUSTION, restructure=how)
    return of / speeds(name, ranks, **COMBUSTION, restructure=than)


def over_case(case: str, ranks: int, **step: Any) -> np.ndarray:
    """IDX of Esker over a baseline, on Hopper."""
    return speeds("hopper", ranks, **step) / speeds("hopper", ranks, case, **step)


def growth(few: int, many: int) -> np.ndarray:
    """PnetCDF on many ranks over few."""
    return speeds("hopper", many, "pnetcdf", **COMBUSTION) / speeds("hopper", few, "pnetcdf", **COMBUSTION)


def aggregators_growth(few: int, many: int) -> np.ndarray:
    """2048³ samples on 8192 ranks of Hopper."""
    step = {"extent": (2048, 2048, 2048), "fields": 1}
    return speeds("hopper", 8192, **step, aggregators=many) / speeds("hopper", 8192, **step, aggregators=few)


def partitions_over(case: str) -> np.ndarray:
    """Partitions of 2048 ranks with 8 files each over a baseline, on 262,144 ranks of Mira."""
    step = {"block": (32, 32, 32), "fields": 8, "bits_per_block": 15}
    parts = speeds("mira", 262144, **step, partitions="size:2048")
    return parts / speeds("mira", 262144, case, **step)


def contiguous_over_aligned() -> np.ndarray:
    """One file of 128 writers on 128 targets of Ranger, in stripes of 64 KiB."""
    step = {"block": (128, 128, 128), "fields": 1, "format": "cdf5", "aggregators": 128}
    stripes = {"stripe_size": "64K", "stripe_count": 128}
    aligned = speeds("ranger", 128, **step, **stripes, pattern="stripes")
    return speeds("ranger", 128, **step, **stripes, pattern="contiguous") / aligned


COMPARISONS = [
    *(
        Comparison(
            f"Hopper, {n} ranks of 60³: three phases are 1.25 times as fast as two",
            partial(restructured, "hopper", n),
            at_least(1.05),
        )
        for n in (256, 1024, 4096)
    ),
    Comparison(
        "Hopper, 4096 ranks of 60³: three phases are 16 times as fast as one",
        lambda: (
            speeds("hopper", 4096, **COMBUSTION, restructure="default")
            / speeds("hopper", 4096, "one-phase", **COMBUSTION)
        ),
        at_least(4),
    ),
    Comparison(
        "Hopper, 2048 ranks of 60³: expanded boxes are slower than default ones",
        lambda: restructured("hopper", 2048, "expanded", "default"),
        at_most(1),
    ),
    Comparison(
        "Hopper, 16,384 ranks of 60³: expanded boxes are faster",
        lambda: restructured("hopper", 16384, "expanded", "default"),
        at_least(1),
    ),
    Comparison(
        "Intrepid, 8192 ranks of 60³: expanded boxes make no difference",
        lambda: restructured("intrepid", 8192, "expanded", "default"),
        between(0.9, 1.1),
    ),
    Comparison(
        "Intrepid, 4096 ranks of 60³: three phases gain less than on Hopper",
        lambda: restructured("intrepid", 4096)[:1] / restructured("hopper", 4096),
        at_most(1),
    ),
    *(
        Comparison(
            f"Hopper, {n} ranks of 60³: IDX is slower than PnetCDF",
            partial(over_case, "pnetcdf", n, **COMBUSTION),
            at_most(1),
        )
        for n in (2048, 8192)
    ),
    Comparison(
        "Hopper, 65,536 ranks of 60³: IDX is 3 times as fast as PnetCDF",
        lambda: over_case("pnetcdf", 65536, **COMBUSTION),
        at_least(1.5),
    ),
    Comparison(
        "Hopper, 65,536 ranks of 30³ × 16: IDX is 3 times as fast as PnetCDF",
        lambda: over_case("pnetcdf", 65536, **SMALL),
        at_least(1.5),
    ),
    Comparison(
        "Hopper, 65,536 ranks of 30³ × 16: IDX is 2.8 times as fast as a file per process",
        lambda: over_case("file-per-process", 65536, **SMALL),
        at_least(1.4),
    ),
    Comparison(
        "Hopper, PnetCDF on 65,536 ranks of 60³ is slower than on 8192",
        lambda: growth(8192, 65536),
        at_most(1),
    ),
    Comparison(
        "Hopper, 2048³ on 8192 ranks: 4096 aggregators are faster than 512",
        lambda: aggregators_growth(512, 4096),
        at_least(1),
    ),
    Comparison(
        "Mira, 262,144 ranks: partitions are 14 times as fast as a file per process",
        lambda: partitions_over("file-per-process"),
        at_least(4),
    ),
    Comparison(
        "Mira, 262,144 ranks: partitions are 17 times as fast as collective writes",
        lambda: partitions_over("pnetcdf"),
        at_least(4),
    ),
    Comparison(
        "Ranger, 128 writers on 128 targets: contiguous parts are at least half as fast as aligned ones",
        contiguous_over_aligned,
        at_least(0.5),
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
