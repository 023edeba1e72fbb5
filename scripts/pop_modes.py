"""Measures the output cost of the ocean miniapp in each mode: medians over runs that write in all modes.

    python scripts/pop_modes.py build/release/miniapps/pop/esker-pop DIRECTORY [--ranks N] [--repeat N]
        [--modes MODE,...] [--settings "nx=900 ny=600 ..."] [--json FILE]

Each run writes to a new subdirectory of DIRECTORY and removes it. The first run is a warm-up and is not counted.
Prints a Markdown table. esker-pop fails if the files of a mode differ from the model's state.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shlex
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

SETTINGS = "nx=900 ny=600 nz=42 num_steps=12 history_every=4 movie_every=2"
KINDS = ["history", "movie", "restart", "average"]


def run_once(options: argparse.Namespace) -> dict[str, Any]:
    """Seconds of the model and of each mode, by kind of file."""
    with tempfile.TemporaryDirectory(dir=options.directory) as folder:
        modes = ",".join(f'"{mode}"' for mode in options.modes.split(","))
        namelist = Path(folder) / "pop_in"
        namelist.write_text(f'&pop {options.settings} mode={modes} directory="{folder}/files" /\n')
        command = [*shlex.split(options.mpiexec), "-n", str(options.ranks), options.program, str(namelist)]
        environment = os.environ | {"ESKER_REPORT": "none"}
        done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    model = next(line for line in lines if line.startswith("model "))
    rows = [line.split() for line in lines[lines.index(model) + 2 :]]
    modes_s = {row[0]: [float(seconds) for seconds in row[1:5]] for row in rows}
    return {"model_s": float(model.split()[1]), "modes": modes_s}


def median_and_range(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def summary(runs: list[dict[str, Any]], mode: str) -> dict[str, Any]:
    """Times of a mode, its share of a run with this mode only, and the ratio to the last mode in the same
    run."""
    seconds = [sum(run["modes"][mode]) for run in runs]
    last = [sum(list(run["modes"].values())[-1]) for run in runs]
    return {
        "mode": mode,
        "seconds": median_and_range(seconds),
        **{kind: statistics.median(run["modes"][mode][k] for run in runs) for k, kind in enumerate(KINDS)},
        "share": median_and_range([s / (s + run["model_s"]) for s, run in zip(seconds, runs)]),
        "ratio": median_and_range([s / e for s, e in zip(seconds, last)]),
    }


def machine(directory: str) -> dict[str, Any]:
    command = ["stat", "-f", "-c", "%T", directory]
    file_system = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return {
        "date": datetime.date.today().isoformat(),
        "cores": os.cpu_count(),
        "memory_GiB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load": os.getloadavg()[1],
        "file_system": file_system.stdout.strip(),
    }


def print_table(modes: list[dict[str, Any]]) -> None:
    print("| mode |", " | ".join([*KINDS, "all, s", "share of run", "ratio, range"]), "|")
    print("| --- " * (len(KINDS) + 4) + "|")
    for m in modes:
        seconds = [*(m[kind] for kind in KINDS), m["seconds"]["median"]]
        ratio = "{median:.2f}, {min:.2f}–{max:.2f}".format(**m["ratio"])
        cells = [*(f"{s:.2f}" for s in seconds), f"{m['share']['median']:.0%}", ratio]
        print(f"| {m['mode']} |", " | ".join(cells), "|")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", help="path of esker-pop")
    parser.add_argument("directory", help="directory to write in")
    parser.add_argument("--ranks", type=int, default=4, help="number of ranks [%(default)s]")
    parser.add_argument("--repeat", type=int, default=7, help="number of timed runs [%(default)s]")
    parser.add_argument(
        "--modes",
        default="gather,levels,sieving,collective,esker,esker_cdf5",
        help="modes, separated by commas [%(default)s]",
    )
    parser.add_argument("--settings", default=SETTINGS, help="namelist of the runs [%(default)s]")
    parser.add_argument("--mpiexec", default="mpiexec", help="launcher [%(default)s]")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    options = parser.parse_args()
    runs = [run_once(options) for _ in range(options.repeat + 1)][1:]
    modes = [summary(runs, mode) for mode in options.modes.split(",")]
    print_table(modes)
    if options.json:
        config = {name: getattr(options, name) for name in ("settings", "ranks", "repeat")}
        made = {"machine": machine(options.directory), "config": config, "modes": modes, "runs": runs}
        Path(options.json).write_text(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
