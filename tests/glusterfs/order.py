#!/usr/bin/env python3
"""order.py ESKER_BENCH [--mpiexec MPIEXEC] [--repeat N] [--json FILE]: which way to write is the fastest on GlusterFS?

Mounts a volume, measures its machine file by plain writes, and then lets esker-bench write the same samples in one shared
file and in a file per aggregator, in turn. All values are read back and compared. For each pair of ways, the ratio of
their times is compared with that of the cost function. Prints a line per way and per pair.

One way runs twice. The ratio of these two is the noise: smaller differences are ties. Exit status 1: the order of a pair
is the opposite of the predicted one, no pair has an order, a value is wrong, or this machine cannot mount the volume.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import measured_machine
import volume
from esker.bench import jobs
from esker.tune import cost, loads, machine, simulation
from esker.tune.statistics import of_loads
from medians import Range, interval

RANKS = 4
BRICKS = 4
SHARD_BYTES = 4 << 20
POINTS = 64
"""Along each axis of a rank: 2 MiB of each of 16 fields."""
STEPS = 1
NUM_SETS = 200
"""Of parameters, from the ranges of the machine file."""


@dataclass(frozen=True)
class Way:
    """A way to write the samples: a case of esker-bench with options."""

    name: str
    case: str
    options: Mapping[str, Any]

    @property
    def variant(self) -> str:
        """As esker-bench takes it."""
        options = [f"{key}={value}" for key, value in self.options.items() if key != "format"]
        return " ".join([self.case, *options])


STRIPES = {"stripe_size": "4M", "stripe_count": BRICKS}
ALIGNED = Way(
    "one CDF file, whole shards",
    "cdf5",
    {"format": "cdf5", "aggregators": RANKS, "pattern": "stripes", **STRIPES, "alignment": "4M"},
)
UNALIGNED = {"format": "cdf5", "aggregators": RANKS, "pattern": "contiguous"}
BLOCKS = {"aggregators": RANKS, "bits_per_block": 15}
WAYS = (
    Way("one CDF file, unaligned domains", "cdf5", UNALIGNED),
    ALIGNED,
    Way("one IDX file", "idx_two_phase", {**BLOCKS, "blocks_per_file": 32}),
    Way("an IDX file per aggregator", "idx_two_phase", {**BLOCKS, "blocks_per_file": 32 // RANKS}),
)


def measured_s(program: str, mpiexec: str, mount: Path, repeat: int) -> dict[str, list[float]]:
    """Seconds per step and repetition of each way, and of ALIGNED once again."""
    names = [way.name for way in WAYS] + ["again"]
    variants = [word for way in (*WAYS, ALIGNED) for word in ("--variant", way.variant)]
    words = [mpiexec, "-n", str(RANKS), program, "s3d", "--points", ",".join([str(POINTS)] * 3)]
    words += ["--steps", str(STEPS), "--repeat", str(repeat), "--dir", str(mount), *variants]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"order.py: esker-bench ended with status {done.returncode}")
    cases = json.loads(done.stdout)["cases"]
    return {name: [s / STEPS for s in case["write_s"]] for name, case in zip(names, cases)}


def predicted_s(known: machine.Machine) -> dict[str, NDArray[np.float64]]:
    """Of a step of each way: at the ends and the middle of all ranges, then for sets of parameters from the ranges."""
    drawn = cost.drawn(known, NUM_SETS, seed=0)
    sets = {name: np.concatenate((ends, drawn[name])) for name, ends in cost.corners(known).items()}
    seconds = {}
    for way in WAYS:
        asked = loads.of_plan(known, RANKS, RANKS, block=(POINTS,) * 3, fields=16, **way.options)
        seconds[way.name] = cost.cost_of(of_loads(asked, simulation.usual_layout(known)), sets).seconds
    return seconds


def compare(
    measured: Mapping[str, list[float]], predicted: Mapping[str, NDArray[np.float64]]
) -> dict[str, Any]:
    """The noise, and what each pair of ways says."""
    same = interval([a / b for a, b in zip(measured["again"], measured[ALIGNED.name])])
    noise = max(same.high, 1 / same.low)
    pairs = []
    for one, other in combinations([way.name for way in WAYS], 2):
        found = interval([a / b for a, b in zip(measured[one], measured[other])])
        ratios = predicted[one] / predicted[other]
        expected = Range(float(ratios.min()), float(ratios[1]), float(ratios.max()))
        orders = (found.order(noise), expected.order(noise))
        pair = {"ways": (one, other), "measured": found, "predicted": expected}
        pairs.append({**pair, "verdict": verdict(*orders)})
    return {"noise": noise, "pairs": pairs}


def verdict(measured: int, predicted: int) -> str:
    """What the measured order says about the predicted one."""
    if measured == predicted:
        return "as predicted" if measured else "a tie, as predicted"
    if predicted == 0:
        return "not predicted"
    return "a tie, not as predicted" if measured == 0 else "CONTRADICTED"


def passes(pairs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether some order is as predicted, and none the opposite."""
    verdicts = [pair["verdict"] for pair in pairs]
    return "CONTRADICTED" not in verdicts and "as predicted" in verdicts


def facts_of(mount: volume.Volume, arguments: argparse.Namespace) -> dict[str, Any]:
    """Measures, and computes all that the JSON file has."""
    load, shards = os.getloadavg(), mount.shards_of_a_file(64)
    known = measured_machine.measure(mount, RANKS, arguments.repeat)
    measured = measured_s(arguments.program, arguments.mpiexec, mount.mount, arguments.repeat)
    predicted = predicted_s(known)
    return {
        "machine": jobs.machine(str(mount.mount)) | {"glusterfs": volume.version()},
        "load": {"before": load, "after": os.getloadavg()},
        "volume": {"bricks": BRICKS, "shard_bytes": SHARD_BYTES, "shards_of_a_file": shards},
        "machine_file": machine.to_toml(known),
        "write_s_per_step": measured,
        "predicted_s_per_step": {
            name: {"low": min(s), "mid": s[1], "high": max(s)} for name, s in predicted.items()
        },
        "variants": {way.name: way.variant for way in WAYS},
        **compare(measured, predicted),
    }


def print_facts(facts: Mapping[str, Any]) -> None:
    for way in WAYS:
        taken = facts["write_s_per_step"][way.name]
        expected = facts["predicted_s_per_step"][way.name]
        print(
            f"{way.name}: median {statistics.median(taken):.3f} s, least {min(taken):.3f} s; predicted "
            f"{expected['mid']:.3f} s ({expected['low']:.3f} to {expected['high']:.3f})"
        )
    print(f"ratios of medians up to {facts['noise']:.2f} are noise")
    for pair in facts["pairs"]:
        one, other = pair["ways"]
        print(f"{one} / {other}: {pair['measured']}, predicted {pair['predicted']}: {pair['verdict']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="ESKER_BENCH")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--repeat", type=int, default=21)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    problem = volume.missing()
    if problem:
        print(f"order.py: {problem}", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unmounts
    with volume.mounted(BRICKS, SHARD_BYTES) as mount:
        facts = facts_of(mount, arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(facts, indent=2, default=vars) + "\n")
    print_facts(facts)
    return int(not passes(facts["pairs"]))


if __name__ == "__main__":
    sys.exit(main())
