"""Draws the tracer of an esker-gcrm dataset of panels at a coarse level and at the full one.

    python scripts/gcrm_figure.py RUN.idx FIGURE.png [--step N] [--coarse LEVELS]

The coarse map is read from the dataset's coarse levels alone: it is the geodesic grid LEVELS coarser.
"""

from __future__ import annotations

import argparse
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import esker


def panels_at(ds: esker.Dataset, name: str, step: int, level: int) -> np.ndarray[Any, Any]:
    """A variable of all cells but the poles, at a level of the geodesic grid."""
    return np.concatenate([ds[f"{name}_p{p}"].read(step=step, level=2 * level).ravel() for p in range(10)])


def draw(axes: Any, ds: esker.Dataset, step: int, level: int) -> Any:
    lon, lat = (np.radians(panels_at(ds, name, 0, level)) for name in ("lon", "lat"))
    value = panels_at(ds, "tracer_mean", step, level)
    axes.set_title(f"level {level}: {value.size + 2} cells", fontsize=10)
    axes.grid(linewidth=0.3)
    axes.tick_params(labelsize=6)
    area = 45000 / value.size  # points squared: dots that nearly touch
    return axes.scatter(lon, lat, c=value, s=area, linewidths=0, cmap="viridis", vmin=0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset")
    parser.add_argument("figure")
    parser.add_argument("--step", type=int, default=-1)
    parser.add_argument("--coarse", type=int, default=2, help="levels below the full one")
    arguments = parser.parse_args()
    ds = esker.open(arguments.dataset)
    full = ds["lon_p0"].max_level // 2
    levels = [max(0, full - arguments.coarse), full]
    figure, axes = plt.subplots(
        1, 2, figsize=(11, 3.4), subplot_kw={"projection": "mollweide"}, layout="constrained"
    )
    for axis, level in zip(axes, levels, strict=True):
        image = draw(axis, ds, arguments.step, level)
    figure.colorbar(image, ax=axes, label="tracer, mean over layers", shrink=0.8)
    figure.suptitle(f"day {ds.steps[arguments.step]:.2f}", fontsize=11)
    figure.savefig(arguments.figure, dpi=120)


if __name__ == "__main__":
    main()
