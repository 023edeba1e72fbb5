"""Measures the parameters of the machine that this runs on, as one node that stores to one directory."""

from __future__ import annotations

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from esker.base.system import one_processor, usable_processors
from esker.bench import jobs
from esker.bench.launching import ending_with_signals
from esker.tune import message_times
from esker.tune.machine import Machine, Parameter
from esker.tune.parameters import DEFINITIONS
from esker.writing.serial import write

_MiB = 1 << 20
_SIZES = (4 * _MiB, 16 * _MiB, 64 * _MiB)
"""Of the files that are written."""
_POOL_BYTES = 128 * _MiB
"""Of samples per core. Files take them in turn, so that they are not in the caches, as those of a run are not."""
_NUM_FILES = 200
_NUM_REQUESTS = 5000
_EXTENT = 64
"""Of the box whose rows are copied, on each axis: rows of 512 bytes, as a rank with 64^3 float64 samples has."""
_NUM_COPIES = 8
"""So many that copying takes about as long as writing: on a busy machine short measurements are not interrupted."""
_CODED_BITS = 32

Step = Callable[[str], None]


def calibrate(
    directory: str | Path,
    *,
    name: str = "here",
    repeat: int = 9,
    mpiexec: str | None = None,
    notify: Step = print,
) -> Machine:
    """Measures what can be measured here; files are written below `directory` and removed.

    name:    of the machine
    repeat:  repetitions of each measurement: the value is their median, the range from the least to the largest
    mpiexec: launcher for two ranks that exchange messages; by default that of esker-bench. Without one, or without
             mpi4py, messages keep assumed costs
    notify:  called with what is measured next

    Raises OSError.
    """
    cores = usable_processors()
    facts = jobs.machine(str(directory))
    reference = (
        f"measured {facts['date']}: {facts['processor']}, {facts['cores']} cores, {facts['file_system']}, "
        f"{repeat} repetitions"
    )
    measured: dict[str, Sequence[float]] = {}
    with (
        ending_with_signals(),
        tempfile.TemporaryDirectory(prefix="esker-calibrate-", dir=directory) as scratch,
    ):
        storage = _Storage(Path(scratch), cores, repeat)
        for title, measure in (
            ("copying in memory", lambda: {"copy_bandwidth": _copy_rates(cores, repeat)}),
            ("swapping bytes", lambda: {"swap_bandwidth": _swap_rates(cores, repeat)}),
            ("writing", storage.write_rates),
            ("small writes", lambda: {"request_cost": storage.request_costs()}),
            ("creating files", lambda: {"create_cost": storage.create_costs()}),
            ("syncing", storage.sync_costs),
            ("hashing", lambda: {"hash_bandwidth": storage.hash_rates()}),
            ("coding samples", lambda: {"encode_bandwidth": storage.encode_rates()}),
            ("messages", lambda: message_times.measure(mpiexec, repeat)),
        ):
            notify(title)
            measured |= measure()
    parameters = _fixed(cores, reference) | {
        key: _of_repetitions(found, reference) for key, found in measured.items() if len(found)
    }
    description = f"one node, {facts['processor']}, {cores} cores, storing to {facts['file_system']}"
    return Machine(name, description, {known.name: parameters[known.name] for known in DEFINITIONS})


def _of_repetitions(found: Sequence[float], reference: str) -> Parameter:
    return Parameter(statistics.median(found), min(found), max(found), "fitted", reference)


