"""The OME-Zarr images of `esker view`: other programs read the samples of Field.read() over HTTP, at all levels."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from click.testing import CliRunner
from test_viewer_gate import ask, cookie

import esker
from esker.cli import esker as command
from esker.viewer.images.ome_zarr import Chunk, answer
from esker.viewer.images.pyramid import CHUNK_SAMPLES, Pyramid

pytest.importorskip("bokeh")
from esker.viewer.images.zarr_route import image_of  # noqa: E402
from esker.viewer.reading.samples import Stale  # noqa: E402
from esker.viewer.serving.server import ViewServer  # noqa: E402

NX, NY, NZ = 301, 280, 9
RARE = "rare.2"


def write(path: Path) -> None:
    """A map with decreasing y, a volume of vectors, a fixed map of integers, and a field that is written every second step."""
    rng = np.random.default_rng(1)
    coords = {"x": 500.0 * np.arange(NX), "y": 1000.0 - 4.0 * np.arange(NY), "z": np.arange(NZ) ** 2.0}
    attrs = {"x": {"units": "m"}, "y": {"units": "km"}, "z": {"units": "m"}, "title": "<b>"}
    attrs["time"] = {"units": "days since 2000-01-01", "calendar": "noleap"}
    with esker.Writer(
        path, dims={"x": NX, "y": NY, "z": NZ}, coords=coords, attrs=attrs, report="none"
    ) as writer:
        grid = writer.grid("xy", ("x", "y"))
        about = {
            "_FillValue": np.float32(-9),
            "units": "m",
            "scale_factor": 2.0,
            "valid_max": np.float32(np.inf),
        }
        thk = writer.field("thk", "f4", grid=grid, attrs=about)
        vel = writer.field("vel", "f4", components=3)
        mask = writer.field("mask", "i2", grid=grid, fixed=True)
        rare = writer.field(RARE, "f4", grid=grid, every=2)
        for number in range(3):
            with writer.step(10.0 * number) as step:
                step.put(thk, rng.random((NY, NX), "f4"))
                step.put(vel, rng.random((NZ, NY, NX, 3), "f4"))
                if number == 0:
                    step.put(mask, rng.integers(0, 99, (NY, NX), "i2"))
                if number % 2 == 0:
                    step.put(rare, rng.random((NY, NX), "f4"))


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    path = tmp_path_factory.mktemp("zarr") / "run.idx"
    write(path)
    return esker.open(path)


@pytest.fixture(scope="module")
def server(ds: esker.Dataset) -> Iterator[ViewServer]:
    server = ViewServer([ds], allow_origins=["https://viewer.test"])
    server.start()
    yield server
    server.stop()


def url(server: ViewServer, field: str, dataset: int = 0) -> str:
    return next(found for n, name, found in server.zarr_urls() if (n, name) == (dataset, field))


def path_of(server: ViewServer, key: str) -> str:
    return f"/zarr/{server.gate.token}/{key}"


def expected(field: esker.Field, level: int) -> np.ndarray:
    """The samples of a level of the image, from Field.read()."""
    pyramid = Pyramid(field)
    found = []
    for step in range(1 if field.fixed else len(field.dataset.steps)):
        selection = pyramid.levels[level].selection
        samples = np.full(selection.shape, pyramid.fill, field.dtype)
        if field.has(step):
            samples = field.read(step, level=selection.level)
        if field.components > 1:
            samples = np.moveaxis(samples, -1, 0)
        found.append(samples[..., ::-1, :])  # y decreases
    return found[0] if field.fixed else np.stack(found)


FIELDS = ["thk", "vel", "mask", RARE]


@pytest.mark.parametrize(
    ("shape", "levels"),
    [
        ((200, 300, 260), [(200, 300, 260), (100, 150, 130), (50, 75, 65)]),
        ((512, 512), [(512, 512), (256, 256), (128, 128)]),
        ((33, 280, 301), [(33, 280, 301), (33, 140, 151), (33, 70, 76)]),
        ((2, 600, 900), [(2, 600, 900), (1, 300, 450), (1, 150, 225), (1, 75, 113)]),
        ((1, 9), [(1, 9)]),
    ],
)
def test_levels_halve_the_long_axes(
    tmp_path: Path, shape: tuple[int, ...], levels: list[tuple[int, ...]]
) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.zeros(shape, "f4")})
    found = Pyramid(esker.open(tmp_path / "a.idx")["f"]).levels
    assert [level.shape for level in found] == [(1, *counts) for counts in levels]
    for level in found:
        assert np.prod(level.chunks) <= CHUNK_SAMPLES and level.chunks[0] == 1


@pytest.mark.parametrize("name", FIELDS)
def test_zarr_python_reads_all_levels(server: ViewServer, ds: esker.Dataset, name: str) -> None:
    zarr = pytest.importorskip("zarr")
    pytest.importorskip("aiohttp")
    image = zarr.open_group(url(server, name), mode="r")
    datasets = image.attrs["ome"]["multiscales"][0]["datasets"]
    assert len(datasets) == len(Pyramid(ds[name]).levels)
    for number, dataset in enumerate(datasets):
        np.testing.assert_array_equal(image[dataset["path"]][:], expected(ds[name], number))


@pytest.mark.parametrize("name", FIELDS)
def test_tensorstore_reads_all_levels(server: ViewServer, ds: esker.Dataset, name: str) -> None:
    tensorstore = pytest.importorskip("tensorstore")
    for number in range(len(Pyramid(ds[name]).levels)):
        spec = {"driver": "zarr3", "kvstore": f"{url(server, name)}/{number}/{name}/"}
        store = tensorstore.open(spec, read=True).result()
        assert store.domain.labels[-2:] == ("y", "x")
        np.testing.assert_array_equal(store.read().result(), expected(ds[name], number))


def test_xarray_opens_a_level(server: ViewServer, ds: esker.Dataset) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("aiohttp")
    found = xarray.open_zarr(f"{url(server, 'thk')}/1", decode_times=False)
    assert found["thk"].dims == ("t", "y", "x") and found.attrs["title"] == "<b>"
    np.testing.assert_array_equal(found["x"], ds["thk"].grid.coords["x"][::2])
    np.testing.assert_array_equal(found["y"], ds["thk"].grid.coords["y"][::2][::-1])
    np.testing.assert_array_equal(found["t"], ds.steps)
    values = ds["thk"].read(1, stride=(2, 2))
    same_place = found["thk"].isel(t=1).sel(y=ds["thk"].grid.coords["y"][::2])
    np.testing.assert_array_equal(same_place, 2 * values.astype("f8"))
    assert found["thk"].encoding["_FillValue"] == -9
    decoded = xarray.open_zarr(f"{url(server, 'thk')}/1")
    assert str(decoded["t"].values[1])[:10] == "2000-01-11"


@pytest.mark.parametrize("name", FIELDS)
def test_the_metadata_are_valid(server: ViewServer, name: str) -> None:
    zarr = pytest.importorskip("zarr")
    pytest.importorskip("aiohttp")
    models = pytest.importorskip("ome_zarr_models.v05")
    image = models.Image.from_zarr(zarr.open_group(url(server, name), mode="r"))
    axes = image.ome_attributes.multiscales[0].axes
    assert [axis.type for axis in axes][-2:] == ["space", "space"]


def test_places_are_those_of_the_grid(ds: esker.Dataset) -> None:
    def image(name: str) -> dict[str, Any]:
        found = answer(Pyramid(ds[name]), ["zarr.json"])
        assert isinstance(found, bytes)
        return json.loads(found)["attributes"]["ome"]["multiscales"][0]

    thk, vel = image("thk"), image("vel")
    assert thk["axes"] == [
        {"name": "t", "type": "time", "unit": "day"},
        {"name": "y", "type": "space", "unit": "kilometer"},
        {"name": "x", "type": "space", "unit": "meter"},
    ]
    y = ds["thk"].grid.coords["y"]
    for number, level in enumerate(thk["datasets"]):
        scale, translation = level["coordinateTransformations"]
        assert scale == {"type": "scale", "scale": [10.0, 4.0 * 2**number, 500.0 * 2**number]}
        assert translation["translation"] == [0.0, y[:: 2**number].min(), 0.0]
    assert [axis["type"] for axis in vel["axes"]] == ["time", "channel", "space", "space", "space"]
    assert "unit" not in vel["axes"][2], "z is not evenly spaced, so it is placed by its indices"
    assert vel["datasets"][1]["coordinateTransformations"][0]["scale"] == [10.0, 1.0, 1.0, 8.0, 1000.0]


def test_wrong_tokens_and_paths_without_are_refused(server: ViewServer) -> None:
    for path in (
        "/zarr",
        "/zarr/",
        "/zarr/thk/zarr.json",
        f"/zarr/{server.gate.cookie}/thk/zarr.json",
        "/zarr//thk",
    ):
        assert ask(server, path)[0] == 403, path
        if path != "/zarr":
            assert ask(server, path, Cookie=cookie(server))[0] == 403, path
    good = path_of(server, "thk/zarr.json")
    assert ask(server, good)[0] == 200
    for wrong in ({"Host": "evil.test"}, {"Origin": "https://evil.test"}, {"Origin": "null"}):
        status, headers, _ = ask(server, good, **wrong)
        assert status == 403 and "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    "key",
    [
        "", "zarr.json", "nothing/zarr.json", "thk", "thk/", "thk//zarr.json", "thk/zarr.json/", "thk/9/zarr.json", "thk/00/zarr.json",
        "thk/-1/zarr.json", "thk/0/c/0/0/0", "thk/0/thk/c/3/0/0", "thk/0/thk/c/0/0", "thk/0/thk/c/0/0/0/0", "thk/0/thk/c/0/9/0",
        "thk/0/thk/c/0/0/99999999999999999999", "thk/0/thk/c/0/0/-1", "thk/0/thk/c/0/0/\u0661", "thk/0/thk/x/0/0/0", "thk/0/x/c/1",
        "thk/0/x/c/0/0", "thk/0/z/zarr.json", "thk/.zgroup", "thk/..%2f..%2fzarr.json", "..%2f..%2fetc/passwd", "thk/%00", "%ff/zarr.json",
        "%2e%2e/thk/zarr.json", "thk/0/thk/c/0/0/0%2f", "0/thk/zarr.json", "nothing/../thk/zarr.json",
    ],
)  # fmt: skip
def test_unknown_keys_are_not_found(server: ViewServer, key: str) -> None:
    status, headers, text = ask(server, path_of(server, quote(key, safe="/%.")))
    assert status == 404 and "Traceback" not in text and ".py" not in text
    assert headers["Server"] == "esker" and server.gate.token not in text


def test_a_field_named_like_an_axis(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"x": np.arange(12.0).reshape(3, 4)})
    pyramid = Pyramid(esker.open(tmp_path / "a.idx")["x"])
    assert answer(pyramid, ["0", "samples", "c", "0", "0", "0"]) == Chunk(0, (0, 0, 0))
    assert answer(pyramid, ["0", "x", "zarr.json"]) is None


def test_steps_without_samples_have_no_chunks(server: ViewServer, ds: esker.Dataset) -> None:
    name = RARE
    assert [ask(server, path_of(server, f"{name}/0/{name}/c/{step}/0/0"))[0] for step in range(3)] == [
        200,
        404,
        200,
    ]
    assert (
        np.isnan(Pyramid(ds[RARE]).fill) and Pyramid(ds["thk"]).fill == -9 and Pyramid(ds["mask"]).fill == 0
    )


def test_head_and_ranges(server: ViewServer) -> None:
    path = path_of(server, "thk/0/thk/c/1/0/0")
    status, headers, text = ask(server, path)
    size = int(headers["Content-Length"])
    assert status == 200 and text and headers["Content-Type"] == "application/octet-stream"
    status, headers, text = ask(server, path, "HEAD")
    assert status == 200 and int(headers["Content-Length"]) == size and not text
    assert ask(server, path_of(server, "thk/0/thk/c/9/0/0"), "HEAD")[0] == 404
    for asked, (first, last) in {
        "0-9": (0, 9),
        "5-": (5, size - 1),
        "-4": (size - 4, size - 1),
        "9-999999999": (9, size - 1),
    }.items():
        status, headers, _ = ask(server, path, Range=f"bytes={asked}")
        assert status == 206 and headers["Content-Range"] == f"bytes {first}-{last}/{size}"
        assert int(headers["Content-Length"]) == last - first + 1
    assert ask(server, path, Range=f"bytes={size}-")[0] == 416
    assert ask(server, path, "POST")[0] == 405


def test_the_token_is_not_logged(server: ViewServer, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    for name in ("info", "warning", "error"):
        keep = lambda text, *values: lines.append(text % values)  # noqa: E731
        monkeypatch.setattr(logging.getLogger("tornado.access"), name, keep)
    for key in ("thk/zarr.json", "thk/.zgroup"):
        ask(server, path_of(server, key))
    for _ in range(2):  # an answer may come before its line
        ask(server, "/nothing", Cookie=cookie(server))
    assert any("404 GET /nothing" in line for line in lines)
    assert not any(server.gate.token in line for line in lines)


def test_pages_of_allowed_origins_may_read(server: ViewServer) -> None:
    origin = "https://viewer.test"
    for key, expected_status in (
        ("thk/zarr.json", 200),
        ("thk/0/thk/c/0/0/0", 200),
        ("thk/9/zarr.json", 404),
    ):
        status, headers, _ = ask(server, path_of(server, key), Origin=origin)
        assert status == expected_status and headers["Access-Control-Allow-Origin"] == origin
        assert "Access-Control-Allow-Origin" not in ask(server, path_of(server, key))[1]
    status, headers, _ = ask(server, path_of(server, "thk/zarr.json"), "OPTIONS", Origin=origin)
    assert status == 204 and headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert ask(server, path_of(server, "thk/zarr.json"), "OPTIONS", Origin="https://evil.test")[0] == 403


def test_missing_blocks_are_as_read_has_them(golden_path: Callable[[str], Path], tmp_path: Path) -> None:
    """OpenVisus leaves blocks out, which are fill values; sparse steps have the nearest coarser sample."""
    golden = golden_path("d3_2fields_3times_raw_rm")
    shutil.copytree(golden.parent, tmp_path / "golden")
    for file in sorted((tmp_path / "golden").rglob("time_0002/*.bin"))[-4:]:
        file.unlink()
    left_out = esker.open(tmp_path / "golden" / golden.name)["p"]
    found = Pyramid(left_out).read(0, (2, 0, 0, 0), lambda: True)
    samples = left_out.read(2)
    assert found is not None and 0 < (samples == 0).sum() < samples.size
    np.testing.assert_array_equal(found[0, :, :20, :24], samples)
    values = np.arange(64.0 * 64).reshape(64, 64)
    with esker.Writer(
        tmp_path / "sparse.idx", dims={"x": 64, "y": 64}, bits_per_block=6, report="none"
    ) as writer:
        field = writer.field("f", "f8", attrs={"_FillValue": -1.0})
        with writer.step(0.0) as step:
            step.put(field, values)
            step.keep(field, boxes=[((0, 0), (32, 32))])
    sparse = esker.open(tmp_path / "sparse.idx")["f"]
    found = Pyramid(sparse).read(0, (0, 0, 0), lambda: True)
    assert found is not None and not np.array_equal(found[0], values)
    np.testing.assert_array_equal(found[0], sparse.read())


def test_lost_blocks_are_an_error(tmp_path: Path) -> None:
    for name in ("whole", "lost"):
        esker.write(tmp_path / f"{name}.idx", {"f": np.ones((64, 64))})
    for file in tmp_path.glob("lost/**/*.bin"):
        file.write_bytes(b"")
    server = ViewServer([esker.open(tmp_path / "whole.idx"), esker.open(tmp_path / "lost.idx")])
    server.start()
    try:
        status, _, text = ask(server, path_of(server, "1/f/0/f/c/0/0/0"))
        assert status == 500 and text == "the samples cannot be read"
        assert ask(server, path_of(server, "0/f/0/f/c/0/0/0"))[0] == 200
        assert ask(server, path_of(server, "2/f/zarr.json"))[0] == 404
        assert ask(server, path_of(server, "f/zarr.json"))[0] == 404
    finally:
        server.stop()


def test_reads_end_when_the_connection_does(ds: esker.Dataset) -> None:
    with pytest.raises(Stale):
        Pyramid(ds["vel"]).read(0, (0, 0, 0, 0, 0), lambda: False)


def test_fields_that_are_no_images_have_no_keys(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"line": np.ones(4), "line2": np.ones((4, 4))}, dims={"line": ("u",)})
    dataset = esker.open(tmp_path / "a.idx")
    assert image_of("/zarr/token/line/zarr.json", [dataset]) is None
    found = image_of("/zarr/token/line2/0/c", [dataset])
    assert found is not None and found[0].field.name == "line2" and found[1] == ["0", "c"]


def test_a_chunk_is_filled_up_behind_the_grid(ds: esker.Dataset) -> None:
    pyramid = Pyramid(ds["thk"])
    level = pyramid.levels[0]
    last = tuple((count - 1) // size for count, size in zip(level.shape, level.chunks))
    found = pyramid.read(0, last, lambda: True)
    assert found is not None and found.shape == level.chunks and found[0, -1, -1] == -9
    assert answer(pyramid, ["0", "thk", "c", *map(str, last)]) == Chunk(0, last)


def test_the_command_prints_the_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        esker.write(tmp_path / f"{name}.idx", {"f": np.ones((2, 2)), "line": np.ones(2)})
    monkeypatch.setattr(ViewServer, "run", lambda self: [one.close() for one in self._sockets])
    for names, paths in ((["a"], ["/f"]), (["a", "b"], ["/0/f", "/1/f"])):
        files = [str(tmp_path / f"{name}.idx") for name in names]
        shown = CliRunner().invoke(command, ["view", *files, "--no-browser", "--zarr"]).stdout.splitlines()
        token = shown[0].partition("token=")[2]
        assert [line.partition(token)[2] for line in shown[1:-1]] == paths
        assert all("/zarr/" in line and Path(files[n]).name in line for n, line in enumerate(shown[1:-1]))
        assert "/zarr/" not in CliRunner().invoke(command, ["view", *files, "--no-browser"]).stdout
