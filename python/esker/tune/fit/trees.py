"""Tree models as JSON, for writers: what a setting does to the time of a step, relative to the default.

    {"esker_model": 1, "predicts": "log2_step_ratio", "kind": KIND, "esker": VERSION, "machine": MACHINE,
     "data": "sha256:...", "attributes": [NAMES], "base": B, "scale": S,
     "trees": [{"attribute": [...], "threshold": [...], "left": [...], "right": [...], "value": [...]}]}

The prediction is B + S * the sum of the values of the leaves: log2 of the seconds of a step with a setting over those
with the default. Arrays have an element per node; node 0 is the root, attribute -1 is a leaf, children have larger
numbers than their parent. A step goes left if float32(x[attribute]) <= threshold. docs/formats/tune_model.md lists the
attributes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from esker import _core
from esker.tune import json_file
from esker.tune.characterize.attributes import option_attributes
from esker.tune.characterize.table import Table
from esker.tune.extras import needed
from esker.tune.fit.evaluation import folds

FORMAT = 1
PREDICTS = "log2_step_ratio"
KINDS = ("decision_tree", "random_forest", "gradient_boosting")
_ARRAYS = ("attribute", "threshold", "left", "right", "value")
LEARNED = 0.95
"""Of the error of predicting that nothing changes: a model with more is not installed."""
FACTS = ("ranks", "fields", "step_bytes", "bytes_per_rank")


@dataclass(frozen=True)
class Trees:
    """A model; `trees` as in the file, as arrays."""

    kind: str
    esker: str
    machine: str
    data: str
    attributes: tuple[str, ...]
    base: float
    scale: float
    trees: tuple[Mapping[str, np.ndarray], ...]

    def predict(self, given: Mapping[str, float]) -> float:
        """log2 of the ratio; an attribute that is not given is 0."""
        x = np.array([given.get(name, 0.0) for name in self.attributes], np.float32)
        return self.base + self.scale * sum(_leaf(tree, x) for tree in self.trees)

    def has(self, name: str) -> bool:
        """Whether the model knows an attribute."""
        return name in self.attributes


def _leaf(tree: Mapping[str, np.ndarray], x: np.ndarray) -> float:
    node = 0
    while (attribute := tree["attribute"][node]) >= 0:
        node = tree["left" if x[attribute] <= tree["threshold"][node] else "right"][node]
    return float(tree["value"][node])


def attributes_of(
    ranks: int, fields: int, step_bytes: float, aggregators: float, setting: Mapping[str, str]
) -> dict[str, float]:
    """The attributes of a step that is written with a setting. Sizes in bytes, not logarithms. `aggregators`: those in
    effect where Esker chooses them."""
    facts = (ranks, fields, step_bytes, step_bytes / ranks)
    return {**dict(zip(FACTS, map(float, facts))), **option_attributes(setting, ranks, aggregators)}


def matrix(table: Table) -> tuple[np.ndarray, list[str]]:
    """A row per row of the table, a column per attribute, with their names."""
    formats = [{} if format == "idx" else {"format": str(format)} for format in table["format"]]
    numbers = np.stack(
        [table[name] for name in ("ranks", "fields", "data_bytes", "aggregators")], axis=1
    ).tolist()
    rows = [
        attributes_of(int(ranks), int(fields), size, aggregators, {**setting, **format})
        for (ranks, fields, size, aggregators), setting, format in zip(numbers, table.settings(), formats)
    ]
    names = sorted({name for row in rows for name in row})
    return np.array([[row.get(name, 0.0) for name in names] for row in rows], np.float32), names


def estimators() -> dict[str, Any]:
    """Untrained, by kind. A writer reads at most 200,000 nodes."""
    ensemble, tree = needed("sklearn.ensemble"), needed("sklearn.tree")
    return {
        "decision_tree": tree.DecisionTreeRegressor(min_samples_leaf=8, max_leaf_nodes=1000, random_state=0),
        "random_forest": ensemble.RandomForestRegressor(
            n_estimators=50, min_samples_leaf=4, max_leaf_nodes=1000, max_features=0.5, random_state=0
        ),
        "gradient_boosting": ensemble.GradientBoostingRegressor(
            n_estimators=100, max_depth=3, learning_rate=0.05, subsample=0.8, random_state=0
        ),
    }


def log_ratios(table: Table) -> np.ndarray:
    """log2 of seconds with a setting over seconds with the default, of steps from the same run."""
    columns = table.columns
    if "best_seconds" in columns:
        return np.log2(columns["best_seconds"] / columns["default_best_seconds"])
    return np.log2(columns["ratio"])


def cross_validated(table: Table) -> dict[str, float]:
    """Root mean square error of log2 of the ratio, by kind, for workloads that were not trained on; "default": of the
    prediction that nothing changes."""
    x, _ = matrix(table)
    y = log_ratios(table)
    found = {"default": float(np.sqrt((y**2).mean()))}
    for kind, estimator in estimators().items():
        missed = np.concatenate(
            [y[test] - estimator.fit(x[train], y[train]).predict(x[test]) for train, test in folds(table)]
        )
        found[kind] = float(np.sqrt((missed**2).mean()))
    return found


def has_learned(ratios: Mapping[str, float], kind: str) -> bool:
    """Whether a kind of model, by its cross-validated error, predicts ratios better than that nothing changes."""
    return ratios[kind] < LEARNED * ratios["default"]


def fitted(table: Table, kind: str) -> Trees:
    """A model of all rows of a table of one machine. Raises ValueError for one of several machines."""
    machine = str(table.about["machine_kind"])
    if set(table["machine_kind"]) != {machine}:
        raise ValueError(
            f"expected measurements of one machine, found {', '.join(sorted(set(table['machine_kind'])))}"
        )
    x, names = matrix(table)
    return of_estimator(estimators()[kind].fit(x, log_ratios(table)), kind, names, table)


def of_estimator(estimator: Any, kind: str, names: Sequence[str], table: Table) -> Trees:
    """The trees of an estimator of scikit-learn that was trained on a table: for the machine and the version of Esker
    that were measured."""
    base, scale, parts = 0.0, 1.0, [estimator]
    if kind == "random_forest":
        parts = list(estimator.estimators_)
        scale = 1.0 / len(parts)
    elif kind == "gradient_boosting":
        parts = list(estimator.estimators_[:, 0])
        base, scale = float(np.ravel(estimator.init_.constant_)[0]), float(estimator.learning_rate)
    trees = tuple(_arrays(part.tree_) for part in parts)
    version, machine = str(table.about["esker"]), str(table.about["machine_kind"])
    return Trees(kind, version, machine, table.fingerprint(), tuple(names), base, scale, trees)


def _arrays(tree: Any) -> dict[str, np.ndarray]:
    is_leaf = tree.children_left < 0
    return {
        "attribute": np.where(is_leaf, -1, tree.feature),
        "threshold": np.where(is_leaf, 0.0, tree.threshold),
        "left": np.where(is_leaf, 0, tree.children_left),
        "right": np.where(is_leaf, 0, tree.children_right),
        "value": np.where(is_leaf, tree.value[:, 0, 0], 0.0),
    }


def to_json(model: Trees) -> str:
    """The text of a file."""
    made = {
        "esker_model": FORMAT,
        "predicts": PREDICTS,
        "kind": model.kind,
        "esker": model.esker,
        "machine": model.machine,
        "data": model.data,
        "attributes": list(model.attributes),
        "base": model.base,
        "scale": model.scale,
        "trees": [{name: tree[name].tolist() for name in _ARRAYS} for tree in model.trees],
    }
    return json.dumps(made, separators=(",", ":")) + "\n"


def write(model: Trees, path: Path) -> None:
    """Creates directories as needed, and replaces the file when it is whole. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        temporary.write_text(to_json(model), encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def installed_path() -> Path:
    """Where writers look: esker/tune_model.json in $XDG_CACHE_HOME, else in ~/.cache. Raises FileNotFoundError."""
    if not (path := _core.tune_model_path()):
        raise FileNotFoundError("no cache directory: neither XDG_CACHE_HOME nor HOME is an absolute path")
    return Path(path)


def read(path: Path, machine: str, version: str) -> Trees:
    """Reads a model for a machine and a version. Raises OSError; ValueError, which names what is wrong."""
    found = json_file.read(path, "JSON")
    try:
        model = _parsed(found)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    for what, expected, given in (
        ("machine", machine, model.machine),
        ("version of Esker", version, model.esker),
    ):
        if expected != given:
            raise ValueError(f"{path}: a model of another {what}: expected {expected!r}, found {given!r}")
    return model


def _parsed(found: Any) -> Trees:
    if not isinstance(found, dict) or found.get("esker_model") != FORMAT or found.get("predicts") != PREDICTS:
        raise ValueError(f"expected esker_model {FORMAT} that predicts {PREDICTS}")
    texts = [found.get(key) for key in ("kind", "esker", "machine", "data")]
    names, numbers = found.get("attributes"), [found.get(key) for key in ("base", "scale")]
    if not all(isinstance(text, str) for text in texts) or texts[0] not in KINDS:
        raise ValueError(f"expected texts kind ({', '.join(KINDS)}), esker, machine, data")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError("expected the names of attributes")
    if not all(_is_finite(number) for number in numbers):
        raise ValueError("expected finite numbers base and scale")
    trees = found.get("trees")
    if not isinstance(trees, list) or not trees:
        raise ValueError("expected trees")
    checked = tuple(_tree(tree, len(names), place) for place, tree in enumerate(trees))
    kind, version, machine, data = map(str, texts)
    return Trees(
        kind, version, machine, data, tuple(names), float(found["base"]), float(found["scale"]), checked
    )


def _is_finite(number: Any) -> bool:
    """Whether it is a number of float64; whole numbers of JSON can be larger."""
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return is_number and abs(number) <= sys.float_info.max


def _tree(given: Any, n_attributes: int, place: int) -> dict[str, np.ndarray]:
    """Checks that each path ends at a leaf: children have larger numbers than their parent, and exist."""
    what = f"tree {place}"
    if not isinstance(given, dict) or not all(isinstance(given.get(name), list) for name in _ARRAYS):
        raise ValueError(f"{what}: expected arrays {', '.join(_ARRAYS)}")
    n_nodes = len(given["attribute"])
    if n_nodes == 0 or any(len(given[name]) != n_nodes for name in _ARRAYS):
        raise ValueError(f"{what}: expected arrays of the same size, at least 1")
    if not all(_is_finite(number) for name in _ARRAYS for number in given[name]):
        raise ValueError(f"{what}: expected finite numbers")
    for name in ("attribute", "left", "right"):
        if not all(isinstance(number, int) and abs(number) < 1 << 63 for number in given[name]):
            raise ValueError(f"{what}: expected whole numbers of 64 bits in {name}")
    for node, attribute in enumerate(given["attribute"]):
        if not -1 <= attribute < n_attributes:
            raise ValueError(
                f"{what}: node {node}: expected an attribute from -1 to {n_attributes - 1}, found {attribute}"
            )
        children = (given["left"][node], given["right"][node])
        if attribute >= 0 and not all(node < child < n_nodes for child in children):
            raise ValueError(
                f"{what}: node {node}: expected children from {node + 1} to {n_nodes - 1}, found {children}"
            )
    kinds = {"attribute": np.int64, "left": np.int64, "right": np.int64}
    return {name: np.array(given[name], kinds.get(name, np.float64)) for name in _ARRAYS}