def _fixed(cores: int, reference: str) -> dict[str, Parameter]:
    """What is known of one node with one directory, and assumptions that measurements replace."""
    one, none = "one node, one directory", "no such limit apart from the others"
    counts = ("nodes", "nodes_per_io_node", "servers", "targets", "targets_in_a_row", "targets_per_file")
    known = {name: Parameter(1, 1, 1, "fitted", one) for name in counts}
    known["cores_per_node"] = Parameter(cores, cores, cores, "fitted", reference)
    known["stripe_bytes"] = Parameter(_MiB, _MiB, _MiB, "assumed", "no stripes")
    for name in ("network_bandwidth", "io_node_bandwidth", "target_bandwidth", "server_bandwidth"):
        known[name] = Parameter(np.inf, np.inf, np.inf, "assumed", none)
    for name in ("object_cost", "lock_cost", "queue_cost"):
        known[name] = Parameter(0, 0, 0, "assumed", "part of the rates of one file")
    known["lock_contention"] = Parameter(0, 0, 1, "assumed", "part of the rates of one file")
    known["overlap"] = Parameter(0, 0, 1, "assumed", "phases one after the other, unless proven")
    unmeasured = "not measured: no MPI launcher, or no mpi4py"
    known["latency"] = Parameter(1e-6, 2e-7, 1e-5, "assumed", unmeasured)
    known["message_cost"] = Parameter(1e-6, 2e-7, 1e-5, "assumed", unmeasured)
    known["send_cost"] = Parameter(1e-6, 2e-7, 1e-5, "assumed", unmeasured)
    known["match_cost"] = Parameter(2.5e-8, 5e-9, 1.5e-7, "assumed", unmeasured)
    return known


def _seconds(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return max(time.perf_counter() - begin, 1e-9)


def _copy_rates(cores: int, repeat: int) -> list[float]:
    """Bytes per second of a core that copies rows of a box to their places in a larger array, all cores at a time."""
    n = _EXTENT
    sources = _samples(cores)
    targets = [np.zeros((16, n, n, 2 * n)) for _ in range(cores)]

    def copy(core: int) -> None:
        np.copyto(targets[core][..., :n], sources[core])

    return _rates(cores, repeat, sources[0].nbytes, copy)


def _swap_rates(cores: int, repeat: int) -> list[float]:
    """Bytes per second of a core that swaps the bytes of samples in place, all cores at a time."""
    sources = _samples(cores)

    def swap(core: int) -> None:
        sources[core].byteswap(inplace=True)

    return _rates(cores, repeat, sources[0].nbytes, swap)


def _samples(cores: int) -> list[NDArray[np.float64]]:
    """16 fields of a box for each core."""
    return [np.random.default_rng(core).random((16, _EXTENT, _EXTENT, _EXTENT)) for core in range(cores)]


def _rates(cores: int, repeat: int, n_bytes: int, work: Callable[[int], None]) -> list[float]:
    """Bytes per second of a core whose `work` takes `n_bytes`, while all cores work. Ctrl-C ends it between two calls."""
    ended = threading.Event()

    def work_often(core: int) -> None:
        for _ in range(_NUM_COPIES):
            if not ended.is_set():
                work(core)

    with ThreadPoolExecutor(cores) as pool:

        def work_all() -> None:
            list(pool.map(work_often, range(cores)))

        try:
            work_all()
            return [_NUM_COPIES * n_bytes / _seconds(work_all) for _ in range(repeat)]
        finally:
            ended.set()  # the pool waits for its threads


def _write_at(path: Path, data: memoryview, offset: int) -> None:
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o666)
    try:
        while data:
            done = os.pwrite(file, data, offset)
            data, offset = data[done:], offset + done
    finally:
        os.close(file)


