"""The programs that `esker bench` runs, and the results computed from the times that the ranks measured."""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from esker import _core, launching, peers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORKLOADS = {"s3d": 5, "s3d_adaptive": 5, "s3d_whole": 5, "icesheet": 1, "icesheet_yxz": 1, "ocean": 5, "geodesic": 3}
"""Steps per repetition, by name."""

CASES = {
    "s3d_adaptive": ("posix", "idx_two_phase", "idx_adaptive", *(f"idx_1_of_{2**n}" for n in range(1, 7))),
}
"""Cases of workloads that do not run the program's default ones."""

HALVINGS = (1, 2, 3, 6)
"""Levels that --levels also reads, as numbers of halvings: 1/2, 1/4, 1/8 and 1/64 of the samples."""

_PROGRAM = "esker-bench"


def find_program() -> str | None:
    """Path of esker-bench: the one in this package (present if it was built with MPI), or the one in PATH."""
    packaged = Path(__file__).parent / "bin" / _PROGRAM
    return str(packaged) if packaged.exists() else shutil.which(_PROGRAM)


@dataclass(frozen=True)
class Job:
    """A run of esker-bench or esker-bench-peers."""

    program: str
    workload: str
    ranks: int
    repeat: int
    directory: str
    block: tuple[int, int, int] | None = None
    steps: int | None = None
    """None: the default of the workload."""
    mpiexec: str | None = None
    """None: the launcher of the program's MPI."""
    writer_options: Sequence[str] = ()
    cases: Sequence[str] = ()
    """None given: the program's default cases."""
    halvings: Sequence[int] = ()
    smooth: bool = False
    store_rate: float | None = None
    """Bytes per second that storage takes from each rank; None: as many as it can."""
    store_contention: float = 0
    """Part of its time by which each other rank that writes at the same time slows a rank down."""

    def command(self) -> list[str]:
        """The command line that starts the ranks."""
        steps = self.steps or WORKLOADS[self.workload]
        line = [self.mpiexec or output_of(self.program, "--mpiexec"), "-n", str(self.ranks), self.program]
        line += [self.workload, "--steps", str(steps), "--repeat", str(self.repeat), "--dir", self.directory]
        if self.block:
            line += ["--points", ",".join(map(str, self.block))]
        if self.halvings:
            line += ["--halvings", ",".join(map(str, self.halvings))]
        if self.smooth:
            line += ["--smooth"]
        if self.store_rate:
            line += ["--store-rate", str(self.store_rate), "--store-contention", str(self.store_contention)]
        for option in self.writer_options:
            line += ["--option", option]
        for case in self.cases:
            line += ["--case", case]
        return line


def output_of(*command: str) -> str:
    """What a program prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def cases_of(program: str) -> list[str]:
    """All cases of a program, in the order in which it runs them."""
    return output_of(program, "--cases").split()


def environment() -> dict[str, str]:
    """The environment, with settings for Open MPI: idle ranks yield when there are more ranks than cores, and
    running as root (as in containers) is allowed."""
    settings = {
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    return {**settings, **os.environ}


def make_scratch(directory: str) -> str:
    """Makes a directory below `directory` for the files of ranks, to be used with launching.removed_at_end(). Raises OSError."""
    return tempfile.mkdtemp(prefix="esker-bench-", dir=directory)


def call(command: Sequence[str], timeout_s: float | None = None, stderr: IO[str] | None = None) -> int:
    """launching.call() in environment()."""
    return launching.call(command, timeout_s, env=environment(), stderr=stderr)


def results(
    runs: Sequence[dict[str, Any]], directory: str, peer_runs: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Rates, ratios to posix in the same repetition, and the machine and configuration they depend on.

    `runs` is the output of esker-bench and `peer_runs` that of esker-bench-peers, one element per turn.
    """
    measured = peers.merged(runs)
    made = {
        "machine": {**machine(directory), "mpi": measured["mpi"].split(",")[0].strip().splitlines()[0]},
        "config": _config(measured),
        "cases": _cases(measured),
    }
    if peer_runs:
        others = peers.merged(peer_runs)
        made["config"]["peers"] = others["libraries"]
        names = peers.names(measured, others)
        made["cases"] += [{**case, "name": names[case["name"]]} for case in _cases(others)]
        made["esker_over_peers"] = peers.over_peers(runs, peer_runs)
    return made


