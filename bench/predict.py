#!/usr/bin/env python3
"""Compares what `esker simulate` predicts on this machine with what `esker bench` measures.

    bench/predict.py --dir /dev/shm --json predicted.json

Calibrates, runs the cases, and prints the speed of each one relative to `posix` of its run, measured and predicted. The
machine file comes from measurements without Esker's exchange or formats; no parameter is fitted to a run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from esker.bench import jobs
from esker.planning import rank_boxes
from esker.tune import calibration, cost, loads, machine, simulation
from esker.tune.statistics import of_loads


@dataclass(frozen=True)
class Run:
    """A run of `esker bench` with its cases, and the plan of its step."""

    name: str
    workload: str
    ranks: int
    block: int | None
    plan: dict[str, Any]
    cases: dict[str, dict[str, Any]]
    """Name of the case: what it adds to the plan."""
    is_smooth: bool = False
    """Whether the values are smooth, as coding needs them."""
    counts: bool = True
    """Whether it is in the median; 64^3 on 1, 2 and 4 ranks, the usual case, is not."""


TWO_PHASE: dict[str, dict[str, Any]] = {"idx_two_phase": {}}
ALL = TWO_PHASE | {
    "idx_three_phase": {"restructure": "default"},
    "cdf5": {"format": "cdf5"},
}
CODED: dict[str, dict[str, Any]] = {"idx_32_bits": {"stored_bits": 32}}


def s3d(points: int, ranks: int, cases: dict[str, dict[str, Any]], counts: bool = True) -> Run:
    plan = {"block": (points,) * 3, "fields": 16}
    return Run(f"s3d {points}, {ranks} ranks", "s3d", ranks, points, plan, cases, cases is CODED, counts)


def ice_sheet(ranks: int) -> Run:
    """Columns of the ice sheet, which are split in x and y. Ten maps, 3 % of the data, are left out."""
    extent = (600, 600, 301)
    boxes = [
        (rank, ((*lo, 0), (*hi, extent[2])))
        for rank, (lo, hi) in enumerate(rank_boxes.split(extent[:2], ranks))
    ]
    cases = TWO_PHASE | {"cdf5": {"format": "cdf5"}}
    return Run(f"ice sheet, {ranks} ranks", "icesheet", ranks, None, {"boxes": boxes, "fields": 1}, cases)


RUNS = [
    *(s3d(64, ranks, TWO_PHASE, counts=False) for ranks in (1, 2, 4)),
    s3d(64, 4, {name: case for name, case in ALL.items() if name not in TWO_PHASE}),
    s3d(60, 4, ALL),
    s3d(64, 8, ALL),
    s3d(64, 4, CODED),
    s3d(60, 4, CODED),
    ice_sheet(4),
]


def measured(run: Run, arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Writing speed relative to posix, by case."""
    with tempfile.TemporaryDirectory() as scratch:
        found = Path(scratch) / "found.json"
        words = [
            "bench",
            run.workload,
            "--ranks",
            str(run.ranks),
            "--dir",
            arguments.dir,
            "--json",
            str(found),
        ]
        words += ["--repeat", str(arguments.repeat), "--steps", str(arguments.steps)]
        words += ["--block", str(run.block)] if run.block else []
        words += ["--smooth"] if run.is_smooth else []
        for name in run.cases:
            words += ["--case", name]
        command = [sys.executable, "-c", "from esker.cli import main; main()", *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        cases = json.loads(found.read_text())["cases"]
    return {case["name"]: case["ratio_to_posix_write"] for case in cases if case["name"] in run.cases}


def predicted(run: Run, of: machine.Machine, added: dict[str, Any]) -> dict[str, Any]:
    """Seconds of posix over those of the case, at the three corners of the machine's ranges."""
    asked = loads.of_plan(of, run.ranks, run.ranks, **run.plan, **added)
    layout = next(simulation._layouts(of, {}))
    corners = cost.corners(of)
    case = cost.cost_of(of_loads(asked, layout), corners)
    bytes_of_a_rank = asked.data_bytes // run.ranks
    posix = loads.of_separate_files(run.ranks, bytes_of_a_rank, run.ranks)
    alone = cost.cost_of(of_loads(posix, layout), corners)
    posix_s = (
        alone.phases["write"].seconds + alone.phases["create"].seconds
    )  # without gathering and agreements
    ratios = posix_s / case.seconds
    phases = {name: phase.seconds[1] / case.seconds[1] for name, phase in case.phases.items()}
    return {"mid": ratios[1], "low": ratios.min(), "high": ratios.max(), "shares_of_phases": phases}


def compared(arguments: argparse.Namespace) -> tuple[list[dict[str, Any]], list[str]]:
    """One row per run and case; and the machine files of the runs. Other jobs slow a shared machine down by more and
    less, so it is calibrated again before each run."""
    rows, machines = [], []
    for run in RUNS:
        if arguments.machine:
            of = machine.read(arguments.machine)
        else:
            of = calibration.calibrate(arguments.dir, notify=lambda _: None)
        machines.append(machine.to_toml(of))
        found = measured(run, arguments)
        for name, added in run.cases.items():
            guess = predicted(run, of, added)
            error = guess["mid"] / found[name]["median"] - 1
            rows.append(
                {"run": run.name, "case": name, "measured": found[name], "predicted": guess, "error": error}
                | {"counts": run.counts}
            )
            print(
                f"{run.name:24} {name:16} measured {found[name]['median']:.2f} "
                f"({found[name]['min']:.2f}-{found[name]['max']:.2f})  predicted {guess['mid']:.2f}  {error:+.0%}",
                flush=True,
            )
    return rows, machines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dir", default="/dev/shm")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--steps", type=int, default=8, help="the first one also plans (default: %(default)s)")
    parser.add_argument("--machine", help="a machine file instead of calibrating")
    arguments = parser.parse_args()
    rows, machines = compared(arguments)
    counted = [row for row in rows if row["counts"]]
    error = statistics.median(abs(row["error"]) for row in counted)
    order = np.corrcoef(
        *(np.argsort(np.argsort([value(row) for row in counted])) for value in (_measured, _predicted))
    )[0, 1]
    print(f"median error {error:.0%} of {len(counted)} cases, rank correlation {order:.2f}")
    if arguments.json:
        facts = {
            "machine": jobs.machine(arguments.dir),
            "machine_files": machines,
            "rows": rows,
        }
        facts |= {"median_error": error, "rank_correlation": order}
        arguments.json.write_text(json.dumps(facts, indent=2) + "\n")


def _measured(row: dict[str, Any]) -> float:
    return row["measured"]["median"]


def _predicted(row: dict[str, Any]) -> float:
    return row["predicted"]["mid"]


if __name__ == "__main__":
    main()
