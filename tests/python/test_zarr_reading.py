"""Zarr of other programs, read by esker.open(): random arrays of zarr-python and TensorStore, datasets of xarray."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

zarr = pytest.importorskip("zarr")
import numcodecs
import xarray as xr
from http_files import serve
from zarr import codecs

Run = Callable[..., subprocess.CompletedProcess[str]]
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "bool"]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def random_values(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if dtype[0] == "f":
        return random.normal(size=shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def compressor_v3(random: np.random.Generator, typesize: int) -> list[Any]:
    blosc = codecs.BloscCodec(
        typesize=typesize,
        cname=str(random.choice(["lz4", "zstd", "blosclz", "zlib"])),
        shuffle=str(random.choice(["noshuffle", "shuffle", "bitshuffle"])),
    )
    found = [
        [],
        [codecs.GzipCodec(level=3)],
        [codecs.ZstdCodec(level=1, checksum=bool(random.integers(2)))],
        [blosc],
    ]
    chosen = found[random.integers(len(found))]
    return chosen + [codecs.Crc32cCodec()] * int(random.integers(2))


def create_v3(group: Any, name: str, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """Adds a random array, of which some chunks are missing; returns its values."""
    rank = int(random.integers(1, 5))
    shape = tuple(int(n) for n in random.integers(1, 14, rank))
    dtype = str(random.choice(TYPES))
    chunks = tuple(int(n) for n in random.integers(1, 8, rank))
    fill = random_values(random, (), dtype)[()]
    filters = []
    if rank > 1 and random.integers(3) == 0:
        filters = [codecs.TransposeCodec(order=tuple(int(a) for a in random.permutation(rank)))]
    is_sharded = bool(random.integers(2))
    endian = str(random.choice(["little", "big"]))
    dims = tuple(f"{name}_{axis}" for axis in range(rank))
    array_codecs = [
        *filters,
        codecs.BytesCodec(endian=endian),
        *compressor_v3(random, np.dtype(dtype).itemsize),
    ]
    outer = chunks
    if is_sharded:
        outer = tuple(n * int(random.integers(1, 4)) for n in chunks)
        index = [codecs.BytesCodec(), codecs.Crc32cCodec()][: int(random.integers(1, 3))]
        array_codecs = [
            codecs.ShardingCodec(
                chunk_shape=chunks,
                codecs=array_codecs,
                index_codecs=index,
                index_location=str(random.choice(["start", "end"])),
            )
        ]
    array = zarr.create(
        shape,
        chunks=outer,
        dtype=dtype,
        store=group.store,
        path=name,
        zarr_format=3,
        codecs=array_codecs,
        fill_value=fill,
        dimension_names=dims,
        chunk_key_encoding=(str(random.choice(["default", "v2"])), str(random.choice([".", "/"]))),
    )
    return fill_in(array, random, shape, dtype)


def fill_in(
    array: Any, random: np.random.Generator, shape: tuple[int, ...], dtype: str
) -> np.ndarray[Any, Any]:
    """Writes a random box of an array."""
    low = [int(random.integers(0, n)) for n in shape]
    box = tuple(slice(lo, int(random.integers(lo + 1, n + 1))) for lo, n in zip(low, shape))
    if random.integers(3) > 0:
        box = tuple(slice(None) for _ in shape)
    array[box] = random_values(random, np.empty(shape)[box].shape, dtype)
    return np.asarray(array[...])


def create_v2(group: Any, name: str, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """The same in version 2."""
    rank = int(random.integers(1, 5))
    shape = tuple(int(n) for n in random.integers(1, 14, rank))
    dtype = str(random.choice(TYPES))
    compressors = [None, numcodecs.Zlib(2), numcodecs.GZip(2), numcodecs.Zstd(1), numcodecs.LZ4()]
    compressors += [numcodecs.Blosc(cname="zstd", shuffle=int(mode)) for mode in (0, 1, 2)]
    order = str(random.choice(["<", ">"])) if np.dtype(dtype).itemsize > 1 else "|"
    array = zarr.create(
        shape,
        chunks=tuple(int(n) for n in random.integers(1, 14, rank)),
        dtype=np.dtype(dtype).newbyteorder(order),
        store=group.store,
        path=name,
        zarr_format=2,
        compressor=compressors[random.integers(len(compressors))],
        order=str(random.choice(["C", "F"])),
        fill_value=random_values(random, (), dtype)[()] if random.integers(2) else None,
        dimension_separator=str(random.choice([".", "/"])),
    )
    array.attrs["_ARRAY_DIMENSIONS"] = [f"{name}_{axis}" for axis in range(rank)]
    return fill_in(array, random, shape, dtype)


def random_box(
    random: np.random.Generator, shape: tuple[int, ...]
) -> tuple[tuple[slice, ...], tuple[tuple[int, ...], tuple[int, ...]]]:
    """As slices of an array, and as esker has it: x first."""
    low = [int(random.integers(0, n)) for n in shape]
    high = [int(random.integers(lo + 1, n + 1)) for lo, n in zip(low, shape)]
    return tuple(map(slice, low, high)), (tuple(low[::-1]), tuple(high[::-1]))


def check_boxes(path: Path, expected: dict[str, np.ndarray[Any, Any]], random: np.random.Generator) -> None:
    dataset = esker.open(path)
    assert sorted(dataset) == sorted(expected)
    for name, values in expected.items():
        if values.dtype.newbyteorder("=") == np.float16:
            values = values.astype("f4")
        found = dataset[name].read()
        np.testing.assert_array_equal(found, values.astype(found.dtype), err_msg=name)
        assert found.dtype == (np.int8 if values.dtype == bool else values.dtype.newbyteorder("="))
        for _ in range(3):
            slices, box = random_box(random, values.shape)
            np.testing.assert_array_equal(dataset[name].read(box=box), found[slices], err_msg=f"{name} {box}")
    assert esker.verify(path).num_errors == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("version", [2, 3])
def test_random_arrays(tmp_path: Path, version: Any, seed: int) -> None:
    random = np.random.default_rng(100 * version + seed)
    path = tmp_path / "theirs.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=version)
    create = create_v3 if version == 3 else create_v2
    expected = {f"a{number}": create(group, f"a{number}", random) for number in range(8)}
    if seed % 2:
        zarr.consolidate_metadata(path)
    check_boxes(path, expected, random)


@pytest.mark.parametrize("seed", range(3))
def test_random_arrays_of_tensorstore(tmp_path: Path, seed: int) -> None:
    tensorstore = pytest.importorskip("tensorstore")
    random = np.random.default_rng(seed)
    path = tmp_path / "theirs.zarr"
    zarr.open_group(path, mode="w", zarr_format=3)
    expected = {}
    for number in range(5):
        rank = int(random.integers(1, 4))
        shape = [int(n) for n in random.integers(1, 20, rank)]
        chunk = [int(n) for n in random.integers(1, 6, rank)]
        shard = [n * int(random.integers(1, 4)) for n in chunk]
        dtype = str(random.choice(["int8", "uint16", "int32", "uint64", "float32", "float64", "bool"]))
        order = [int(a) for a in random.permutation(rank)]
        compressions: list[list[dict[str, Any]]] = [
            [],
            [{"name": "zstd", "configuration": {"level": 2}}],
            [{"name": "gzip", "configuration": {"level": 2}}, {"name": "crc32c"}],
            [{"name": "blosc", "configuration": {"cname": "lz4", "shuffle": "bitshuffle", "clevel": 3}}],
        ]
        metadata = {
            "shape": shape,
            "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shard}},
            "codecs": [
                {
                    "name": "sharding_indexed",
                    "configuration": {
                        "chunk_shape": chunk,
                        "codecs": [
                            {"name": "transpose", "configuration": {"order": order}},
                            {
                                "name": "bytes",
                                "configuration": {"endian": str(random.choice(["little", "big"]))},
                            },
                            *compressions[random.integers(len(compressions))],
                        ],
                        "index_location": str(random.choice(["start", "end"])),
                    },
                }
            ],
        }
        spec = {
            "driver": "zarr3",
            "kvstore": {"driver": "file", "path": str(path / f"a{number}")},
            "metadata": metadata,
            "create": True,
        }
        values = random_values(random, tuple(shape), np.dtype(dtype).name)
        tensorstore.open(spec).result().write(values).result()
        expected[f"a{number}"] = values
    dataset = esker.open(path)
    assert dataset["a0"].dims == tuple("xyz"[: dataset["a0"].read().ndim][::-1]) or len(expected) > 1
    check_boxes(path, expected, random)


def their_dataset() -> xr.Dataset:
    random = np.random.default_rng(3)
    speed = random.normal(size=(7, 5, 6)).astype("f4")
    speed[:, 2] = np.nan
    return xr.Dataset(
        {
            "speed": (("time", "y", "x"), speed, {"units": "m s-1", "grid_mapping": "crs"}),
            "topg": (("y", "x"), random.integers(-90, 90, (5, 6)).astype("i2")),
            "volume": ("time", np.arange(7.0)),
            "crs": ((), np.int32(-1), {"grid_mapping_name": "stereographic"}),
            "model": ((), np.array("spherical", np.dtypes.StringDType())),
            "mask": (("y", "x"), random.integers(0, 2, (5, 6)).astype(bool)),
        },
        {
            "time": ("time", np.arange(7) * 3, {"units": "days since 2001-01-01", "calendar": "noleap"}),
            "x": ("x", np.linspace(0, 1, 6), {"units": "m"}),
            "y": ("y", np.arange(5, dtype="f4")),
        },
        {"title": "theirs", "numbers": [1, 2]},
    )


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("version", [2, 3])
def test_datasets_of_xarray(tmp_path: Path, version: Any, consolidated: bool) -> None:
    given = their_dataset()
    if version == 2:
        given = given.drop_vars("model")  # objects, which the filter vlen-utf8 encodes
    packed = {"dtype": "i2", "scale_factor": 0.001, "_FillValue": -32768, "chunks": (3, 2, 6)}
    path = tmp_path / "theirs.zarr"
    given.to_zarr(path, zarr_format=version, consolidated=consolidated, encoding={"speed": packed})
    dataset = esker.open(path)
    assert not dataset.warnings
    assert dataset.attrs["title"] == "theirs" and list(dataset.attrs["numbers"]) == [1, 2]
    assert dataset.steps == tuple(range(0, 21, 3)) or list(dataset.steps) == list(range(0, 21, 3))
    assert dataset["speed"].attrs["_FillValue"] == -32768 and dataset["topg"].fixed
    with (
        xr.open_dataset(path, engine="esker") as found,
        xr.open_zarr(path, consolidated=False) as expected,
    ):
        for name in given.variables:
            xr.testing.assert_equal(found[name].variable, expected[name].variable)
            assert found[name].dims == given[name].dims
        assert found["time"].encoding["units"] == "days since 2001-01-01"
    assert esker.verify(path).num_errors == 0
    assert esker.verify(path).files == dataset.storage().files


def test_arrays_that_are_left_out_are_named(tmp_path: Path) -> None:
    path = tmp_path / "theirs.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("good", shape=(3, 4), dtype="f4", fill_value=2)
    group.create_array("wave", shape=(3,), dtype="c8")
    group.create_array("far", shape=(3,), dtype="f4", filters=[numcodecs_filter()])
    group.create_group("more")
    dataset = esker.open(path)
    assert list(dataset) == ["good"] and dataset["good"].read().min() == 2
    warnings = "\n".join(dataset.warnings)
    assert "variable 'wave' is left out: values of the type 'complex64' are not supported" in warnings
    assert "variable 'far' is left out: codec 'numcodecs.delta' before 'bytes' is not supported" in warnings
    assert "the groups 'more' in the group are not read" in warnings


def numcodecs_filter() -> Any:
    from zarr.codecs import numcodecs as of_numcodecs

    return of_numcodecs.Delta(dtype="f4")


def test_a_damaged_chunk_is_found(tmp_path: Path, esker_command: Run) -> None:
    path = tmp_path / "theirs.zarr"
    array = zarr.create(
        (4, 4),
        chunks=(2, 2),
        dtype="f4",
        store=path / "v",
        zarr_format=3,
        codecs=[codecs.BytesCodec(), codecs.Crc32cCodec()],
    )
    array[...] = np.arange(16).reshape(4, 4)
    zarr.open_group(path, mode="a", zarr_format=3)
    assert esker_command("verify", path).returncode == 0
    chunk = path / "v/c/1/0"
    content = bytearray(chunk.read_bytes())
    content[3] ^= 1
    chunk.write_bytes(content)
    done = esker_command("verify", path)
    assert done.returncode == 1 and "v/c/1/0: the chunk has the checksum" in done.stdout + done.stderr
    with pytest.raises(OSError, match="checksum"):
        esker.open(path)["v"].read()
    np.testing.assert_array_equal(esker.open(path)["v"].read(box=((2, 0), (4, 2))), [[2, 3], [6, 7]])


@pytest.mark.parametrize("version", [2, 3])
def test_an_array_alone(tmp_path: Path, version: Any, esker_command: Run) -> None:
    values = np.arange(12.0).reshape(3, 4)
    zarr.save_array(tmp_path / "temp.zarr", values, zarr_format=version)
    dataset = esker.open(tmp_path / "temp.zarr")
    assert list(dataset) == ["temp"] and dataset["temp"].dims == ("y", "x")
    np.testing.assert_array_equal(dataset["temp"].read(), values)
    shutil.move(tmp_path / "temp.zarr", tmp_path / "without")  # a directory without suffix
    np.testing.assert_array_equal(esker.open(tmp_path / "without")["without"].read(), values)
    assert "without" in esker_command("info", tmp_path / "without").stdout


def test_groups_in_groups(tmp_path: Path) -> None:
    path = tmp_path / "levels.zarr"
    root = zarr.open_group(path, mode="w", zarr_format=3)
    root.create_group("0").create_array("v", data=np.ones((4, 4)))
    with pytest.raises(OSError, match=r"no arrays, only groups \('0'\): open one of them"):
        esker.open(path)
    assert esker.open(path / "0")["v"].read().sum() == 16
    with serve(tmp_path) as server:
        zarr.consolidate_metadata(path / "0")
        assert esker.open(f"{server.url}/levels.zarr/0")["v"].read().sum() == 16


@pytest.mark.parametrize("version", [2, 3])
def test_remote_groups(tmp_path: Path, version: Any) -> None:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    given = their_dataset().drop_vars("model")
    given.to_zarr(tmp_path / "theirs.zarr", zarr_format=version, consolidated=True)
    given.to_zarr(tmp_path / "plain.zarr", zarr_format=version, consolidated=False)
    with serve(tmp_path) as server:
        for slash in ("", "/"):
            dataset = esker.open(f"{server.url}/theirs.zarr{slash}")
        np.testing.assert_array_equal(dataset["speed"].read(step=4), given["speed"][4])
        with pytest.raises(NotImplementedError, match="no consolidated metadata"):
            esker.open(f"{server.url}/plain.zarr")
        one = esker.open(f"{server.url}/plain.zarr/topg")
        np.testing.assert_array_equal(one["topg"].read(), given["topg"])


@pytest.mark.parametrize("version", [2, 3])
def test_groups_in_stores_that_list_files(tmp_path: Path, version: Any) -> None:
    """As object stores do."""
    fsspec = pytest.importorskip("fsspec")
    given = their_dataset().drop_vars("model")
    given.to_zarr(tmp_path / "theirs.zarr", zarr_format=version, consolidated=False)
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path / "theirs.zarr"), f"/v{version}.zarr", recursive=True)
    dataset = esker.open(f"memory:///v{version}.zarr")
    np.testing.assert_array_equal(dataset["speed"].read(step=4), given["speed"][4])
    assert esker.verify(f"memory:///v{version}.zarr").files == esker.verify(tmp_path / "theirs.zarr").files


def test_own_groups_are_read_remotely(tmp_path: Path) -> None:
    pytest.importorskip("aiohttp")
    values = np.arange(60.0).reshape(3, 4, 5)
    esker.write(tmp_path / "ours.zarr", {"temp": values}, format="zarr")
    with serve(tmp_path) as server:
        np.testing.assert_array_equal(esker.open(f"{server.url}/ours.zarr")["temp"].read(), values)


def test_what_others_make_of_own_groups(tmp_path: Path) -> None:
    """xarray copies the attributes by which Esker knows its groups."""
    values = np.arange(24.0).reshape(4, 6)
    with esker.Writer(tmp_path / "ours.zarr", dims={"x": 6, "y": 4}, format="zarr", report="none") as writer:
        field = writer.field("v", "f8")
        for time in range(3):
            with writer.step(time=time) as step:
                step.put(field, values + time)
    with xr.open_zarr(tmp_path / "ours.zarr") as ours:
        ours.isel(time=slice(1, 3)).drop_encoding().to_zarr(tmp_path / "part.zarr", zarr_format=3)
    dataset = esker.open(tmp_path / "part.zarr")
    assert list(dataset.steps) == [1, 2]
    np.testing.assert_array_equal(dataset["v"].read(step=0), values + 1)
    assert any("group of another program" in warning for warning in dataset.warnings)


def test_attributes_with_numbers_that_json_lacks(tmp_path: Path) -> None:
    """As zarr-python 2 wrote them."""
    zarr.save_array(tmp_path / "v.zarr", np.zeros(3), zarr_format=2)
    text = json.dumps({"missing_value": float("nan"), "limits": [float("-inf"), 1.5], "note": "NaN"})
    (tmp_path / "v.zarr/.zattrs").write_text(text)
    attrs = esker.open(tmp_path / "v.zarr")["v"].attrs
    assert np.isnan(attrs["missing_value"]) and list(attrs["limits"]) == [-np.inf, 1.5]
