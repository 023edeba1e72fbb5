"""read(out=): samples in arrays that the caller brings; the same as without them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu_double import DIMS, SHAPE, backwards, inside, ramp, transposed
from http_files import serve

import esker

FORMATS = ["run.idx", "run.nc", "run.nc4", "run.zarr"]


def by_components(array: np.ndarray) -> np.ndarray:
    """Component after component, each dense."""
    if array.ndim == len(SHAPE):
        return array.copy()
    memory = np.moveaxis(array, -1, 0).copy()
    return np.moveaxis(memory, 0, -1)


def every_second(array: np.ndarray) -> np.ndarray:
    around = np.full([2 * n for n in array.shape], 99, array.dtype)
    chosen = around[tuple(slice(None, None, 2) for _ in array.shape)]
    chosen[...] = array
    return chosen


def between_other_members(array: np.ndarray) -> np.ndarray:
    """A member of a structure: 3 bytes are in front of each sample, so that strides are no multiples of its size."""
    chosen = np.zeros(array.shape, np.dtype([("before", "u1", 3), ("value", array.dtype)]))["value"]
    chosen[...] = array
    return chosen


LAYOUTS = [np.array, inside, transposed, backwards, by_components, every_second, between_other_members]


@pytest.fixture(params=FORMATS)
def ds(request: pytest.FixtureRequest, tmp_path: Path) -> esker.Dataset:
    path = tmp_path / request.param
    with esker.Writer(path, dims=DIMS, report="none") as w:
        for name, dtype in {"a": "f4", "b": "i2", "c": "f8"}.items():
            w.field(name, dtype)
        w.field("v", "f4", components=3)
        with w.step(0) as s:
            for name, dtype in {"a": "f4", "b": "i2", "c": "f8"}.items():
                s.put(name, ramp(dtype))
            s.put("v", ramp("f4", (*SHAPE, 3)))
    return esker.open(path)


QUERIES: dict[str, dict[str, Any]] = {
    "whole": {},
    "box": {"box": ((1, 2, 0), (6, 5, 2))},
    "level": {"level": 3},
    "stride": {"stride": (3, 2, 2)},
    "empty": {"box": ((1, 1, 1), (1, 4, 2))},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_of_any_strides(ds: esker.Dataset, layout: Callable[[np.ndarray], np.ndarray]) -> None:
    for name in ds:
        for query in QUERIES.values():
            expected = ds[name].read(**query)
            out = layout(np.zeros_like(expected))
            assert ds[name].read(**query, out=out) is out
            np.testing.assert_array_equal(out, expected)
            if layout in (inside, every_second):  # nothing else has changed
                np.testing.assert_array_equal(out.base, layout(expected).base)


def test_parts_of_an_array_are_filled(ds: esker.Dataset) -> None:
    out = np.empty((2, *SHAPE), "f4")
    for part in out:
        ds["a"].read(out=part)
    np.testing.assert_array_equal(out, [ramp(), ramp()])


def test_a_memory_map_is_filled(ds: esker.Dataset, tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "samples", "f4", "w+", shape=SHAPE)
    ds["a"].read(out=mapped)
    mapped.flush()
    np.testing.assert_array_equal(np.fromfile(tmp_path / "samples", "f4").reshape(SHAPE), ramp())


class Tensor:
    """An array of the host of another package, as PyTorch's: DLPack, and no buffer."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, **more: Any) -> Any:
        assert stream is None
        return self.array.__dlpack__(max_version=max_version, **more)


class OldTensor(Tensor):
    """The same before DLPack 1.0, or of JAX: it does not say whether its memory may be changed."""

    def __dlpack__(self, *, stream: Any = None) -> Any:  # type: ignore[override]
        return self.array.__dlpack__()


