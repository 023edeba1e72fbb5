"""Compares the cost of viewing an array with Esker and with common libraries, alternating in one run.

    .venv/bin/python bench/views/run.py --dir DIRECTORY [--json FILE] [--plot FILE] [--repeat 5] [--small]

Workloads:
  map     14720 x 14720 float32 (867 MB): the full extent at every 16th sample (920 pixels wide), and a detail
          of 512 x 512 samples
  volume  600 x 600 x 301 float64 (867 MB): a horizontal section, and a detail of 512 x 512 samples of it
  cube    256^3 float64: 1/64 of the samples, and all

Each system writes the array itself, and all samples read are checked. For cold reads, the files are removed
from the page cache first. Systems whose packages are not installed are left out.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from measure import arguments
from readers import SYSTEMS, missing

from esker.bench.jobs import machine

HERE = Path(__file__).parent


def workloads(small: bool) -> dict[str, dict[str, Any]]:
    """Arrays (shape slowest first) and the parts to read (boxes x first)."""
    n, (nx, ny, nz), edge, detail = (
        (640, (60, 60, 31), 32, 64) if small else (14720, (600, 600, 301), 256, 512)
    )
    at, z = n // 3 // 2 * 2, nz // 2
    plane = [[0, 0, z], [nx, ny, z + 1]]
    part = [[3, 5, z], [3 + min(detail, nx - 8), 5 + min(detail, ny - 8), z + 1]]
    return {
        "map": {
            "shape": [n, n],
            "dtype": "float32",
            "parts": {
                "overview": {"box": [[0, 0], [n, n]], "stride": 16},
                "detail": {"box": [[at, at + 6], [at + detail, at + 6 + detail]], "stride": 1},
            },
        },
        "volume": {
            "shape": [nz, ny, nx],
            "dtype": "float64",
            "parts": {"section": {"box": plane, "stride": 1}, "detail": {"box": part, "stride": 1}},
        },
        "cube": {
            "shape": [edge] * 3,
            "dtype": "float64",
            "parts": {
                "1/64": {"box": [[0, 0, 0], [edge] * 3], "stride": 4},
                "all": {"box": [[0, 0, 0], [edge] * 3], "stride": 1},
            },
        },
    }


def run(system: str, directory: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Runs one job in a separate process."""
    reading, writing = os.pipe()
    command = [sys.executable, str(HERE / "measure.py"), system, str(directory), json.dumps(job)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        pass_fds=[writing],
        env={**os.environ, "RESULT_FD": str(writing)},
    )
    os.close(writing)
    with os.fdopen(reading) as result:
        text = result.read()
    if done.returncode != 0:
        raise SystemExit(f"{system}, {job}: {done.stderr.strip()}")
    return json.loads(text)


def measure(
    name: str, work: dict[str, Any], systems: list[str], top: Path, repeat: int
) -> list[dict[str, Any]]:
    """Runs all systems alternately, `repeat` times."""
    array = {"shape": work["shape"], "dtype": work["dtype"]}
    results: dict[tuple[str, str], dict[str, Any]] = {}

    def add(system: str, what: str, done: dict[str, Any]) -> None:
        known = results.setdefault((system, what), {"workload": name, "system": system, "what": what, **done})
        if known["seconds"] is not done["seconds"]:
            known["seconds"] += done["seconds"]

    for system in systems:
        directory = top / system
        directory.mkdir(parents=True, exist_ok=True)
        print(f"{name}: {system} writes", file=sys.stderr, flush=True)
        add(
            system,
            "write",
            run(system, directory, {"what": "write", "repeat": 3 if name == "cube" else 1, **array}),
        )
        stored = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
        results[system, "write"]["bytes_stored"] = stored
    for turn in range(repeat):
        order = systems[turn % len(systems) :] + systems[: turn % len(systems)]
        for system in order:
            print(f"{name}: {turn + 1} of {repeat}: {system}", file=sys.stderr, flush=True)
            for part, where in work["parts"].items():
                for is_cold in (True, False):
                    job = {"what": "read", "repeat": 1 if is_cold else 5, "cold": is_cold, **array, **where}
                    add(system, f"{part}, {'cold' if is_cold else 'warm'}", run(system, top / system, job))
    for result in results.values():
        result["median_seconds"] = statistics.median(result["seconds"])
    return list(results.values())


def figure(results: dict[str, Any]) -> Any:
    """Bars of read times on a logarithmic axis, one panel per part."""
    from matplotlib.figure import Figure

    parts = list(
        dict.fromkeys((r["workload"], r["what"]) for r in results["results"] if r["what"] != "write")
    )
    drawing = Figure(figsize=(13, 2.1 * ((len(parts) + 2) // 3)), layout="constrained")
    for number, (workload, what) in enumerate(parts):
        axes = drawing.add_subplot((len(parts) + 2) // 3, 3, number + 1)
        of_part = [r for r in results["results"] if (r["workload"], r["what"]) == (workload, what)]
        names = [r["system"] for r in of_part]
        colors = ["C3" if name == "esker" else "C7" for name in names]
        axes.barh(names, [1e3 * r["median_seconds"] for r in of_part], color=colors)
        axes.set(xscale="log", title=f"{workload}: {what}", xlabel="ms")
        axes.invert_yaxis()
    return drawing


def print_table(results: dict[str, Any]) -> None:
    of = {(r["workload"], r["what"], r["system"]): r for r in results["results"]}
    for workload, what in dict.fromkeys((r["workload"], r["what"]) for r in results["results"]):
        print(f"\n{workload}, {what}")
        ours = of.get((workload, what, "esker"))
        for system in results["config"]["systems"]:
            result = of[workload, what, system]
            line = f"  {system:15} {1e3 * result['median_seconds']:10.2f} ms"
            if what == "write":
                line += f"  {result['bytes_stored'] / 1e6:8.1f} MB stored"
            else:
                growth = result["grown_KiB"] * 1024 / result["bytes_of_answer"]
                line += f"  {result['bytes_asked'] / 1e6:8.2f} MB read"
                line += f", {result['bytes_from_device'] / 1e6:8.2f} from the device"
                line += f", memory grew by {growth:6.2f} x the result"
            if ours:
                line += f"  {result['median_seconds'] / ours['median_seconds']:6.2f} x Esker's time"
            print(line)


def main() -> None:
    parser = arguments(__doc__, "about 9 GB")
    parser.add_argument("--plot", type=Path, help="draw the results to this file (PNG, PDF, SVG)")
    parser.add_argument(
        "--workload",
        action="append",
        choices=workloads(small=False),
        help="run only this workload; repeatable",
    )
    options = parser.parse_args()
    systems = [name for name in SYSTEMS if not missing(name)]
    for name in SYSTEMS:
        if missing(name):
            print(f"left out: {name}, not installed: {', '.join(missing(name))}", file=sys.stderr)
    top = options.dir / "esker-views"
    measured: list[dict[str, Any]] = []
    try:
        for name, work in workloads(options.small).items():
            if options.workload and name not in options.workload:
                continue
            measured += measure(name, work, systems, top, options.repeat)
            shutil.rmtree(top)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    config = {"systems": systems, "repeat": options.repeat, "small": options.small}
    results = {"machine": machine(str(options.dir)), "config": config, "results": measured}
    print_table(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    if options.plot:
        figure(results).savefig(options.plot, dpi=100)


if __name__ == "__main__":
    main()
