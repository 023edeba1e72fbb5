"""Draws a plane of an esker-uintah run: the patches of the mesh, a field, and the levels that are stored.

    python scripts/uintah_figure.py FLAT FIGURE.png [--field NAME] [--step N] [--z INDEX]

FLAT is the flat dataset. Prints the number of patches and the part of the volume per level. Exit status 1 if the flat dataset stores a place of
a patch at a coarser resolution than the patch has.
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
from matplotlib.colors import BoundaryNorm
from matplotlib.patches import Rectangle

import esker
from esker.dataset.mesh import MeshPatch

Array = np.ndarray[Any, Any]
Triple = tuple[int, int, int]
COLORS = ("0.55", "tab:blue", "tab:green", "tab:red")
"""Of patches, by level."""


@dataclass(frozen=True)
class Patch:
    """A box of cells, half open, x first, in the index space of the finest level."""

    level: int
    lo: Triple
    hi: Triple

    def of(self, volume: Array) -> Array:
        """Its part of a volume (z, y, x)."""
        (x0, y0, z0), (x1, y1, z1) = self.lo, self.hi
        return volume[z0:z1, y0:y1, x0:x1]


@dataclass(frozen=True)
class Picture:
    time: float
    name: str
    values: Array
    """(z, y, x) at the resolution of the finest level."""
    levels: Array
    """0: stored at the resolution of the finest level, -3: one sample in 8."""
    patches: list[Patch]
    n_levels: int
    unit: str


def patches_of(field: esker.Field, step: int, n_levels: int) -> list[Patch]:
    def in_finest(patch: MeshPatch) -> Patch:
        ratio = 2 ** (n_levels - 1 - patch.level)
        lo, hi = ((x * ratio, y * ratio, z * ratio) for x, y, z in (patch.lo, patch.hi))
        return Patch(patch.level, lo, hi)

    return [in_finest(patch) for patch in field.patches(step)]


def read(flat: str, name: str, step: int) -> Picture:
    dataset = esker.open(flat)
    field = dataset[name]
    step = range(len(dataset.steps))[step]
    mesh = field.grid.mesh
    if mesh is None:
        raise SystemExit(f"{flat}: expected a mesh with several levels, found a grid")
    patches = patches_of(field, step, mesh.num_levels)
    levels = field.levels(step=step).astype(int) - field.max_level
    values, unit = field.read(step=step), field.attrs.get("units", "1")
    return Picture(dataset.steps[step], name, values, levels, patches, mesh.num_levels, unit)


def level_needed(picture: Picture, patch: Patch) -> int:
    return -3 * (picture.n_levels - 1 - patch.level)


def patches_too_coarse(picture: Picture) -> int:
    """The number of patches that are stored somewhere at a coarser resolution than theirs."""
    return sum(int(p.of(picture.levels).min()) < level_needed(picture, p) for p in picture.patches)


def summary(picture: Picture) -> str:
    lines = []
    for level in range(picture.n_levels):
        of_level = [p for p in picture.patches if p.level == level]
        cells = sum(p.of(picture.levels).size for p in of_level)
        part = 100 * cells / picture.levels.size
        lines.append(f"level {level}: {len(of_level)} patches, {part:.1f} % of the volume")
    return "\n".join(lines)


def draw_patches(axis: plt.Axes, picture: Picture, z: int) -> None:
    axis.imshow(picture.values[z], origin="lower", extent=extent_of(picture), cmap="Greys", alpha=0.4)
    for patch in picture.patches:
        if not patch.lo[2] <= z < patch.hi[2]:
            continue
        size = patch.hi[0] - patch.lo[0], patch.hi[1] - patch.lo[1]
        color = COLORS[patch.level]
        axis.add_patch(Rectangle(patch.lo[:2], *size, fill=False, edgecolor=color, linewidth=0.8))
    handles = [
        Rectangle((0, 0), 1, 1, fill=False, edgecolor=COLORS[n], label=f"level {n}")
        for n in range(picture.n_levels)
    ]
    axis.legend(handles=handles, fontsize=7, loc="upper right")
    axis.set_title("patches of the mesh", fontsize=10)


def extent_of(picture: Picture) -> tuple[float, float, float, float]:
    _, height, width = picture.values.shape
    return 0, width, 0, height


def draw_levels(figure: plt.Figure, axis: plt.Axes, picture: Picture, z: int) -> None:
    coarsest = -3 * (picture.n_levels - 1)
    norm = BoundaryNorm(np.arange(coarsest, 2) - 0.5, 256)
    image = axis.imshow(
        picture.levels[z], origin="lower", extent=extent_of(picture), cmap="viridis", norm=norm
    )
    axis.set_title("finest level stored", fontsize=10)
    ticks = range(0, coarsest - 1, -3)
    bar = figure.colorbar(image, ax=axis, ticks=ticks, shrink=0.7, label="part of the samples")
    bar.ax.set_yticklabels(["all" if level == 0 else f"1/{2**-level}" for level in ticks])


def draw(picture: Picture, z: int) -> plt.Figure:
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained")
    draw_patches(axes[0], picture, z)
    image = axes[1].imshow(picture.values[z], origin="lower", extent=extent_of(picture), cmap="inferno")
    axes[1].set_title("as read at the resolution of the finest level", fontsize=10)
    figure.colorbar(image, ax=axes[1], shrink=0.7, label=f"{picture.name} [{picture.unit}]")
    draw_levels(figure, axes[2], picture, z)
    for axis in axes:
        axis.tick_params(labelsize=6)
    axes[0].set(xlabel="x [cells of the finest level]", ylabel="y [cells of the finest level]")
    figure.suptitle(f"blob and ring at the time {picture.time:g}, plane {z} along z", fontsize=11)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("flat", help="flat dataset")
    parser.add_argument("figure", help="picture to write")
    parser.add_argument("--field", default="temperature", help="field to draw [temperature]")
    parser.add_argument("--step", type=int, default=-1, help="step to draw [the last]")
    parser.add_argument("--z", type=int, help="plane to draw [the middle]")
    arguments = parser.parse_args()
    picture = read(arguments.flat, arguments.field, arguments.step)
    z = picture.values.shape[0] // 2 if arguments.z is None else arguments.z
    draw(picture, z).savefig(arguments.figure, dpi=120)
    print(summary(picture))
    wrong = patches_too_coarse(picture)
    if wrong:
        sys.exit(f"{arguments.flat}: {wrong} patches are stored at a coarser resolution than theirs")


if __name__ == "__main__":
    main()
