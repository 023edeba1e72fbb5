"""Draws the tracer of an esker-gcrm dataset of panels at a coarse level and at the full level.

    python scripts/gcrm_figure.py RUN.idx FIGURE.png [--step N] [--coarse LEVELS]

The coarse map reads only the dataset's coarse levels. It is the geodesic grid that is LEVELS coarser.
"""

from __future__ import annotations

import argparse
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import esker

PIXELS = 720, 360
"""Size of a map along longitude and latitude."""


def panels_at(ds: esker.Dataset, name: str, step: int, level: int) -> np.ndarray[Any, Any]:
    """A variable at all cells except the poles, at a level of the geodesic grid."""
    return np.concatenate([ds[f"{name}_p{p}"].read(step=step, level=2 * level).ravel() for p in range(10)])


def unit_vectors(lon: np.ndarray[Any, Any], lat: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Points on the unit sphere, from angles in radians."""
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def nearest_cells(
    lon: np.ndarray[Any, Any], lats: np.ndarray[Any, Any], centers: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """The cell with the nearest center for each latitude and longitude; geodesic cells are Voronoi cells.

    Centers are distributed evenly on the sphere, so the nearest one is within a few cell widths of the row's
    latitude.
    """
    by_height = np.argsort(centers[:, 2])
    latitudes = np.arcsin(np.clip(centers[by_height, 2], -1, 1))
    reach = 4 * np.sqrt(4 * np.pi / len(centers))
    rows = []
    for lat in lats:
        first, last = np.searchsorted(latitudes, [lat - reach, lat + reach])
        near = by_height[first:last]
        rows.append(near[(unit_vectors(lon, np.full_like(lon, lat)) @ centers[near].T).argmax(axis=1)])
    return np.stack(rows)


def draw(axes: Any, ds: esker.Dataset, step: int, level: int) -> Any:
    lon, lat = (np.radians(panels_at(ds, name, 0, level)) for name in ("lon", "lat"))
    value = panels_at(ds, "tracer_mean", step, level)
    centers = unit_vectors(lon, lat)  # the two poles are in no panel: the nearest cells cover them

    lon_edges = np.linspace(-np.pi, np.pi, PIXELS[0] + 1)
    lat_edges = np.linspace(-np.pi / 2, np.pi / 2, PIXELS[1] + 1)
    cells = nearest_cells((lon_edges[1:] + lon_edges[:-1]) / 2, (lat_edges[1:] + lat_edges[:-1]) / 2, centers)
    axes.set_title(f"level {level}: {value.size} cells", fontsize=10)
    axes.grid(linewidth=0.3)
    axes.set_xticklabels([])  # they would lie on the map
    axes.tick_params(labelsize=6)
    return axes.pcolormesh(lon_edges, lat_edges, value[cells], cmap="viridis", vmin=0, rasterized=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", help="IDX dataset of panels")
    parser.add_argument("figure", help="picture to write")
    parser.add_argument("--step", type=int, default=-1, help="step to draw [%(default)s: the last]")
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
