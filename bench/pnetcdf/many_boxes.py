#!/usr/bin/env python3
"""Times many small boxes with Debian's PnetCDF and with Esker's library in its place, on 4 ranks: many_boxes.c.

    python3 bench/pnetcdf/many_boxes.py LIBRARY --dir /dev/shm [--dir DIRECTORY] [--only TEXT] [--repeat 5] [--json FILE]

LIBRARY: the directory of Esker's libpnetcdf.so.0d. The two libraries take turns; which comes first alternates. The seconds
are those of all records, with opening and closing of the file. Exit status 1 if a value that was written is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from run import ROOT, file_system, machine

sys.path.insert(0, str(ROOT / "tests/pnetcdf"))

from codes import loads

PROGRAM = ROOT / "build/pnetcdf/many_boxes"
# Method, boxes per rank, levels, variables, records.
CASES = [
    ("iput", 100, 10, 4, 20),
    ("iput", 1_000, 10, 4, 20),
    ("iput", 10_000, 10, 4, 4),
    ("iput", 100_000, 10, 2, 2),
    ("iput", 1_000_000, 1, 1, 1),
    ("put", 10_000, 10, 4, 4),
    ("steps", 1_000, 10, 2, 2),
    ("map", 1_000, 10, 2, 2),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--dir", type=Path, action="append", required=True)
    parser.add_argument("--only", default="", help="part of the name of a case (method and boxes): no other")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    source = ROOT / "bench/pnetcdf/many_boxes.c"
    subprocess.run(["mpicc.openmpi", "-std=c11", "-O2", source, "-o", PROGRAM, "-lpnetcdf"], check=True)
    content: dict[str, object] = {"machine": machine(), "ranks": 4, "repeat": options.repeat, "cases": []}
    for folder in options.dir:
        for case in CASES:
            if options.only in f"{case[0]} {case[1]}":
                content["cases"].append(measure(case, folder, options.library.resolve(), options.repeat))
                if options.json:
                    options.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    if not content["cases"]:
        parser.error(f"no case was measured: expected a part of {', '.join(f'{c[0]} {c[1]}' for c in CASES)}")
    return 0


def measure(case: tuple[str, int, int, int, int], parent: Path, library: Path, repeat: int) -> dict[str, object]:
    """Both libraries in turns: seconds, and the ratio of each pair."""
    seconds: dict[str, list[float]] = {"pnetcdf": [], "esker": []}
    for number in range(repeat):
        for name in sorted(seconds, reverse=number % 2 == 0):
            seconds[name].append(time_of(case, parent, library if name == "esker" else None))
    ratios = [theirs / ours for theirs, ours in zip(seconds["pnetcdf"], seconds["esker"])]
    method, boxes, levels, variables, records = case
    result = {
        "method": method,
        "boxes_per_rank": boxes,
        "levels": levels,
        "variables": variables,
        "records": records,
        "file_system": file_system(parent),
        "seconds": seconds,
        "esker_over_pnetcdf": {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)},
    }
    print(
        f"{method}, {boxes} boxes, {result['file_system']}: Esker {statistics.median(ratios):.2f} times as fast as "
        f"PnetCDF ({min(ratios):.2f} to {max(ratios):.2f})",
        flush=True,
    )
    return result


def time_of(case: tuple[str, int, int, int, int], parent: Path, library: Path | None) -> float:
    """The seconds that the program prints; it fails if a value is wrong."""
    environment = dict(os.environ)
    if library:
        environment["LD_LIBRARY_PATH"] = str(library)
        if not loads(PROGRAM, library, environment):
            raise RuntimeError(f"{PROGRAM} does not load libpnetcdf from {library} (ldd)")
    method, boxes, levels, variables, records = case
    with tempfile.TemporaryDirectory(prefix="boxes", dir=parent) as scratch:
        arguments = [f"{scratch}/boxes.nc", boxes, method, levels, variables, records]
        command = ["mpiexec.openmpi", "-n", "4", PROGRAM, *map(str, arguments)]
        output = subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout
    found = re.search(r"seconds ([0-9.]+) ", output)
    if not found:
        raise RuntimeError(f"no seconds in the output: {output[-2000:]}")
    return float(found[1])


if __name__ == "__main__":
    sys.exit(main())
