#!/usr/bin/env python3
"""Times reading by Debian's PnetCDF and by Esker's library in its place, on 4 ranks (bench/pnetcdf/reads.c).

    python3 bench/pnetcdf/reads.py LIBRARY --dir /dev/shm [--dir DIRECTORY] [--cube 128] [--repeat 5] [--json FILE]

LIBRARY: the directory of Esker's libpnetcdf.so.0d. The ways take turns: PnetCDF; Esker as it chooses, with each rank alone, with
all together, and as it chooses on a simulated node for each rank, where samples move in messages. In each turn each
case is read three times: the first one opens and plans, the fastest one does not. A ratio is of PnetCDF's seconds to Esker's of
the same turn. The program checks all values.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from run import BUILD, ROOT, file_system, machine, write

sys.path.insert(0, str(ROOT / "tests/pnetcdf"))

from codes import loads

NODES = {"ESKER_TEST_RANKS_PER_NODE": "1"}
WAYS: dict[str, dict[str, str]] = {
    "pnetcdf": {},
    "esker": {},
    "alone": {"ESKER_AGGREGATE_READS": "false"},
    "together": {"ESKER_AGGREGATE_READS": "true"},
    "nodes": NODES,
}
Seconds = dict[str, dict[str, list[list[float]]]]  # [case][way] first and fastest time of each turn


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library", type=Path)
    parser.add_argument("--dir", type=Path, action="append", required=True)
    parser.add_argument("--cube", type=int, default=128, help="points along each axis")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    program = build()
    results = []
    for folder in options.dir:
        seconds = measure(program, folder, options.library.resolve(), options.cube, options.repeat)
        for case, ways in seconds.items():
            ratios = {way: summarize(ways, way) for way in ways if way != "pnetcdf"}
            name = file_system(folder)
            results.append({"case": case, "file_system": name, "seconds": ways, "pnetcdf_over": ratios})
            text = ", ".join(
                f"{way} {r['first']['median']:.2f} {r['fastest']['median']:.2f}" for way, r in ratios.items()
            )
            print(f"{case}, {name}: {text}", flush=True)
        content = {
            "machine": machine(),
            "ranks": 4,
            "cube": options.cube,
            "repeat": options.repeat,
            "reads": results,
        }
        write(options.json, content)
    return 0


def build() -> Path:
    """The program, linked with Debian's PnetCDF."""
    program = BUILD / "reads"
    BUILD.mkdir(parents=True, exist_ok=True)
    source = str(ROOT / "bench/pnetcdf/reads.c")
    subprocess.run(["mpicc.openmpi", "-O2", "-o", str(program), source, "-lpnetcdf"], check=True)
    return program


def measure(program: Path, parent: Path, library: Path, cube: int, repeat: int) -> Seconds:
    """All ways in turns, which begin with another one each time."""
    seconds: Seconds = {}
    with tempfile.TemporaryDirectory(prefix="reads", dir=parent) as folder:
        path = Path(folder, "reads.nc")
        run(program, ["write", str(path), str(cube)], {})
        for turn in range(repeat):
            names = list(WAYS)
            for way in names[turn % len(names) :] + names[: turn % len(names)]:
                environment = dict(WAYS[way])
                if way != "pnetcdf":
                    environment["LD_LIBRARY_PATH"] = str(library)
                    if not loads(program, library, {**os.environ, **environment}):
                        raise RuntimeError(f"{program} does not load libpnetcdf from {library} (ldd)")
                for line in run(program, ["read", str(path), str(cube), "3"], environment).splitlines():
                    case, first, least = line.split()
                    seconds.setdefault(case, {}).setdefault(way, []).append([float(first), float(least)])
    return seconds


def run(program: Path, arguments: list[str], environment: dict[str, str]) -> str:
    command = ["mpiexec.openmpi", "-n", "4", str(program), *arguments]
    done = subprocess.run(
        command, check=True, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def summarize(ways: dict[str, list[list[float]]], way: str) -> dict[str, dict[str, float]]:
    """The ratios of the turns, for the first and for the fastest time."""
    summary = {}
    for number, name in enumerate(("first", "fastest")):
        ratios = [theirs[number] / ours[number] for theirs, ours in zip(ways["pnetcdf"], ways[way])]
        summary[name] = {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)}
    return summary


if __name__ == "__main__":
    sys.exit(main())
