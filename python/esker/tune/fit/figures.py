"""Pictures of errors and of extrapolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from esker.tune.characterize.table import Table
from esker.tune.fit.evaluation import HYBRID, Predictor
from esker.tune.fit.extrapolation import Split, in_order, updated
from esker.tune.fit.features import seconds_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(table: Table, models: Sequence[dict[str, Any]], splits: Sequence[tuple[Split, str]]) -> Figure:
    """Errors of the models next to those of the literature, and for each split (with the name of its best pure model)
    what was predicted and observed, row by row."""
    from matplotlib.figure import Figure

    rows = 1 + len(splits)
    drawn = Figure(figsize=(10, 4.5 + 2.6 * len(splits)), layout="constrained")
    axes = drawn.subplots(rows, 1, height_ratios=(4.5, *[2.6] * len(splits)), squeeze=False)[:, 0]
    _draw_errors(axes[0], models)
    predictor = Predictor(table)
    for place, (split, best) in zip(axes[1:], splits):
        _draw_split(place, table, predictor, split, best)
    about = table.about
    drawn.suptitle(f"{about['kind']}: {about['machine_kind']}, {len(table)} rows")
    return drawn


def _draw_errors(axes: Any, models: Sequence[dict[str, Any]]) -> None:
    places = np.arange(len(models))
    axes.barh(places - 0.2, [row["mean"] for row in models], 0.4, label="here, mean")
    axes.plot([row["median"] for row in models], places - 0.2, "k|", label="here, median")
    literature = [(place, row["literature"]) for place, row in enumerate(models) if row["literature"]]
    axes.barh([p + 0.2 for p, _ in literature], [v for _, v in literature], 0.4, label="literature, mean")
    axes.set_yticks(places, [row["model"] for row in models])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("error in %, grouped cross-validation")
    axes.legend(frameon=False)


def _draw_split(axes: Any, table: Table, predictor: Predictor, split: Split, best: str) -> None:
    test = in_order(table, split.test)
    observed = seconds_of(table)[test]
    axes.plot(observed, "k.", markersize=4, label="observed")
    for name in (best, HYBRID):
        predicted = predictor.seconds(name, split.train, test)
        (line,) = axes.plot(predicted, linewidth=0.7, linestyle=":", label=name)
        axes.plot(
            updated(predicted, observed), linewidth=0.9, color=line.get_color(), label=f"{name}, with updates"
        )
    axes.set_yscale("log")
    axes.set_ylabel("s")
    axes.set_xlabel("observations, in their order")
    axes.set_title(split.name, fontsize=10)
    axes.legend(fontsize=7, frameon=False, ncols=3)
