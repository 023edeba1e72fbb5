"""Whether a model that was loaded can be used without a crash: it is one of ours, and its arrays fit together, which
compiled code follows without further checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from esker.tune.extras import needed
from esker.tune.fit.models import MODELS


def is_sound(pipeline: Any, n_features: int) -> bool:
    """Whether a pipeline of models.py can predict rows of so many attributes. Anything may be in it."""
    try:
        preprocessing = needed("sklearn.preprocessing")
        scale, model = (step for _, step in pipeline.steps)
        if type(scale) is not preprocessing.StandardScaler or scale.scale_.shape != (n_features,):
            return False
        if type(model) not in {type(known.make()) for known in MODELS}:
            return False
        check = _CHECKS.get(type(model).__name__)
        return check is None or check(model, n_features)
    except (AttributeError, TypeError, ValueError, IndexError):
        return False


def _tree_is_sound(model: Any, n_features: int) -> bool:
    """Children have larger numbers than their parent, and exist: each path ends."""
    module = needed("sklearn.tree")
    if type(model) is not module.DecisionTreeRegressor or type(model.tree_) is not module._tree.Tree:
        return False
    tree = model.tree_
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    node = np.arange(tree.node_count)
    is_inner = left != -1
    children = (left > node) & (left < len(node)) & (right > node) & (right < len(node))
    is_known = (feature >= 0) & (feature < n_features)
    fits = len(node) > 0 and tree.value.shape == (len(node), 1, 1)
    return fits and bool((~is_inner | (children & is_known)).all())


def _forest_is_sound(model: Any, n_features: int) -> bool:
    return all(_tree_is_sound(part, n_features) for part in model.estimators_)


def _boosting_is_sound(model: Any, n_features: int) -> bool:
    """Compiled code adds a column of trees to each column of the first predictions: one per row."""
    parts, first = model.estimators_, model.init_
    return (
        parts.ndim == 2
        and parts.shape[1] == 1
        and type(first) is needed("sklearn.dummy").DummyRegressor
        and first.n_outputs_ == 1
        and all(_tree_is_sound(part, n_features) for part in parts[:, 0])
    )


def _vectors_are_sound(model: Any, n_features: int) -> bool:
    """Sizes of libsvm's arrays follow from the number of vectors, and those of a kernel from its kind."""
    n = len(model.support_)
    return bool(
        model.kernel in ("rbf", "poly")
        and model._impl == "epsilon_svr"
        and model._sparse is False
        and model.support_vectors_.shape == (n, n_features)
        and model.dual_coef_.shape == model._dual_coef_.shape == (1, n)
        and model._n_support.shape == (2,)
        and model._n_support[0] == n
        and model.intercept_.shape == model._intercept_.shape == (1,)
    )


_CHECKS = {
    "DecisionTreeRegressor": _tree_is_sound,
    "RandomForestRegressor": _forest_is_sound,
    "GradientBoostingRegressor": _boosting_is_sound,
    "SVR": _vectors_are_sound,
}
"""Of the kinds that compiled code predicts. The others are sums and products of arrays, which check their shapes."""
