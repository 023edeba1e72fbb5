"""yt.load() of grids without mesh levels: values, coordinates, units, levels, what is read when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import esker
from esker.dataset.field import Field

yt = pytest.importorskip("yt")
pytestmark = pytest.mark.filterwarnings("ignore")

NX, NY, NZ = 150, 20, 9


@pytest.fixture(autouse=True)
def _quiet() -> None:
    yt.set_log_level("critical")


def write_run(path: Path, z: NDArray[Any]) -> Path:
    random = np.random.default_rng(1)
    coords = {"x": 100.0 * np.arange(NX), "y": 50.0 - 2 * np.arange(NY), "z": z}
    with esker.Writer(
        path,
        dims={"x": NX, "y": NY, "z": NZ},
        coords=coords,
        report="none",
        attrs={a: {"units": "km"} for a in "xyz"},
    ) as w:
        temp = w.field("temp", "f4", units="K", _FillValue=np.float32(-1))
        velocity = w.field("velocity", "f8", components=3, units="m/s")
        for step in range(2):
            with w.step(5.0 * step) as s:
                values = random.random((NZ, NY, NX), "f4")
                values[0, 0, 0] = -1
                s.put(temp, values)
                s.put(velocity, random.random((NZ, NY, NX, 3)))
    return path


@pytest.mark.parametrize("even", [True, False])
def test_samples_are_cells_around_their_coordinates(tmp_path: Path, even: bool) -> None:
    z = np.arange(NZ) * 10.0 if even else np.arange(NZ) ** 2.0
    path = write_run(tmp_path / "run.idx", z)
    dataset = yt.load(path, step=0)
    assert type(dataset).__name__ == "EskerGridDataset" and dataset.dimensionality == 3
    assert dataset.domain_dimensions.tolist() == [NX, NY, NZ]
    assert float(dataset.current_time) == 0 and float(yt.load(path).current_time) == 5
    left = dataset.domain_left_edge.to_value("km")
    assert left.tolist() == [-50, 11, -5 if even else -0.5]
    assert str(dataset.length_unit) == "1.0 km"
    source = esker.open(path)
    found = {}
    for grid in dataset.index.grids:
        x, y, z_ = grid.get_global_startindex()
        shape = grid.ActiveDimensions
        at = (slice(x, x + shape[0]), slice(y, y + shape[1]), slice(z_, z_ + shape[2]))
        for name in ("temp", "velocity_2"):
            whole = found.setdefault(name, np.zeros((NX, NY, NZ)))
            whole[at] = grid["stream", name]
    assert len(dataset.index.grids) == (2 if even else 1)
    expected = source["temp"].read(0, masked=True)[:, ::-1]
    np.testing.assert_array_equal(found["temp"], np.where(expected == -1, np.nan, expected).T)
    np.testing.assert_array_equal(found["velocity_2"], source["velocity"].read(0)[:, ::-1, :, 2].T)
    assert str(dataset.all_data()["stream", "temp"].units) == "K"
    assert str(dataset.all_data()["stream", "velocity_0"].units) == "m/s"


def test_a_level_and_a_box(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.idx", np.arange(NZ) * 10.0)
    velocity = esker.open(path)["velocity"]
    level, box = velocity.max_level - 4, ((16, 0, 0), (150, 15, 9))
    dataset = yt.load(path, level=level, box=box)
    expected = velocity.read(-1, box, level)[:, ::-1, :, 0].T
    assert dataset.domain_dimensions.tolist() == list(expected.shape)
    cells = dataset.covering_grid(0, dataset.domain_left_edge, dataset.domain_dimensions)
    np.testing.assert_array_equal(cells["stream", "velocity_0"], expected)
    np.testing.assert_allclose(
        np.unique(cells["index", "x"].to_value("km")), velocity.coords("x", box, level)
    )
    assert yt.load(path, level="automatic").domain_dimensions.tolist() == [NX, NY, NZ]
    with pytest.raises(ValueError, match="no grid 'none' with fields; the dataset has"):
        yt.load(path, grid="none")


def test_only_the_bricks_in_question_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_run(tmp_path / "run.idx", np.arange(NZ) * 10.0)
    boxes: list[Any] = []
    read = Field.read

    def noted(self: Field, step: int = -1, box: Any = None, *arguments: Any, **how: Any) -> Any:
        boxes.append(box)
        return read(self, step, box, *arguments, **how)

    monkeypatch.setattr(Field, "read", noted)
    dataset = yt.load(path)
    assert boxes == []
    value = dataset.find_field_values_at_point(("stream", "temp"), dataset.arr([14000, 20, 30], "km"))
    assert boxes == [((128, 0, 0), (150, 20, 9))]
    monkeypatch.undo()
    assert float(value[0] if np.ndim(value) else value) == esker.open(path)["temp"].read()[3, 15, 140]


@pytest.mark.parametrize("name", ["map.idx", "map.zarr"])
def test_a_map_has_two_dimensions(tmp_path: Path, name: str) -> None:
    values = np.random.default_rng(1).random((20, 30))
    esker.write(tmp_path / name, {"f": values})
    dataset = yt.load(tmp_path / name)
    assert dataset.dimensionality == 2 and dataset.domain_dimensions.tolist() == [30, 20, 1]
    image = yt.SlicePlot(dataset, "z", ("stream", "f"), origin="native").frb["stream", "f"]
    np.testing.assert_allclose([image.min(), image.max()], [values.min(), values.max()])
    cells = dataset.covering_grid(0, dataset.domain_left_edge, dataset.domain_dimensions)
    np.testing.assert_array_equal(cells["stream", "f"][..., 0], values.T)


def test_the_grid_of_the_largest_field(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run", dims={"x": 8, "y": 6, "z": 4}, report="none") as w:
        w.field("temp", "f4")
        w.field("thk", "f4", grid=w.grid("map", ("x", "y")))
        with w.step(0.0) as s:
            s.put("temp", np.ones((4, 6, 8), "f4"))
            s.put("thk", np.ones((6, 8), "f4"))
    assert yt.load(tmp_path / "run").field_list == [("stream", "temp")]
    assert yt.load(tmp_path / "run", grid="map").field_list == [("stream", "thk")]