def _config(measured: dict[str, Any]) -> dict[str, Any]:
    keys = ("workload", "ranks", "steps", "repeat", "grids", "values")
    of_store = ("store_bytes_per_s", "store_contention")
    return {
        **{key: measured[key] for key in keys + of_store if key in measured},
        "data_MiB_per_step": measured["data_bytes_per_step"] / 2**20,
        "esker": _core.version(),
    }


def _cases(measured: dict[str, Any]) -> list[dict[str, Any]]:
    data_bytes = measured["data_bytes_per_step"] * measured["steps"]
    posix = next((case for case in measured["cases"] if case["name"] == "posix"), None)
    raw = next((case for case in measured["cases"] if case["name"] == "idx_two_phase"), None)
    return [
        {
            **_case(case, posix, measured, data_bytes),
            **_compression(case, raw, measured["steps"]),
            **_sparse(case, raw),
            **_tuned(case, raw),
        }
        for case in measured["cases"]
    ]


def _compression(case: dict[str, Any], raw: dict[str, Any] | None, steps: int) -> dict[str, Any]:
    """For a compressed case, the time of the codecs alone on the same blocks; and the time of its writes relative
    to raw writes, and to raw writes and the codecs together, from the same repetitions."""
    alone = [report["codec_alone"] for report in case["reports"] if "codec_alone" in report]
    if not alone:
        return {}
    compress, decode = ([times[key] for times in alone] for key in ("compress_s", "decode_s"))
    facts: dict[str, Any] = {
        "compress_alone_s_per_step": statistics.median(compress) / steps,
        "decode_alone_s_per_step": statistics.median(decode) / steps,
        "decode_alone_over_read": _ratios(decode, case["read_s"]),
    }
    if raw:
        both = [storing + codec for storing, codec in zip(raw["write_s"], compress)]
        facts["over_raw"] = _ratios(case["write_s"], raw["write_s"])
        facts["over_raw_plus_codec"] = _ratios(case["write_s"], both)
    return facts


def _sparse(case: dict[str, Any], full: dict[str, Any] | None) -> dict[str, Any]:
    """For a case that stores a part of the samples: the time of its writes relative to that of full ones from the
    same repetitions, also divided by the part that it stores, and the fraction of its time spent on planning."""
    if not case.get("is_sparse") or not full:
        return {}
    totals = zip(case["reports"], full["reports"])
    shares = [sparse["total"]["stored_bytes"] / whole["total"]["stored_bytes"] for sparse, whole in totals]
    pairs = [sparse / whole for sparse, whole in zip(case["write_s"], full["write_s"])]
    phases = [report["phases_s"] for report in case["reports"]]
    return {
        "stored_over_full": statistics.mean(shares),
        "over_full": _spread(pairs),
        "write_over_proportional": _ratios(pairs, shares),
        "planning": _spread([phase["plan"]["mean"] / phase["end_step"]["mean"] for phase in phases]),
    }


def _num_tried(probes: list[dict[str, Any]]) -> int:
    return sum(not probe["verdict"].startswith("not tried") for probe in probes)


