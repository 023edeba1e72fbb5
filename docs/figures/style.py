"""Colors, boxes and arrows that the figures share, and small PNG files."""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from PIL import Image

INK, QUIET, LINE = "#22313f", "#66757f", "#9fb0bc"
RANK_COLORS = ["#4c8fbd", "#e0903b", "#6aa66a", "#b06a9e"]
PALE, GOOD, BAD, DRAFT = "#eef3f6", "#dcefdc", "#f6dcd8", "#fbf0d5"
N_COLORS = 256


def canvas(width: float, height: float, extent: tuple[float, float]) -> tuple[Figure, Axes]:
    """A figure of this size in inches with one empty drawing area, (0, 0) to `extent`."""
    fig = Figure(figsize=(width, height), dpi=110)
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, extent[0]), ylim=(0, extent[1]))
    ax.axis("off")
    return fig, ax


def box(
    ax: Axes, x: float, y: float, w: float, h: float, text: str = "", color: str = PALE, size: float = 9,
    weight: str = "normal", style: str = "-"
) -> None:
    """A rounded box with its lower left corner at (x, y) and centered text."""
    corners = "round,pad=0,rounding_size=0.12"
    ax.add_patch(FancyBboxPatch((x, y), w, h, boxstyle=corners, fc=color, ec=LINE, lw=1, ls=style))
    ax.text(x + w / 2, y + h / 2, text, ha="center", va="center", size=size, color=INK, weight=weight,
            linespacing=1.35)


def arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], color: str = QUIET, lw: float = 1.2
) -> None:
    head = {"arrowstyle": "-|>", "mutation_scale": 10}
    ax.add_patch(FancyArrowPatch(start, end, color=color, lw=lw, shrinkA=0, shrinkB=0, **head))


def note(
    ax: Axes, x: float, y: float, text: str, size: float = 8, color: str = QUIET, **options: object
) -> None:
    options = {"ha": "center", "va": "center", **options}
    ax.text(x, y, text, size=size, color=color, linespacing=1.35, **options)


def save(fig: Figure, path: str) -> None:
    """A PNG of few colors: small enough for the repository, and the same bytes each time."""
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", metadata={"Software": None})
    image = Image.open(buffer).convert("RGB").quantize(N_COLORS, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
