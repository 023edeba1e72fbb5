"""ds.to_esker(path): written datasets are read back, for all kinds of arrays and schedulers."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker
import esker.xarray

da = pytest.importorskip("dask.array")


def ice(chunks: Any = None) -> xr.Dataset:
    """Two grids, times, maps, coordinates of two dimensions, scalars, packed integers, missing values."""
    draw = np.random.default_rng(3)
    nt, nz, ny, nx = 3, 5, 40, 60
    temp = draw.random((nt, nz, ny, nx))
    temp[:, :, :4] = np.nan
    ds = xr.Dataset(
        {
            "temp": (("time", "z", "y", "x"), temp, {"units": "K", "levels": [1, 2, 3]}),
            "thk": (
                ("time", "y", "x"),
                draw.random((nt, ny, nx)).astype("f4"),
                {"standard_name": "land_ice_thickness"},
            ),
            "mask": (("y", "x"), draw.integers(0, 5, (ny, nx), dtype="i1"), {"flag_meanings": "a b"}),
            "packed": (("time", "y", "x"), np.round(draw.random((nt, ny, nx)), 2)),
            "volume": (("time",), draw.random(nt)),
            "mapping": (
                (),
                np.int32(0),
                {"grid_mapping_name": "polar_stereographic", "standard_parallel": 71.0},
            ),
        },
        coords={
            "time": np.array(["2001-01-01", "2001-01-02T12", "2002-01-01"], "M8[ns]"),
            "x": ("x", np.arange(nx) * 5000.0, {"units": "m"}),
            "lat": (("y", "x"), draw.random((ny, nx)), {"units": "degrees_north"}),
            "season": ((), 2.5),
        },
        attrs={"title": "ice", "version": 3, "scale": 0.5},
    )
    ds["packed"].encoding = {"dtype": "i2", "scale_factor": 0.01, "_FillValue": -999}
    return ds if chunks is None else ds.chunk(chunks)


@pytest.mark.parametrize("name", ["run.idx", "run.nc"])
@pytest.mark.parametrize("chunks", [None, {"time": 1, "y": 16, "x": 25}, {}])
def test_round_trip(tmp_path: Path, name: str, chunks: Any) -> None:
    ds = ice(chunks)
    ds.to_esker(tmp_path / name)
    with xr.open_dataset(tmp_path / name, engine="esker") as back:
        for variable in ds.variables:
            assert back[variable].dims == ds[variable].dims
        xr.testing.assert_allclose(back["packed"], ds["packed"].compute())
        xr.testing.assert_identical(back.drop_vars("packed").load(), ds.drop_vars("packed").compute())
        assert set(back.coords) == set(ds.coords)
        assert back["packed"].encoding["dtype"] == np.int16
    assert esker.verify(tmp_path / name).good


def test_what_netcdf_reads_of_it(tmp_path: Path) -> None:
    ice().to_esker(tmp_path / "run.nc", format="netcdf4")
    with xr.open_dataset(tmp_path / "run.nc", engine="netcdf4") as back:
        assert np.array_equal(back["temp"], ice()["temp"], equal_nan=True)
        assert (back["time"].values == ice()["time"].values).all()


def test_a_real_dataset(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "data"
    files = sorted(source.rglob("*.nc"))
    assert files
    for file in files:
        with xr.open_dataset(file, engine="netcdf4") as ds:
            numbers = ds.drop_vars([name for name, v in ds.variables.items() if v.dtype.kind not in "iufMm"])
            numbers.to_esker(tmp_path / f"{file.stem}.idx", time_dim="time")
            with xr.open_dataset(tmp_path / f"{file.stem}.idx", engine="esker") as back:
                for name in numbers.data_vars:
                    xr.testing.assert_equal(back[name].load().variable, numbers[name].load().variable)


def test_a_coarse_level_of_what_was_written(tmp_path: Path) -> None:
    ds = ice()[["thk", "mask"]].drop_vars(["lat", "season"])
    ds.to_esker(tmp_path / "run.idx", bits_per_block=6)
    with xr.open_dataset(tmp_path / "run.idx", engine="esker", level=8) as coarse:
        selection = esker.open(tmp_path / "run.idx")["thk"].select(level=8)
        fine = ds["thk"].isel({dim: selection.indices(dim) for dim in ("x", "y")})
        assert 1 < coarse.sizes["y"] < 40
        assert np.array_equal(coarse["thk"], fine)
        assert np.array_equal(coarse["x"], fine["x"])


@pytest.mark.parametrize(
    ("ds", "message"),
    [
        (xr.Dataset({"name": ("x", np.array(["a", np.nan], object))}), "name: expected texts, found nan"),
        (
            xr.Dataset({"v": (tuple("abcdef"), np.zeros((1,) * 6))}),
            "v: expected at most 5 dimensions .*found 6",
        ),
        (xr.Dataset({"v": ("x", [1.0])}, attrs={"a": {"b": 1}}), "attribute 'a': expected"),
        (
            xr.Dataset({"v": (("time", "x"), np.zeros((2, 2)))}, coords={"time": [1.0, 0.0]}),
            "expected increasing times",
        ),
        (
            xr.Dataset(
                {"v": (("time", "x"), np.zeros((2, 2)))},
                coords={"time": np.array(["2001-01-01", "NaT"], "M8[ns]")},
            ),
            "time: step 1 has no time",
        ),
        (
            xr.Dataset({"v": (("time", "x"), np.zeros((3, 2)))}, coords={"time": [0.0, 1.0, 1.0]}),
            "time: steps 1 and 2 have the same time, 1 .*choose a finer one",
        ),
        (xr.Dataset({"v": ("x", np.array([1.0], "f2"))}), "v: float16 samples cannot be stored"),
        (xr.Dataset({"v": ("x", np.array([1j]))}), "v: complex128 samples cannot be stored"),
    ],
)
def test_what_cannot_be_stored(tmp_path: Path, ds: xr.Dataset, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ds.to_esker(tmp_path / "run.idx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("chunks", [None, {"x": 2}])
@pytest.mark.parametrize(
    ("values", "encoding"),
    [
        (np.array([0, 70000, -3], "i8"), {"dtype": "i2"}),
        (np.array([0.0, np.nan, 70000.0]), {"dtype": "i2", "_FillValue": -999}),
        (np.array([0.0, 327.68, 1.0]), {"dtype": "i2", "scale_factor": 0.01, "_FillValue": -999}),
        (np.array([0.0, np.inf, 1.0]), {"dtype": "i4", "_FillValue": -999}),
        (np.array([0.0, -1.0, 1.0]), {"dtype": "u1", "_FillValue": 255}),
    ],
)
def test_values_beyond_a_packed_type_are_refused(
    tmp_path: Path, values: np.ndarray, encoding: dict[str, object], chunks: dict[str, int] | None
) -> None:
    ds = xr.Dataset({"v": ("x", values)})
    with pytest.raises(ValueError, match="v: expected values that u?int[0-9]+ holds"):
        (ds.chunk(chunks) if chunks else ds).to_esker(tmp_path / "run.idx", encoding={"v": encoding})
    assert not list(tmp_path.iterdir())


def test_a_nan_without_a_fill_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="v: expected values that int16 holds.* found nan"):
        xr.Dataset({"v": ("x", [0.0, np.nan])}).to_esker(
            tmp_path / "run.idx", encoding={"v": {"dtype": "i2"}}
        )


def test_values_at_the_ends_of_a_packed_type_are_kept(tmp_path: Path) -> None:
    ds = xr.Dataset({"v": ("x", [-327.67, np.nan, 327.67])})
    ds.to_esker(
        tmp_path / "run.idx", encoding={"v": {"dtype": "i2", "scale_factor": 0.01, "_FillValue": -32768}}
    )
    with xr.open_dataset(tmp_path / "run.idx", engine="esker") as back:
        np.testing.assert_allclose(back["v"], ds["v"])


def test_steps_along_another_dimension(tmp_path: Path) -> None:
    ds = xr.Dataset({"v": (("run", "x"), np.arange(6.0).reshape(3, 2))}, coords={"run": [1.0, 2.0, 5.0]})
    ds.to_esker(tmp_path / "run.idx", time_dim="run")
    assert esker.open(tmp_path / "run.idx").steps == [1.0, 2.0, 5.0]
    for name in ("run.nc", "run.h5"):
        ds.to_esker(tmp_path / name, time_dim="run")
    for name in ("run.idx", "run.nc", "run.h5"):
        with xr.open_dataset(tmp_path / name, engine="esker") as back:
            xr.testing.assert_identical(back.load(), ds)
            assert back.encoding["unlimited_dims"] == {"run"}
    with xr.open_dataset(tmp_path / "run.nc", engine="netcdf4") as back:
        assert np.array_equal(back["v"], ds["v"]) and back.encoding["unlimited_dims"] == {"run"}
    ice().to_esker(tmp_path / "other.idx", time_dim="z")
    with xr.open_dataset(tmp_path / "other.idx", engine="esker") as back:
        assert np.array_equal(back["temp"], ice()["temp"].transpose("z", "time", "y", "x"), equal_nan=True)
    named = xr.Dataset(
        {"v": (("t", "x"), np.zeros((2, 2)))}, coords={"t": [5.0, 6.0], "time": ("t", [10.0, 20.0])}
    )
    for name in ("named.idx", "named.nc"):
        named.to_esker(tmp_path / name, time_dim="t")
        with xr.open_dataset(tmp_path / name, engine="esker") as back:
            xr.testing.assert_identical(back.load(), named)


def test_attributes_with_names_of_dimensions(tmp_path: Path) -> None:
    ds = xr.Dataset({"v": ("x", [1.0, 2.0])}, coords={"x": [0.0, 1.0]}, attrs={"x": "lost"})
    with pytest.raises(ValueError, match="'x' has the name of a dimension"):
        ds.to_esker(tmp_path / "run.idx")
    steps = xr.Dataset(
        {"v": (("t", "x"), np.zeros((2, 2)))},
        coords={"t": ("t", [5.0, 6.0], {"units": "s"})},
        attrs={"t": "kept"},
    )
    steps.to_esker(tmp_path / "run.idx", time_dim="t")
    assert esker.open(tmp_path / "run.idx").attrs["t"] == "kept"
    with pytest.raises(ValueError, match="'time' has the name of a dimension"):
        steps.assign_attrs(time="lost").to_esker(tmp_path / "other.idx", time_dim="t")


@pytest.mark.parametrize("source", ["dask", "pieces"])
def test_a_full_disk_is_an_error(tmp_path: Path, monkeypatch: Any, source: str) -> None:
    """The error occurs before the mapped file is written, where it would be a signal."""

    def full(file: int, offset: int, size: int) -> None:
        assert (offset, size) == (0, 64 * 64 * 8)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    monkeypatch.setattr(esker.integrations.xarray.chunks, "PIECE_BYTES", 1 << 10)
    monkeypatch.setattr(esker.base.pieces, "PIECE_BYTES", 1 << 10)
    with pytest.raises(OSError, match="No space left"):
        if source == "dask":
            xr.Dataset({"v": (("y", "x"), da.ones((64, 64), chunks=16))}).to_esker(tmp_path / "run.idx")
        else:
            esker.write(tmp_path / "run.idx", {"v": esker.Chunked((64, 64), "f8", [np.ones((64, 64))])})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("chunks", [None, {}])
def test_onto_itself(tmp_path: Path, chunks: Any) -> None:
    ice().to_esker(tmp_path / "run.idx")
    with xr.open_dataset(tmp_path / "run.idx", engine="esker", chunks=chunks) as ds:
        ds.to_esker(tmp_path / "run.idx", overwrite=True)
    with xr.open_dataset(tmp_path / "run.idx", engine="esker") as ds:
        xr.testing.assert_allclose(ds.load(), ice())


def test_what_is_opened_lazily_is_not_loaded_whole(tmp_path: Path) -> None:
    """12 steps of 64 MB, scaled to 16 bits on the way, without chunks asked for."""
    program = textwrap.dedent(f"""
        import numpy as np, xarray as xr
        import esker, esker.xarray
        def peak():
            facts = dict(line.split(":") for line in open("/proc/self/status").read().splitlines())
            return int(facts["RssAnon"].split()[0]) // 1024
        with esker.Writer({str(tmp_path / "large.nc")!r}, dims={{"x": 2048, "y": 4096}}, format="cdf5", report="none") as w:
            v = w.field("v", "f8")
            for step in range(12):
                with w.step(float(step)) as s:
                    s.put(v, np.full((4096, 2048), step, "f8"))
        import threading, time
        most, going = 0, True
        def watch():
            global most
            while going:
                most = max(most, peak())
                time.sleep(0.005)
        thread = threading.Thread(target=watch)
        ds = xr.open_dataset({str(tmp_path / "large.nc")!r}, engine="esker")
        before = peak()
        thread.start()
        ds.to_esker({str(tmp_path / "out.idx")!r}, encoding={{"v": {{"dtype": "i2", "scale_factor": 0.5, "_FillValue": -9}}}})
        going = False
        thread.join()
        print(most - before)
        out = xr.open_dataset({str(tmp_path / "out.idx")!r}, engine="esker")["v"]
        assert out.dtype.kind == "f" and all(float(out[step, 7, 8]) == step for step in range(12))
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 400