def _tuned(case: dict[str, Any], default: dict[str, Any] | None) -> dict[str, Any]:
    """For a run with tune=auto: its speed relative to the default in the same repetition, of all steps and of
    the last five (medians), how many settings it tried, and what it settled on."""
    records = [report["tuning"] for report in case["reports"] if "tuning" in report]
    if not records or not default:
        return {}

    def last(report: dict[str, Any]) -> float:
        return statistics.median(step["seconds"] for step in report["steps"][-5:])

    pairs = zip(default["reports"], case["reports"])
    return {
        "over_default": _ratios(default["write_s"], case["write_s"]),
        "last_steps_over_default": _spread([last(untuned) / last(tuned) for untuned, tuned in pairs]),
        "probes": [_num_tried(record["probes"]) for record in records],
        "settled_on": [record["best"] for record in records],
        "states": [record["state"] for record in records],
    }


def _ratios(above: Sequence[float], below: Sequence[float]) -> dict[str, float]:
    return _spread([a / b for a, b in zip(above, below)])


def _case(
    case: dict[str, Any], posix: dict[str, Any] | None, measured: dict[str, Any], data_bytes: int
) -> dict[str, Any]:
    facts = {
        "name": case["name"],
        "write_GBps": data_bytes / 1e9 / statistics.median(case["write_s"]),
        "read_GBps": data_bytes / 1e9 / statistics.median(case["read_s"]),
        "ratio_to_posix_write": _ratio(posix, case, "write_s"),
        "ratio_to_posix_read": _ratio(posix, case, "read_s"),
        "stored_over_data": case["stored_bytes_per_step"] / measured["data_bytes_per_step"],
        "extra_MiB_per_rank": case["extra_bytes_per_rank"] / 2**20,
        "bad_values": case["bad_values"],
    }
    if levels := case.get("levels"):
        limits = {level["halvings"]: level for level in (posix or {}).get("levels", ())}
        facts["levels"] = [_level(level, case, limits.get(level["halvings"]), measured) for level in levels]
    if reports := case["reports"]:
        facts["phases_s_per_step"] = {
            name: statistics.median(report["phases_s"][name]["mean"] for report in reports)
            / measured["steps"]
            for name in reports[0]["phases_s"]
        }
        configuration = reports[0]["configuration"]
        facts["options"] = {
            name: option["value"] for name, option in configuration.items() if option["source"] != "built-in"
        }
    return facts


