#!/usr/bin/env python3
"""Compares the speed of two builds of esker-bench: the median of the ratios of interleaved pairs of runs.

    bench/compare_builds.py OLD/build/release NEW/build/release --dir /dev/shm --out result.json

Each pair runs both builds one after the other, in alternating order. A ratio is old time / new time, so 1.0 is
equal and more is better. The exit status is 1 if a value that was read back is wrong, or if the median of a
case is below --least.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

WORKLOADS = {
    "s3d 64^3": ["s3d"],
    "s3d 60^3": ["s3d", "--points", "60,60,60"],
    "icesheet": ["icesheet"],
    "ocean": ["ocean"],
}
CASES = ["idx_two_phase", "cdf5"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, help="build directory of the old version")
    parser.add_argument("new", type=Path, help="build directory of the new version")
    parser.add_argument("--dir", default="/dev/shm", help="directory of the files (default: %(default)s)")
    parser.add_argument("--workload", choices=WORKLOADS, action="append", help="one of them; repeatable (default: all)")
    parser.add_argument("--pairs", type=int, default=15, help="pairs per workload (default: %(default)s)")
    parser.add_argument("--ranks", type=int, default=4, help="MPI ranks (default: %(default)s)")
    parser.add_argument("--least", type=float, default=0.97, help="smallest median that passes")
    parser.add_argument("--out", type=Path, help="file for the ratios (JSON)")
    return parser.parse_args()


def run(build: Path, workload: list[str], options: argparse.Namespace, directory: str) -> dict[str, float]:
    """The median seconds of each case, planning, writing and reading, in one run of a build."""
    result = Path(directory) / "result.json"
    cases = [word for case in CASES for word in ("--case", case)]
    command = ["mpiexec", "-n", str(options.ranks), str(build / "bench" / "esker-bench"), *workload, *cases]
    command += ["--steps", "2", "--repeat", "3", "--dir", directory, "--json", str(result)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = {}
    for case in json.loads(result.read_text())["cases"]:
        if case["bad_values"]:
            sys.exit(f"{build}: {case['name']}: {case['bad_values']} wrong values were read back")
        plans = [report["steps_that_planned"]["plan_s"] for report in case["reports"]]
        seconds[f"{case['name']} plan"] = statistics.median(plans)
        seconds[f"{case['name']} write"] = statistics.median(case["write_s"])
        seconds[f"{case['name']} read"] = statistics.median(case["read_s"])
    return seconds


def compare(workload: list[str], options: argparse.Namespace) -> dict[str, list[float]]:
    """The ratio of each pair, by case."""
    ratios: dict[str, list[float]] = {}
    for pair in range(options.pairs):
        order = (options.old, options.new) if pair % 2 == 0 else (options.new, options.old)
        with tempfile.TemporaryDirectory(dir=options.dir) as directory:
            seconds = {build: run(build, workload, options, directory) for build in order}
        for case, old in seconds[options.old].items():
            ratios.setdefault(case, []).append(old / seconds[options.new][case])
    return ratios


def main() -> int:
    options = arguments()
    results = []
    for name in options.workload or WORKLOADS:
        for case, ratios in compare(WORKLOADS[name], options).items():
            results.append({"workload": name, "case": case, "median": statistics.median(ratios), "ratios": ratios})
            print(f"{name:10} {case:20} {statistics.median(ratios):.3f} ({min(ratios):.2f}-{max(ratios):.2f})", flush=True)
    if options.out:
        machine = {"cores": os.cpu_count(), "ranks": options.ranks, "pairs": options.pairs}
        options.out.write_text(json.dumps({"machine": machine, "results": results}, indent=1) + "\n")
    return 0 if all(r["median"] >= options.least for r in results) else 1


if __name__ == "__main__":
    sys.exit(main())
