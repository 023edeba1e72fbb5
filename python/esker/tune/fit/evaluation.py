"""Errors of models by grouped cross-validation: all rows of a workload of one size are in the same fold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from esker.tune.characterize.table import Table
from esker.tune.extras import needed
from esker.tune.fit.features import PURE, SETS, matrix, seconds_of
from esker.tune.fit.models import BY_NAME, MODELS, Model

FOLDS = 5
MOST_BEYOND = 16
COST_MODEL = "cost model"
SCALED = "cost model, scaled"
HYBRID = "hybrid"
ABLATED = ("linear", "random forest", "gradient boosting")
RESIDUAL_MODEL = "random forest"
"""Of the hybrid: it predicts the residual of the cost model, whose prediction is one of its attributes."""


@dataclass(frozen=True)
class Errors:
    """Of predictions, in % of what was observed."""

    mean: float
    median: float
    rows: int

    def facts(self) -> dict[str, float]:
        return asdict(self)


def errors(predicted: np.ndarray, observed: np.ndarray) -> Errors:
    """Both in seconds."""
    relative = 100 * np.abs(predicted / observed - 1)
    return Errors(float(relative.mean()), float(np.median(relative)), len(relative))


@dataclass(frozen=True)
class Noise:
    """By how many % the fastest step of the default differs from that of itself in the same run: root mean square of
    logarithms. `rows`: of how many comparisons, in how many `groups` of workloads."""

    percent: float
    rows: int
    groups: int


def noise(table: Table) -> Noise | None:
    """None if the default was not compared with itself."""
    if "best_seconds" not in table.columns:
        return None
    is_default = np.array([text == "{}" for text in table["setting"]], bool) & (table["is_default"] == 0)
    logs = np.log(table["best_seconds"] / table["default_best_seconds"])[is_default]
    if not len(logs):
        return None
    percent = float(100 * np.expm1(np.sqrt((logs**2).mean())))
    return Noise(percent, len(logs), len(set(table["group"][is_default])))


def spread(table: Table) -> float | None:
    """The largest over the smallest ratio to the default in the repetitions of a measurement, as the median of all
    measurements; None if that was not measured."""
    if "ratio_high" not in table.columns:
        return None
    chosen = table["is_default"] == 0
    return float(np.median((table["ratio_high"] / table["ratio_low"])[chosen])) if chosen.any() else None


def trained(model: Model, x: np.ndarray, y: np.ndarray) -> Any:
    """The model, trained on the rows of x; of too many rows on a part of them."""
    if model.most_rows and len(x) > model.most_rows:
        chosen = np.random.default_rng(0).permutation(len(x))[: model.most_rows]
        x, y = x[chosen], y[chosen]
    estimator = model.pipeline()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that has not converged is one with a larger error
        estimator.fit(x, y)
    return estimator


class Predictor:
    """Trains on some rows of a table, and predicts seconds of others. Models learn log2 of the throughput. Predictions
    that exceed the throughputs that they were trained on by more than MOST_BEYOND are limited."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._log_seconds = np.log2(seconds_of(table))
        self._log_bytes = np.log2(table["data_bytes"])
        self._rates = self._log_bytes - self._log_seconds
        self._log_model = np.log2(table["model_s"])
        self._matrices = {which: matrix(table, which)[0] for which in SETS}

    def trained(self, name: str, train: np.ndarray, which: str = PURE) -> Any:
        """A model, or HYBRID. It predicts log2 of bytes per second; the hybrid that of the ratio to the cost model."""
        if name == HYBRID:
            residual = self._log_seconds - self._log_model
            return trained(BY_NAME[RESIDUAL_MODEL], self._matrices["with cost model"][train], residual[train])
        return trained(BY_NAME[name], self._matrices[which][train], self._rates[train])

    def seconds(self, name: str, train: np.ndarray, test: np.ndarray, which: str = PURE) -> np.ndarray:
        """Of the rows `test`, by a model that is trained on the rows `train`; positions of rows. Names: of MODELS,
        COST_MODEL, SCALED, HYBRID."""
        if name == COST_MODEL:
            return self._table["model_s"][test]
        residual = self._log_seconds - self._log_model
        if name == SCALED:
            return 2 ** (self._log_model[test] + np.median(residual[train]))
        if name == HYBRID:
            missed = self.trained(name, train).predict(self._matrices["with cost model"][test])
            return 2 ** (self._log_model[test] + missed)
        beyond = np.log2(MOST_BEYOND)
        limits = self._rates[train].min() - beyond, self._rates[train].max() + beyond
        rates = self.trained(name, train, which).predict(self._matrices[which][test])
        return 2 ** (self._log_bytes[test] - np.clip(rates, *limits))


def folds(table: Table) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions of training and test rows. Raises ValueError if there are fewer workloads than folds."""
    groups = table["group"]
    if (found := len(set(groups))) < FOLDS:
        raise ValueError(f"expected measurements of at least {FOLDS} workloads or sizes, found {found}")
    splitter = needed("sklearn.model_selection").GroupKFold(FOLDS)
    return list(splitter.split(np.zeros(len(table)), groups=groups))


def cross_validated(
    table: Table, name: str, predictor: Predictor | None = None, which: str = PURE
) -> np.ndarray:
    """Seconds of each row, predicted by a model that has not seen its workload."""
    used = predictor or Predictor(table)
    predicted = np.empty(len(table))
    for train, test in folds(table):
        predicted[test] = used.seconds(name, train, test, which)
    return predicted


def table_of_models(table: Table) -> Iterator[dict[str, Any]]:
    """A row for each model: its errors, and its mean error in the literature; then the cost model and the hybrid."""
    predictor = Predictor(table)
    names = [*(model.name for model in MODELS), COST_MODEL, SCALED, HYBRID]
    for name in names:
        found = errors(cross_validated(table, name, predictor), seconds_of(table))
        literature = BY_NAME[name].literature if name in BY_NAME else None
        yield {"model": name, "literature": literature, **found.facts()}


def ablation(table: Table) -> Iterator[dict[str, Any]]:
    """Errors of some models with each set of attributes."""
    predictor = Predictor(table)
    for which in SETS:
        for name in ABLATED:
            found = errors(cross_validated(table, name, predictor, which), seconds_of(table))
            yield {"attributes": which, "model": name, **found.facts()}
