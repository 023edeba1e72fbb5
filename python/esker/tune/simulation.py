"""esker.simulate(): the cost of a step on a machine that one does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from esker.tune import baselines, cost, loads, statistics
from esker.tune.machine import Machine
from esker.tune.machine import read as read_machine
from esker.tune.parameters import DEFINITIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ENDS = ("low", "mid", "high")


def simulate(
    machine: str | Path | Machine,
    ranks: int,
    *,
    ranks_per_node: int | None = None,
    sync: bool = False,
    case: str = "esker",
    read: bool = False,
    read_level: int | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """Seconds of each phase of a step on a machine, as ranges, and what bounds each phase.

    machine:        the name of a machine that Esker comes with (`esker simulate --machines` lists them), the path of
                    a machine file, or a Machine
    ranks_per_node: by default as many as a node has cores, or more if the machine has too few nodes
    sync:           files are synced before the step is committed (option fsync=step)
    case:           how the step is written: "esker", or one of the baselines "one-phase", "file-per-process",
                    "shared-file" and "pnetcdf"
    read:           the step is read back by the ranks that wrote it
    read_level:     only this level is read, of IDX; 0 or below, see Field.read()
    arguments:      those of esker.plan(), or with `patches` those of esker.plan_mesh()

    Returns {"low", "mid", "high"} for seconds and GB/s of data: "mid" with the values of the machine's parameters,
    "low" and "high" at the ends of their ranges. Nothing is measured, and the ranges are no confidence intervals.

    Raises FileNotFoundError (no such machine), ValueError (a bad machine file, with its line; arguments that contradict
    each other), and what esker.plan() raises.

    >>> import esker
    >>> facts = esker.simulate("mira", 2048, block=(32, 32, 32), fields=4, bits_per_block=15)
    >>> facts["nodes"], facts["phases"]["write"]["bound"]
    (128, 'I/O nodes')
    """
    chosen = machine if isinstance(machine, Machine) else read_machine(machine)
    per_node = ranks_per_node or default_ranks_per_node(chosen, ranks)
    reads = read or read_level is not None
    if sync and reads:
        raise ValueError("simulate: reading syncs no files: leave out sync")
    if read_level is not None:
        arguments |= _coarse_part(case, read_level, arguments)
    arguments = baselines.arguments_of(case, chosen, ranks, per_node, arguments)
    asked = baselines.loads_of(case, chosen, ranks, per_node, arguments)
    if read_level is not None:
        asked = replace(asked, data_bytes=int(asked.extents.size.sum()))
    if reads:
        asked = loads.of_reading(asked)
    return simulate_loads(chosen, asked, sync=sync, stripes=stripes_of(arguments))


def _coarse_part(case: str, level: int, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a step that stores this level alone, which is what a reader of the level reads."""
    if case != "esker" or arguments.get("keep") is not None:
        raise ValueError("simulate: a level is read of a step that Esker writes and keeps completely")
    return {"keep": 0.0, "keep_level": level}


