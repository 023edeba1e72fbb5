"""esker.write: arrays, array-likes and functions; larger than memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.base import pieces

RNG = np.random.default_rng(7)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.idx"


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything above 1000 bytes is large."""
    monkeypatch.setattr(pieces, "PIECE_BYTES", 1000)


def test_fields_of_one_grid_are_one_idx(path: Path) -> None:
    thk, vel = RNG.random((20, 30)), RNG.random((20, 30, 3), np.float32)
    esker.write(path, {"thk": thk, "vel": vel}, components={"vel": 3}, time=4.5)
    assert path.is_file()
    ds = esker.open(path)
    assert ds.steps == [4.5] and list(ds) == ["thk", "vel"]
    np.testing.assert_array_equal(ds["thk"].read(), thk)
    np.testing.assert_array_equal(ds["vel"].read(), vel)
    assert ds["vel"].dims == ("y", "x", "component")


def test_a_field_of_one_component(path: Path) -> None:
    array = RNG.random((4, 5, 1))
    chunks = esker.Chunked(array.shape, "f8", [array])
    esker.write(path, {"a": array, "b": chunks}, components={"a": 1, "b": 1})
    for name in ("a", "b"):
        np.testing.assert_array_equal(esker.open(path)[name].read(), array[..., 0])


@pytest.mark.parametrize("form, version", [("cdf", 1), ("cdf2", 2), ("cdf5", 5)])
def test_cdf_files(path: Path, form: str, version: int) -> None:
    """Samples are big-endian rows in the one record after the time; C++ tests use the netCDF library."""
    thk = RNG.random((20, 30))
    esker.write(path.with_suffix(".nc"), {"thk": thk}, time=4.5, format=form)
    stored = path.with_suffix(".nc").read_bytes()
    assert stored[:4] == b"CDF" + bytes([version])
    record = np.frombuffer(stored[-8 * (1 + thk.size) :], ">f8")
    assert record[0] == 4.5
    np.testing.assert_array_equal(record[1:].reshape(thk.shape), thk)


def test_fields_of_several_grids(path: Path) -> None:
    thk, temp, line = RNG.random((20, 30)), RNG.random((4, 20, 30)), RNG.random(6)
    esker.write(path, {"thk": thk, "temp": temp, "line": line}, dims={"line": ("time_of_day",)})
    ds = esker.open(path)
    for name, array in (("thk", thk), ("temp", temp), ("line", line)):
        np.testing.assert_array_equal(ds[name].read(), array)
    assert {name: ds[name].grid.name for name in ds} == {"thk": "xy", "temp": "xyz", "line": "time_of_day"}
    assert ds["temp"].dims == ("z", "y", "x")


def test_names_coordinates_attributes_and_options(path: Path) -> None:
    lon = np.linspace(-60, -20, 30)
    esker.write(
        path,
        {"thk": np.zeros((20, 30), "i2")},
        dims=("lon", "lat"),
        coords={"lon": lon},
        attrs={"title": "Greenland", "thk": {"units": "m", "flags": [1, 2]}},
        bits_per_block=5,
        blocks_per_file=4,
        in_block="hz",
        compression="raw",
    )
    ds = esker.open(path)
    assert dict(ds.attrs) == {"title": "Greenland"}
    assert dict(ds["thk"].attrs) == {"units": "m", "flags": [1, 2]}
    np.testing.assert_array_equal(ds["thk"].coords("lon"), lon)
    assert ds["thk"].dims == ("lat", "lon") and ds["thk"].grid.name == "lon_lat"
    assert (ds.parts[0].bits_per_block, ds.parts[0].blocks_per_file) == (5, 4)
    with pytest.raises(FileExistsError):
        esker.write(path, {"thk": lon})
    esker.write(path, {"thk": lon}, overwrite=True)
    np.testing.assert_array_equal(esker.open(path)["thk"].read(), lon)


class Variable:
    """Imitates variables of h5py and zarr: shape, dtype, slices, chunks; counts the requests."""

    def __init__(self, array: np.ndarray, chunks: Any) -> None:
        self.array, self.shape, self.dtype, self.chunks = array, array.shape, array.dtype, chunks
        self.asked = np.zeros(array.shape, int)
        self.firsts: list[int] = []

    def __getitem__(self, where: tuple[slice, ...]) -> np.ndarray:
        assert isinstance(where, tuple) and all(isinstance(w, slice) for w in where)
        self.asked[where] += 1
        self.firsts.append(where[0].start)
        return self.array[where]


@pytest.mark.parametrize("chunks", [None, (3, 5, 6), "auto", ((4, 4, 5), (10,), (6,))])
def test_array_likes_are_read_once(path: Path, small_pieces: None, chunks: Any) -> None:
    array = RNG.random((13, 10, 3), np.float32)
    variable = Variable(array, chunks)
    esker.write(path, {"a": variable})
    np.testing.assert_array_equal(esker.open(path)["a"].read(), array)
    assert (variable.asked == 1).all() and len(variable.firsts) > 1
    if chunks == (3, 5, 6):
        assert all(first % 3 == 0 for first in variable.firsts)


