"""Draws a slice of the temperature of an esker-s3d run: full, as stored, upsampled, and the levels that are stored.

    python scripts/s3d_figure.py CHECKPOINT ADAPTIVE FIGURE.png [--z INDEX]

CHECKPOINT has all cells of its last step, ADAPTIVE the regions that the rules keep of a step at the same time. Prints
which part of the cells is stored, and the errors of the upsampled temperature. Exit status 1 if a cell that is stored
at full resolution differs from the checkpoint.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm, Normalize

import esker

Array = np.ndarray[Any, Any]
COARSEST = -9
"""Level of the cold regions; 0 is the full resolution."""


@dataclass(frozen=True)
class Volumes:
    """The temperature of one step, (z, y, x)."""

    time: float
    extent: tuple[float, float, float, float]
    """Borders along x and y, mm."""
    full: Array
    stored: Array
    """Places without a sample have that of the nearest coarser one."""
    upsampled: Array
    levels: Array
    """0: stored at full resolution, -6: one sample in 64."""


def read(checkpoint_path: str, adaptive_path: str) -> Volumes:
    checkpoint, adaptive = esker.open(checkpoint_path), esker.open(adaptive_path)
    time = checkpoint.steps[-1]
    if time not in adaptive.steps:
        raise SystemExit(f"{adaptive_path}: expected a step at the time of the checkpoint, {time:g} s, found none")
    step = list(adaptive.steps).index(time)
    field = adaptive["T"]
    levels = field.levels(step=step).astype(int)
    return Volumes(
        time,
        (*borders_mm(field, "x"), *borders_mm(field, "y")),
        checkpoint["T"].read(step=-1),
        field.read(step=step, missing="nearest"),
        field.read(step=step, missing="linear"),
        levels - levels.max(),
    )


def borders_mm(field: esker.Field, dim: str) -> tuple[float, float]:
    """The outer faces of the first and the last cell."""
    centers = np.asarray(field.grid.coords[dim])
    half = (centers[1] - centers[0]) / 2
    return 1e3 * (centers[0] - half), 1e3 * (centers[-1] + half)


def cells_that_differ(v: Volumes) -> int:
    """Cells stored at full resolution with another value than the checkpoint."""
    return int(((v.levels == 0) & (v.stored != v.full)).sum())


def summary(v: Volumes) -> str:
    lines = []
    for level in np.unique(v.levels)[::-1]:
        here = v.levels == level
        error = np.abs(v.upsampled - v.full)[here]
        lines.append(
            f"kept at 1/{2**-level}: {100 * here.mean():.1f} % of the volume; error of T when upsampled: "
            f"{error.max():.1f} K at most, {error.mean():.2f} K on average"
        )
    return "\n".join(lines)


def draw(v: Volumes, z: int) -> plt.Figure:
    figure, axes = plt.subplots(2, 2, figsize=(11, 8.4), layout="constrained")
    kept = float(np.mean(2.0**v.levels))
    panels = {
        "full": v.full,
        f"as stored: {100 * kept:.0f} % of the samples": v.stored,
        "upsampled by the reader": v.upsampled,
    }
    norm = Normalize(v.full.min(), v.full.max())
    for axis, (title, volume) in zip(axes.flat, panels.items(), strict=False):
        image = axis.imshow(volume[z], origin="lower", extent=v.extent, cmap="inferno", norm=norm)
        axis.set_title(title, fontsize=10)
    figure.colorbar(image, ax=axes[:, 0], label="T [K]", location="left", shrink=0.6)
    draw_levels(figure, axes[1, 1], v.levels[z], v.extent)
    for axis in axes.flat:
        axis.tick_params(labelsize=6)
    axes[1, 0].set(xlabel="x [mm]", ylabel="y [mm]")
    figure.suptitle(f"lifted flame, {1e3 * v.time:.3f} ms, plane {z} along z", fontsize=11)
    return figure


def draw_levels(figure: plt.Figure, axis: plt.Axes, levels: Array, extent: tuple[float, ...]) -> None:
    norm = BoundaryNorm(np.arange(COARSEST, 2) - 0.5, 256)
    image = axis.imshow(levels, origin="lower", extent=extent, cmap="viridis", norm=norm)
    axis.set_title("finest level stored", fontsize=10)
    ticks = range(0, COARSEST - 1, -3)
    bar = figure.colorbar(image, ax=axis, ticks=ticks, shrink=0.6, label="part of the samples")
    bar.ax.set_yticklabels(["all" if level == 0 else f"1/{2**-level}" for level in ticks])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint", help="dataset with all cells")
    parser.add_argument("adaptive", help="dataset with the regions that are kept")
    parser.add_argument("figure", help="picture to write")
    parser.add_argument("--z", type=int, help="plane to draw [the middle]")
    arguments = parser.parse_args()
    volumes = read(arguments.checkpoint, arguments.adaptive)
    z = volumes.full.shape[0] // 2 if arguments.z is None else arguments.z
    draw(volumes, z).savefig(arguments.figure, dpi=120)
    print(summary(volumes))
    wrong = cells_that_differ(volumes)
    if wrong:
        sys.exit(f"{arguments.adaptive}: {wrong} cells at full resolution differ from {arguments.checkpoint}")


if __name__ == "__main__":
    main()
