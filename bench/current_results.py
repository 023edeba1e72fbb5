#!/usr/bin/env python3
"""Measures all formats and peers in one run, and renews the table at the beginning of bench/results/README.md.

    bench/current_results.py --dir /dev/shm                          # measures, on an idle machine
    bench/current_results.py --from bench/results/DATE-current.json  # only renews the table
    bench/current_results.py --small                                 # tries it on a few points, and prints the table

Runs `esker bench s3d` (64^3 points per rank) and `esker bench icesheet`, with `--peers` if their program is built, and writes
the results of both to one file, bench/results/DATE-current.json. `--from` also takes files of `esker bench --json`, one per
workload, if they come from one machine and one day. The exit status is 1 if a value that was read is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from esker.bench import jobs, peers

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
WORKLOADS = ("s3d", "icesheet")
BEGIN, END = "<!-- bench/current_results.py writes from here -->", "<!-- to here -->"

FORMATS = (
    *("idx_one_phase", "idx_two_phase", "idx_three_phase", "idx_vectors"),
    *("cdf5", "cdf5_and_idx", "netcdf4", "hdf5", "hdf5_decomposition", "zarr"),
)
PEERS = (
    *("mpi_io", "pnetcdf", "pnetcdf_nonblocking", "pnetcdf_cdf2"),
    *("hdf5", "hdf5_chunked", "netcdf4", "netcdf_gather"),
    *("zarr_python", "zarr_python_sharded", "tensorstore", "tensorstore_sharded"),
)
"""The cases that `esker bench` and its peers run by default."""

Results = dict[str, Any]
"""The output of `esker bench --json`."""

FIRST_OF_PEERS = "posix_of_peers"
"""It and the cases that follow are those of the peers' programs."""


