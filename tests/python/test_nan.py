"""NaN in attributes, coordinates and times: equal to itself for diff, and a text in JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.files.comparison import compare

Run = Callable[..., subprocess.CompletedProcess[str]]
NAN = float("nan")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    esker.write(
        tmp_path / "run.idx",
        {"v": np.array([[1.0, np.nan], [3.0, np.inf]])},
        attrs={"range": [0.0, NAN], "v": {"missing_value": NAN, "limits": [-np.inf, NAN, 3.0]}},
        coords={"x": [0.0, NAN]},
    )
    return tmp_path / "run.idx"


def test_a_dataset_does_not_differ_from_itself(path: Path) -> None:
    ds = esker.open(path)
    found = compare(ds, ds)
    assert (found.structure, found.same) == ([], True)


@pytest.mark.parametrize(
    ("range_", "x", "told"),
    [([0.0, 1.0], [0.0, NAN], "attribute 'range'"), ([0.0], [0.0, NAN], "attribute 'range'"),
     ([0.0, NAN], [NAN, 0.0], "coordinates along 'x'")],
)  # fmt: skip
def test_nan_is_no_other_number(path: Path, tmp_path: Path, range_: Any, x: Any, told: str) -> None:
    values = esker.open(path)["v"].read()
    attrs = {"range": range_, "v": {"missing_value": NAN, "limits": [-np.inf, NAN, 3.0]}}
    esker.write(tmp_path / "other.idx", {"v": values}, attrs=attrs, coords={"x": x})
    found = compare(esker.open(path), esker.open(tmp_path / "other.idx"))
    assert len(found.structure) == 1 and told in found.structure[0]


def test_large_integers_are_not_rounded(tmp_path: Path) -> None:
    for name, value in (("a", 2**60), ("b", 2**60 + 1)):
        esker.write(tmp_path / f"{name}.idx", {"v": np.zeros((3, 4))}, attrs={"n": [1, value]})
    found = compare(esker.open(tmp_path / "a.idx"), esker.open(tmp_path / "b.idx"))
    assert len(found.structure) == 1


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def test_json(esker_command: Run, path: Path, tmp_path: Path) -> None:
    facts = json.loads(esker_command("info", path, "--json").stdout, parse_constant=no_constant)
    assert facts["attributes"]["range"] == [0, "NaN"]
    assert facts["grids"][0]["coords"]["x"] == {"first": 0, "last": "NaN"}
    assert facts["fields"][0]["attributes"] == {"missing_value": "NaN", "limits": ["-Infinity", "NaN", 3]}
    esker.write(tmp_path / "other.idx", {"v": np.zeros((2, 2))})
    done = esker_command("diff", path, tmp_path / "other.idx", "--json")
    found = json.loads(done.stdout, parse_constant=no_constant)
    assert found["fields"][0]["max_abs"] == "Infinity" and found["fields"][0]["first"][1]["a"] == "NaN"
