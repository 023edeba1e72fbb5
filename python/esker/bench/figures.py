"""One picture of the results of `esker bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from esker.plot.legends import add_outside

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        case
        for case in results["cases"]
        if case["ratio_to_posix_write"] and not case["name"].startswith("posix_of_")
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
        add_outside(axes.figure, "lower right", *axes.get_legend_handles_labels(), ncols=8)
