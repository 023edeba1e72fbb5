"""Plans of steps that keep a share of the rank boxes: sweeps over shares, orders and block sizes, and their
figure."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from esker.planning import planner
from esker.plot.legends import add_outside

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Plan = dict[str, Any]

_ORDERS = {"z": "clustered", "bit-reversed": "scattered"}
_PANELS = {
    "efficiency": "primary / stored\nsamples",
    "blocks": "blocks of all fields",
    "files": "files",
    "write_imbalance": "max / mean bytes\nper aggregator",
}


def sweep(
    ranks: int,
    shares: Sequence[float | None],
    orders: Sequence[str],
    block_bits: Sequence[int | None],
    plan: Callable[..., Plan] = planner.plan,
    **arguments: Any,
) -> list[Plan]:
    """The facts of all combinations, with `keep`, `keep_order` and `given_bits_per_block`.

    shares:     of the rank boxes that are kept; None: a dense step
    block_bits: values of bits_per_block; None: the default, which the facts tell
    plan:       planner.plan(), or of dense steps only: planner.plan_mesh()
    arguments:  its other ones
    """
    plans = []
    for order, share, bits in itertools.product(orders, shares, block_bits):
        chosen = {} if share is None else {"keep": share, "keep_order": order}
        if bits is not None:
            chosen["bits_per_block"] = bits
        facts = plan(ranks, **chosen, **arguments)
        plans.append({"keep": share, "keep_order": order, "given_bits_per_block": bits, **facts})
    return plans


def figure(plans: Sequence[Plan]) -> Figure:
    """Efficiency, blocks, files and imbalance: over the block size, a line per share, a column per order.

    With a single block size: over the share. The default block size is left of all others.
    """
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    orders = list(dict.fromkeys(plan["keep_order"] for plan in plans))
    sizes = len({plan["given_bits_per_block"] for plan in plans})
    across, along = ("given_bits_per_block", "keep") if sizes > 1 else ("keep", "given_bits_per_block")
    lines = list(dict.fromkeys(plan[along] for plan in plans))
    places = _places(across, {plan[across] for plan in plans})
    drawn = Figure(figsize=(1.2 + 3.8 * len(orders), 2.2 * len(_PANELS)), layout="constrained")
    panels = drawn.subplots(len(_PANELS), len(orders), sharex=True, sharey="row", squeeze=False)
    for row, (key, label) in zip(panels, _PANELS.items()):
        row[0].set_ylabel(label)
        for axes, order in zip(row, orders):
            for number, line in enumerate(lines):
                chosen = [plan for plan in plans if plan["keep_order"] == order and plan[along] == line]
                color = colormaps["viridis"](0.9 * number / max(len(lines) - 1, 1))
                at = [places[plan[across]] for plan in chosen]
                axes.plot(at, [plan[key] for plan in chosen], ".-", color=color, label=_name(along, line))
            if key in ("blocks", "files"):
                axes.set_yscale("log", base=2)
            axes.grid(alpha=0.3)
    for axes, order in zip(panels[0], orders):
        axes.set_title(f"{_ORDERS[order]} (order: {order})", fontsize=10)
    for axes in panels[-1]:
        _label_places(axes, across, places)
    add_outside(drawn, "right upper", *panels[0][0].get_legend_handles_labels())
    first = plans[0]
    drawn.suptitle(f"{first['ranks']} ranks, {first['data_bytes'] / 2**30:.4g} GiB put in a step")
    return drawn


def _name(kind: str, value: float | None) -> str:
    if value is None:
        return "all kept" if kind == "keep" else "default block size"
    return f"{100 * value:g} % kept" if kind == "keep" else rf"$2^{{{value}}}$ samples per block"


def _places(kind: str, values: set[float | None]) -> dict[float | None, float]:
    """Where each value is on the horizontal axis: a dense step where all is kept."""
    known = sorted(value for value in values if value is not None)
    of_none = 1.0 if kind == "keep" else min(known, default=1) - 1
    return {**({None: of_none} if None in values else {}), **{value: value for value in known}}


def _label_places(axes: Any, kind: str, places: Mapping[float | None, float]) -> None:
    """Labels the horizontal axis."""
    if kind == "given_bits_per_block":
        texts = ["default" if bits is None else rf"$2^{{{bits}}}$" for bits in places]
        axes.set_xticks(list(places.values()), texts)
        axes.set_xlabel("samples per block")
    else:
        axes.set_xlabel("share of the rank boxes that is kept")
