"""The program that measures zarr-python and TensorStore for `esker bench --peers`: one process per rank, without MPI.

Its output is that of esker-bench. A call of a case lasts from the moment when the first process begins it to the moment
when the last one has finished; the processes begin it together. Starting Python, imports, computing and checking values
are not timed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from esker.bench import zarr_cases
from esker.bench.parts import Part, Salt, count_bad, parts_of_rank

_WAITING_S = 600
"""A process that others wait for longer than this has failed."""
_SAMPLING_S = 0.01

Interval = tuple[float, float]


@dataclass(frozen=True)
class Schedule:
    """How often, and where, the cases run."""

    directory: str
    cases: tuple[str, ...]
    steps: int
    repeat: int
    is_smooth: bool


@dataclass
class Measured:
    """What one process measured of one case: per repetition, the intervals of all calls."""

    name: str
    writes: list[list[Interval]] = field(default_factory=list)
    reads: list[list[Interval]] = field(default_factory=list)
    stored_bytes: int = 0
    extra_bytes: int = 0
    bad_values: int = 0


def main() -> int:
    options = _arguments()
    parts = json.loads(options.parts.read_text())
    schedule = Schedule(options.dir, tuple(options.case), options.steps, options.repeat, options.smooth)
    by_rank = _run(parts, schedule)
    cases = [_merged([measured[n] for measured in by_rank], schedule) for n in range(len(by_rank[0]))]
    options.json.write_text(json.dumps(_output(parts, schedule, cases), indent=2) + "\n")
    return 1 if any(case["bad_values"] for case in cases) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Started by `esker bench --peers`.")
    parser.add_argument(
        "--parts", type=Path, required=True, help="output of esker-bench WORKLOAD --parts RANKS"
    )
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--repeat", type=int, required=True)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--case", action="append", required=True)
    parser.add_argument("--smooth", action="store_true")
    return parser.parse_args()


def _run(parts: dict[str, Any], schedule: Schedule) -> list[list[dict[str, Any]]]:
    """Starts a process per rank, and returns what each measured of each case. Exits with status 2 if one failed."""
    context = multiprocessing.get_context("spawn")
    n = len(parts["boxes"])
    barrier = context.Barrier(n, timeout=_WAITING_S)
    running = [
        context.Process(target=_process, args=(rank, parts, schedule, barrier), daemon=True)
        for rank in range(n)
    ]
    for process in running:
        process.start()
    left = {process.sentinel: process for process in running}
    while left:
        for sentinel in wait(list(left)):
            process = left.pop(sentinel)  # type: ignore[index]
            process.join()
            if process.exitcode != 0:
                for other in left.values():
                    other.terminate()
                sys.exit(2)
    return [json.loads(_result_path(schedule, rank).read_text()) for rank in range(n)]


def _result_path(schedule: Schedule, rank: int) -> Path:
    return Path(schedule.directory) / f"rank{rank}.json"


def _process(rank: int, parts: dict[str, Any], schedule: Schedule, barrier: Barrier) -> None:
    own = parts_of_rank(parts, rank)
    can_chunk = all(part.chunks for part in own)
    names = [name for name in schedule.cases if name == "posix" or can_chunk]
    measured = _Runner(rank, own, schedule, barrier).run(names)
    _result_path(schedule, rank).write_text(json.dumps([asdict(one) for one in measured]))


class _Runner:
    """bench/runner.cc in Python: a warm-up of each case, then the repetitions, in which the order of cases rotates."""

    def __init__(self, rank: int, parts: Sequence[Part], schedule: Schedule, barrier: Barrier) -> None:
        self._rank, self._parts, self._schedule, self._barrier = rank, parts, schedule, barrier
        self._samples = [part.memory() for part in parts]
        self._found: zarr_cases.Samples = []

    def run(self, names: Sequence[str]) -> list[Measured]:
        measured = [Measured(name) for name in names]
        cases = [self._make(name) for name in names]
        repeats = self._schedule.repeat
        for case, own in zip(cases, measured):
            self._run_once(case, own, repeats)
            own.writes.clear()
            own.reads.clear()
        for repeat in range(repeats):
            for n in range(len(cases)):
                at = (n + repeat) % len(cases)
                self._run_once(cases[at], measured[at], repeat)
        return measured

    def _directory(self, name: str) -> Path:
        return Path(self._schedule.directory) / name

    def _make(self, name: str) -> zarr_cases.Case:
        where = zarr_cases.Where(
            self._directory(name), self._rank, self._parts, self._schedule.steps, self._barrier.wait
        )
        return zarr_cases.make(name, where)

    def _run_once(self, case: zarr_cases.Case, measured: Measured, repeat: int) -> None:
        directory = self._directory(measured.name)
        if self._rank == 0:
            directory.mkdir()
        with _MemoryWatch(is_on=repeat == self._schedule.repeat) as memory:
            measured.writes.append(self._write(case, repeat))
        measured.extra_bytes = max(measured.extra_bytes, memory.growth_bytes)
        self._barrier.wait()
        if self._rank == 0:
            measured.stored_bytes = zarr_cases.stored_bytes(directory)
        measured.reads.append(self._read(case, measured, repeat))
        self._barrier.wait()
        if self._rank == 0:
            shutil.rmtree(directory)

    def _write(self, case: zarr_cases.Case, repeat: int) -> list[Interval]:
        intervals = [self._timed(case.begin_write)]
        for step in range(self._schedule.steps):
            for part, samples in zip(self._parts, self._samples):
                part.compute(Salt(repeat, step), samples, self._schedule.is_smooth)
            intervals.append(self._timed(partial(case.write_step, step, self._samples)))
        return intervals

    def _read(self, case: zarr_cases.Case, measured: Measured, repeat: int) -> list[Interval]:
        intervals = [self._timed(case.begin_read)]
        for step in range(self._schedule.steps):
            self._found = []
            intervals.append(self._timed(partial(self._read_step, case, step)))
            for part, samples in zip(self._parts, self._found, strict=True):
                measured.bad_values += count_bad(part, samples, Salt(repeat, step), self._schedule.is_smooth)
        return intervals

    def _read_step(self, case: zarr_cases.Case, step: int) -> None:
        self._found = case.read_step(step)

    def _timed(self, action: Callable[[], object]) -> Interval:
        """The clock is the same for all processes of a machine."""
        self._barrier.wait()
        start = time.monotonic()
        action()
        return start, time.monotonic()


class _MemoryWatch:
    """The largest growth of the process' proportional set size, which a thread samples."""

    def __init__(self, is_on: bool) -> None:
        self.growth_bytes = 0
        self._stop = threading.Event()
        self._start = _pss_bytes()
        self._thread = threading.Thread(target=self._sample) if is_on else None

    def __enter__(self) -> _MemoryWatch:
        if self._thread:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join()

    def _sample(self) -> None:
        while not self._stop.wait(_SAMPLING_S):
            self.growth_bytes = max(self.growth_bytes, _pss_bytes() - self._start)


