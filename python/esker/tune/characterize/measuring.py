"""Runs of esker-bench: a reference and some settings in turn, in one MPI job."""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from esker.bench import jobs
from esker.bench.launching import removed_at_end
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
    smooth: bool = False
    """Values are a smooth field with a little noise, as compression needs it, instead of exact numbers."""

    def command(self, run: Run, scratch: str) -> list[str]:
        """The command line that measures a run with files in the directory `scratch`."""
        work = run.work
        line = [self.mpiexec, "-n", str(work.ranks), self.program, work.workload]
        line += ["--points", ",".join(map(str, work.points)), "--dir", scratch]
        line += ["--steps", str(self.steps), "--repeat", str(self.repeat)]
        line += ["--no-store" if work.mode == "network" else "--write-only"]
        if self.smooth:
            line += ["--smooth"]
        if self.store_rate:
            line += ["--store-rate", str(self.store_rate)]
        for variant in _variants(run):
            line += ["--variant", variant]
        return line

    def measure(self, run: Run) -> list[dict[str, Any]]:
        """Results of the default and of each setting of the run, in this order: seconds of a step, and the ratio to the
        default (the median of the repetitions, which measure all of them in turn; its least and largest value).

        Raises what run() raises.
        """
        return results_of(self.run(run))

    def run(self, run: Run) -> dict[str, Any]:
        """What the program measured of the default and of each setting, in this order.

        Raises RuntimeError if the program fails, does not end in time, or measured other cases.
        """
        scratch = jobs.make_scratch(self.directory)
        with removed_at_end(scratch), tempfile.TemporaryDirectory() as results:
            output, errors = Path(results) / "measured.json", Path(results) / "errors"
            command = [*self.command(run, scratch), "--json", str(output)]
            with errors.open("w", encoding="utf-8") as stderr:
                try:
                    status = jobs.call(command, self.timeout_s, stderr)
                except subprocess.TimeoutExpired as error:
                    raise RuntimeError(f"{' '.join(command)}: did not end in {self.timeout_s:g} s") from error
            if status != 0:
                raise RuntimeError(
                    f"{' '.join(command)}: {_reason(errors.read_text(errors='replace'), status)}"
                )
            measured = json.loads(output.read_text(encoding="utf-8"))
            found = [case["name"] for case in measured["cases"]]
            if found != (expected := _variants(run)):
                raise RuntimeError(f"{' '.join(command)}: expected the cases {expected}, found {found}")
            return measured


def _reason(errors: str, status: int) -> str:
    """What the program said, or else the first line of the launcher."""
    lines = errors.strip().splitlines()
    said = [line for line in lines if line.startswith("esker-bench")]
    return next(iter([*said, *lines]), f"status {status}")


_CASES = {**FORMATS, "netcdf4": "netcdf4"}


def _variants(run: Run) -> list[str]:
    """The default and the settings, as esker-bench takes them and names its cases."""
    return [_variant(run.work, setting) for setting in ({}, *run.settings)]


def _variant(work: Work, setting: Mapping[str, str]) -> str:
    case = "packed" if work.mode == "storage" else _CASES[work.format]
    return " ".join([case, *(f"{option}={value}" for option, value in setting.items())])


def results_of(measured: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of each case of a run of esker-bench; the first case is the default."""
    cases = [_steps_of(case, measured["steps"]) for case in measured["cases"]]
    return [_result(steps, cases[0], case) for steps, case in zip(cases, measured["cases"], strict=True)]


Steps = Sequence[Sequence[float]]
"""Seconds of steps, per repetition."""


def seconds_of(case: dict[str, Any], steps: int) -> list[float]:
    """The median step of each repetition of a case."""
    return _medians(_steps_of(case, steps))


def _medians(times: Steps) -> list[float]:
    return [statistics.median(of) for of in times]


def _result(steps: Steps, default: Steps, case: dict[str, Any]) -> dict[str, Any]:
    mine, reference = _medians(steps), _medians(default)
    ratios = [a / b for a, b in zip(mine, reference, strict=True)]
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