@pytest.mark.parametrize("kind", [Tensor, OldTensor])
def test_arrays_by_dlpack_on_the_host(tmp_path: Path, kind: type[Tensor]) -> None:
    values = ramp()
    with esker.Writer(tmp_path / "run.idx", dims=DIMS) as w:
        w.field("a", "f4")
        with w.step(0) as s:
            s.put("a", kind(inside(values)))
    field = esker.open(tmp_path / "run.idx")["a"]
    np.testing.assert_array_equal(field.read(), values)
    out = kind(transposed(np.zeros_like(values)))
    if kind is OldTensor:
        with pytest.raises(ValueError, match="read-only"):
            field.read(out=out)
        return
    assert field.read(out=out) is out
    np.testing.assert_array_equal(out.array, values)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "shape": (
        lambda: np.empty((3, 7, 5), "f4"),
        ValueError,
        r"float32 of shape \(3, 5, 7\), found .*\(3, 7, 5\)",
    ),
    "axes": (lambda: np.empty((1, *SHAPE), "f4"), ValueError, r"shape \(3, 5, 7\), found .*\(1, 3, 5, 7\)"),
    "dtype": (lambda: np.empty(SHAPE, "f8"), ValueError, "expected float32 .*found float64"),
    "order of bytes": (lambda: np.empty(SHAPE, ">f4"), ValueError, "expected float32 .*>f4 .not in native"),
    "read-only": (lambda: read_only(np.empty(SHAPE, "f4")), ValueError, "found a read-only one"),
    "read-only by DLPack": (
        lambda: Tensor(read_only(np.empty(SHAPE, "f4"))),
        ValueError,
        "found a read-only one",
    ),
    "broadcast": (lambda: np.broadcast_to(np.float32(0), SHAPE), ValueError, "found a read-only one"),
    "masked": (lambda: np.ma.zeros(SHAPE, "f4"), TypeError, "found MaskedArray"),
    "list": (lambda: np.zeros(SHAPE).tolist(), TypeError, "expected a plain numpy.ndarray, .* found list"),
    "text": (lambda: "f4", TypeError, "found str"),
    "overlap": (
        lambda: np.lib.stride_tricks.as_strided(np.zeros(60, "f4"), SHAPE, (16, 8, 4)),
        ValueError,
        "share memory",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arrays_are_refused(tmp_path: Path, wrong: str) -> None:
    esker.write(tmp_path / "run.idx", {"a": ramp()})
    make, exception, words = WRONG[wrong]
    cost = esker.ReadStatistics()
    with pytest.raises(exception, match=words) as caught:
        esker.open(tmp_path / "run.idx")["a"].read(out=make(), statistics=cost)
    assert "'a'" in str(caught.value) and cost.reads == 0


def test_the_type_is_that_of_the_samples(ds: esker.Dataset) -> None:
    with pytest.raises(ValueError, match="expected int16 .*found bool"):
        ds["b"].read(out=np.empty(SHAPE, bool))
    with pytest.raises(IndexError):
        ds["a"].read(step=3, out=np.empty(SHAPE, "f4"))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("missing", ["fill", "nearest", "linear", "nan"])
def test_samples_that_are_not_stored(
    tmp_path: Path, missing: str, layout: Callable[[np.ndarray], np.ndarray]
) -> None:
    with esker.Writer(tmp_path / "run.idx", dims=DIMS, bits_per_block=2, report="none") as w:
        w.field("a", "f4")
        w.field("v", "f4", components=2)
        with w.step(0) as s:
            s.put("a", ramp())
            s.put("v", ramp("f4", (*SHAPE, 2)))
            s.keep(level=-3)
            s.keep(boxes=[((0, 0, 0), (4, 3, 3))])
    ds = esker.open(tmp_path / "run.idx")
    for name in ds:
        for query in QUERIES.values():
            expected = ds[name].read(0, missing=missing, masked=True, **query)
            out = layout(np.zeros(expected.shape, "f4"))
            found = ds[name].read(0, missing=missing, masked=True, out=out, **query)
            np.testing.assert_array_equal(found.mask, expected.mask)
            np.testing.assert_array_equal(out, expected.data)
            assert np.shares_memory(found.data, out) or out.size == 0
    assert ds["a"].read(0, masked=True).mask.any()


def test_stored_bits_and_fill_values(tmp_path: Path) -> None:
    values = ramp("f8")
    esker.write(
        tmp_path / "run.idx", {"a": values}, stored_bits={"a": 16}, attrs={"a": {"scale_factor": 2.0}}
    )
    field = esker.open(tmp_path / "run.idx")["a"]
    for bits in (None, 8):
        out = transposed(np.zeros(SHAPE))
        field.read(bits=bits, out=out)
        np.testing.assert_array_equal(out, field.read(bits=bits))


def test_levels_of_a_mesh(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run", dims={}, format="vtkhdf", report="none") as w:
        field = w.field("a", "f4", grid=w.mesh("amr", {"x": 4, "y": 4}, ratios=[2]))
        with w.step(0) as s:
            s.put(field, np.ones((4, 4), "f4"), level=0)
            s.put(field, np.full((2, 4), 2, "f4"), offset=(2, 2), level=1)
    a = esker.open(tmp_path / "run")["a"]
    for level in (None, 0, 1):
        expected = a.read(mesh_level=level)
        out = transposed(np.zeros(expected.shape, "f4"))
        a.read(mesh_level=level, out=out)
        np.testing.assert_array_equal(out, expected)


def test_a_remote_dataset(tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"a": ramp()})
    with serve(tmp_path) as served:
        field = esker.open(f"{served.url}/run.idx")["a"]
        for layout in LAYOUTS:
            out = layout(np.zeros(SHAPE, "f4"))
            field.read(out=out)
            np.testing.assert_array_equal(out, ramp())
        sent = served.bytes
        with pytest.raises(ValueError, match="expected float32 of"):
            field.read(out=np.empty(SHAPE))
        assert served.bytes == sent


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("aggregate", ["true", "false"])
def test_reader(ds: esker.Dataset, layout: Callable[[np.ndarray], np.ndarray], aggregate: str) -> None:
    reader = esker.Reader(ds.path, aggregate_reads=aggregate)
    box = ((1, 0, 1), (5, 4, 3))
    for level in (None, 4):
        expected = {name: ds[name].read(box=box, level=level) for name in ds}
        given = {name: layout(np.zeros_like(expected[name])) for name in ("a", "v")}
        found = reader.read(dict.fromkeys(ds, box), level=level, out=given)
        assert found.keys() == expected.keys()
        for name, samples in expected.items():
            np.testing.assert_array_equal(found[name], samples)
        assert all(found[name] is array for name, array in given.items())


def test_reader_makes_an_array_for_none(ds: esker.Dataset) -> None:
    found = esker.Reader(ds.path).read({"a": None}, out={"a": None})
    np.testing.assert_array_equal(found["a"], ramp())


def test_reader_refuses_wrong_arrays(ds: esker.Dataset) -> None:
    reader = esker.Reader(ds.path)
    with pytest.raises(ValueError, match="read 'a': out: expected float32 of"):
        reader.read({"a": None}, out={"a": np.empty(SHAPE)})
    with pytest.raises(ValueError, match="found also 'v'"):
        reader.read({"a": None}, out={"v": np.empty(SHAPE)})
    np.testing.assert_array_equal(reader.read({"a": None})["a"], ramp())
