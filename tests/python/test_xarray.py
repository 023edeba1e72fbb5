"""xarray's engine "esker": the same values, names and times as esker.open, read lazily."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr

import esker
from esker.dataset.decoding import decoded
from esker.integrations.xarray.backend import EskerBackendEntrypoint

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
    """The level is that of the largest field; the others have the same samples along the dimensions that they share."""
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
    with pytest.raises(ValueError, match="level: no field or grid 'tmep'; the dataset has .*temp"):
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


@pytest.mark.filterwarnings("ignore:variable 'a' has (non-conforming|multiple)")
@pytest.mark.parametrize(
    ("dtype", "attribute", "fill", "sample"),
    [
        ("i2", "_FillValue", np.float64("nan"), 0),
        ("i2", "missing_value", np.float32(1e20), 0),
        ("i1", "missing_value", np.int16(-9999), -15),
        ("i1", "missing_value", np.array([-9999, 300], "i2"), 44),
        ("i2", "missing_value", np.float64(-1.5), -1),
        ("u1", "missing_value", np.int16(-1), 255),
        ("f4", "missing_value", np.float64(1e-300), 0),
        ("f4", "missing_value", np.float64(1e300), np.inf),
    ],
)
def test_fill_values_that_the_type_cannot_hold_mark_nothing(
    tmp_path: Path, dtype: str, attribute: str, fill: Any, sample: float
) -> None:
    path = tmp_path / "run.nc"
    kind: Any = "NETCDF4" if attribute == "missing_value" else "NETCDF3_64BIT_OFFSET"
    _by_hand(path, kind, {"a": (dtype, np.array([sample, 7]), {attribute: fill})})
    with xr.open_dataset(path, engine=ENGINE) as ds:
        assert ds["a"].values.tolist() == [sample, 7]
    field = esker.open(path)["a"]
    assert not np.isnan(field.read()).any()
    found = decoded(field, field.read())
    assert found.mask.tolist() == [not np.isfinite(sample), False]


@pytest.mark.parametrize(
    ("dtype", "attributes", "missing"),
    [
        ("f4", {"missing_value": np.float64(-1e34)}, -1e34),
        ("i2", {"missing_value": np.float64(-9999)}, -9999),
        ("f8", {"missing_value": np.float64("nan")}, np.nan),
        ("i1", {"missing_value": np.int16(-99)}, -99),
        ("i1", {"missing_value": np.array([-99], "i2")}, -99),
    ],
)
def test_fill_values_that_the_type_holds_are_missing(
    tmp_path: Path, dtype: str, attributes: dict[str, Any], missing: float
) -> None:
    path = tmp_path / "run.nc"
    _by_hand(path, "NETCDF4", {"a": (dtype, np.array([missing, 7]), attributes)})
    with xr.open_dataset(path, engine=ENGINE) as ds:
        assert np.isnan(ds["a"].values).tolist() == [True, False]
    field = esker.open(path)["a"]
    assert decoded(field, field.read()).mask.tolist() == [True, False]


def _by_hand(path: Path, kind: Any, variables: Mapping[str, tuple[str, Any, Mapping[str, Any]]]) -> None:
    """Variables along `x` with attributes of any type, which no library checks in classic files."""
    with netCDF4.Dataset(path, "w", format=kind) as file:
        file.createDimension("x", 2)
        for name, (dtype, values, attributes) in variables.items():
            variable = file.createVariable(name, dtype, ("x",))
            variable.set_auto_maskandscale(False)
            variable[:] = values
            variable.setncatts(attributes)


def test_vectors_of_different_numbers_of_components(tmp_path: Path) -> None:
    values = {
        "a": np.arange(24.0).reshape(3, 4, 2),
        "b": np.arange(36.0).reshape(3, 4, 3),
        "c": np.ones((3, 4)),
    }
    esker.write(tmp_path / "run.idx", values, components={"a": 2, "b": 3})
    with xr.open_dataset(tmp_path / "run.idx", engine=ENGINE) as ds:
        assert ds["a"].dims == ("time", "y", "x", "component_2")
        assert ds["b"].dims == ("time", "y", "x", "component_3")
        assert all(np.array_equal(ds[name][0], values[name]) for name in values)


def test_a_variable_that_was_never_written(tmp_path: Path) -> None:
    """It has a separate time dimension, like all variables that were not written at every step."""
    with netCDF4.Dataset(tmp_path / "run.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        for name in ("time", "a", "once", "never"):
            file.createVariable(name, "f8", ("time", "x")[: 1 if name == "time" else 2])
        file["time"][:] = [5, 6]
        file["a"][:] = np.ones((2, 3))
        file["once"][0] = [1, 2, 3]
    found = esker.open(tmp_path / "run.nc")["never"]
    assert (found.steps, found.has(-1), found.shape, found[...].shape) == ([], False, (3,), (0, 3))
    with pytest.raises(KeyError, match="'never' was not written"):
        found.read()
    with xr.open_dataset(tmp_path / "run.nc", engine=ENGINE) as ds:
        assert ds["a"].load().shape == (2, 3) and ds["time"].values.tolist() == [5, 6]
        assert ds["once"].values.tolist() == [[1, 2, 3]] and ds["time_once"].values.tolist() == [5]
        assert ds["never"].load().shape == (0, 3) and ds["time_never"].size == 0


@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_64BIT_OFFSET"])
def test_files_without_records(tmp_path: Path, kind: Any) -> None:
    with netCDF4.Dataset(tmp_path / "run.nc", "w", format=kind) as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.createVariable("a", "f4", ("time", "x"))
        file.createVariable("bed", "f4", ("x",))[:] = [1, 2, 3]
    found = esker.open(tmp_path / "run.nc")
    assert [(found[name].has(-1), found[name].has(0)) for name in ("a", "bed")] == [
        (False, False),
        (True, True),
    ]
    with xr.open_dataset(tmp_path / "run.nc", engine=ENGINE) as ds:
        assert ds["a"].load().shape == (0, 3) and ds["bed"].values.tolist() == [1, 2, 3]


def test_times_of_files_whose_fields_are_fixed(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "run.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.createVariable("bed", "f4", ("x",))[:] = [1, 2, 3]
        file.createVariable("time", "f8", ("time",))[:] = [1, 2]
        file["time"].units = "days since 2001-01-01"
    with xr.open_dataset(tmp_path / "run.nc", engine=ENGINE) as ds:
        assert ds["time"].values.tolist() == np.array(["2001-01-02", "2001-01-03"], "M8[ns]").tolist()


def test_what_is_left_out_is_named_once(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "run.nc", "w") as file:
        file.createDimension("x", 3)
        pair = file.createCompoundType(np.dtype([("a", "i4"), ("b", "f4")]), "pair")
        file.createVariable("bed", "f4", ("x",))[:] = [1, 2, 3]
        file.createVariable("name", pair, ("x",))
        file.createVariable("title", pair, ("x",))
    with pytest.warns(UserWarning) as told:
        xr.open_dataset(tmp_path / "run.nc", engine=ENGINE)
    (one,) = told
    assert "'name' is left out" in str(one.message) and "'title' is left out" in str(one.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xr.open_dataset(tmp_path / "run.nc", engine=ENGINE, drop_variables=["name", "title"])


@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_64BIT_DATA"])
def test_all_that_netcdf_holds_is_there(tmp_path: Path, kind: Any) -> None:
    """This engine shows everything that xarray's engine shows, except texts per record or with several axes."""
    path = tmp_path / "run.nc"
    with netCDF4.Dataset(path, "w", format=kind) as file:
        for name, size in {"rec": None, "y": 2, "x": 3, "lon": 4, "nv": 2, "letter": 5}.items():
            file.createDimension(name, size)
        variables = {
            "rec": ("i4", ("rec",)),
            "v": ("i2", ("rec", "y", "x")),
            "bed": ("f4", ("y", "x")),
            "x": ("f4", ("x",)),
            "lon": ("f4", ("lon",)),
            "rec_bnds": ("f8", ("rec", "nv")),
            "area": ("f8", ("rec",)),
            "mesh": ("i4", ()),
            "crs": ("i1", ()),
        }
        for name, (dtype, dims) in variables.items():
            variable = file.createVariable(name, dtype, dims)
            variable.n = np.int16(len(name))
            if dims[:1] != ("rec",):
                variable[...] = 1
        file["rec"][:] = [3, 4]
        for name, (_, dims) in variables.items():
            if dims[:1] == ("rec",) and name != "rec":
                file[name][:] = 2
        file["rec"].units = "days since 2001-01-01"
        file["x"][:] = [0.1, 0.2, 0.3]
        file["lon"][:] = [1, 2, 3, 4]
    with xr.open_dataset(path, engine=ENGINE) as ours, xr.open_dataset(path, engine="netcdf4") as theirs:
        assert set(ours.variables) == set(theirs.variables)
        for name in theirs.variables:
            xr.testing.assert_identical(ours[name].variable.load(), theirs[name].variable.load())
            assert ours[name].dtype == theirs[name].dtype
        assert ours.encoding["unlimited_dims"] == {"rec"}