def _level(
    level: dict[str, Any], case: dict[str, Any], limit: dict[str, Any] | None, measured: dict[str, Any]
) -> dict[str, Any]:
    """Times of a level; `over_proportional` divides each by the full read's time scaled to the level's
    samples, in the same repetition."""
    fraction = level["data_bytes_per_step"] / measured["data_bytes_per_step"]
    pairs = zip(level["read_s"], case["read_s"])
    return {
        "halvings": level["halvings"],
        "fraction": fraction,
        "data_MiB_per_step": level["data_bytes_per_step"] / 2**20,
        "read_ms_per_step": 1e3 * statistics.median(level["read_s"]) / measured["steps"],
        "over_proportional": _spread([seconds / (full * fraction) for seconds, full in pairs]),
        "ratio_to_posix_read": _ratio(limit, level, "read_s"),
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def _ratio(posix: dict[str, Any] | None, case: dict[str, Any], key: str) -> dict[str, float] | None:
    """Speed relative to posix, from pairs measured one after the other."""
    if posix is None:
        return None
    return _ratios(posix[key], case[key])


def machine(directory: str) -> dict[str, Any]:
    """The properties of the machine that results depend on; `directory` is where the files are stored."""
    return {
        "date": datetime.date.today().isoformat(),
        "processor": _line_of("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "memory_GiB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "file_system": _file_system(directory),
    }


def _line_of(path: str, key: str) -> str | None:
    for line in Path(path).read_text().splitlines() if Path(path).exists() else []:
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return None


def _file_system(directory: str) -> str:
    """The type of the file system that holds `directory`, e.g. "tmpfs"."""
    found = subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def figure(results: dict[str, Any]) -> Figure:
    """Left: bars of the write and read ratios to posix. Right: the times of levels if they were read, those of
    sparse steps if there are any, otherwise the phases of a step. For runs on several numbers of ranks see
    scaling.figure()."""
    from matplotlib.figure import Figure

    width = 5 + 0.55 * len(results["cases"])
    drawn = Figure(figsize=(width, 4.8), layout="constrained")
    speed, phases = drawn.subplots(1, 2, width_ratios=(width - 4.5, 4.5))
    _draw_ratios(speed, results)
    if any("levels" in case for case in results["cases"]):
        _draw_levels(phases, results)
    elif any("over_full" in case for case in results["cases"]):
        _draw_sparse(phases, results)
    else:
        _draw_phases(phases, results)
    config, machine = results["config"], results["machine"]
    drawn.suptitle(
        f"{config['workload']}, {config['ranks']} ranks, {config['data_MiB_per_step']:.0f} MiB per step, "
        f"{machine['file_system']}, {machine['cores']} cores, {machine['date']}"
    )
    return drawn


def _draw_ratios(axes: Any, results: dict[str, Any]) -> None:
    cases = [
        case for case in results["cases"] if case["ratio_to_posix_write"] and case["name"] != "posix_of_peers"
    ]
    for offset, key, label in ((-0.2, "ratio_to_posix_write", "write"), (0.2, "ratio_to_posix_read", "read")):
        medians = [case[key]["median"] for case in cases]
        below = [case[key]["median"] - case[key]["min"] for case in cases]
        above = [case[key]["max"] - case[key]["median"] for case in cases]
        positions = [i + offset for i in range(len(cases))]
        axes.bar(positions, medians, 0.4, yerr=(below, above), capsize=3, label=label)
    axes.axhline(1, color="grey", linewidth=0.8)
    axes.set_xticks(range(len(cases)), [case["name"] for case in cases], rotation=35, ha="right")
    axes.set_ylabel("speed relative to posix (median, range)")
    axes.legend(frameon=False)


def _draw_levels(axes: Any, results: dict[str, Any]) -> None:
    for case in results["cases"]:
        if levels := case.get("levels"):
            fractions = [level["fraction"] for level in levels]
            times = [level["over_proportional"]["median"] for level in levels]
            axes.plot(fractions, times, ".-", label=case["name"])
    axes.axhline(1, color="grey", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("fraction of the samples")
    axes.set_ylabel("time / proportional time")
    axes.legend(frameon=False, fontsize="small")


def _draw_sparse(axes: Any, results: dict[str, Any]) -> None:
    cases = [case for case in results["cases"] if "over_full" in case]
    for marker, is_reduced in (("o", True), ("s", False)):
        chosen = [case for case in cases if case["name"].startswith("idx_1_of_") == is_reduced]
        medians = [case["over_full"]["median"] for case in chosen]
        below = [case["over_full"]["median"] - case["over_full"]["min"] for case in chosen]
        above = [case["over_full"]["max"] - case["over_full"]["median"] for case in chosen]
        label = "reduced resolution" if is_reduced else "regions"
        shares = [case["stored_over_full"] for case in chosen]
        axes.errorbar(shares, medians, (below, above), fmt=marker, capsize=3, label=label)
    axes.plot((1 / 64, 1), (1 / 64, 1), color="grey", linewidth=0.8, label="proportional")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlabel("bytes / bytes of a full step")
    axes.set_ylabel("time / time of a full step")
    axes.legend(frameon=False)


def _draw_phases(axes: Any, results: dict[str, Any]) -> None:
    cases = [case for case in results["cases"] if "phases_s_per_step" in case]
    names = [name for name in (cases[0]["phases_s_per_step"] if cases else {}) if name != "end_step"]
    left = [0.0] * len(cases)
    for name in names:
        widths = [case["phases_s_per_step"][name] * 1e3 for case in cases]
        axes.barh([case["name"] for case in cases], widths, left=left, label=name)
        left = [start + width for start, width in zip(left, widths)]
    axes.set_xlabel("ms per step, mean over ranks")
    if cases:
        axes.figure.legend(
            *axes.get_legend_handles_labels(), loc="outside lower right", frameon=False, ncols=8
        )
