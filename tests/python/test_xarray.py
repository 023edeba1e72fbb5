"""xarray's engine "esker": the same values, names and times as esker.open, read when they are used."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import esker
from esker.xarray_backend import EskerBackendEntrypoint

NX, NY, NZ, STEPS = 40, 24, 7, 4
ENGINE: Any = EskerBackendEntrypoint  # also where the package is not installed


@pytest.fixture(scope="module")
def temp() -> np.ndarray[Any, Any]:
    return np.arange(STEPS * NZ * NY * NX, dtype="f4").reshape(STEPS, NZ, NY, NX)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, temp: Any) -> str:
    path = tmp_path_factory.mktemp("xarray") / "run.idx"
    with esker.Writer(
        path,
        dims={"x": NX, "y": NY, "z": NZ},
        coords={"x": 10.0 * np.arange(NX), "y": 5.0 - np.arange(NY)},
        attrs={
            "title": "a run",
            "x": {"units": "m", "axis": "X"},
            "time": {"units": "days since 2001-01-01", "calendar": "noleap"},
        },
        report="none",
        bits_per_block=9,
    ) as writer:
        plane = writer.grid("xy", ["x", "y"])
        field = writer.field("temp", "f4", units="K", _FillValue=0.0)
        topg = writer.field("topg", "i2", grid=plane, fixed=True, scale_factor=0.5)
        rare = writer.field("rare", "f8", grid=plane, every=2, components=2)
        for step in range(STEPS):
            with writer.step(float(step)) as s:
                s.put(field, temp[step])
                if step == 0:
                    s.put(topg, np.full((NY, NX), 8, "i2"))
                if step % 2 == 0:
                    s.put(rare, np.full((NY, NX, 2), step, "f8"))
    return str(Path(path).with_suffix(""))


def test_variables_coordinates_and_attributes(path: str, temp: Any) -> None:
    with xr.open_dataset(path, engine=ENGINE) as ds:
        assert ds.attrs["title"] == "a run"
        assert dict(ds.sizes) == {"time": 4, "z": NZ, "y": NY, "x": NX, "time_rare": 2, "component": 2}
        assert ds["temp"].dims == ("time", "z", "y", "x") and ds["temp"].units == "K"
        assert ds["rare"].dims == ("time_rare", "y", "x", "component") and ds["topg"].dims == ("y", "x")
        assert np.array_equal(ds["x"], 10.0 * np.arange(NX)) and ds["x"].axis == "X"
        assert np.array_equal(ds["temp"][1:], temp[1:])
        assert np.isnan(ds["temp"][0, 0, 0, 0]) and np.isnan(ds["temp"]).sum() == 1, "the fill value"
        assert ds["topg"].dtype.kind == "f" and (ds["topg"] == 4).all(), "scaled"
        assert str(ds["time"].values[1]) == "2001-01-02 00:00:00" and ds["time"].dt.calendar == "noleap"
        assert (ds["rare"][1] == 2).all()
        part = ds["temp"].sel(x=slice(100, 200), y=2.0).isel(time=-1, z=[5, 0])
        assert np.array_equal(part, temp[-1, [5, 0], 3, 10:21])
        assert np.array_equal(ds["temp"].sel(x=101, method="nearest")[2], temp[2, :, :, 10])


def test_nothing_is_read_before_it_is_used(path: str, monkeypatch: Any) -> None:
    asked: list[Any] = []
    query = esker.Field._query
    monkeypatch.setattr(
        esker.Field, "_query", lambda self, *given: asked.append(given) or query(self, *given)
    )
    with xr.open_dataset(path, engine=ENGINE) as ds:
        asked.clear()
        part = ds["temp"][2, 3:5, ::2, 7]
        assert not asked
        part.load()
    assert all(given[:2] == (2, ([7, 0, 3], [8, 23, 5])) for given in asked) and asked


def test_levels(path: str, temp: Any) -> None:
    field = esker.open(path)["temp"]
    level = field.max_level - 3
    strides = field.select(level=level).stride
    with xr.open_dataset(path, engine=ENGINE, level={"temp": level}, drop_variables=["topg", "rare"]) as ds:
        assert np.array_equal(ds["temp"][1], temp[1, :: strides[2], :: strides[1], :: strides[0]])
        assert np.array_equal(ds["x"], 10.0 * np.arange(NX)[:: strides[0]])
    with pytest.raises(ValueError, match="'temp' has .* samples along '[xy]', 'topg' (24|40)"):
        xr.open_dataset(path, engine=ENGINE, level={"xyz": 3})
    with pytest.raises(IndexError):
        xr.open_dataset(path, engine=ENGINE, level=99)


def test_one_level_of_several_grids(path: str, temp: Any) -> None:
    """That of the largest field; the others have the same samples along the dimensions that they share."""
    field = esker.open(path)["temp"]
    for level in range(0, field.max_level + 1, 2):
        sx, sy, sz = field.select(level=level).stride
        with xr.open_dataset(path, engine=ENGINE, level=level) as ds:
            assert np.array_equal(ds["temp"][1], temp[1, ::sz, ::sy, ::sx])
            assert ds["topg"].shape == ds["temp"].shape[-2:] and (ds["topg"] == 4).all()
            assert np.array_equal(ds["rare"][1], esker.open(path)["rare"].read(step=2)[::sy, ::sx])
            assert np.array_equal(ds["x"], 10.0 * np.arange(NX)[::sx])


def test_levels_by_name_are_of_what_is_there(path: str) -> None:
    shape = esker.open(path)["temp"].array(8).shape
    for level in (np.int64(8), {"temp": np.int8(8)}):
        ds = xr.open_dataset(path, engine="esker", level=level, drop_variables=["topg", "rare"])
        assert ds["temp"].shape == shape
    with pytest.raises(ValueError, match="level of 'tmep': no such field or grid; there are .*temp"):
        xr.open_dataset(path, engine="esker", level={"tmep": 8})
    with pytest.raises(TypeError):
        xr.open_dataset(path, engine="esker", level="8")


def test_a_dataset_without_steps(tmp_path: Path) -> None:
    for name in ("run.idx", "run.nc", "two.idx"):
        with esker.Writer(
            tmp_path / name, dims={"x": 6, "y": 5}, format="cdf5" if "nc" in name else "idx", report="none"
        ) as w:
            w.field("v", "f4")
            if name == "two.idx":
                w.field("line", "f4", grid=w.grid("rows", ["y"]))
        with xr.open_dataset(tmp_path / name, engine="esker") as ds:
            assert ds["v"].shape == (0, 5, 6) and ds["v"].load().size == 0 and ds["time"].size == 0
        assert esker.open(tmp_path / name)["v"][...].shape == (0, 5, 6)


@pytest.mark.parametrize("name", ["run.idx", "run.nc"])
def test_fixed_fields_come_with_the_first_step(tmp_path: Path, name: str) -> None:
    with esker.Writer(
        tmp_path / name, dims={"x": 6, "y": 5}, format="cdf5" if "nc" in name else "idx", report="none"
    ) as w:
        w.field("v", "f4")
        w.field("bed", "f4", fixed=True)
    with xr.open_dataset(tmp_path / name, engine="esker") as ds:
        assert list(ds.load().data_vars) == ["v"] and ds["v"].shape == (0, 5, 6)


def test_fixed_fields_of_files_without_records(tmp_path: Path) -> None:
    ds = xr.Dataset({"v": (("time", "x"), np.zeros((0, 3))), "bed": ("x", [5.0, 6.0, 7.0])})
    ds.to_netcdf(tmp_path / "run.nc", format="NETCDF3_64BIT", engine="netcdf4", unlimited_dims=["time"])
    with xr.open_dataset(tmp_path / "run.nc", engine="esker") as found:
        assert np.array_equal(found["bed"], ds["bed"]) and found["v"].shape == (0, 3)


def test_a_grid_with_a_dimension_called_time(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.idx", dims={"time": 6, "y": 5}, report="none") as w:
        v = w.field("v", "f4")
        for n in range(3):
            with w.step(float(n)) as s:
                s.put(v, np.full((5, 6), n, "f4"))
    with xr.open_dataset(tmp_path / "run.idx", engine="esker") as ds:
        assert dict(ds["v"].sizes) == {"step": 3, "y": 5, "time": 6} and ds["step"].values.tolist() == [
            0,
            1,
            2,
        ]


def test_fields_of_many_components(tmp_path: Path) -> None:
    values = np.random.default_rng(2).random((4, 5, 20))
    esker.write(tmp_path / "run.idx", {"species": values}, components={"species": 20})
    with xr.open_dataset(tmp_path / "run.idx", engine="esker") as ds:
        assert np.array_equal(ds["species"][0], values)


def test_chunks_are_blocks(path: str) -> None:
    with xr.open_dataset(path, engine=ENGINE) as ds:
        chunks = ds["temp"].encoding["preferred_chunks"]
    assert chunks["time"] == 1
    assert np.prod([min(chunks[dim], 64) for dim in "zyx"]) <= 2**10
    assert all(chunks[dim] & (chunks[dim] - 1) == 0 or chunks[dim] == NZ for dim in "zyx")


def test_guessing_and_pickling(path: str, temp: Any, tmp_path: Path) -> None:
    entry = EskerBackendEntrypoint()
    assert entry.guess_can_open(path) and entry.guess_can_open("run.idx")
    assert not entry.guess_can_open("run.nc") and not entry.guess_can_open(7)
    with xr.open_dataset(path, engine=ENGINE) as ds:
        again = pickle.loads(pickle.dumps(ds))
        assert again["temp"].identical(ds["temp"]) and np.array_equal(again["temp"][3], temp[3])


def test_what_xarray_wrote_is_read_alike(tmp_path: Path, temp: Any) -> None:
    file = tmp_path / "by_xarray.nc"
    data = xr.Dataset({"t": (("time", "y", "x"), temp[:, 0], {"units": "K"})}, {"x": np.arange(NX) * 2.0})
    data.to_netcdf(file)
    with xr.open_dataset(file, engine=ENGINE) as ours, xr.open_dataset(file) as theirs:
        assert np.array_equal(ours["t"], theirs["t"]) and np.array_equal(ours["x"], theirs["x"])


def test_the_engine_is_known_by_its_name(path: str) -> None:
    if "esker" not in xr.backends.list_engines():
        pytest.skip("the package is not installed")
    with xr.open_dataset(path) as guessed, xr.open_dataset(path, engine="esker") as named:
        assert guessed["temp"].identical(named["temp"])
