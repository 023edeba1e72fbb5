#!/usr/bin/env python3
"""Times S3D-IO, FLASH-IO and E3SM-IO with Debian's PnetCDF and with Esker's library in its place, on 4 ranks.

    python3 bench/pnetcdf/run.py LIBRARY --dir /dev/shm [--dir DIRECTORY] [--only TEXT] [--cube 200] [--repeat 5] [--json FILE]

LIBRARY: the directory of Esker's libpnetcdf.so.0d. FLASH-IO is built by scripts/pnetcdf_codes.sh, the others as
tests/pnetcdf/codes.py says. The two libraries take turns; which comes first alternates. Files of the first turn are
compared: exit status 1 if their values differ. The seconds are those that each code prints for its output, with opening
and closing of files. S3D-IO writes five
checkpoints of 16 components of N^3 doubles (N = 200: 5.1 GB) by blocking (method 0) or nonblocking (1) calls. FLASH-IO writes a
checkpoint and two plot files (145 MB). E3SM-IO writes its cases F (35 MB), G (8 MB) and I (256 MB) with maps for 16
ranks.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pnetcdf"))

from codes import differences, programs, run

BUILD = ROOT / "build/pnetcdf"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--dir", type=Path, action="append", required=True)
    parser.add_argument("--cube", type=int, default=200, help="points of S3D-IO along each axis")
    parser.add_argument("--only", default="", help="part of the name of a code: no other")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    subprocess.run([ROOT / "scripts/pnetcdf_codes.sh"], check=True)
    results: list[dict[str, object]] = []
    for folder in options.dir:
        for code, program in programs(BUILD, (options.cube,) * 3).items():
            if options.only in code and Path(program[0]).exists():
                results.append(measure(code, program, folder, options.library.resolve(), options.repeat))
                content = {
                    "machine": machine(),
                    "ranks": 4,
                    "cube": options.cube,
                    "repeat": options.repeat,
                    "codes": results,
                }
                write(options.json, content)
    if not results:
        parser.error(
            f"no code was measured: expected a part of {', '.join(programs(BUILD, (1, 1, 1)))}, built in {BUILD}"
        )
    return 0 if all(result["same_values"] for result in results) else 1


def write(path: Path | None, content: dict[str, object]) -> None:
    if path:
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def measure(code: str, program: list[str], parent: Path, library: Path, repeat: int) -> dict[str, object]:
    """Both libraries in turns: seconds, and the ratio of each pair."""
    seconds: dict[str, list[float]] = {"pnetcdf": [], "esker": []}
    libraries = {"pnetcdf": None, "esker": library}
    same, size = True, 0
    for number in range(repeat):
        with tempfile.TemporaryDirectory(prefix="pnetcdf", dir=parent) as scratch:
            folders = {name: Path(scratch, name) for name in libraries}
            for name in sorted(libraries, reverse=number % 2 == 0):
                seconds[name].append(time_of(run(program, folders[name], libraries[name])))
                if number:
                    shutil.rmtree(folders[name])  # room
            if number == 0:
                errors = differences(folders["pnetcdf"], folders["esker"])
                print(*(f"error: {code}: {error}\n" for error in errors), sep="", end="")
                same = not errors
                size = sum(path.stat().st_size for path in folders["esker"].iterdir())
    ratios = [theirs / ours for theirs, ours in zip(seconds["pnetcdf"], seconds["esker"])]
    result = {
        "code": code,
        "file_system": file_system(parent),
        "bytes": size,
        "same_values": same,
        "seconds": seconds,
        "esker_over_pnetcdf": {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)},
    }
    print(
        f"{code}, {result['file_system']}: Esker {statistics.median(ratios):.2f} times as fast as PnetCDF "
        f"({min(ratios):.2f} to {max(ratios):.2f})",
        flush=True,
    )
    return result


def time_of(output: str) -> float:
    """The seconds that a code needed for its output, as it prints them: FLASH-IO as MiB and MiB/s, E3SM-IO for each file."""
    if found := re.findall(r"^end-to-end time .*/ +([0-9.]+)", output, re.MULTILINE):
        return sum(map(float, found))
    if found := re.search(r"total I/O   time +: +([0-9.]+) sec", output):
        return float(found[1])
    amount = re.search(r"Total I/O amount +: +([0-9.]+) ", output)
    speed = re.search(r"bandwidth \(MiB/s\)\n.* ([0-9.]+)\n", output)
    if not amount or not speed:
        raise RuntimeError(f"no times in the output: {output[-2000:]}")
    return float(amount[1]) / float(speed[1])


def file_system(folder: Path) -> str:
    command = ["stat", "--file-system", "--format=%T", str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def machine() -> dict[str, object]:
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor[1] if processor else platform.machine(),
        "cores": os.cpu_count(),
        "memory_GiB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "load": os.getloadavg()[0],
    }


if __name__ == "__main__":
    sys.exit(main())
