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
    boxes: list[Any] = []
    read = esker.Field.read
    monkeypatch.setattr(
        esker.Field, "read", lambda self, *given, **named: boxes.append(given) or read(self, *given, **named)
    )
    with xr.open_dataset(path, engine=ENGINE) as ds:
        part = ds["temp"][2, 3:5, ::2, 7]
        assert not boxes
        part.load()
    assert len(boxes) == 1 and boxes[0][:2] == (2, ([7, 0, 3], [8, 23, 5]))


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
