"""From few ranks to many, and from the microbenchmark to applications, with and without online updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from esker.tune.characterize.table import Table
from esker.tune.characterize.workloads import APPLICATIONS, MICROBENCHMARK
from esker.tune.fit.evaluation import COST_MODEL, HYBRID, SCALED, Predictor, errors
from esker.tune.fit.features import seconds_of
from esker.tune.fit.models import MODELS

REMEMBERED = 8
"""Observations that a correction is the mean of."""
CAUTION = 1.0
"""The correction after n observations is n / (n + CAUTION) of their mean."""


@dataclass(frozen=True)
class Split:
    """Positions of rows. `name`: such as "1-4 ranks to 8"."""

    name: str
    train: np.ndarray
    test: np.ndarray


def splits(table: Table) -> list[Split]:
    """Ranks: trained on all but the largest numbers (of simulated ones: on up to 8192 ranks), and microbenchmark to
    applications. Those whose rows the table lacks are left out."""
    ranks = table["ranks"]
    limit = 8192 if ranks.max() > 8192 else ranks[ranks < ranks.max()].max(initial=0)
    many = "-".join(f"{count:g}" for count in np.unique(ranks[ranks > limit])[[0, -1]])
    pairs = [(f"up to {limit:g} ranks, predict {_ends(many)}", ranks <= limit, ranks > limit)]
    workload = table["workload"]
    is_micro = np.isin(workload, MICROBENCHMARK)
    pairs += [(f"microbenchmark, predict {name}", is_micro, workload == name) for name in APPLICATIONS]
    listed = [Split(name, np.flatnonzero(train), np.flatnonzero(test)) for name, train, test in pairs]
    return [split for split in listed if len(split.train) >= 20 and len(split.test) >= 5]


def _ends(text: str) -> str:
    first, _, last = text.partition("-")
    return first if first == last else text


def updated(predicted: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Predictions with online updates: each is corrected by what the predictions before it missed. Rows in the order
    in which they are observed. Those of one run follow each other, so that an update knows how the same work, in the
    same minute, was missed: as in a run that tunes itself, and better than in the first step of a run.

    >>> updated(np.array([1.0, 1.0, 1.0]), np.array([2.0, 2.0, 2.0])).round(2).tolist()
    [1.0, 1.41, 1.59]
    """
    missed = np.log2(observed / predicted)
    corrected = np.empty_like(predicted)
    for place in range(len(predicted)):
        recent = missed[max(0, place - REMEMBERED) : place]
        share = len(recent) / (len(recent) + CAUTION)
        corrected[place] = predicted[place] * 2 ** (share * recent.mean() if len(recent) else 0.0)
    return corrected


def in_order(table: Table, rows: np.ndarray) -> np.ndarray:
    """The rows in the order in which they were observed: run by run."""
    return rows if "time" not in table.columns else rows[np.argsort(table["time"][rows], kind="stable")]


def compare(table: Table, split: Split) -> dict[str, Any]:
    """Errors of all models on a split. "best_pure" is the one with the smallest mean error on the test rows, which only
    a user with these rows could choose: the comparison favors it over the hybrid."""
    predictor = Predictor(table)
    test = in_order(table, split.test)
    observed = seconds_of(table)[test]
    found: dict[str, dict[str, Any]] = {}
    for name in [*(model.name for model in MODELS), COST_MODEL, SCALED, HYBRID]:
        predicted = predictor.seconds(name, split.train, test)
        found[name] = {
            "model": name,
            **errors(predicted, observed).facts(),
            "updated_mean": errors(updated(predicted, observed), observed).mean,
        }
    best = min((found[model.name] for model in MODELS), key=lambda row: row["mean"])
    return {
        "split": split.name,
        "train_rows": len(split.train),
        "test_rows": len(test),
        "best_pure": best["model"],
        "hybrid_wins": found[HYBRID]["mean"] < best["mean"],
        "models": list(found.values()),
    }