def test_encoding_is_checked(tmp_path: Path) -> None:
    ds = xr.Dataset({"v": ("x", [1.0, 2.0])})
    ds.to_esker(tmp_path / "run.idx", encoding={"v": {"dtype": "f4"}})
    assert esker.open(tmp_path / "run.idx")["v"].dtype == np.float32
    with pytest.raises(ValueError, match="encoding: no variable 'Q'; the dataset has v"):
        ds.to_esker(tmp_path / "other.idx", encoding={"Q": {"dtype": "f4"}})
    with pytest.raises(ValueError, match="zlib"):
        ds.to_esker(tmp_path / "other.idx", encoding={"v": {"zlib": True}})


def test_larger_than_memory(tmp_path: Path) -> None:
    """Writes 640 MB in a process with far less memory: chunks are computed one after the other."""
    program = textwrap.dedent(f"""
        import resource
        import dask.array as da, numpy as np, xarray as xr
        import esker, esker.xarray
        def memory():
            facts = dict(line.split(":") for line in open("/proc/self/status").read().splitlines())
            return int(facts["RssAnon"].split()[0]) // 1024
        def block(block_info=None):
            (z0, z1), (y0, y1), (x0, x1) = block_info[None]["array-location"]
            global most
            most = max(most, memory())
            return (np.arange(z0, z1)[:, None, None] + np.arange(y0, y1)[:, None] * 0.5 + np.arange(x0, x1)).astype("f8")
        most = 0
        v = da.map_blocks(block, chunks=((20,) * 40, (100,) * 4, (250,)), dtype="f8", meta=np.zeros((0, 0, 0)))
        ds = xr.Dataset({{"v": (("z", "y", "x"), v)}})
        ds.isel(z=slice(0, 20)).to_esker({str(tmp_path / "warm.idx")!r})
        before, most = memory(), 0
        ds.to_esker({str(tmp_path / "large.idx")!r})
        print(v.nbytes >> 20, most - before, memory() - before)
        f = esker.open({str(tmp_path / "large.idx")!r})["v"]
        assert f.read(box=((3, 399, 11), (4, 400, 12))).item() == 11 + 399 * 0.5 + 3
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    megabytes, most, left = map(int, done.stdout.split())
    assert megabytes > 600
    assert most < 300
    assert left < 200
    assert not list(tmp_path.glob(".esker-*"))


@pytest.mark.parametrize("chunks", [{}, "auto"])
def test_dask_chunks_are_blocks(tmp_path: Path, chunks: Any) -> None:
    esker.write(
        tmp_path / "run.idx", {"v": np.arange(128 * 128, dtype="f8").reshape(128, 128)}, bits_per_block=10
    )
    with xr.open_dataset(tmp_path / "run.idx", engine="esker", chunks=chunks) as ds:
        assert ds["v"].chunks
        for sizes in ds["v"].chunks[1:]:
            assert all(size % 32 == 0 for size in sizes)
        assert float(ds["v"].mean()) == (128 * 128 - 1) / 2


def test_open_mfdataset(tmp_path: Path) -> None:
    whole = ice()[["thk", "temp"]].drop_vars(["lat", "season"])
    for number in range(3):
        whole.isel(time=[number]).to_esker(tmp_path / f"part{number}.idx")
    with xr.open_mfdataset([tmp_path / f"part{n}.idx" for n in range(3)], engine="esker") as joined:
        xr.testing.assert_equal(joined.compute(), whole)
    whole[["thk"]].to_esker(tmp_path / "thk.idx")
    whole[["temp"]].to_esker(tmp_path / "temp.idx")
    with xr.open_mfdataset([tmp_path / "thk.idx", tmp_path / "temp.idx"], engine="esker") as merged:
        xr.testing.assert_equal(merged.compute(), whole)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_reads_and_writes(tmp_path: Path) -> None:
    """Workers are separate processes: their inputs and results are pickled."""
    distributed = pytest.importorskip("distributed")
    ice().to_esker(tmp_path / "run.idx", bits_per_block=8)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster, timeout=60),
        xr.open_dataset(tmp_path / "run.idx", engine="esker", chunks={}) as ds,
    ):
        mean = ds["temp"].mean(("z", "y", "x")).compute()
        np.testing.assert_allclose(mean, ice()["temp"].mean(("z", "y", "x")))
        (ds[["thk"]] * 2).to_esker(tmp_path / "double.idx")
    read = esker.open(tmp_path / "double.idx")["thk"].read(step=1)
    assert np.array_equal(read, 2 * ice()["thk"].values[1])


@pytest.mark.parametrize("kind", ["idx", "cdf5", "netcdf4"])
def test_fixed_variables_where_there_is_no_time_yet(tmp_path: Path, kind: str) -> None:
    """They need a step, for which the others have no samples: these are left out, and named."""
    path = tmp_path / ("run.idx" if kind == "idx" else "run.nc")
    ds = xr.Dataset({"bed": ("x", [1.0, 2.0]), "v": (("time", "x"), np.zeros((0, 2)))}, {"time": np.zeros(0)})
    with pytest.warns(UserWarning, match="'time' has length 0; left out: v, time"):
        ds.to_esker(path, format=kind)
    with xr.open_dataset(path, engine="esker") as back:
        xr.testing.assert_identical(back.load(), ds[["bed"]].drop_vars("time", errors="ignore"))
    if kind == "netcdf4":
        with xr.open_dataset(path, engine="netcdf4") as back:
            assert back["bed"].values.tolist() == [1, 2]
    ds[["v"]].to_esker(path, format=kind, overwrite=True)
    with xr.open_dataset(path, engine="esker") as back:
        assert back["v"].shape == (0, 2)


@pytest.mark.parametrize("name", ["run.idx", "run.nc", "run.h5"])
def test_coordinates_that_no_variable_uses(tmp_path: Path, name: str) -> None:
    ds = xr.Dataset(
        {"bed": ("x", [1.0, 2.0])},
        {
            "lon": ("lon", np.arange(3, dtype="f4"), {"units": "degrees_east"}),
            "time": np.array(["2001-01-01", "2001-01-03"], "M8[ns]"),
        },
    )
    ds.to_esker(tmp_path / name)
    with xr.open_dataset(tmp_path / name, engine="esker") as back:
        xr.testing.assert_identical(back.load(), ds)
        assert back["lon"].dtype == np.float32


def test_times_that_no_real_holds(tmp_path: Path) -> None:
    times = np.datetime64("2026-01-01", "ns") + np.array([1, 2, 7])
    ds = xr.Dataset({"v": (("time", "x"), np.zeros((3, 2)))}, {"time": times})
    ds["time"].encoding = {"units": "nanoseconds since 1970-01-01", "dtype": "i8"}
    ds.to_esker(tmp_path / "run.idx")
    with xr.open_dataset(tmp_path / "run.idx", engine="esker") as back:
        assert np.array_equal(back["time"].values, times)
    numbers = xr.Dataset({"v": (("time", "x"), np.zeros((2, 2)))}, {"time": [2**60, 2**60 + 1]})
    with pytest.raises(ValueError, match="found integers beyond 2\\^53"):
        numbers.to_esker(tmp_path / "other.idx")


def test_booleans(tmp_path: Path) -> None:
    ds = xr.Dataset({"mask": (("y", "x"), [[True, False], [False, False]], {"on": np.True_})})
    ds.to_esker(tmp_path / "run.idx")
    assert esker.open(tmp_path / "run.idx")["mask"].dtype == np.int8
    with xr.open_dataset(tmp_path / "run.idx", engine="esker") as back:
        assert back["mask"].dtype == bool and np.array_equal(back["mask"], ds["mask"])
        assert back["mask"].attrs == {"on": 1}


@pytest.mark.parametrize("kind", ["idx", "cdf5", "netcdf4"])
def test_types_are_kept(tmp_path: Path, kind: str) -> None:
    """Types of coordinates, times and attributes; and scalars, including texts, which need no grid."""
    path = tmp_path / ("run.idx" if kind == "idx" else "run.nc")
    attributes = {
        name: np.dtype(name).type(value)
        for name, value in [
            ("i1", -7),
            ("u1", 200),
            ("i2", -300),
            ("u2", 60000),
            ("i4", -70000),
            ("f4", 0.1),
            ("f8", 0.1),
        ]
    }
    attributes |= {"i8": np.int64(2**62 + 1), "u8": np.uint64(2**64 - 1), "flags": np.array([1, 2, 4], "i1")}
    ds = xr.Dataset(
        {
            "v": (
                ("time", "y", "x"),
                np.ones((2, 2, 3), "i2"),
                {**attributes, "valid_range": np.array([0, 9], "i2")},
            ),
            "level": (("time",), np.array([1, 2], "i4"), {"units": "1"}),
            "crs": ((), np.int8(-1), {"grid_mapping_name": "latitude_longitude", "a": np.float32(0.1)}),
            "limit": ((), np.float32(0.1)),
        },
        {
            "time": ("time", np.array([4, 9], "i4"), {"axis": "T", "n": np.int16(4)}),
            "x": ("x", np.array([0.1, 0.2, 0.3], "f4"), {"n": np.float32(0.1)}),
            "y": ("y", np.array([2**53 + 1, 2**53 + 2], "i8")),
            "model": ((), "spherical"),
        },
        attributes,
    )
    ds.to_esker(path, format=kind)
    with xr.open_dataset(path, engine="esker") as back:
        xr.testing.assert_identical(back.load(), ds)
        for name in ds.variables:
            if name != "model":
                assert back[name].dtype == ds[name].dtype, name
            for attribute, value in ds[name].attrs.items():
                assert np.asarray(back[name].attrs[attribute]).dtype == np.asarray(value).dtype, (
                    name,
                    attribute,
                )
        for attribute, value in ds.attrs.items():
            assert np.asarray(back.attrs[attribute]).dtype == np.asarray(value).dtype, attribute
    if kind != "idx":
        with xr.open_dataset(path, engine="netcdf4") as back:
            assert back["x"].dtype == np.float32 and back["time"].dtype == np.int32
            assert back["level"].dims == ("time",) and back["crs"].dims == () and back["model"] == "spherical"


def test_scalars_need_no_step(tmp_path: Path) -> None:
    ds = xr.Dataset({"v": (("time", "x"), np.zeros((0, 2))), "crs": ((), 7)}, {"x": [1.0, 2.0]})
    ds.to_esker(tmp_path / "run.nc")
    with xr.open_dataset(tmp_path / "run.nc", engine="esker") as back:
        assert back["v"].shape == (0, 2) and back["crs"] == 7
    xr.Dataset({"crs": ((), 7)}).to_esker(tmp_path / "scalar.idx")
    with xr.open_dataset(tmp_path / "scalar.idx", engine="esker") as back:
        assert back["crs"] == 7
