#!/usr/bin/env python3
"""exchange.py RANKS PROGRAM [--block N] [-o KEY=VALUE]...: writes a step on simulated ranks, and compares it with its plan.

Messages and bytes of the ranks must be those of the plan, and the seconds must be within 30 % of those of the closed form
on the same machine, which is the cluster of simulate.sh. Storing and copying take no time there. Prints a JSON object.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from esker import simulate
from esker.tune import machine
from esker.tune.parameters import DEFINITIONS

MOST_ERROR = 0.3
LINK_LATENCY_S, LINK_BANDWIDTH = 5e-6, 1e9
FREE = {"rate": float("inf"), "cost": 0.0, "share": 0.0, "count": 1.0}


def cluster() -> machine.Machine:
    """The machine of simulate.sh, with two links between hosts. All but its network is free."""
    network = {"latency": 2 * LINK_LATENCY_S, "network_bandwidth": LINK_BANDWIDTH}
    known = {**network, "nodes": 1 << 20, "stripe_bytes": 1 << 20}
    values = {each.name: float(known.get(each.name, FREE[each.kind])) for each in DEFINITIONS}
    parameters = {
        name: machine.Parameter(value, value, value, "assumed", "tests/smpi/simulate.sh")
        for name, value in values.items()
    }
    return machine.Machine("smpi", "a simulated cluster", parameters)


def predicted_s(ranks: int, block: int, options: dict[str, str]) -> float:
    """Of the exchange, in a step that needs no plan."""
    facts: dict[str, Any] = simulate(
        cluster(), ranks, ranks_per_node=1, block=(block,) * 3, fields=2, **options
    )
    return float(sum(facts["phases"][phase]["seconds"]["mid"] for phase in ("restructure", "aggregate")))


def main() -> int:
    """Exit status 1: something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ranks", type=int)
    parser.add_argument("program")
    parser.add_argument("--block", type=int, default=16)
    parser.add_argument("-o", dest="options", action="append", default=[])
    given = parser.parse_args()
    arguments = ["--block", str(given.block), *(text for option in given.options for text in ("-o", option))]
    script = Path(__file__).with_name("simulate.sh")
    done = subprocess.run(
        [script, str(given.ranks), given.program, *arguments], check=False, stdout=subprocess.PIPE, text=True
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        print(done.stdout, f"exit status {done.returncode}")
        return 1
    found = json.loads(lines[0])
    options = dict(option.split("=", 1) for option in given.options)
    found["predicted_s"] = predicted_s(given.ranks, given.block, options)
    print(json.dumps(found))
    if options.get("transport") == "all_to_all":
        return 0  # the closed form does not know its messages without samples
    return int(abs(found["predicted_s"] / found["simulated_s"] - 1) > MOST_ERROR)


if __name__ == "__main__":
    sys.exit(main())
