"""Whether the arrays of a model that was loaded fit together: compiled code follows them without further checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from esker.tune.extras import needed


def is_sound(pipeline: Any, n_features: int) -> bool:
    """Whether a pipeline of models.py can predict rows of so many attributes. Anything may be in it."""
    try:
        preprocessing = needed("sklearn.preprocessing")
        scale, model = (step for _, step in pipeline.steps)
        if type(scale) is not preprocessing.StandardScaler or scale.scale_.shape != (n_features,):
            return False
        trees = list(_trees(model))
        vectors = [model] if type(model) is needed("sklearn.svm").SVR else []
        return all(_tree_is_sound(tree, n_features) for tree in trees) and all(
            _vectors_are_sound(one, n_features) for one in vectors
        )
    except (AttributeError, TypeError, ValueError, IndexError):
        return False


def _trees(model: Any) -> Iterator[Any]:
    if hasattr(model, "tree_"):
        yield model.tree_
    for part in np.ravel(getattr(model, "estimators_", [])):
        yield part.tree_


def _tree_is_sound(tree: Any, n_features: int) -> bool:
    """Children have larger numbers than their parent, and exist: each path ends."""
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    node = np.arange(tree.node_count)
    is_inner = left != -1
    children = (left > node) & (left < len(node)) & (right > node) & (right < len(node))
    is_known = (feature >= 0) & (feature < n_features)
    return len(node) > 0 and len(tree.value) == len(node) and bool((~is_inner | (children & is_known)).all())


def _vectors_are_sound(model: Any, n_features: int) -> bool:
    vectors, n = model.support_vectors_, len(model.support_)
    counted = int(np.sum(model.n_support_))
    return bool(vectors.shape == (n, n_features) and model.dual_coef_.shape == (1, n) and counted == n)