@pytest.mark.parametrize("components", [1, 2])
@pytest.mark.parametrize("kind", ["function", "arrays"])
def test_chunked_fields_have_the_bytes_of_arrays(
    tmp_path: Path, small_pieces: None, kind: str, components: int
) -> None:
    shape = (11, 17, 23) if components == 1 else (11, 17, 23, components)
    array = RNG.integers(0, 1000, shape, "i4")
    boxes = []

    def read(box: esker.base.boxes.Box) -> np.ndarray:
        (x0, y0, z0), (x1, y1, z1) = box
        boxes.append(box)
        return array[z0:z1, y0:y1, x0:x1]

    def arrays() -> Iterator[np.ndarray]:
        yield array[:4]
        yield array[4:4]
        yield array[4:5]
        yield array[5:]

    source = esker.Chunked(shape, "i4", read if kind == "function" else arrays())
    assert source.nbytes == array.nbytes
    for folder, value in (("whole", array), ("chunked", source)):
        esker.write(
            tmp_path / folder / "out.idx",
            {"a": value},
            components={"a": components} if components > 1 else None,
            bits_per_block=6,
        )
    assert kind == "arrays" or len(boxes) > 11  # a layer is larger than a piece
    np.testing.assert_array_equal(esker.open(tmp_path / "chunked" / "out.idx")["a"].read(), array)
    whole, chunks = (sorted((tmp_path / folder).rglob("*.bin")) for folder in ("whole", "chunked"))
    assert len(whole) > 0 and [p.read_bytes() for p in whole] == [p.read_bytes() for p in chunks]
    assert not list((tmp_path / "chunked").glob(".esker-*"))


