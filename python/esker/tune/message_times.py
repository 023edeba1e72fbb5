"""Costs of messages between two ranks.

`python -m esker.tune.message_times REPEAT`, started by an MPI launcher on two ranks, prints them as JSON.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from esker.bench import jobs, launching

_NUM_MESSAGES = 300
_TAGS = range(2048)
"""Of messages that one rank waits for at a time."""
_TIMEOUT_S = 60


def measure(mpiexec: str | None, repeat: int) -> dict[str, Sequence[float]]:
    """Seconds of repetitions by name of parameter; nothing without mpi4py or a launcher that starts two ranks."""
    launcher = mpiexec or _launcher()
    if launcher is None or importlib.util.find_spec("mpi4py") is None:
        return {}
    command = [launcher, "-n", "2", sys.executable, "-m", "esker.tune.message_times", str(repeat)]
    try:
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w") as errors:
            environment = jobs.environment()
            if launching.call(command, _TIMEOUT_S, env=environment, stdout=output, stderr=errors) != 0:
                return {}
            output.seek(0)
            found: dict[str, Sequence[float]] = json.loads(output.read().splitlines()[-1])
        return found
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return {}


def _launcher() -> str | None:
    program = jobs.find_program()
    if program is not None:
        return jobs.output_of(program, "--mpiexec")
    return shutil.which("mpiexec")


def exchange(repeat: int) -> dict[str, list[float]]:
    """Collective, on two ranks. latency: half of a round trip; message_cost: a message that arrives among many;
    send_cost: the same at the sender; match_cost: a receive that waits before the one that matches."""
    from mpi4py import MPI

    comm, buffer = MPI.COMM_WORLD, bytearray(8)
    times: dict[str, list[float]] = {"latency": [], "message_cost": [], "send_cost": [], "match_cost": []}
    for _ in range(repeat):
        comm.Barrier()
        begin = time.perf_counter()
        for _ in range(_NUM_MESSAGES):
            if comm.rank == 0:
                comm.Send(buffer, 1)
                comm.Recv(buffer, 1)
            else:
                comm.Recv(buffer, 0)
                comm.Send(buffer, 0)
        times["latency"].append((time.perf_counter() - begin) / _NUM_MESSAGES / 2)
        comm.Barrier()
        begin = time.perf_counter()
        for _ in range(_NUM_MESSAGES):
            comm.Send(buffer, 1) if comm.rank == 0 else comm.Recv(buffer, 0)
        seconds = (time.perf_counter() - begin) / _NUM_MESSAGES
        costs = comm.allgather(seconds)
        times["send_cost"].append(costs[0])
        times["message_cost"].append(costs[1])
        in_order, reversed_order = (_seconds_of_queue(comm, tags) for tags in (_TAGS, _TAGS[::-1]))
        passed = len(_TAGS) ** 2 / 2
        times["match_cost"].append(max(reversed_order - in_order, in_order / 100) / passed)
    return times


def _seconds_of_queue(comm: Any, tags: Sequence[int]) -> float:
    """Collective: rank 1 waits for messages of all tags in ascending order, and rank 0 sends them in this one. Seconds
    of rank 1, from the time when all wait."""
    buffers = np.zeros((len(tags), 8), np.uint8)
    waiting = [comm.Irecv(buffers[tag], 0, tag) for tag in _TAGS] if comm.rank == 1 else []
    comm.Barrier()
    begin = time.perf_counter()
    for tag in tags if comm.rank == 0 else ():
        comm.Send(buffers[tag], 1, tag)
    for request in waiting:
        request.Wait()
    seconds = time.perf_counter() - begin
    return float(comm.bcast(seconds, 1))


if __name__ == "__main__":
    found = exchange(int(sys.argv[1]))
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(found))
