"""The models of the literature, with the mean errors that it reports, and support vectors with radial functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from esker.tune.extras import needed

MOST_ROWS_OF_GAUSSIAN_PROCESS = 800
"""Its time grows with their cube: of more rows a random part is used."""


@dataclass(frozen=True)
class Model:
    """`literature`: mean error in % there; None: not in it. Inputs are scaled."""

    name: str
    literature: float | None
    make: Callable[[], Any]
    most_rows: int | None = None

    def pipeline(self) -> Any:
        """An untrained estimator: standardization and the model."""
        pipeline, preprocessing = needed("sklearn.pipeline"), needed("sklearn.preprocessing")
        return pipeline.Pipeline([("scale", preprocessing.StandardScaler()), ("model", self.make())])


def _linear(name: str, **arguments: Any) -> Callable[[], Any]:
    return lambda: getattr(needed("sklearn.linear_model"), name)(**arguments)


def _vectors(name: str, **arguments: Any) -> Callable[[], Any]:
    return lambda: getattr(needed("sklearn.svm"), name)(**arguments)


def _trees(name: str, **arguments: Any) -> Callable[[], Any]:
    return lambda: getattr(needed("sklearn.ensemble"), name)(random_state=0, **arguments)


def _decision_tree() -> Any:
    return needed("sklearn.tree").DecisionTreeRegressor(min_samples_leaf=3, random_state=0)


def _gaussian_process() -> Any:
    process = needed("sklearn.gaussian_process")
    kernels = process.kernels
    kernel = kernels.ConstantKernel(1.0) * kernels.RBF(5.0, (0.1, 1e3)) + kernels.WhiteKernel(
        0.1, (1e-4, 10.0)
    )
    return process.GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)


MODELS: tuple[Model, ...] = (
    Model("linear", 19.6, _linear("LinearRegression")),
    Model("ridge", 20.2, _linear("Ridge", alpha=1.0)),
    Model("lasso", 18.9, _linear("Lasso", alpha=0.01, max_iter=20000)),
    Model("LARS", 20.34, _linear("Lars", n_nonzero_coefs=12)),
    Model("elastic net", 21.68, _linear("ElasticNet", alpha=0.01, max_iter=20000)),
    Model("SGD", 16.7, _linear("SGDRegressor", alpha=1e-3, max_iter=5000, random_state=0)),
    Model("linear support vectors", 21.2, _vectors("LinearSVR", C=1.0, max_iter=20000, random_state=0)),
    Model("polynomial support vectors", 16.0, _vectors("SVR", kernel="poly", degree=2, coef0=1.0, C=1.0)),
    Model("RBF support vectors", None, _vectors("SVR", kernel="rbf", C=10.0)),
    Model("decision tree", 9.0, _decision_tree),
    Model("Gaussian process", 13.0, _gaussian_process, MOST_ROWS_OF_GAUSSIAN_PROCESS),
    Model("random forest", 8.2, _trees("RandomForestRegressor", n_estimators=100, min_samples_leaf=2)),
    Model(
        "gradient boosting",
        8.1,
        _trees("GradientBoostingRegressor", n_estimators=200, max_depth=4, learning_rate=0.05, subsample=0.8),
    ),
)
BY_NAME: Mapping[str, Model] = {model.name: model for model in MODELS}
