"""The machine file of a volume: its counts, and rates from plain writes. Nothing of Esker's steps is in it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from esker.tune import calibration
from esker.tune.machine import Machine, Parameter
from medians import interval
from volume import Volume

_MiB = 1 << 20
_WRITE_BYTES = _MiB // 2
"""Of a write; a collective buffer of Esker has as many."""
_BYTES = 32 * _MiB
"""Of a writer."""
_NUM_FILES = 50

Write = tuple[int, int]
"""Number of the file, and offset."""


def measure(volume: Volume, writers: int, repeat: int) -> Machine:
    """What the cost function needs to know of this machine with the volume. Rates of memory and messages are those of
    `esker simulate --calibrate`. The value of a parameter is the median of the repetitions, its range is the interval
    that holds the true median."""
    local = calibration.calibrate("/dev/shm", name="glusterfs", repeat=repeat, notify=lambda _: None)
    found = _rates(volume, writers, repeat)
    reference = f"plain writes to the volume, {writers} writers, {repeat} repetitions"
    measured = {}
    for name, values in found.items():
        known = interval(values)
        measured[name] = Parameter(known.middle, known.low, known.high, "fitted", reference)
    bricks = len(volume.bricks)
    counts = {name: 1 for name in ("nodes", "nodes_per_io_node", "targets_in_a_row")}
    counts |= {name: bricks for name in ("servers", "targets", "targets_per_file")}
    counts["stripe_bytes"] = volume.shard_bytes
    fixed = {name: Parameter(n, n, n, "fitted", "the volume of this test") for name, n in counts.items()}
    fixed["lock_contention"] = Parameter(1, 1, 1, "fitted", "lock_cost is that of each change of writers")
    all_bricks = measured["system_bandwidth"]
    share = [end / bricks for end in (all_bricks.value, all_bricks.low, all_bricks.high)]
    fixed["target_bandwidth"] = Parameter(*share, "assumed", "an equal part of the rate of all bricks")
    description = f"{bricks} bricks on tmpfs, shards of {volume.shard_bytes} B, one FUSE mount on loopback"
    return replace(local, description=description, parameters={**local.parameters, **fixed, **measured})


def _rates(volume: Volume, writers: int, repeat: int) -> dict[str, list[float]]:
    """The parameters that plain writes to the volume tell, one value per repetition."""
    units = range(_BYTES // _WRITE_BYTES)
    separate = [[(writer, unit * _WRITE_BYTES) for unit in units] for writer in range(writers)]
    ways = {
        "alone": separate[:1],
        "separate": separate,
        "whole shards": [_shards_of(writer, writers, volume.shard_bytes) for writer in range(writers)],
        "shared shards": [
            [(0, (unit * writers + writer) * _WRITE_BYTES) for unit in units] for writer in range(writers)
        ],
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    created = []
    for repetition in range(-1, repeat):
        for way, writes in ways.items():
            taken = _write_s(volume.mount, writes)
            if repetition >= 0:  # the first one warms up
                seconds[way].append(taken)
        created.append(_create_s(volume.mount))
    changes = writers * len(units) // len(volume.bricks) - 1  # on a brick
    return {
        "write_bandwidth": [_BYTES / s for s in seconds["alone"]],
        "system_bandwidth": [writers * _BYTES / s for s in seconds["separate"]],
        "file_bandwidth": [writers * _BYTES / s for s in seconds["whole shards"]],
        "lock_cost": [
            max(0.0, shared - whole) / changes
            for shared, whole in zip(seconds["shared shards"], seconds["whole shards"])
        ],
        "create_cost": created[1:],
    }


def _shards_of(writer: int, writers: int, shard_bytes: int) -> list[Write]:
    """Every `writers`-th shard of one file."""
    shards = range(writer, writers * _BYTES // shard_bytes, writers)
    return [(0, shard * shard_bytes + at) for shard in shards for at in range(0, shard_bytes, _WRITE_BYTES)]


def _write_s(directory: Path, writes: Sequence[Sequence[Write]]) -> float:
    """Seconds in which threads, one for each list of writes, open their file, write and close it."""
    data = np.random.default_rng(0).bytes(_WRITE_BYTES)
    paths = {number: directory / f"plain{number}" for of_writer in writes for number, _ in of_writer}

    def put(of_writer: Sequence[Write]) -> None:
        file = os.open(paths[of_writer[0][0]], os.O_CREAT | os.O_WRONLY, 0o666)
        try:
            for _, offset in of_writer:
                if os.pwrite(file, data, offset) != len(data):
                    raise OSError(f"{directory}: a write of {len(data)} B was cut short")
        finally:
            os.close(file)

    with ThreadPoolExecutor(len(writes)) as pool:
        list(pool.map(lambda _: None, writes))  # starts the threads
        begin = time.perf_counter()
        list(pool.map(put, writes))
        seconds = time.perf_counter() - begin
    for path in paths.values():
        path.unlink()
    return seconds


def _create_s(directory: Path) -> float:
    """Seconds for creating and closing an empty file."""
    paths = [directory / f"empty{number}" for number in range(_NUM_FILES)]
    begin = time.perf_counter()
    for path in paths:
        path.touch()
    seconds = (time.perf_counter() - begin) / _NUM_FILES
    for path in paths:
        path.unlink()
    return seconds
