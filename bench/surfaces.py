#!/usr/bin/env python3
"""Extracts from tables of `esker tune characterize` what single options changed, for tests of tune=auto.

    bench/surfaces.py TABLE... > tests/golden/tune/surfaces.json

A surface is a workload on a number of ranks with the ratios of a step's time to the default for at least MIN_SETTINGS
settings that change one option. Repeated settings are averaged.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from esker.tune.characterize import table

MIN_SETTINGS = 6


def surfaces_of(path: Path) -> list[dict[str, Any]]:
    """The surfaces of a table, in the order of their names."""
    given = table.read(path)
    writers = given.where(given["mode"] == "both")
    ratios: dict[tuple[str, int, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    aggregators: dict[tuple[str, int, str], int] = {}
    for row, setting in enumerate(writers.settings()):
        key = (writers["group"][row], int(writers["ranks"][row]), writers["format"][row])
        if not setting:
            aggregators[key] = int(writers["aggregators"][row])
        if len(setting) == 1:
            ((option, value),) = setting.items()
            ratios[key][f"{option}={value}"].append(float(writers["ratio"][row]))
    return [
        {
            "name": f"{given.about['machine_kind']}: {key[0]}, {key[1]} ranks, {key[2]}",
            "kind": given.about["kind"],
            "ranks": key[1],
            "aggregators": aggregators[key],
            "format": key[2],
            "ratios": {name: round(statistics.fmean(found), 4) for name, found in sorted(of.items())},
        }
        for key, of in sorted(ratios.items())
        if len(of) >= MIN_SETTINGS and key in aggregators
    ]


def main() -> None:
    """Prints the surfaces, a line each."""
    found = [surface for path in sys.argv[1:] for surface in surfaces_of(Path(path))]
    print("[\n" + ",\n".join(map(json.dumps, found)) + "\n]")


if __name__ == "__main__":
    main()
