"""One system in a process of its own: `measure.py SYSTEM DIRECTORY JOB`, a JSON object each way.

Prints what it took: seconds of each read, bytes that the process asked its system for and that the device gave, and
by how much the process grew. Wrong samples are an error.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from readers import SYSTEMS, System, drop_from_cache, slices


def array_of(shape: list[int], dtype: str) -> np.ndarray[Any, Any]:
    """Samples that are all different, as far as their type lets them."""
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def expected(shape: list[int], dtype: str, index: tuple[slice, ...]) -> np.ndarray[Any, Any]:
    """The same as array_of(...)[index], without the whole array."""
    steps = np.cumprod([1, *shape[:0:-1]])[::-1]
    axes = [np.arange(size)[part] * step for size, part, step in zip(shape, index, steps)]
    return sum(np.ix_(*axes)).astype(dtype)


def io_bytes() -> tuple[int, int]:
    """That the process has read so far, and those of them that came from the device."""
    facts = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(facts["rchar"]), int(facts["read_bytes"])


def memory_kib(key: str) -> int:
    """VmRSS: what the process holds; VmHWM: the most it held since the peak was forgotten."""
    facts = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(facts[key].split()[0])


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def write(system: System, directory: Path, job: dict[str, Any]) -> dict[str, Any]:
    array = array_of(job["shape"], job["dtype"])
    seconds = []
    for _ in range(job["repeat"]):
        shutil.rmtree(directory)
        directory.mkdir()
        begin = time.perf_counter()
        system.write(directory, array)
        seconds.append(time.perf_counter() - begin)
    return {"seconds": seconds}


def read(system: System, directory: Path, job: dict[str, Any]) -> dict[str, Any]:
    box = (tuple(job["box"][0]), tuple(job["box"][1]))
    wanted = expected(job["shape"], job["dtype"], slices(box, job["stride"]))
    tiny = (tuple(job["box"][0]), tuple(lo + 1 for lo in job["box"][0]))
    system.read(directory, tiny, 1)  # what is imported and allocated once
    seconds, asked, loaded, grown = [], [], [], []
    for _ in range(job["repeat"]):
        if job["cold"]:
            drop_from_cache(directory)
        forget_peak()
        before = memory_kib("VmRSS")
        begin_io, begin = io_bytes(), time.perf_counter()
        found = system.read(directory, box, job["stride"])
        seconds.append(time.perf_counter() - begin)
        end_io = io_bytes()
        asked.append(end_io[0] - begin_io[0])
        loaded.append(end_io[1] - begin_io[1])
        grown.append(memory_kib("VmHWM") - before)
        if not np.array_equal(found.reshape(wanted.shape), wanted):
            raise SystemExit(f"{type(system).__name__}: wrong samples")
        del found
    return {
        "seconds": seconds,
        "bytes_asked": min(asked),
        "bytes_from_device": min(loaded),
        "grown_KiB": max(grown),
        "bytes_of_answer": wanted.nbytes,
    }


def main() -> None:
    system = SYSTEMS[sys.argv[1]]()
    job = json.loads(sys.argv[3])
    done = {"write": write, "read": read}[job["what"]](system, Path(sys.argv[2]), job)
    os.write(int(os.environ["RESULT_FD"]), json.dumps(done).encode())  # libraries print to stdout


main()
