"""The picture of the README: surface speed of Greenland's ice at three levels of one dataset, and a section.

usage: greenland.py DATASET PNG         the dataset is what `make demo` writes, demo/greenland
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

import esker
from style import save

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import demo_figure as demo

STRIDES = (16, 4, 1)


def main(dataset: str, png: str) -> None:
    ds = esker.open(dataset)
    speed, temperature = demo.speed_norm(ds), demo.temperature_norm(ds)
    row = demo.section_index(ds)
    fig = Figure(figsize=(11, 5.1), dpi=100, layout="constrained")
    axes = fig.subplots(1, 4, width_ratios=[1, 1, 1, 1.75])
    for ax, stride in zip(axes, STRIDES):
        demo.draw_map(ax, ds, "velsurf_mag", stride, row, cmap="magma", norm=speed)
        field = ds["velsurf_mag"]
        level = demo.level_for(field, stride)
        answer = field.select(level=level)
        rows, columns = answer.shape
        samples = f"{columns} × {rows} samples, {size(4 * columns * rows)}"
        ax.set_title(f"level {level} of {field.max_level}\n{samples}", fontsize=9)
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    demo.draw_section(axes[3], ds, "temp", 1, row, cmap="RdYlBu_r", norm=temperature)
    axes[3].set_title("temperature along the dashed line", fontsize=9)
    axes[3].tick_params(labelsize=8)
    fig.colorbar(ScalarMappable(speed, "magma"), ax=axes[:3], location="bottom", aspect=50, pad=0.02,
                 label="speed of the ice surface [m/a]")
    fig.colorbar(ScalarMappable(temperature, "RdYlBu_r"), ax=axes[3], location="bottom", aspect=30, pad=0.02,
                 label="temperature [K]")
    save(fig, png)


def size(n_bytes: int) -> str:
    return f"{n_bytes / 1e3:.1f} kB" if n_bytes < 1e4 else f"{n_bytes / 1e3:.0f} kB"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: greenland.py DATASET PNG")
    main(*sys.argv[1:])
