"""Datasets as images of napari: layers, what is read when, and, if they are installed, npe2 and napari's layers.

napari and npe2 are not among the requirements of the tests: napari takes 660 MB, and both bring plug-ins for pytest that warn
while they are loaded, which ends a run whose warnings are errors. Where they are installed:

    PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest tests/python/test_napari.py
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.integrations import napari_reader
from esker.integrations.napari_reader import napari_get_reader

MANIFEST = Path(napari_reader.__file__).with_name("napari.yaml")
NX, NY, NZ = 600, 300, 3


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two steps of a volume with a fill value, a vector on a map, and a fixed map of integers."""
    path = tmp_path_factory.mktemp("napari") / "run"
    coords = {"x": 0.5 * np.arange(NX), "y": 100 - 2.0 * np.arange(NY), "z": np.array([0.0, 1, 5])}
    attrs = {"x": {"units": "km"}, "y": {"units": "furlong"}, "time": {"units": "s"}}
    random = np.random.default_rng(1)
    with esker.Writer(path, dims={"x": NX, "y": NY, "z": NZ}, coords=coords, attrs=attrs, report="none") as w:
        temp = w.field("temp", "f4", _FillValue=np.float32(-1))
        maps = w.grid("map", ("x", "y"))
        velocity = w.field("velocity", "f4", components=2, grid=maps)
        mask = w.field("mask", "u1", grid=maps, fixed=True)
        for step in range(2):
            with w.step(10.0 + 3 * step) as s:
                values = random.random((NZ, NY, NX), "f4")
                values[0, :9, :9] = -1
                s.put(temp, values)
                s.put(velocity, random.random((NY, NX, 2), "f4"))
                if step == 0:
                    s.put(mask, random.integers(0, 9, (NY, NX), "u1"))
    return path


def layers(path: Path) -> dict[str, tuple[Any, dict[str, Any]]]:
    read = napari_get_reader(str(path))
    assert read is not None
    found = read(str(path))
    assert all(kind == "image" for _, _, kind in found)
    return {how["name"]: (data, how) for data, how, _ in found}


def test_each_field_is_an_image_with_levels(run: Path) -> None:
    found = layers(run / "esker.json")
    assert set(found) == {"temp", "velocity[0]", "velocity[1]", "mask"}
    source = esker.open(run)
    levels, how = found["temp"]
    assert how["multiscale"] and [level.shape for level in levels] == [
        (2, 3, 300, 600),
        (2, 2, 150, 300),
        (2, 1, 75, 150),
    ]
    for stride, level in ((1, levels[0]), (2, levels[1])):
        expected = source["temp"].read(1, stride=(stride,) * 3)
        np.testing.assert_array_equal(level[1], np.where(expected == -1, np.nan, expected))
    assert levels[0].dtype == np.float32 and levels[0].size == 2 * NX * NY * NZ
    vector = found["velocity[1]"][0][0]
    np.testing.assert_array_equal(vector[0, 5:7], source["velocity"].read(0)[5:7, :, 1])
    np.testing.assert_array_equal(vector[..., 3], np.asarray(vector)[..., 3])
    mask = found["mask"][0][0]
    assert mask.dtype == np.uint8
    np.testing.assert_array_equal(np.asarray(mask), source["mask"].read())
    assert [how["visible"] for _, how in found.values()] == [True, False, False, False]


def test_axes_have_the_coordinates_of_the_dataset(run: Path) -> None:
    how = layers(run)["temp"][1]
    assert how["axis_labels"] == ["time", "z", "y", "x"]
    assert how["scale"] == [3, 1, -2, 0.5] and how["translate"] == [10, 0, 100, 0]
    assert how["units"] == ["s", "pixel", "pixel", "km"]