def test_memory_mapped_arrays_are_taken_in_place(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapped = np.memmap(tmp_path / "a.raw", "f4", "w+", shape=(30, 40))
    mapped[:] = RNG.random((30, 40))
    monkeypatch.setattr("esker.writing.serial.assembled", None)  # the function that would copy it to a file
    esker.write(path, {"a": mapped})
    np.testing.assert_array_equal(esker.open(path)["a"].read(), mapped)


@pytest.mark.parametrize(
    "fields, more, exception, words",
    [
        ({}, {}, ValueError, "fields: expected at least one array, found none"),
        ({"a": np.zeros((3, 4)), "b": np.zeros((4, 4))}, {}, ValueError, "'y' has size 3 in 'a' and 4 in 'b'"),
        ({"a": np.zeros((3, 4))}, {"components": {"a": 2}}, ValueError, "a: .*2 components"),
        ({"a": np.zeros((3, 4))}, {"components": {"b": 2}}, ValueError, "no field 'b'"),
        ({"a": np.zeros((1,) * 6)}, {}, ValueError, "a: expected 1 to 5 axes .*found 6"),
        ({"a": np.zeros((3, 4))}, {"dims": ("x",)}, ValueError, "a: expected 1 axis .*found 2"),
        ({"a": np.zeros((3, 4))}, {"dims": "xy"}, TypeError, "'xy'"),
        ({"a": np.zeros((3, 4), ">f8")}, {}, ValueError, "a.*>f8"),
        ({"a": np.zeros((3, 4), "f2")}, {}, ValueError, "float16"),
        ({"a": np.zeros((3, 4), complex)}, {}, ValueError, "complex128"),
        ({"a": np.ma.masked_equal(np.zeros(3), 1)}, {}, TypeError, "a: expected a plain array, found a masked array"),
        ({"a": np.zeros((0, 4))}, {}, ValueError, "y"),
        ({"a": np.zeros(3)}, {"compression": "gzip"}, ValueError, "expected none, zip"),
        ({"a": np.zeros(3)}, {"compression": {"b": "zip"}}, ValueError, "no field 'b'"),
        ({"a": np.zeros(3)}, {"attrs": {"b": {"units": "m"}}}, ValueError, "no field or dimension .b.; there are a, x, time"),
        ({"a": esker.Chunked((3,), "f4", lambda box: np.zeros(3))}, {}, ValueError, "float32.*float64"),
        ({"a": esker.Chunked((3,), "f4", lambda box: np.zeros(2, "f4"))}, {}, ValueError, r"\(3,\).*\(2,\)"),
        ({"a": esker.Chunked((3,), "f4", [np.zeros(2, "f4")])}, {}, ValueError, "3 .* found 2"),
        ({"a": esker.Chunked((3,), "f4", [np.zeros(4, "f4")])}, {}, ValueError, "3 .* found 4"),
        ({"a": esker.Chunked((3,), "f4", lambda box: 1 / 0)}, {}, ZeroDivisionError, "division"),
    ],
)
def test_what_is_wrong_leaves_no_dataset(
    path: Path, fields: dict[str, Any], more: dict[str, Any], exception: type[Exception], words: str
) -> None:
    with pytest.raises(exception, match=words):
        esker.write(path, fields, **more)
    assert not list(path.parent.iterdir())


def test_what_is_wrong_keeps_the_dataset_that_was_there(path: Path) -> None:
    esker.write(path, {"a": np.ones(5)})
    broken = esker.Chunked((5,), "f8", lambda box: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        esker.write(path, {"a": broken}, overwrite=True)
    np.testing.assert_array_equal(esker.open(path)["a"].read(), np.ones(5))


def test_chunked_arguments() -> None:
    for wrong, exception in (((), ValueError), ((3, 0), ValueError), ((2.5,), TypeError)):
        with pytest.raises(exception):
            esker.Chunked(wrong, "f4", [])
    with pytest.raises(TypeError, match="int"):
        esker.Chunked((3,), "f4", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(7,), (5, 4), (3, 50, 7), (4, 1, 9, 2), (1, 1, 300)])
@pytest.mark.parametrize("max_bytes", [1, 8, 100, 10_000])
@pytest.mark.parametrize("grain", [1, 2, 64])
def test_pieces_are_runs_that_cover_the_array(shape: tuple[int, ...], max_bytes: int, grain: int) -> None:
    numbers = np.arange(np.prod(shape)).reshape(shape)
    found = [numbers[where] for where in pieces.pieces(shape, 8, grain, max_bytes)]
    np.testing.assert_array_equal(np.concatenate([piece.reshape(-1) for piece in found]), numbers.reshape(-1))
    assert all(piece.nbytes <= max(8, max_bytes) for piece in found)


# RLIMIT_DATA bounds the allocations of the process, without the mapped temporary file.
BOUNDED = """
import resource, sys
import numpy as np
import esker

BYTES, BOUND = 512 << 20, 200 << 20
shape = (BYTES // 4 // 512 // 512, 512, 512)

def read(box):
    (x0, y0, z0), (x1, y1, z1) = box
    return np.arange(z0, z1, dtype="f4")[:, None, None] + np.zeros((1, y1 - y0, x1 - x0), "f4")

def used():
    line, = (line for line in open("/proc/self/status") if line.startswith("VmData"))
    return int(line.split()[1]) << 10

now = used()
resource.setrlimit(resource.RLIMIT_DATA, (now + BOUND, now + BOUND))
try:
    np.ones(BYTES // 8)
    sys.exit("the bound does not hold")
except MemoryError:
    pass
esker.write(sys.argv[1], {"a": esker.Chunked(shape, "f4", read)}, report="none")
layer = esker.open(sys.argv[1])["a"].read(box=((0, 0, 300), (512, 512, 301)))
assert (layer == 300).all() and layer.shape == (1, 512, 512)
"""


def test_larger_than_memory(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", BOUNDED, path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert sum(file.stat().st_size for file in path.parent.rglob("*.bin")) >= 512 << 20


@pytest.mark.parametrize("options", [{"memory_budget": 1000}, {"aggregate": False}])
def test_a_step_that_cannot_be_written_leaves_no_dataset(path: Path, options: dict[str, Any]) -> None:
    with pytest.raises((MemoryError, ValueError), match=next(iter(options))):
        esker.write(path, {"a": np.ones((64, 64))}, **options)
    assert not list(path.parent.iterdir())


def test_dimensions_and_times_have_attributes(path: Path) -> None:
    days = {"units": "days since 2001-01-01"}
    attrs = {"title": "a", "x": {"units": "km"}, "time": days, "a": {"units": "K"}}
    esker.write(path, {"a": np.ones((2, 5))}, coords={"x": np.arange(5.0)}, attrs=attrs)
    ds = esker.open(path)
    assert dict(ds.attrs) == {"title": "a"} and dict(ds["a"].attrs) == {"units": "K"}
    assert dict(ds.dim_attrs["x"]) == {"units": "km"} and dict(ds.time_attrs) == days


def test_attributes_may_have_the_names_of_arguments(path: Path) -> None:
    attrs = {"name": "x", "grid": "y", "dtype": "z", "every": 3, "attrs": "all"}
    esker.write(path, {"a": np.ones(5)}, attrs={"a": attrs})
    assert dict(esker.open(path)["a"].attrs) == attrs


def test_a_field_of_another_writer_is_refused(tmp_path: Path) -> None:
    with (
        esker.Writer(tmp_path / "1.idx", dims={"x": 4}) as one,
        esker.Writer(tmp_path / "2.idx", dims={"x": 4}) as two,
    ):
        a = one.field("a", "f8")
        two.field("b", "f8")
        with pytest.raises((KeyError, ValueError), match="a"), two.step(0) as step:
            step.put(a, np.ones(4))