def _pss_bytes() -> int:
    path = Path("/proc/self/smaps_rollup")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def _merged(of_ranks: Sequence[dict[str, Any]], schedule: Schedule) -> dict[str, Any]:
    """One case, as esker-bench prints it."""
    return {
        "name": of_ranks[0]["name"],
        "write_s": _seconds([one["writes"] for one in of_ranks]),
        "read_s": _seconds([one["reads"] for one in of_ranks]),
        "levels": [],
        "is_sparse": False,
        "stored_bytes_per_step": of_ranks[0]["stored_bytes"] // schedule.steps,
        "extra_bytes_per_rank": max(one["extra_bytes"] for one in of_ranks),
        "bad_values": sum(one["bad_values"] for one in of_ranks),
        "reports": [],
    }


def _seconds(of_ranks: Sequence[list[list[Interval]]]) -> list[float]:
    """Per repetition: the sum over its calls, from the first start to the last end."""
    return [
        sum(max(end for _, end in same) - min(start for start, _ in same) for same in zip(*calls))
        for calls in zip(*of_ranks)
    ]


def _output(parts: dict[str, Any], schedule: Schedule, cases: list[dict[str, Any]]) -> dict[str, Any]:
    chunks = {
        field["grid"]: part.chunks
        for part in parts_of_rank(parts, 0)
        for field in [parts["fields"][part.number]]
        if part.chunks
    }
    return {
        "workload": parts["workload"],
        "ranks": len(parts["boxes"]),
        "steps": schedule.steps,
        "repeat": schedule.repeat,
        "values": "smooth" if schedule.is_smooth else "exact",
        "grids": parts["grids"],
        "data_bytes_per_step": parts["data_bytes_per_step"],
        "mpi": "none",
        "libraries": zarr_cases.versions(),
        "chunks": {grid: one.chunk[::-1] for grid, one in chunks.items()},
        "cases": cases,
    }


if __name__ == "__main__":
    sys.exit(main())