def main() -> int:
    options = arguments()
    if options.source:
        current = read_current(options.source)
    else:
        current = {"commit": commit(), "runs": [measured(workload, options) for workload in WORKLOADS]}
        for run in current["runs"]:  # also if they end after midnight
            run["machine"]["date"] = current["runs"][0]["machine"]["date"]
        if not options.small:
            path = RESULTS / f"{current['runs'][0]['machine']['date']}-current.json"
            path.write_text(json.dumps(current, indent=2) + "\n", encoding="utf-8")
    table = made_table(current)
    if options.small:
        print(table)
    else:
        page = RESULTS / "README.md"
        page.write_text(renewed(page.read_text("utf-8"), table), encoding="utf-8")
    return 1 if any(case["bad_values"] for run in current["runs"] for case in run["cases"]) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--from", dest="source", type=Path, nargs="+", metavar="FILE", help="renew the table from results"
    )
    parser.add_argument("--dir", default="/dev/shm", help="directory of the files (default: %(default)s)")
    parser.add_argument("--ranks", type=int, default=4, help="MPI ranks (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=15, help="timed repetitions (default: %(default)s)")
    parser.add_argument("--program", help="path of esker-bench (default: that of the package, or in PATH)")
    parser.add_argument("--small", action="store_true", help="a few points, one repetition; nothing is kept")
    return parser.parse_args()


def read_current(paths: Sequence[Path]) -> dict[str, Any]:
    """What a run of this program wrote, or the results of `esker bench`, which name no commit."""
    found = [json.loads(path.read_text("utf-8")) for path in paths]
    if len(found) == 1 and "runs" in found[0]:
        return found[0]
    return {"commit": None, "runs": found}


def commit() -> str:
    def git(*words: str) -> str:
        return jobs.output_of("git", "-C", str(ROOT), *words)

    is_changed = bool(git("status", "--porcelain", "--untracked-files=no"))
    return git("rev-parse", "--short", "HEAD") + (" with changes" if is_changed else "")


def measured(workload: str, options: argparse.Namespace) -> Results:
    program = options.program or jobs.find_program()
    with_peers = bool(program and peers.find_program(program))
    if not with_peers:
        print(f"{workload}: without peers: {peers.MISSING}", file=sys.stderr)
    repeat, block = (1, "9,8,7") if options.small else (options.repeat, None)
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "results.json"
        command = [sys.executable, "-c", "from esker.cli import main; main()", "bench", workload]
        command += [
            "--ranks",
            str(options.ranks),
            "--repeat",
            str(repeat),
            "--dir",
            options.dir,
            "--json",
            str(output),
        ]
        command += ["--block", block] if block else []
        command += ["--program", program] if program else []
        command += ["--peers"] if with_peers else []
        done = subprocess.run(command)
        if done.returncode not in (0, 1) or not output.exists() or not output.stat().st_size:
            sys.exit(f"esker bench {workload} failed with exit status {done.returncode}")
        return json.loads(output.read_text("utf-8"))


def made_table(current: dict[str, Any]) -> str:
    """The conditions, one row per case with the speed relative to posix, and what was not measured.

    Raises ValueError if the runs are not of one machine, day and number of ranks.
    """
    runs: list[Results] = current["runs"]
    for key, facts in (
        ("machine", [run["machine"] for run in runs]),
        ("ranks", [run["config"]["ranks"] for run in runs]),
    ):
        if any(fact != facts[0] for fact in facts):
            raise ValueError(f"the runs differ in {key}: {facts}")
    titles = [f"{title_of(run)}, {word}" for run in runs for word in ("write", "read")]
    lines = [conditions(current), "", "| case | of | " + " | ".join(titles) + " |"]
    lines.append("| --- | --- |" + " ---: |" * len(titles))
    for name, owner in owners(runs).items():
        cells = [cell(run, name, key) for run in runs for key in ("write", "read")]
        lines.append(f"| `{name}` | {owner} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, *missing(runs)])


def title_of(run: Results) -> str:
    """The workload and its largest grid, e.g. "s3d 64×128×128"."""
    extents = next(iter(run["config"]["grids"].values()))
    return f"{run['config']['workload']} {'×'.join(map(str, extents))}"


def conditions(current: dict[str, Any]) -> str:
    run = current["runs"][0]
    machine, config = run["machine"], run["config"]
    versions = [f"Esker {config['esker']} (commit {current['commit'] or 'not recorded'})", machine["mpi"]]
    versions += [f"{name} {version}" for name, version in config.get("peers", {}).items()]
    repeats = [
        f"- {title_of(run)}: repeated {run['config']['repeat']} times, steps: {run['config']['steps']}; {limits(run)}"
        for run in current["runs"]
    ]
    first = (
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, {machine['memory_GiB']} GiB, "
        f"{machine['file_system']}, {config['ranks']} ranks,"
    )
    last = "Speed over `posix` of the same program in the same repetition, median (range):"
    return "\n".join([first, ", ".join(versions) + ".", last, "", *repeats])


def limits(run: Results) -> str:
    """The rates that the ratios refer to."""
    of_posix = [
        f"`{case['name']}` {case['write_GBps']:.1f} and {case['read_GBps']:.1f} GB/s"
        for case in run["cases"]
        if case["name"].startswith("posix")
        and case["name"] != "posix_shared"
        and peers.is_limit(case["name"])
    ]
    return ", ".join(of_posix)


def owners(runs: Sequence[Results]) -> dict[str, str]:
    """Each case of the runs, in their order, and what it belongs to."""
    found: dict[str, str] = {}
    for run in runs:
        ours, theirs = names_of(run)
        found |= {name: "limit" if name in peers.LIMITS else "Esker" for name in ours}
        found |= {name: "peer" for name in theirs if not peers.is_limit(name)}
    order = ("limit", "Esker", "peer")
    return dict(sorted(found.items(), key=lambda item: order.index(item[1])))


def names_of(run: Results) -> tuple[list[str], list[str]]:
    """The cases of Esker's program, and those of the peers' program."""
    names = [case["name"] for case in run["cases"]]
    first = names.index(FIRST_OF_PEERS) if FIRST_OF_PEERS in names else len(names)
    return names[:first], names[first:]


def cell(run: Results, name: str, key: str) -> str:
    """Empty if the run lacks the case."""
    case = next((case for case in run["cases"] if case["name"] == name), None)
    ratio = case and case[f"ratio_to_posix_{key}"]
    if not case or not ratio:
        return ""
    if case["bad_values"]:
        return "wrong values"
    if name == "posix":
        return "1"
    return f"{ratio['median']:.2f} ({ratio['min']:.2f}–{ratio['max']:.2f})"


def missing(runs: Sequence[Results]) -> list[str]:
    """A sentence on the formats and one on the peers that no run has."""
    ours, theirs = (set().union(*names) for names in zip(*map(names_of, runs)))
    formats = [name for name in FORMATS if name not in ours]
    others = [name for name in PEERS if not {name, f"{name}_of_peers"} & theirs]
    said = [f"Formats that were not measured: {', '.join(formats)}."] if formats else []
    said += (
        [f"Peers that were not measured (`make peers` builds their program): {', '.join(others)}."]
        if others
        else []
    )
    return ["", "\n".join(said)] if said else []


def renewed(page: str, table: str) -> str:
    """The page with `table` between the two comments. Raises ValueError if it has not each of them once, in this order."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise ValueError(f"expected {BEGIN!r}, then {END!r}, once each")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main())
