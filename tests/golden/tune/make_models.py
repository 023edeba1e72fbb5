#!/usr/bin/env python3
"""Fits small tree models with scikit-learn and stores them with what they predict.

    tests/golden/tune/make_models.py > tests/golden/tune/models.json

Needs scikit-learn (models.json was made with 1.9.1). unit/tune/tree_model_test.cc compares src/tune with it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

ATTRIBUTES = ["ranks", "step_bytes", "ranks_per_aggregator", "transport=put"]


def samples(count: int, seed: int) -> np.ndarray:
    """Random steps. Their sizes need more digits than 32-bit reals have."""
    random = np.random.default_rng(seed)
    ranks = 2.0 ** random.integers(0, 12, count)
    step_bytes = np.floor(2.0 ** random.uniform(20, 45, count))
    per_aggregator = ranks / np.maximum(1, np.floor(ranks * random.uniform(0, 1, count)))
    return np.column_stack([ranks, step_bytes, per_aggregator, random.integers(0, 2, count)])


def tree_of(tree: Any) -> dict[str, list[Any]]:
    """The arrays of a fitted tree: leaves have attribute -1."""
    is_leaf = tree.children_left < 0
    return {
        "attribute": np.where(is_leaf, -1, tree.feature).tolist(),
        "threshold": np.where(is_leaf, 0.0, tree.threshold).tolist(),
        "left": np.where(is_leaf, 0, tree.children_left).tolist(),
        "right": np.where(is_leaf, 0, tree.children_right).tolist(),
        "value": tree.value[:, 0, 0].tolist(),
    }


def model_of(kind: str, trees: list[dict[str, list[Any]]], base: float, scale: float) -> dict[str, Any]:
    return {
        "esker_model": 1,
        "predicts": "log2_step_ratio",
        "kind": kind,
        "esker": "1.2.3",
        "machine": "golden",
        "data": "sha256:0",
        "attributes": ATTRIBUTES,
        "base": base,
        "scale": scale,
        "trees": trees,
    }


def main() -> int:
    x = samples(200, 1)
    y = np.sin(np.log2(x[:, 1])) + 0.2 * np.log2(x[:, 2]) - 0.1 * np.log2(x[:, 0]) * x[:, 3]
    tree = DecisionTreeRegressor(max_depth=5, random_state=1).fit(x, y)
    forest = RandomForestRegressor(n_estimators=7, max_depth=4, random_state=1).fit(x, y)
    boosted = GradientBoostingRegressor(n_estimators=9, learning_rate=0.3, random_state=1).fit(x, y)
    stages = [tree_of(stage.tree_) for stage in boosted.estimators_[:, 0]]
    fitted = [
        (tree, model_of("decision_tree", [tree_of(tree.tree_)], 0, 1)),
        (forest, model_of("random_forest", [tree_of(e.tree_) for e in forest.estimators_], 0, 1 / 7)),
        (boosted, model_of("gradient_boosting", stages, float(np.mean(y)), 0.3)),
    ]
    rows = samples(60, 2)
    # Values at thresholds, and next to them where 32-bit reals cannot tell.
    for estimator in (tree, forest.estimators_[0]):
        for feature, threshold in zip(estimator.tree_.feature, estimator.tree_.threshold):
            if feature < 0:
                continue
            after = np.nextafter(threshold, np.inf)
            for value in (threshold, after, np.floor(threshold), np.ceil(threshold)):
                row = rows[0].copy()
                row[feature] = value
                rows = np.vstack([rows, row])
    cases = [
        {"model": model, "values": rows.tolist(), "predictions": estimator.predict(rows).tolist()}
        for estimator, model in fitted
    ]
    json.dump({"cases": cases}, sys.stdout)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
