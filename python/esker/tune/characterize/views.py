"""Four pictures of a table: network by messages, aggregation by ranks, storage by files, both by aggregators."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from esker.tune.characterize.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VIEWS = ("network", "aggregation", "storage", "combined")


def rates(rows: Table) -> np.ndarray:
    """GB/s of data, of the fastest steps."""
    return rows["data_bytes"] / 1e9 / rows["quiet_seconds"]


def rows_of(view: str, given: Table) -> Table:
    """The rows of a view of the microbenchmark and the applications."""
    mode = given["mode"]
    is_plain = np.array([set(json.loads(text)) <= _OPTIONS[view] for text in given["setting"]], bool)
    wanted = {
        "network": (mode == "network") & (given["messages"] > 0),
        "aggregation": (mode == "network") & is_plain & (given["format"] == "idx"),
        "storage": mode == "storage",
        "combined": (mode == "both") & is_plain,
    }
    return given.where(wanted[view])


_OPTIONS: dict[str, set[str]] = {
    "network": set(),
    "aggregation": set(),
    "storage": {"files"},
    "combined": {"aggregators"},
}


def figure(given: Table) -> Figure:
    """The four views of a table. Views without rows say so."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(11, 8), layout="constrained")
    draw: dict[str, Callable[[Any, Table], None]] = {
        "network": _draw_network,
        "aggregation": _draw_aggregation,
        "storage": _draw_storage,
        "combined": _draw_combined,
    }
    for axes, view in zip(drawn.subplots(2, 2).flat, VIEWS):
        rows = rows_of(view, given)
        if len(rows):
            draw[view](axes, rows)
            axes.set_yscale("log")
            axes.set_ylabel("GB/s")
        else:
            axes.text(0.5, 0.5, "no measurements", ha="center")
        axes.set_title(_TITLES[view], fontsize=10)
    about = given.about
    drawn.suptitle(f"{about['kind']}: {about['machine_kind']}, {len(given)} rows, esker {about['esker']}")
    return drawn


_TITLES = {
    "network": "network only: message size and count",
    "aggregation": "network only: ranks",
    "storage": "storage only: files and bytes per file",
    "combined": "both: aggregators",
}


def _draw_network(axes: Any, rows: Table) -> None:
    shown = axes.scatter(
        rows["message_bytes"], rates(rows), c=np.log10(rows["messages"]), s=12, cmap="viridis", linewidths=0
    )
    axes.figure.colorbar(shown, ax=axes, label="log10 of messages")
    axes.set_xscale("log", base=2)
    axes.set_xlabel("bytes per message")


def _draw_aggregation(axes: Any, rows: Table) -> None:
    sizes = _octaves(rows["data_bytes"] / rows["ranks"])
    for size in _some(sizes):
        _draw_medians(axes, rows["ranks"][sizes == size], rates(rows)[sizes == size], _size_text(size))
    axes.set_xlabel("ranks")
    axes.legend(title="per rank, about", fontsize=7, frameon=False)


def _draw_storage(axes: Any, rows: Table) -> None:
    keys = [
        f"{int(ranks)} ranks, {_size_text(size)}"
        for ranks, size in zip(rows["ranks"], _octaves(rows["data_bytes"]))
    ]
    per_key = {key: [n for n, k in enumerate(keys) if k == key] for key in dict.fromkeys(keys)}
    widest = sorted(per_key, key=lambda key: -len(set(rows["files"][per_key[key]])))[:6]
    for key in widest:
        chosen = per_key[key]
        _draw_medians(axes, rows["files"][chosen], rates(rows)[chosen], key)
    axes.set_xlabel("files (bytes per file: step / files)")
    axes.legend(title="step, about", fontsize=7, frameon=False)


def _draw_combined(axes: Any, rows: Table) -> None:
    """Asked numbers on a logarithmic axis; those that Esker chose have a place to the left of it."""
    asked = np.array([int(json.loads(text).get("aggregators", 0)) for text in rows["setting"]])
    least = min(asked[asked > 0], default=1)
    automatic = least / 2
    places = np.where(asked > 0, asked, automatic)
    for ranks in _some(rows["ranks"]):
        chosen = rows["ranks"] == ranks
        _draw_medians(axes, places[chosen], rates(rows)[chosen], f"{int(ranks)}")
    ticks = np.unique(places)
    axes.set_xticks(ticks, ["auto" if tick == automatic else f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("aggregators")
    axes.legend(title="ranks", fontsize=7, frameon=False)


def _draw_medians(axes: Any, x: np.ndarray, y: np.ndarray, label: str) -> None:
    """A line through the medians, with the quartiles as bars."""
    places = np.unique(x)
    low, middle, high = np.array([np.percentile(y[x == place], (25, 50, 75)) for place in places]).T
    axes.errorbar(places, middle, (middle - low, high - middle), marker=".", capsize=2, label=label)
    if places.min() > 0:
        axes.set_xscale("log", base=2)


def _octaves(sizes: np.ndarray) -> np.ndarray:
    """The nearest powers of two: sizes that are alike are one line."""
    return 2.0 ** np.round(np.log2(sizes))


def _some(values: np.ndarray, most: int = 6) -> np.ndarray:
    """Up to `most` of the different values: those with the most rows."""
    found, counts = np.unique(values, return_counts=True)
    return np.sort(found[np.argsort(-counts, kind="stable")[:most]])


def _size_text(n_bytes: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n_bytes < 1024 or unit == "GiB":
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1024
    raise AssertionError("unreachable")
