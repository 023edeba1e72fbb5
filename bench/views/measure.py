"""Measures one system in a separate process: `measure.py SYSTEM DIRECTORY JOB`.

Job and result are JSON objects.

The result has the seconds of each read, the bytes that the process requested and that came from the device,
and the growth of the process. Wrong samples are an error.
"""

from __future__ import annotations

import argparse
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
    """Samples that all differ, as far as their type allows."""
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def expected(shape: list[int], dtype: str, index: tuple[slice, ...]) -> np.ndarray[Any, Any]:
    """array_of(shape, dtype)[index], computed without the full array."""
    steps = np.cumprod([1, *shape[:0:-1]])[::-1]
    axes = [np.arange(size)[part] * step for size, part, step in zip(shape, index, steps)]
    return sum(np.ix_(*axes)).astype(dtype)


def arguments(about: str, size: str) -> argparse.ArgumentParser:
    """The arguments that all benchmarks of this folder have."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--dir", type=Path, required=True, help=f"directory for the arrays ({size}, removed afterwards)"
    )
    parser.add_argument("--json", type=Path, help="write the results to this file")
    parser.add_argument("--repeat", type=int, default=5, help="number of repetitions [%(default)s]")
    parser.add_argument(
        "--small", action="store_true", help="use arrays of about a megabyte, for a quick test"
    )
    return parser


def io_bytes() -> tuple[int, int]:
    """Bytes that the process has read so far: all of them, and those that came from the device."""
    facts = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(facts["rchar"]), int(facts["read_bytes"])


def memory_kib(key: str) -> int:
    """Memory of the process: VmRSS is the current size, VmHWM the peak since forget_peak()."""
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
    system.read(directory, tiny, 1)  # exclude imports and one-time allocations
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


if __name__ == "__main__":
    main()
