"""One picture of a run, one of a Darshan log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_EFFECTS = 10


def of_run(facts: dict[str, Any]) -> Figure:
    """Left: the phases of a step, with the limits of the machine. Right: what the model predicts of other settings."""
    from matplotlib.figure import Figure

    effects = facts.get("effects", [])[:_MOST_EFFECTS]
    drawn = Figure(figsize=(11 if effects else 6.5, 4.5), layout="constrained")
    places = drawn.subplots(1, 2 if effects else 1, squeeze=False)[0]
    shown = {name: phase for name, phase in facts["phases"].items() if phase["max_s"] > 0}
    axes = places[0]
    axes.barh(list(shown), [phase["critical_s"] for phase in shown.values()], label="critical path")
    axes.plot(
        [phase["mean_s"] for phase in shown.values()],
        list(shown),
        "k|",
        markersize=12,
        label="mean of the ranks",
    )
    for number, (name, seconds) in enumerate(facts.get("limits_s", {}).items()):
        if seconds > 0:
            axes.axvline(seconds, color=f"C{number + 1}", linestyle="--", label=f"limit: {name}")
    axes.axvline(facts["step_s"], color="black", linewidth=0.8, label="step")
    axes.invert_yaxis()
    axes.set_xlabel("seconds of a step")
    axes.legend(fontsize=8, frameon=False)
    if effects:
        labels = [f"{effect['option']}={effect['then']}" for effect in effects]
        places[1].barh(labels, [effect["ratio"] for effect in effects])
        places[1].axvline(1, color="black", linewidth=0.8)
        places[1].invert_yaxis()
        places[1].set_xlabel("predicted time of a step, relative to this run")
    drawn.suptitle(f"{facts['ranks']} ranks, {facts['step_bytes'] / 1e6:.3g} MB per step: {facts['bound']}")
    return drawn


def of_log(facts: dict[str, Any]) -> Figure:
    """Left: the sizes of writes. Right: the time of all ranks in POSIX and MPI-IO."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(10, 4), layout="constrained")
    sizes, times = drawn.subplots(1, 2)
    for number, (name, module) in enumerate(facts["modules"].items()):
        places = [place + 0.4 * number for place in range(len(module["writes_by_size"]))]
        sizes.bar(places, module["writes_by_size"].values(), 0.4, label=name)
        labels = [size.replace("_PLUS", "+").replace("_", "-") for size in module["writes_by_size"]]
        sizes.set_xticks(range(len(labels)), labels, rotation=45, ha="right", fontsize=8)
        left = 0.0
        for place, key in enumerate(("write_s", "read_s", "metadata_s")):
            times.barh(
                [name], [module[key]], left=[left], color=f"C{place}", label=key[:-2] if number == 0 else None
            )
            left += module[key]
    sizes.set_xlabel("bytes of a write")
    sizes.set_ylabel("writes")
    times.set_xlabel("seconds of all ranks")
    for axes in (sizes, times) if facts["modules"] else ():
        axes.legend(fontsize=8, frameon=False)
    drawn.suptitle(f"{facts['ranks']} ranks, {facts['seconds']:.0f} s")
    return drawn
