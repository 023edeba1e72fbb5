"""The demo's picture: one dataset at a coarse level and at the full level.

usage: demo_figure.py DATASET PNG

Maps of ice thickness and surface speed and a section of temperature, drawn from a dataset of the ice-sheet
miniapp. The upper row reads a fraction of the bytes of the lower row, from the same files.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LightSource, LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.figure import Figure

import esker
from esker.plot.planes import Plane, PlaneAxis, draw, read_plane

COARSE_STRIDE = 8
SEA, ROCK = "#dfe9ef", "#8d8272"
LAND = LinearSegmentedColormap.from_list("land", ["#6b604f", "#f4efe4"])
THINNEST_SHOWN_M = 30.0


def main(dataset_path: str, png_path: str) -> None:
    ds = esker.open(dataset_path)
    section = section_index(ds)
    thickness, speed, temperature = (norm(ds) for norm in (thickness_norm, speed_norm, temperature_norm))

    fig = Figure(figsize=(15, 13), dpi=110, layout="constrained")
    axes = fig.subplots(2, 3, width_ratios=[1, 1, 2.3])
    for row, stride in zip(axes, (COARSE_STRIDE, 1)):
        draw_map(row[0], ds, "thk", stride, section, cmap="Blues_r", norm=thickness)
        draw_map(row[1], ds, "velsurf_mag", stride, section, cmap="magma", norm=speed)
        draw_section(row[2], ds, "temp", stride, section, cmap="RdYlBu_r", norm=temperature)
    for column, (name, cmap, norm) in enumerate(
        (("thk", "Blues_r", thickness), ("velsurf_mag", "magma", speed), ("temp", "RdYlBu_r", temperature))
    ):
        attrs = ds[name].attrs
        label = f"{attrs.get('long_name', name)} [{attrs.get('units', '')}]"
        fig.colorbar(
            ScalarMappable(norm, cmap),
            ax=axes[:, column],
            location="bottom",
            label=label,
            aspect=30,
            pad=0.02,
        )
    time = read_plane(ds["thk"], level=0).time
    fig.suptitle(
        f"Greenland, {time}: the same files, read at a coarse level and at the full one", fontsize=15
    )
    fig.savefig(png_path)


def section_index(ds: esker.Dataset) -> int:
    """The row (y index) through the thickest ice of the coarse level."""
    level = level_for(ds["thk"], COARSE_STRIDE)
    thk = ds["thk"].read(level=level)
    row = np.unravel_index(thk.argmax(), thk.shape)[0]
    return int(ds["thk"].select(level=level).indices("y")[row])


def level_for(field: esker.Field, stride: int) -> int:
    """The coarsest level with a stride of at most `stride` along x and y."""
    levels = range(field.max_level + 1)
    return next(level for level in levels if max(field.select(level=level).stride[:2]) <= stride)


def thickness_norm(ds: esker.Dataset) -> Normalize:
    return Normalize(0, float(ds["thk"].read().max()))


def speed_norm(ds: esker.Dataset) -> LogNorm:
    return LogNorm(1, max(10.0, float(np.percentile(ds["velsurf_mag"].read(), 99.8))), clip=True)


def temperature_norm(ds: esker.Dataset) -> Normalize:
    values = ds["temp"].read(level=level_for(ds["temp"], COARSE_STRIDE))
    return Normalize(float(values.min()), float(values.max()))


def draw_map(axes: Axes, ds: esker.Dataset, name: str, stride: int, section: int, **options: Any) -> None:
    """A map of the ice (except where it is very thin) on shaded bedrock, with the line of the section."""
    level = level_for(ds[name], stride)
    plane = read_plane(ds[name], level=level)
    draw_bedrock(axes, read_plane(ds["topg"], level=level))
    ice_free = read_plane(ds["thk"], level=level).values < THINNEST_SHOWN_M
    plane.values[ice_free] = np.ma.masked
    draw(axes, plane, **options)
    y = ds[name].grid.coords["y"][section]
    axes.axhline(to_shown(plane.vertical, y), color="k", lw=0.8, ls=(0, (6, 4)))
    axes.set_title(title(plane), fontsize=10)


def draw_bedrock(axes: Axes, topg: Plane) -> None:
    shade = LightSource(azdeg=315, altdeg=45).hillshade(topg.values.filled(0), vert_exag=0.02)
    shown = np.ma.masked_where(topg.values < 0, shade)
    axes.set_facecolor(SEA)
    axes.pcolormesh(topg.horizontal.edges, topg.vertical.edges, shown, cmap=LAND, rasterized=True)


def draw_section(axes: Axes, ds: esker.Dataset, name: str, stride: int, section: int, **options: Any) -> None:
    """A section along x, with the layers on top of the bed; nothing is drawn above the ice."""
    plane = read_plane(ds[name], level=level_for(ds[name], stride), section=("y", section))
    row = ((0, section), (ds["thk"].shape[1], section + 1))
    columns = ds[name].select(level=plane.level).indices("x")
    thk, bed = (ds[field].read(box=row)[0][columns] for field in ("thk", "topg"))
    x, height = plane.horizontal, plane.vertical
    above_ice = (height.values[:, None] > thk) | (thk < THINNEST_SHOWN_M)
    # Each column of cells starts at its bed elevation. Odd columns are the gaps between two borders.
    borders, base = np.repeat(x.edges, 2)[1:-1], np.repeat(bed, 2)
    layers = np.maximum(height.edges, 0)[:, None] + base
    cells = np.ma.masked_all((len(height.values), len(borders) - 1))
    cells[:, ::2] = np.ma.masked_where(above_ice, plane.values)
    axes.set_facecolor(SEA)
    axes.pcolormesh(np.broadcast_to(borders, layers.shape), layers, cells, rasterized=True, **options)
    axes.fill_between(borders, base, base.min() - 300, color=ROCK, lw=0)
    axes.set(xlim=x.limits, ylim=(base.min() - 300, (bed + thk).max() + 300))
    axes.set(xlabel=x.label, ylabel=f"elevation [{height.units}]")
    axes.set_title(f"{title(plane)}, {plane.position}", fontsize=10)


def to_shown(axis: PlaneAxis, coordinate: float) -> float:
    return coordinate * 1e-3 if axis.units == "km" else coordinate


def title(plane: Plane) -> str:
    rows, columns = plane.values.shape
    size = f"{plane.nbytes / 1e3:.0f} kB" if plane.nbytes < 1e6 else f"{plane.nbytes / 1e6:.1f} MB"
    return (
        f"{plane.field.name}, level {plane.level} of {plane.field.max_level}\n"
        f"{columns} × {rows} = {rows * columns} samples, {size}"
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: demo_figure.py DATASET PNG")
    main(*sys.argv[1:])
