"""Runs of esker-bench: a reference and some settings in turn, in one MPI job."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from esker import benchmark
from esker.tune.characterize.design import FORMATS, Run, Work


@dataclass(frozen=True)
class Bench:
    """How esker-bench runs. `store_rate`: bytes per second that storage takes from each rank; None: all."""

    program: str
    mpiexec: str
    directory: str
    steps: int = 3
    repeat: int = 5
    store_rate: float | None = None
    timeout_s: float = 120

    def command(self, run: Run) -> list[str]:
        """The command line that measures a run."""
        work = run.work
        line = [self.mpiexec, "-n", str(work.ranks), self.program, work.workload]
        line += ["--points", ",".join(map(str, work.points)), "--dir", self.directory]
        line += ["--steps", str(self.steps), "--repeat", str(self.repeat)]
        line += ["--no-store" if work.mode == "network" else "--write-only"]
        if self.store_rate:
            line += ["--store-rate", str(self.store_rate)]
        for setting in ({}, *run.settings):
            line += ["--variant", _variant(work, setting)]
        return line

    def measure(self, run: Run) -> list[dict[str, Any]]:
        """Results of the default and of each setting of the run, in this order: seconds of a step, and the ratio to the
        default (the median of the repetitions, which measure all of them in turn; its least and largest value).

        Raises RuntimeError if the program fails or does not end in time.
        """
        command = self.command(run)
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, env=benchmark.environment(), timeout=self.timeout_s
            )
        except subprocess.TimeoutExpired as error:
            raise RuntimeError(f"{' '.join(command)}: did not end in {self.timeout_s:g} s") from error
        if done.returncode != 0:
            lines = [
                line for line in done.stderr.splitlines() if "esker-bench" in line
            ] or done.stderr.splitlines()
            raise RuntimeError(f"{' '.join(command)}: {lines[0] if lines else f'status {done.returncode}'}")
        return results_of(json.loads(done.stdout))


def _variant(work: Work, setting: Mapping[str, str]) -> str:
    case = "packed" if work.mode == "storage" else FORMATS[work.format]
    return " ".join([case, *(f"{option}={value}" for option, value in setting.items())])


def results_of(measured: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of each case of a run of esker-bench; the first case is the default."""
    cases = [_steps_of(case, measured["steps"]) for case in measured["cases"]]
    return [_result(steps, cases[0], case) for steps, case in zip(cases, measured["cases"])]


Steps = Sequence[Sequence[float]]
"""Seconds of steps, per repetition."""


def _result(steps: Steps, default: Steps, case: dict[str, Any]) -> dict[str, Any]:
    mine, reference = ([statistics.median(of) for of in times] for times in (steps, default))
    ratios = [a / b for a, b in zip(mine, reference)]
    found = {
        "seconds": statistics.median(mine),
        "default_seconds": statistics.median(reference),
        "best_seconds": min(map(min, steps)),
        "default_best_seconds": min(map(min, default)),
        "ratio": statistics.median(ratios),
        "ratio_low": min(ratios),
        "ratio_high": max(ratios),
        "repetitions": len(ratios),
    }
    if reports := case["reports"]:
        planned = [step["plan_s"] for report in reports for step in report["steps"] if step["planned"]]
        found["plan_seconds"] = statistics.median(planned)
    return found


def _steps_of(case: dict[str, Any], steps: int) -> list[list[float]]:
    """Without steps that planned; of packed buffers, which need no plan and have no reports, means."""
    if not case["reports"]:
        return [[seconds / steps] for seconds in case["write_s"]]
    return [
        [step["seconds"] for step in report["steps"] if not step["planned"]] for report in case["reports"]
    ]
