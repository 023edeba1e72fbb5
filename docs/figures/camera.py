"""What a reader that follows a camera reads, against the camera's distance: results of bench/views/camera.py.

usage: camera.py RESULTS.json PNG
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from style import INK, LINE, QUIET, RANK_COLORS, save

UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def main(results: str, png: str) -> None:
    measured = json.loads(Path(results).read_text("utf-8"))
    fig = Figure(figsize=(10, 3.9), dpi=110, layout="constrained")
    axes = fig.subplots(1, len(measured["results"]), sharey=True)
    for ax, result in zip(axes, measured["results"], strict=True):
        draw(ax, result)
    axes[0].set_ylabel("bytes", color=INK)
    axes[-1].legend(loc="lower left", frameon=False, fontsize=8.5)
    save(fig, png)


def draw(ax: Axes, result: dict[str, Any]) -> None:
    rows = result["distances"]
    distances = [row["distance"] for row in rows]
    every, plain = result["everything"]["bytes_asked"], {"lw": 1.3, "color": QUIET}
    ax.axhline(every, ls=":", label="all samples", **plain)
    ax.plot(distances, [row["bytes_of_box"] for row in rows], ls="--", label="all samples in view", **plain)
    color = RANK_COLORS[0]
    ax.plot(distances, [row["bytes_asked"] for row in rows], "o-", ms=4, color=color, label="read from the files")
    for row in rows[::2]:
        spot = (row["distance"], row["bytes_asked"])
        text = f"1/{row['samples_apart'][0]}" if row["samples_apart"][0] > 1 else "all"
        ax.annotate(text, spot, (0, -13), textcoords="offset points", ha="center", size=8, color=color)
    size = " × ".join(map(str, result["shape"][::-1]))
    ax.set(xscale="log", yscale="log", title=f"{result['scene']}, {size} float32")
    ax.set_xlabel("distance of the camera [edges of the data]", color=INK)
    ax.set_ylim(2e4, 3e9)
    ax.set_xticks([2.0**n for n in (-6, -4, -2, 0, 2, 4, 6)], ["1/64", "1/16", "1/4", "1", "4", "16", "64"])
    ax.minorticks_off()
    ax.yaxis.set_major_formatter(lambda value, _: amount(value))
    ax.grid(color=LINE, lw=0.4, alpha=0.5)


def amount(n_bytes: float) -> str:
    for size, unit in UNITS:
        if n_bytes >= size:
            return f"{n_bytes / size:g} {unit}"
    return f"{n_bytes:g} B"


main(*sys.argv[1:])
