"""The datasets that OpenVisus wrote: bit for bit at every query of the manifest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

GOLDEN = Path(__file__).parents[1] / "golden" / "openvisus"
DATASETS = json.loads((GOLDEN / "manifest.json").read_text())["datasets"]


def params(datasets: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("golden", datasets, ids=[dataset["name"] for dataset in datasets])


ALL = params(DATASETS)


def open_golden(golden: dict[str, Any]) -> esker.Dataset:
    return esker.open(GOLDEN / golden["idx"])


def sha256(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


@ALL
def test_full_arrays(golden: dict[str, Any]) -> None:
    ds = open_golden(golden)
    for row in golden["full"]:
        field = ds[row["field"]]
        array = field.read(step=golden["timesteps"].index(row["time"]))
        assert array.flags.c_contiguous and array.dtype == field.dtype
        assert list(array.shape) == row["shape"] == list(field.shape)
        assert array.ravel()[: len(row["first"])].tolist() == row["first"]
        assert array.ravel()[-1] == row["last"]
        assert sha256(array) == row["sha256"], row


@ALL
def test_queries(golden: dict[str, Any]) -> None:
    ds = open_golden(golden)
    for row in golden["queries"]:
        query = {
            "step": golden["timesteps"].index(row["time"]),
            "box": row["box"],
            "level": row["end_resolution"],
        }
        array = ds[row["field"]].read(**query)
        selection = ds[row["field"]].select(**query)
        assert array.shape == selection.shape
        if row.get("empty"):
            assert array.size == 0, row
        else:
            assert list(array.shape) == row["shape"], row
            assert list(selection.stride) == row["stride"], row
            assert list(selection.origin) == row["logic_box"][0], row
            assert sha256(array) == row["sha256"], row


@ALL
def test_header_facts(golden: dict[str, Any]) -> None:
    ds = open_golden(golden)
    assert list(ds.fields) == [entry["name"] for entry in golden["fields"]]
    assert len(ds.steps) == len(golden["timesteps"])
    for entry in golden["fields"]:
        field = ds[entry["name"]]
        assert field.dtype == np.dtype(entry["dtype"].partition("[")[0])
        assert field.components == entry["components"]
        assert [list(corner) for corner in field.box] == golden["box"]
        assert field.max_level == golden["max_resolution"]
        assert not field.fixed and len(field.steps) == len(ds.steps)
    (part,) = ds.parts
    assert (part.bitmask, part.bits_per_block) == (golden["bits"], golden["bitsperblock"])
    assert part.blocks_per_file == golden["blocksperfile"]
    files = [file for file in golden["files"] if not file["path"].endswith(".idx")]
    assert ds.storage() == esker.Storage(len(files), sum(file["bytes"] for file in files))
