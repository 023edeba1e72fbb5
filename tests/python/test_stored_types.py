"""Booleans, half precision, texts and dates: all writers store or refuse them alike. Errors name field and shape."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker
import esker.xarray

MASK = np.arange(12).reshape(3, 4) % 3 == 0
REFUSED = ["f2", "c8", "U3", "S3", "M8[s]", "m8[s]", object]
Run = Callable[..., subprocess.CompletedProcess[str]]


def by_write(path: Path, values: Any) -> None:
    esker.write(path, {"v": values})


def by_write_in_pieces(path: Path, values: Any) -> None:
    esker.write(
        path, {"v": esker.Chunked(values.shape, values.dtype, lambda box: values[box[0][1] : box[1][1]])}
    )


def by_writer(path: Path, values: Any) -> None:
    with esker.Writer(path, dims={"x": 4, "y": 3}, report="none") as w:
        v = w.field("v", values.dtype)
        with w.step(0.0) as s:
            s.put(v, values[:2])
            s.put(v, values[2:], offset=(0, 2))


def by_xarray(path: Path, values: Any) -> None:
    xr.Dataset({"v": (("y", "x"), values)}).to_esker(path)


def by_xarray_in_chunks(path: Path, values: Any) -> None:
    pytest.importorskip("dask")
    xr.Dataset({"v": (("y", "x"), values)}).chunk({"y": 2}).to_esker(path)


WAYS = [by_write, by_write_in_pieces, by_writer, by_xarray, by_xarray_in_chunks]


@pytest.mark.parametrize("values", [MASK, MASK[::-1, ::-1], np.asfortranarray(MASK)])
@pytest.mark.parametrize("way", WAYS)
def test_booleans_are_int8_that_xarray_reads_as_booleans(tmp_path: Path, way: Any, values: Any) -> None:
    way(tmp_path / "run.idx", values)
    found = esker.open(tmp_path / "run.idx")["v"]
    assert (found.dtype, found.attrs["dtype"]) == (np.int8, "bool")
    assert np.array_equal(found.read(), values)
    with xr.open_dataset(tmp_path / "run.idx", engine="esker") as ds:
        assert ds["v"].dtype == bool and np.array_equal(ds["v"].squeeze(), values)


def test_booleans_of_files(esker_command: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "mask.npy", MASK)
    assert esker_command("convert", tmp_path / "mask.npy", tmp_path / "mask.nc").returncode == 0
    with xr.open_dataset(tmp_path / "mask.nc", engine="netcdf4") as ds:
        assert ds["mask"].dtype == bool and np.array_equal(ds["mask"].squeeze(), MASK)


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("way", [by_write, by_write_in_pieces, by_writer])
def test_other_types_are_refused_by_name(tmp_path: Path, way: Any, kind: Any) -> None:
    values = np.ones((3, 4)).astype("i8").astype(kind)
    with pytest.raises(ValueError, match=r"v'?: .* samples cannot be stored"):
        way(tmp_path / "run.idx", values)
    assert not list(tmp_path.iterdir())


def test_other_types_of_files_are_refused_by_name(esker_command: Run, tmp_path: Path) -> None:
    for kind in ("f2", "U3"):
        np.save(tmp_path / "v.npy", np.ones((3, 4)).astype(kind))
        done = esker_command("convert", tmp_path / "v.npy", tmp_path / "v.idx")
        assert done.returncode == 2 and "samples cannot be stored" in done.stderr


@pytest.mark.parametrize(
    ("attrs", "words"),
    [
        ({"v": {"parts": ["a", 1]}}, "field 'v': attribute 'parts': expected a text, .* found .*'a', 1"),
        ({"parts": ["a", 1]}, "the dataset: attribute 'parts'"),
        ({"v": {"wave": 1j}}, "field 'v': attribute 'wave'"),
        ({"v": {"none": None}}, "field 'v': attribute 'none'"),
    ],
)
def test_attributes_are_refused_by_name(tmp_path: Path, attrs: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        esker.write(tmp_path / "run.idx", {"v": np.zeros((3, 4))}, attrs=attrs)
    assert not list(tmp_path.iterdir())


def test_attributes_that_are_converted(tmp_path: Path) -> None:
    attrs = {
        "on": True,
        "flags": np.array([True, False]),
        "half": np.float16(0.5),
        "name": b"ice",
        "text": np.str_("a"),
    }
    esker.write(tmp_path / "run.idx", {"v": np.zeros((3, 4))}, attrs={"v": attrs})
    expected = {"on": 1, "flags": [1, 0], "half": 0.5, "name": "ice", "text": "a"}
    assert dict(esker.open(tmp_path / "run.idx")["v"].attrs) == expected


SHAPES: list[tuple[Callable[[esker.Step], None], type[Exception], str]] = [
    (
        lambda s: s.put("t", np.zeros((4, 5))),
        ValueError,
        r"put 't': expected an array with 3 axes.*\(3, 4, 5\).*\(4, 5\)",
    ),
    (
        lambda s: s.put("v", np.zeros((3, 4, 5, 3))),
        ValueError,
        r"put 'v': expected an array with 4 axes, the last of 2 components, .*\(3, 4, 5, 2\); found shape \(3, 4, 5, 3\)",
    ),
    (lambda s: s.put("v", np.zeros((3, 4, 5))), ValueError, r"put 'v': .*found shape \(3, 4, 5\)"),
    (
        lambda s: s.put("t", np.zeros((3, 4, 6))),
        IndexError,
        r"put 't': an array of shape \(3, 4, 6\) .* \(3, 4, 5\)",
    ),
    (
        lambda s: s.put("t", np.zeros((1, 1, 1)), (5, 0, 0)),
        IndexError,
        r"'t': .* at offset \(5, 0, 0\) \(x first\)",
    ),
    (lambda s: s.put("t", np.zeros((1, 1, 1)), (0, -1, 0)), IndexError, r"'t': .* at offset \(0, -1, 0\)"),
    (
        lambda s: s.put("t", np.zeros((1, 1, 1)), (0, 0)),
        ValueError,
        "'t': offset: expected 3 indices, x first, found 2",
    ),
]


@pytest.mark.parametrize(("put", "kind", "words"), SHAPES)
def test_errors_of_shapes(tmp_path: Path, put: Any, kind: type[Exception], words: str) -> None:
    with (
        pytest.raises(kind, match=words),
        esker.Writer(tmp_path / "run.idx", dims={"x": 5, "y": 4, "z": 3}, report="none") as w,
    ):
        w.field("t", "f8")
        w.field("v", "f8", components=2)
        with w.step(0.0) as s:
            put(s)


def test_errors_of_chunks_name_the_field(tmp_path: Path) -> None:
    wrong = esker.Chunked((3, 4), "f4", lambda box: np.zeros((2, 4), "f4"))
    with pytest.raises(ValueError, match=r"^v: expected float32 samples of shape \(3, 4\) .* shape \(2, 4\)"):
        esker.write(tmp_path / "run.idx", {"v": wrong})
    with pytest.raises(ValueError, match="coordinates 'x' of grid .*: 3 values, expected 4"):
        esker.write(tmp_path / "run.idx", {"v": np.zeros((3, 4))}, coords={"x": np.zeros(3)})
    assert not list(tmp_path.iterdir())
