#!/usr/bin/env python3
"""replay.py PROGRAM [IN_FLIGHT]: replays the writes of planned steps event by event, and compares the closed form.

Locks, creation of files and the exchange cost nothing here: only the time of writing is compared. IN_FLIGHT: stripes that a
rank writes at a time; by default 8, the requests that a client of Lustre may have in flight to a target. Prints a line per
case; the exit status is 1 if the closed form is off by more than a quarter of the replayed time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from esker.tune import cost, loads, machine, simulation, statistics

MOST_ERROR = 0.25
MACHINES = ("ranger", "hopper", "intrepid", "mira", "edison")
STEP = {"block": (32, 32, 32), "fields": 4, "bits_per_block": 15}
RANKS = (256, 1024, 4096)


class Links:
    """The links of a machine whose bandwidths bound something."""

    def __init__(self) -> None:
        self.bandwidths: list[float] = []

    def add(self, bandwidth: float, count: int = 1) -> list[list[int]]:
        """`count` links, one list each; empty lists if the bandwidth bounds nothing."""
        if bandwidth == float("inf"):
            return [[] for _ in range(count)]
        first = len(self.bandwidths)
        self.bandwidths += [bandwidth] * count
        return [[first + number] for number in range(count)]


def layout_of(known: machine.Machine) -> statistics.Layout:
    """The counts of a machine."""
    return statistics.Layout(
        **{name: known.count(name) for name in statistics.Layout.__dataclass_fields__}
    )


def replay_input(known: machine.Machine, asked: loads.Loads, in_flight: int) -> dict[str, Any]:
    """What the program reads: ranks write their stripes in the order of rounds and offsets."""
    layout, links = layout_of(known), Links()
    rate = {name: parameter.value for name, parameter in known.parameters.items()}
    nodes = links.add(rate["network_bandwidth"], asked.nodes)
    io_nodes = links.add(rate["io_node_bandwidth"], -(-asked.nodes // layout.nodes_per_io_node))
    servers = links.add(rate["server_bandwidth"], layout.servers)
    targets = links.add(rate["target_bandwidth"], layout.targets)
    (system,) = links.add(rate["system_bandwidth"])
    extents = asked.extents
    used, number = np.unique(extents.rank, return_inverse=True)
    cores = links.add(rate["write_bandwidth"], len(used))
    node = used // asked.ranks_per_node
    found = statistics.stripes_of(extents, layout)
    order = np.lexsort((found.turn, extents.offset[found.extent], extents.round[found.extent]))
    writes = np.stack((number[found.extent], found.target, found.size), axis=1)[order]
    return {
        "in_flight": in_flight,
        "links": links.bandwidths,
        "writers": [
            core + nodes[n] + io_nodes[n // layout.nodes_per_io_node] + system for core, n in zip(cores, node)
        ],
        "targets": [servers[layout.server_of(t)] + target for t, target in enumerate(targets)],
        "writes": writes.tolist(),
    }


def replayed_s(program: str, given: dict[str, Any]) -> float:
    """Seconds of the last write."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(given, file)
        file.flush()
        return float(subprocess.run([program, file.name], check=True, capture_output=True, text=True).stdout)


def predicted_s(known: machine.Machine, asked: loads.Loads) -> float:
    """The closed form, without locks."""
    free = replace(known.parameters["lock_cost"], value=0.0, low=0.0, high=0.0)
    without = replace(known, parameters={**known.parameters, "lock_cost": free})
    found = statistics.of_loads(asked, layout_of(without))
    return float(cost.cost_of(found, cost.corners(without)).phases["write"].seconds[1])


def cases(known: machine.Machine, ranks: int) -> Iterator[tuple[str, loads.Loads]]:
    """Ways to write a step."""
    per_node = simulation.default_ranks_per_node(known, ranks)
    data = int(np.prod(STEP["block"])) * STEP["fields"] * 8
    yield "planned", loads.of_plan(known, ranks, per_node, **STEP)
    yield "planned, 64 aggregators", loads.of_plan(known, ranks, per_node, aggregators=64, **STEP)
    yield "a file per rank", loads.of_separate_files(ranks, data, per_node)
    yield "a shared file", loads.of_shared_file(ranks, data, per_node)


def main(program: str, in_flight: int) -> int:
    """Compares all cases."""
    worst = 0.0
    for name in MACHINES:
        known = machine.read(name)
        for ranks in RANKS:
            for case, asked in cases(known, ranks):
                replayed = replayed_s(program, replay_input(known, asked, in_flight))
                predicted = predicted_s(known, asked)
                worst = max(worst, abs(predicted / replayed - 1))
                print(
                    f"{name}, {ranks} ranks, {case}: closed form {predicted:.4g} s, replayed {replayed:.4g} s, "
                    f"ratio {predicted / replayed:.2f}",
                    flush=True,
                )
    print(f"largest error {worst:.0%}")
    return int(worst > MOST_ERROR)


if __name__ == "__main__":
    program, *in_flight = sys.argv[1:]
    sys.exit(main(str(Path(program).resolve()), int(in_flight[0]) if in_flight else 8))