def test_only_what_is_shown_is_read(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cost: list[Any] = []
    of = esker.dataset.array._Reading.of

    def noted(self: Any, steps: Any) -> Any:
        cost.append((self._box, tuple(steps)))
        return of(self, steps)

    monkeypatch.setattr(esker.dataset.array._Reading, "of", noted)
    levels, _ = layers(run)["temp"]
    assert cost == []
    assert levels[1][1, 0, 10:20, 30:50].shape == (10, 20)
    assert cost == [(([60, 20, 0], [99, 39, 1]), (1,))]


def test_small_fields_have_one_level(tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"f": np.ones((4, 5))})
    data, how = layers(tmp_path / "run.idx")["f"]
    assert data.shape == (1, 4, 5) and "multiscale" not in how


def test_what_is_no_dataset_has_no_reader(tmp_path: Path, run: Path) -> None:
    (tmp_path / "photo.idx").write_text("not a dataset")
    assert napari_get_reader(str(tmp_path / "photo.idx")) is None
    assert napari_get_reader(str(tmp_path / "nothing.idx")) is None
    assert napari_get_reader([str(run), str(run)]) is None
    assert napari_get_reader([str(run)]) is not None


def test_the_package_registers_the_manifest() -> None:
    (entry,) = metadata.entry_points(group="napari.manifest", name="esker")
    package, _, file = entry.value.partition(":")
    assert (package, file) == ("esker.integrations", MANIFEST.name)
    yaml = pytest.importorskip("yaml")
    contributions = yaml.safe_load(MANIFEST.read_text())["contributions"]
    (command,), (reader,) = contributions["commands"], contributions["readers"]
    module, _, function = command["python_name"].partition(":")
    assert reader["command"] == command["id"]
    assert getattr(importlib.import_module(module), function) is napari_get_reader


def test_npe2_reads_by_the_manifest(run: Path) -> None:
    npe2 = pytest.importorskip("npe2", reason="npe2 is not installed (pip install npe2)")
    manifest = npe2.PluginManifest.from_file(MANIFEST)
    manifest.validate_imports()
    plugins = npe2.PluginManager()
    plugins.register(manifest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(npe2.PluginManager, "instance", lambda: plugins)
        for path in (run / "esker.json", run.with_suffix(".idx")):
            found = npe2.read([str(path)], stack=False)
            assert [how["name"] for _, how, _ in found] == list(layers(run))


PROGRAM = """
import sys
import numpy as np
import esker
from esker.integrations.napari_reader import napari_get_reader
from napari.components import ViewerModel
from napari.layers import Image

sizes = []  # of what is read at once
of = esker.dataset.array._Reading.of


def noted(self, steps):
    found = of(self, steps)
    sizes.append(found.size)
    return found


esker.dataset.array._Reading.of = noted
viewer = ViewerModel()
for data, how, _ in napari_get_reader(sys.argv[1])(sys.argv[1]):
    viewer.add_layer(Image(data, **how))
temp = viewer.layers["temp"]
assert temp.multiscale and temp.ndim == 4 and len(temp.data) == 3
assert (viewer.dims.range[0].start, viewer.dims.range[0].step) == (10, 3), viewer.dims.range
viewer.dims.set_point(0, 13)
viewer.dims.set_point(1, 2)
stride = 2**temp.data_level
expected = esker.open(sys.argv[1].removesuffix("esker.json"))["temp"].read(1)[2 // stride * stride, ::stride, ::stride]
shown = np.asarray(temp._slice.image.raw)
np.testing.assert_array_equal(shown, np.where(expected == -1, np.nan, expected))
assert temp.data_level == 2 and max(sizes) <= 2 * 75 * 150, (temp.data_level, sizes)
assert str(temp.units[-1]) == "kilometer", temp.units
print("shown")
"""


def test_layers_of_napari(run: Path) -> None:
    """The model of napari's viewer, without windows. In another program: napari warns when it is imported, which is an error
    here."""
    if importlib.util.find_spec("napari") is None:
        pytest.skip("napari is not installed; it and what it needs take 660 MB")
    command = [sys.executable, "-c", PROGRAM, str(run / "esker.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.strip() == "shown", done.stdout + done.stderr
