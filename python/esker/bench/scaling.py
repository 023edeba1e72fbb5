"""Runs of `esker bench` on several numbers of ranks: weak scaling (fixed data per rank) or strong (fixed
total)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def results(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Combines the summary.results() of all numbers of ranks."""
    without_machine = [{key: value for key, value in run.items() if key != "machine"} for run in runs]
    return {"machine": runs[0]["machine"], "runs": without_machine}


def rows(results: dict[str, Any], key: str) -> dict[str, list[dict[str, float] | None]]:
    """The values of `key` by case, one per number of ranks; None if the case did not run."""
    runs = [{case["name"]: case for case in run["cases"]} for run in results["runs"]]
    names = dict.fromkeys(name for run in runs for name in run)
    return {name: [run[name][key] if name in run else None for run in runs] for name in names}


def figure(results: dict[str, Any]) -> Figure:
    """Speed of reading and writing over the number of ranks."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(11, 4.8), layout="constrained")
    ranks = [run["config"]["ranks"] for run in results["runs"]]
    for axes, verb in zip(drawn.subplots(1, 2, sharey=True), ("read", "write")):
        for name, speeds in rows(results, f"{verb}_GBps").items():
            if name != "memcpy" and not name.startswith("posix_of_"):
                axes.plot(ranks, speeds, ".-", label=name)
        axes.set_xscale("log", base=2)
        axes.set_xticks(ranks, [str(n) for n in ranks])
        axes.set_xlabel(f"ranks, {verb}")
    drawn.axes[0].set_ylabel("GB/s")
    drawn.axes[1].legend(frameon=False, fontsize="small")
    config, machine = results["runs"][0]["config"], results["machine"]
    drawn.suptitle(
        f"{config['workload']}, {config['data_MiB_per_step']:.0f} MiB per step on {ranks[0]} ranks, "
        f"{machine['file_system']}, {machine['cores']} cores, {machine['date']}"
    )
    return drawn