def default_ranks_per_node(machine: Machine, ranks: int) -> int:
    """As many as a node has cores, or as many as needed to place all ranks."""
    return max(machine.count("cores_per_node"), -(-ranks // machine.count("nodes")))


def stripes_of(arguments: Mapping[str, Any]) -> dict[str, int]:
    """Stripes that the plan is told, as parameters of the machine."""
    found = {}
    if arguments.get("stripe_count"):
        found["targets_per_file"] = int(arguments["stripe_count"])
    if arguments.get("stripe_size"):
        found["stripe_bytes"] = _bytes(str(arguments["stripe_size"]))
    return found


def _bytes(text: str) -> int:
    """A size such as 1M or 65536; the plan has checked it."""
    unit = text.upper().rstrip("IB")[-1:]
    power = "KMGT".find(unit) + 1 if unit and unit in "KMGT" else 0
    return int(float(text[: len(text) if not power else text.upper().index(unit)]) * 1024**power)


def simulate_loads(
    machine: Machine, asked: loads.Loads, *, sync: bool = False, stripes: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """simulate() for loads from elsewhere. `stripes`: other values of targets_per_file and stripe_bytes."""
    layouts = list(_layouts(machine, stripes or {}))
    all_statistics = [statistics.of_loads(asked, layout) for layout in layouts]
    costs = [cost.cost_of(found, cost.corners(machine), sync) for found in all_statistics]
    return _facts(machine, all_statistics[0], costs)


def _layouts(machine: Machine, stripes: Mapping[str, int]) -> Iterator[statistics.Layout]:
    """First with the values of the machine's counts, then with the other ends of the ranges, one at a time."""
    usual = usual_layout(machine, stripes)
    yield usual
    for name in statistics.Layout.__dataclass_fields__:
        parameter = machine.parameters[name]
        for end in {parameter.low, parameter.high} - {parameter.value}:
            if name not in stripes:
                yield replace(usual, **{name: int(end)})


def usual_layout(machine: Machine, stripes: Mapping[str, int] | None = None) -> statistics.Layout:
    """The values of the machine's counts. `stripes`: other values of targets_per_file and stripe_bytes."""
    names = statistics.Layout.__dataclass_fields__
    return statistics.Layout(**{name: machine.count(name) for name in names} | dict(stripes or {}))


def _facts(machine: Machine, found: statistics.StepStatistics, costs: list[cost.Cost]) -> dict[str, Any]:
    seconds = _range([one.seconds for one in costs])
    rates = [found.data_bytes / 1e9 / seconds[end] for end in ("high", "mid", "low")]
    phases = {
        name: {
            "seconds": _range([one.phases[name].seconds for one in costs]),
            "bound": costs[0].phases[name].bound(1),
        }
        for name in costs[0].phases
    }
    amounts = {name: value for name, value in asdict(found).items() if isinstance(value, int | float)}
    return {
        "machine": machine.name,
        "ranks": found.ranks,
        "nodes": found.nodes,
        "seconds": seconds,
        "GBps": dict(zip(_ENDS, rates)),
        "phases": phases,
        "hidden_seconds": _range([one.hidden for one in costs]),
        "statistics": amounts,
        "sources": _sources(machine),
    }


def _range(of_layouts: list[np.ndarray]) -> dict[str, float]:
    """The least and the largest over all layouts, and the value in the middle of the first one."""
    stacked = np.array(of_layouts)
    return {"low": float(stacked.min()), "mid": float(stacked[0, 1]), "high": float(stacked.max())}


def _sources(machine: Machine) -> dict[str, int]:
    """How many parameters are published, fitted and assumed."""
    counted: dict[str, int] = {}
    for known in DEFINITIONS:
        source = machine.parameters[known.name].source
        counted[source] = counted.get(source, 0) + 1
    return counted


def figure(facts: dict[str, Any]) -> Figure:
    """The seconds of the phases, with their ranges and what bounds them."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(8, 4), layout="constrained")
    axes = drawn.add_subplot()
    shown = {name: phase for name, phase in facts["phases"].items() if phase["seconds"]["high"] > 0}
    mid = [phase["seconds"]["mid"] for phase in shown.values()]
    below = [phase["seconds"]["mid"] - phase["seconds"]["low"] for phase in shown.values()]
    above = [phase["seconds"]["high"] - phase["seconds"]["mid"] for phase in shown.values()]
    labels = [f"{name}\n({phase['bound']})" for name, phase in shown.items()]
    axes.barh(labels, mid, xerr=(below, above), capsize=3)
    axes.invert_yaxis()
    axes.set_xlabel("seconds, and their range")
    rate = facts["GBps"]
    drawn.suptitle(
        f"simulated: {facts['machine']}, {facts['ranks']} ranks, "
        f"{rate['mid']:.3g} GB/s ({rate['low']:.3g} to {rate['high']:.3g})"
    )
    return drawn