class _Storage:
    """Measurements of files in a directory."""

    def __init__(self, place: Path, cores: int, repeat: int) -> None:
        self._place = place
        self._cores = cores
        self._repeat = repeat
        self._data = [memoryview(np.random.default_rng(core).bytes(_POOL_BYTES)) for core in range(cores)]
        self._next = 0

    def write_rates(self) -> dict[str, list[float]]:
        """Of one core, of all cores to separate files, and of all cores to one file: in each repetition the median
        of all sizes."""
        ways = {
            "write_bandwidth": (1, False),
            "system_bandwidth": (self._cores, False),
            "file_bandwidth": (self._cores, True),
        }
        rates: dict[str, list[float]] = {name: [] for name in ways}
        for repetition in range(-1, self._repeat):
            for name, (writers, is_shared) in ways.items():
                rate = statistics.median(self._write_rate(writers, size, is_shared) for size in _SIZES)
                if repetition >= 0:  # the first one warms up
                    rates[name].append(rate)
        return rates

    def _write_rate(self, writers: int, size: int, is_shared: bool) -> float:
        """Bytes per second of threads that write max(_SIZES) bytes each, `size` to a file, or to one file all."""
        count = max(_SIZES) // size
        paths = [self._place / f"w{number}" for number in range(1 if is_shared else writers * count)]
        begin = self._next = (self._next + size) % (_POOL_BYTES - max(_SIZES) + 1)
        with ThreadPoolExecutor(writers) as pool:

            def put(writer: int) -> None:
                for number in range(writer * count, (writer + 1) * count):
                    first = begin + number % count * size
                    data, path = self._data[writer][first : first + size], paths[0 if is_shared else number]
                    _write_at(path, data, number * size if is_shared else 0)

            list(pool.map(lambda _: None, range(writers)))  # starts the threads
            seconds = _seconds(lambda: list(pool.map(put, range(writers))))
        for path in paths:
            path.unlink()
        return writers * count * size / seconds

    def create_costs(self) -> list[float]:
        """Seconds for creating and closing an empty file."""
        paths = [self._place / f"c{number}" for number in range(_NUM_FILES)]

        def create() -> None:
            for path in paths:
                path.touch()

        found = []
        for _ in range(self._repeat):
            found.append(_seconds(create) / _NUM_FILES)
            for path in paths:
                path.unlink()
        return found

    def request_costs(self) -> list[float]:
        """Seconds of a call that writes eight bytes."""
        with (self._place / "r").open("wb", buffering=0) as file:

            def put() -> None:
                for number in range(_NUM_REQUESTS):
                    os.pwrite(file.fileno(), bytes(8), number * 512)

            put()
            return [_seconds(put) / _NUM_REQUESTS for _ in range(self._repeat)]

    def sync_costs(self) -> dict[str, list[float]]:
        """Seconds for syncing a file without new data, and bytes per second of syncing new data."""
        costs, rates = [], []
        with (self._place / "s").open("wb", buffering=0) as file:
            for _ in range(self._repeat):
                file.seek(0)
                file.write(self._data[0][: max(_SIZES)])
                rates.append(max(_SIZES) / _seconds(lambda: os.fsync(file.fileno())))
                costs.append(_seconds(lambda: os.fsync(file.fileno())))
        return {"sync_cost": costs, "sync_bandwidth": rates}

    def hash_rates(self) -> list[float]:
        """Bytes per second of a core that hashes blocks: the time of a step, less that of a step without checksums. On
        one core, because a thread of the writer would hash while another one copies. Less than a fiftieth of a step
        cannot be told."""
        with one_processor():
            return self._hash_rates_of_a_core()

    def _hash_rates_of_a_core(self) -> list[float]:
        fields = {f"f{number}": field for number, field in enumerate(_samples(1)[0])}
        n_bytes = sum(field.nbytes for field in fields.values())
        path, found = self._place / "hashed.idx", []

        def store(checksums: bool) -> None:
            for _ in range(_NUM_COPIES):
                write(path, fields, checksums=checksums, store_thread=False, overwrite=True)

        store(True)
        for _ in range(self._repeat):
            plain, hashed = _seconds(lambda: store(False)), _seconds(lambda: store(True))
            found.append(_NUM_COPIES * n_bytes / max(hashed - plain, hashed / 50))
        return found

    def encode_rates(self) -> list[float]:
        """Bytes of samples per second of a core that codes them at a fixed rate: the time of a step with coded
        samples, less what the bytes of a step with samples cost."""
        x = np.linspace(0, 6, _EXTENT)
        field = np.sin(x)[:, None, None] * np.cos(x)[:, None] + x
        field = field + 1e-3 * np.random.default_rng(1).random(field.shape)
        fields = {f"f{number}": field for number in range(4)}
        n_bytes = field.nbytes * len(fields)
        path, bits = self._place / "coded.idx", dict.fromkeys(fields, _CODED_BITS)
        found = []
        for _ in range(self._repeat):
            plain = _seconds(lambda: write(path, fields, overwrite=True))
            coded = _seconds(lambda: write(path, fields, stored_bits=bits, overwrite=True))
            found.append(n_bytes / max(coded - plain * _CODED_BITS / 64, coded / 10))
        return found
