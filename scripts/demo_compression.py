"""The demo's table and picture of compression.

usage: demo_compression.py DATASET PNG

Writes the last step of a dataset of the ice-sheet miniapp again, compressed in several ways, into a temporary
directory. Prints how much each way stores, and the largest error of two fields as the files record it; checks the
errors against the samples. Draws a map of the error of surface speed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm, TwoSlopeNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

import esker

SPEED, TEMPERATURE = "velsurf_mag", "temp"
WAYS = ("none", "zip", "lz4", "zfp-reversible", "zfp-accuracy=0.001", "zfp-accuracy=0.1")
DRAWN = "zfp-accuracy=0.1"
SLOWEST_SHOWN = 1.0  # m/year: slower ice has the same color


def main(dataset_path: str, png_path: str) -> None:
    fields = last_step(esker.open(dataset_path))
    data_bytes = sum(samples.nbytes for samples in fields.values())
    with tempfile.TemporaryDirectory(dir=Path(png_path).parent) as directory:
        print(f"{'compression':20} {'stored/data':>11}   largest error of {SPEED}, {TEMPERATURE}")
        for way in WAYS:
            path = Path(directory) / f"{way}.idx"
            esker.write(path, fields, compression=way)
            ds = esker.open(path)
            errors = ", ".join(f"{checked_error(ds[name], fields[name]):.2g}" for name in (SPEED, TEMPERATURE))
            print(f"{way:20} {ds.storage().bytes / data_bytes:11.3f}   {errors}")
            if way == DRAWN:
                figure(ds[SPEED].read(), fields[SPEED]).savefig(png_path)


def last_step(ds: esker.Dataset) -> dict[str, NDArray[np.floating]]:
    """The samples of all fields, in float64, as models hold them."""
    return {name: field.read(step=-1).astype("f8") for name, field in ds.fields.items()}


def checked_error(field: esker.Field, samples: NDArray[np.floating]) -> float:
    """The recorded error, which is not smaller than the true one."""
    recorded = errors.largest if (errors := field.errors()) else 0.0
    true = float(np.abs(field.read() - samples).max())
    if true > recorded:
        sys.exit(f"{field.name}: the error is {true}, the file records {recorded}")
    return recorded


def figure(read: NDArray[np.floating], written: NDArray[np.floating]) -> Figure:
    fig = Figure(figsize=(10, 8), dpi=110, layout="constrained")
    axes = fig.subplots(1, 2)
    fastest = max(10 * SLOWEST_SHOWN, float(written.max()))
    moving = np.where(written > 0, written, np.nan)
    norm = LogNorm(SLOWEST_SHOWN, fastest, clip=True)
    speed = axes[0].imshow(moving, origin="lower", cmap="magma", norm=norm)
    fig.colorbar(speed, ax=axes[0], location="bottom", label="surface speed [m/year]", extend="min")
    error = read - written
    most = max(float(np.abs(error).max()), 1e-30)
    drawn = axes[1].imshow(error, origin="lower", cmap="RdBu", norm=TwoSlopeNorm(0, -most, most))
    fig.colorbar(drawn, ax=axes[1], location="bottom", label=f"error with {DRAWN} [m/year]")
    for axis in axes:
        axis.set_axis_off()
    fig.suptitle(f"No value is off by more than {most:.2g} m/year")
    return fig


if __name__ == "__main__":
    main(*sys.argv[1:])
