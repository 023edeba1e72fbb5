"""Trained models in files. skops reads them without running code of theirs; pickle would."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from esker.tune.characterize.table import Table
from esker.tune.extras import needed
from esker.tune.fit.evaluation import HYBRID, Predictor
from esker.tune.fit.features import PURE, matrix
from esker.tune.fit.models import BY_NAME
from esker.tune.fit.sound import is_sound

_FORMAT = 1
_MOST_BYTES = 1 << 30
_KERNELS = ("ConstantKernel", "Product", "RBF", "Sum", "WhiteKernel")
_TRUSTED = {"sklearn.tree._tree.Tree", *(f"sklearn.gaussian_process.kernels.{name}" for name in _KERNELS)}
"""Types that our models have, and that skops does not trust by itself. sound.py checks what compiled code relies on."""


@dataclass(frozen=True)
class Stored:
    """A trained estimator and where it is from. It predicts the logarithm to the base of 2 of `predicts`."""

    name: str
    predicts: str
    attributes: tuple[str, ...]
    machine_kind: str
    esker: str
    data: str
    """The fingerprint of the table that it was trained on."""
    estimator: Any

    def predict(self, x: np.ndarray) -> np.ndarray:
        """A row per row of x, whose columns are `attributes`."""
        return np.asarray(self.estimator.predict(x), np.float64)


def trained_on(table: Table) -> Iterator[Stored]:
    """All models and the hybrid, trained on all rows of a table."""
    predictor, data = Predictor(table), table.fingerprint()
    about = {
        "machine_kind": str(table.about["machine_kind"]),
        "esker": str(table.about["esker"]),
        "data": data,
    }
    rows = np.arange(len(table))
    for name in [*BY_NAME, HYBRID]:
        is_hybrid = name == HYBRID
        names = matrix(table, "with cost model" if is_hybrid else PURE)[1]
        predicts = "ratio of seconds to the cost model" if is_hybrid else "bytes per second"
        yield Stored(name, predicts, tuple(names), **about, estimator=predictor.trained(name, rows))


_TEXTS = ("name", "predicts", "machine_kind", "esker", "data")


def write(stored: Stored, path: Path) -> None:
    """Replaces the file when it is whole. Raises OSError, ModuleNotFoundError."""
    about = _about(stored)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        needed("skops.io").dump(
            {"esker_model": _FORMAT, "about": about, "estimator": stored.estimator}, temporary
        )
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _about(stored: Stored) -> dict[str, Any]:
    found = {key: getattr(stored, key) for key in _TEXTS}
    return {**found, "attributes": list(stored.attributes)}


def read(path: Path, machine_kind: str, esker: str) -> Stored:
    """Reads a model for this machine and version.

    Raises FileNotFoundError; ValueError for a file that is no such model, has types that a model has not, or is of
    another machine or version, which it names.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such model; `esker tune fit --models` writes it")
    stored = _parsed(_loaded(path), path)
    for what, expected, found in (
        ("machine", machine_kind, stored.machine_kind),
        ("version of Esker", esker, stored.esker),
    ):
        if expected != found:
            raise ValueError(
                f"{path}: a model of another {what}: expected {expected!r}, found {found!r}; "
                "measure and fit here: `esker tune characterize`, `esker tune fit`"
            )
    return stored


def _loaded(path: Path) -> Any:
    io = needed("skops.io")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > _MOST_BYTES:
            raise ValueError(f"{path}: expected at most {_MOST_BYTES} bytes, found {size} when unpacked")
        unknown = io.get_untrusted_types(file=path)
        if foreign := [kind for kind in unknown if kind not in _TRUSTED]:
            raise ValueError(
                f"{path}: has the type {foreign[0]}, which is no part of a model; it was not loaded"
            )
        return io.load(path, trusted=unknown)
    except ValueError:
        raise
    except Exception as error:  # of skops and what it calls: anything can be in the file
        raise ValueError(f"{path}: expected a model of `esker tune fit`: {error}") from error


def _parsed(found: Any, path: Path) -> Stored:
    if not isinstance(found, dict) or found.get("esker_model") != _FORMAT:
        raise ValueError(f"{path}: expected a model of `esker tune fit` in format {_FORMAT}")
    about, estimator = found.get("about"), found.get("estimator")
    if not isinstance(about, dict) or not all(isinstance(about.get(key), str) for key in _TEXTS):
        raise ValueError(f"{path}: expected the texts {', '.join(_TEXTS)}")
    attributes = about.get("attributes")
    if not isinstance(attributes, list) or not all(isinstance(name, str) for name in attributes):
        raise ValueError(f"{path}: expected the names of the attributes")
    pipeline = needed("sklearn.pipeline").Pipeline
    if not isinstance(estimator, pipeline) or getattr(estimator, "n_features_in_", 0) != len(attributes):
        raise ValueError(f"{path}: expected a trained pipeline for {len(attributes)} attributes")
    if not is_sound(estimator, len(attributes)):
        raise ValueError(
            f"{path}: expected a trained model of `esker tune fit`, found one that contradicts itself"
        )
    return Stored(**{key: about[key] for key in _TEXTS}, attributes=tuple(attributes), estimator=estimator)
