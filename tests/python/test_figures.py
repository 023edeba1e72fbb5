"""Figures of the demos: their axes and color bars have the limits of what they draw."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_compression_shows_speeds_and_errors_from_end_to_end() -> None:
    random = np.random.default_rng(1)
    written = 10.0 ** random.uniform(-21, 3.5, (30, 20))
    read = written + random.uniform(-0.02, 0.01, written.shape)
    figure = script("demo_compression").figure(read, written)
    speed, error = (axes.images[0] for axes in figure.axes[:2])
    assert speed.get_clim() == (1, written.max())
    most = np.abs(read - written).max()
    assert error.get_clim() == (-most, most)
    assert all("[m/year]" in axes.get_xlabel() for axes in figure.axes[2:])


@pytest.mark.parametrize("aggregators", [[0, 0], [0, 1, 2, 4], [3, 12]])
def test_views_give_automatic_aggregators_a_place(aggregators: list[int]) -> None:
    matplotlib = pytest.importorskip("matplotlib.figure")
    views = pytest.importorskip("esker.tune.characterize.views")
    rows = {
        "setting": np.array([f'{{"aggregators": {n}}}' if n else "{}" for n in aggregators]),
        "ranks": np.full(len(aggregators), 4),
        "data_bytes": np.full(len(aggregators), 1e9),
        "quiet_seconds": np.linspace(1, 2, len(aggregators)),
    }
    axes = matplotlib.Figure().subplots()
    views._draw_combined(axes, rows)
    labels = [tick.get_text() for tick in axes.get_xticklabels()]
    assert labels == ["auto" if n == 0 else str(n) for n in sorted(set(aggregators))]
    ticks, (least, most) = axes.get_xticks(), axes.get_xlim()
    assert all(0 < least <= tick <= most for tick in ticks)
