#!/usr/bin/env python3
"""Measures what compiling takes: processor time of each unit, and the size of the code.

    bench/compile_times.py build/release                            # the libraries, one row per target
    bench/compile_times.py build/release --units --target 'esker_write'
    bench/compile_times.py build/release --target 'unit_|mpi_|fuzz_' --out tests.json
    bench/compile_times.py --compare before.json after.json

Runs the compiler again for each unit of the build's compile_commands.json, precompiled headers first, without ccache, one
at a time, and writes nothing into the build. Processor time (user and system, preprocessor and assembler included) is nearly
independent of what else the machine does. The columns are seconds, and kilobytes of code with its tables and constants (as
`size` counts text).
"""

import argparse
import json
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

LIBRARIES = (
    r"esker_(base|grid|codec|model|adaptive|layout|store|format|read|formats_\w+|device|plan|comm|exchange|transfer|"
    r"shared_cdf|tune\w*|write|companion|read_parallel|api|capi|mpi)"
)


@dataclass
class Unit:
    target: str
    source: str
    seconds: float
    text: int


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, nargs="?", help="a configured build directory")
    parser.add_argument(
        "--target", default=LIBRARIES, help="regular expression of the targets (default: the libraries)"
    )
    parser.add_argument("--units", action="store_true", help="print each unit, too")
    parser.add_argument("--flags", default="", help="flags to append to each command")
    parser.add_argument("--out", type=Path, help="file for the units (JSON)")
    parser.add_argument(
        "--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"), help="print two such files side by side"
    )
    return parser.parse_args()


def target_of(entry: dict[str, str]) -> str:
    """The CMake target whose object a command makes."""
    return re.search(r"CMakeFiles/([^/]+)\.dir/", entry["command"].rsplit(" -o ", 1)[1])[1]


def processor_seconds(command: list[str], directory: str) -> float:
    """User and system time of a command and of the programs that it runs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if subprocess.run(command, cwd=directory, check=False).returncode:
        sys.exit(f"compile_times.py: failed: {shlex.join(command)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def text_size(object_file: Path) -> int:
    if not object_file.read_bytes()[:4] == b"\x7fELF":
        return 0  # a precompiled header
    return int(
        subprocess.run(["size", object_file], check=True, capture_output=True, text=True).stdout.split()[6]
    )


def measure(entry: dict[str, str], flags: list[str], scratch: Path) -> Unit:
    command = shlex.split(entry["command"])
    if Path(command[0]).name == "ccache":
        command = command[1:]
    command[command.index("-o") + 1] = str(scratch / "unit.o")
    seconds = processor_seconds(command + flags, entry["directory"])
    return Unit(target_of(entry), Path(entry["file"]).name, seconds, text_size(scratch / "unit.o"))


def measure_all(options: argparse.Namespace) -> list[Unit]:
    entries = json.loads((options.build / "compile_commands.json").read_text())
    wanted = [entry for entry in entries if re.fullmatch(options.target, target_of(entry))]
    wanted.sort(key=target_of)
    units = []
    with tempfile.TemporaryDirectory() as scratch:
        for entry in wanted:
            units.append(measure(entry, shlex.split(options.flags), Path(scratch)))
            if options.units:
                print_row(f"{units[-1].target} {units[-1].source}", units[-1:])
    return units


def print_row(name: str, units: list[Unit]) -> None:
    print(
        f"{name:50} {sum(u.seconds for u in units):8.1f} {sum(u.text for u in units) / 1000:9.1f}", flush=True
    )


def by_target(units: list[Unit]) -> dict[str, list[Unit]]:
    targets: dict[str, list[Unit]] = {}
    for unit in units:
        targets.setdefault(unit.target, []).append(unit)
    return targets


def load(file: Path) -> list[Unit]:
    return [Unit(**unit) for unit in json.loads(file.read_text())]


def compare(before: list[Unit], after: list[Unit]) -> None:
    """One row per target: seconds and kilobytes before and after, and the ratio of the sums."""
    old, new = by_target(before), by_target(after)
    print(f"{'':30} {'s before':>9} {'s after':>9} {'kB before':>10} {'kB after':>10}")
    for target in [*old, *(name for name in new if name not in old), None]:
        sides = [before, after] if target is None else [old.get(target, []), new.get(target, [])]
        seconds = [sum(unit.seconds for unit in side) for side in sides]
        text = [sum(unit.text for unit in side) / 1000 for side in sides]
        print(f"{target or 'all':30} {seconds[0]:9.1f} {seconds[1]:9.1f} {text[0]:10.1f} {text[1]:10.1f}")
    print(f"ratio: {seconds[1] / seconds[0]:.2f} of the processor time, {text[1] / text[0]:.2f} of the code")


def main() -> int:
    options = arguments()
    if options.compare:
        compare(*map(load, options.compare))
        return 0
    if not options.build:
        sys.exit("compile_times.py: name a build directory, or two results with --compare")
    units = measure_all(options)
    for target, members in by_target(units).items():
        print_row(target, members)
    print_row("all", units)
    if options.out:
        options.out.write_text(json.dumps([asdict(unit) for unit in units], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
