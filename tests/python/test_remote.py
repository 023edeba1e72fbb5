"""Datasets on web servers and object stores: right answers, and only the needed bytes are fetched."""

from __future__ import annotations

import pickle
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import (
    BaseHTTPRequestHandler,
    HTTPServer,
    SimpleHTTPRequestHandler,
    ThreadingHTTPServer,
)
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")

import fsspec
import xarray as xr
from http_files import Served, serve

Run = Callable[..., subprocess.CompletedProcess[str]]
SHAPE = (64, 96, 128)
PAGE = 64 << 10
"""The bytes that a small read fetches."""


@pytest.fixture(scope="module")
def samples() -> np.ndarray[Any, Any]:
    return np.random.default_rng(11).random(SHAPE)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory, samples: Any) -> Path:
    """The same samples in each format, 6.3 MB."""
    top = tmp_path_factory.mktemp("served")
    esker.write(
        top / "run.idx", {"temp": samples}, bits_per_block=12, blocks_per_file=32, attrs={"title": "far"}
    )
    esker.write(top / "five.nc", {"temp": samples}, format="cdf5")
    esker.write(top / "four.nc", {"temp": samples}, format="netcdf4")
    esker.write(top / "levels.zarr", {"temp": samples}, levels=2)
    with esker.Writer(top / "two.idx", dims={"x": 40, "y": 30, "z": 5}, report="none") as writer:
        temp = writer.field("temp", "f4")
        plane = writer.grid("xy", ["x", "y"])
        topg = writer.field("topg", "f4", grid=plane, fixed=True)
        with writer.step(0.0) as s:
            s.put(temp, samples[:5, :30, :40].astype("f4"))
            s.put(topg, samples[0, :30, :40].astype("f4"))
    return top


@pytest.fixture
def server(directory: Path) -> Iterator[Served]:
    with serve(directory) as served:
        yield served


class _Pages(BaseHTTPRequestHandler):
    """A server that has a page for every address, as those of sites with a login."""

    def do_HEAD(self) -> None:
        self._answer(b"")

    def do_GET(self) -> None:
        self._answer(b"<!doctype html><title>Sign in</title>")

    def _answer(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "37")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


class _Listing(SimpleHTTPRequestHandler):
    """A server as `python -m http.server`: a directory's address is a page that lists it."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.parametrize("name", ["run.idx", "run.nc", "run.vtkhdf.series", "run"])
def test_a_web_page_in_place_of_a_file_is_named(name: str) -> None:
    with HTTPServer(("127.0.0.1", 0), _Pages) as pages:
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{pages.server_port}/{name}"
        with pytest.raises(OSError, match=f"{re.escape(url)}.*: expected a file, found a web page"):
            esker.open(url)
        pages.shutdown()


@pytest.mark.parametrize("name", ["run.idx", "five.nc", "four.nc", "levels.zarr"])
@pytest.mark.parametrize("ranges", [True, False])
def test_every_format_by_http(server: Served, samples: Any, name: str, ranges: bool) -> None:
    server.ranges = ranges
    field = esker.open(f"{server.url}/{name}", threads=3)["temp"]
    assert np.array_equal(field.read(level=9), esker_level(samples, field, 9))
    box = ((5, 7, 9), (90, 70, 20))
    assert np.array_equal(field.read(box=box), samples[9:20, 7:70, 5:90])
    if name == "run.idx" and ranges:
        assert np.array_equal(field.read(), samples)


def esker_level(samples: Any, field: esker.Field, level: int) -> Any:
    sx, sy, sz = field.select(level=level).stride
    return samples[::sz, ::sy, ::sx]


def test_verifying_a_remote_dataset(server: Served, directory: Path) -> None:
    by_memory = fsspec.filesystem("memory")
    by_memory.put(str(directory), "/verified", recursive=True)
    for name in ("run.idx", "five.nc", "four.nc", "two.idx", "levels.zarr"):
        found, here = esker.verify(f"memory://verified/{name}"), esker.verify(directory / name)
        assert found.good and (found.files, found.blocks, found.bytes) == (
            here.files,
            here.blocks,
            here.bytes,
        )
    by_memory.rm("/verified", recursive=True)


def test_verifying_on_a_web_server_that_lists_nothing(
    server: Served, directory: Path, tmp_path: Path, esker_command: Run
) -> None:
    for name in ("run.idx", "five.nc", "four.nc", "two.idx", "levels.zarr"):
        found, here = esker.verify(f"{server.url}/{name}"), esker.verify(directory / name)
        assert found.good and (found.files, found.blocks, found.bytes, found.blocks_with_checksum) == (
            here.files,
            here.blocks,
            here.bytes,
            here.blocks_with_checksum,
        ), found.findings
    assert esker_command("verify", f"{server.url}/run.idx").returncode == 0
    shutil.copytree(directory, tmp_path / "damaged")
    first, second, *_ = sorted((tmp_path / "damaged" / "run").rglob("*.bin"))
    first.unlink()
    content = bytearray(second.read_bytes())
    content[-1] ^= 1
    second.write_bytes(content)
    (tmp_path / "damaged" / "other.idx").write_text((directory / "run.idx").read_text().split("(esker)")[0])
    with serve(tmp_path / "damaged") as damaged:
        found = esker.verify(f"{damaged.url}/run.idx")
        errors = [finding for finding in found.findings if finding.is_error]
        assert [Path(finding.path).name for finding in errors] == [first.name, second.name]
        assert "missing" in errors[0].text
        with pytest.raises(NotImplementedError, match="other.idx.*cannot be listed"):
            esker.verify(f"{damaged.url}/other.idx")


def test_a_dataset_of_several_grids(server: Served, samples: Any) -> None:
    for name in ("two", "two.idx"):
        dataset = esker.open(f"{server.url}/{name}")
        assert np.array_equal(dataset["topg"].read(), samples[0, :30, :40].astype("f4"))
        assert np.array_equal(dataset["temp"].read(), samples[:5, :30, :40].astype("f4"))


def test_a_server_that_cannot_be_reached_is_named() -> None:
    said = r"http://127\.0\.0\.1:1/run\.idx.*Cannot connect to host 127\.0\.0\.1:1"
    with pytest.raises(OSError, match=said) as found:
        esker.open("http://127.0.0.1:1/run.idx")
    assert "ConnectionKey" not in str(found.value)


@pytest.mark.parametrize("end", ["", "/"])
def test_a_server_that_lists_directories(directory: Path, samples: Any, end: str) -> None:
    handler = partial(_Listing, directory=directory)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listing:
        threading.Thread(target=listing.serve_forever, daemon=True).start()
        dataset = esker.open(f"http://127.0.0.1:{listing.server_port}/two{end}")
        assert np.array_equal(dataset["topg"].read(), samples[0, :30, :40].astype("f4"))
        listing.shutdown()


def test_a_coarse_level_touches_only_its_bytes(server: Served, directory: Path, samples: Any) -> None:
    field = esker.open(f"{server.url}/run.idx")["temp"]
    opened = server.bytes
    assert opened < 3 * PAGE  # the header and other metadata
    level = field.max_level - 6
    cost = esker.ReadStatistics()
    assert np.array_equal(field.read(level=level, statistics=cost), esker_level(samples, field, level))
    fetched = server.bytes - opened
    table = 40 + 40 * 32
    due = field.select(level=level).nbytes
    blocks = -(-due // (8 << 12)) * (8 << 12) * 2  # whole blocks, some of them partly beyond the grid
    assert fetched <= blocks + 2 * (table + PAGE), (fetched, due)
    assert fetched < samples.nbytes / 8
    assert cost.bytes <= fetched

    before = server.bytes
    assert np.array_equal(field.read(level=level), esker_level(samples, field, level))
    assert server.bytes == before  # all blocks are kept


def test_a_box_touches_only_its_bytes(server: Served, samples: Any) -> None:
    boxes = {"run.idx": ((64, 64, 0), (90, 96, 30)), "five.nc": ((0, 0, 60), (128, 96, 63))}
    for name, box in boxes.items():
        (x0, y0, z0), (x1, y1, z1) = box
        field = esker.open(f"{server.url}/{name}")["temp"]
        before = server.bytes
        assert np.array_equal(field.read(box=box), samples[z0:z1, y0:y1, x0:x1])
        assert server.bytes - before < samples.nbytes / 5, name


def test_refining_fetches_each_level_once(server: Served, samples: Any) -> None:
    field = esker.open(f"{server.url}/run.idx")["temp"]
    before = server.bytes
    *_, (_, finest) = field.refine()
    assert np.array_equal(finest, samples)
    assert server.bytes - before < 1.1 * samples.nbytes + 10 * PAGE


def test_missing_files(server: Served) -> None:
    with pytest.raises(FileNotFoundError, match="nothing.idx"):
        esker.open(f"{server.url}/nothing.idx")


@pytest.mark.parametrize("broken", ["503", "truncate", "drop"])
@pytest.mark.parametrize("name", ["run.idx", "other.idx"])
def test_servers_that_fail(server: Served, directory: Path, samples: Any, name: str, broken: str) -> None:
    """An error of a server is not a missing block, which would read as zeros in datasets of other programs."""
    other = (
        (directory / "run.idx").read_text().split("(esker)")[0].replace("./run/", f"{directory.name}/run/")
    )
    (directory.parent / "other.idx").write_text(other)
    with serve(directory.parent) as whole:
        for served, url in ((server, f"{server.url}/run.idx"), (whole, f"{whole.url}/other.idx")):
            if not url.endswith(name):
                continue
            field = esker.open(url)["temp"]
            served.breaks = broken
            with pytest.raises(OSError, match="run/.*bin") as raised:
                field.read()
            assert not isinstance(raised.value, FileNotFoundError)
            served.breaks = ""
            assert np.array_equal(field.read(), samples)  # and it exists again


@pytest.mark.parametrize("broken", ["404", "410"])
def test_servers_that_have_no_block(server: Served, directory: Path, broken: str) -> None:
    """Datasets of other programs have no samples in missing blocks."""
    (directory / "sparse.idx").write_text((directory / "run.idx").read_text().split("(esker)")[0])
    field = esker.open(f"{server.url}/sparse.idx")["temp"]
    server.breaks = broken
    assert not field.read().any()


def kernel_buffers() -> int:
    """The bytes that a server may send before the client has read any: the buffers of both sockets."""
    return sum(
        int(Path(f"/proc/sys/net/ipv4/tcp_{kind}").read_text().split()[2]) for kind in ("rmem", "wmem")
    )


def test_a_server_that_never_ends_is_left(
    server: Served, directory: Path, samples: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a size, bytes are counted up to a limit. With a size, only the requested bytes are taken."""
    most = 4 << 20
    monkeypatch.setattr(esker.integrations.remote, "_MAX_COUNTED_BYTES", most)
    server.endless = True
    in_flight = kernel_buffers() + (4 << 20)  # the reading library has buffers, too
    with pytest.raises(OSError, match="run.idx.*does not report the file's size"):
        esker.open(f"{server.url}/run.idx")
    assert (
        most / 2 < server.bytes < most + in_flight
    )  # the server's thread may not have counted its last answers

    def size(files: esker.integrations.remote.Files, path: str) -> int:
        return (directory / Path(path).name).stat().st_size

    monkeypatch.setattr(esker.integrations.remote.Files, "size", size)
    sent = server.bytes
    plane = esker.open(f"{server.url}/five.nc")["temp"].read(box=((0, 0, 8), (128, 96, 9)))
    assert np.array_equal(plane, samples[8:9])
    assert server.bytes - sent < 20 * in_flight


def test_no_server(server: Served) -> None:
    with pytest.raises(OSError, match="run.idx") as raised:
        esker.open("http://127.0.0.1:9/run.idx")
    assert not isinstance(raised.value, FileNotFoundError)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a pool of OpenVisus'
def test_openvisus_arco_by_http(server: Served, directory: Path, samples: Any) -> None:
    ov = pytest.importorskip("OpenVisus")
    coarse = np.ascontiguousarray(samples[:32, :32, :32].astype("f4"))
    for compression in ("raw", "zip"):
        stem = f"arco_{compression}"
        made = ov.CreateIdx(
            url=str(directory / f"{stem}.idx"),
            dims=[32, 32, 32],
            fields=[ov.Field("v", "float32", "row_major")],
            arco=4 << 12,
            time=[0, 1, "%04d/"],
        )
        made.write(coarse, field="v", time=0)
        if compression == "zip":
            made.compressDataset(["zip"])
        local = esker.open(directory / f"{stem}.idx")["v"].read(step=0)
        assert np.array_equal(local, coarse)
        far = esker.open(f"{server.url}/{stem}.idx")["v"]
        assert np.array_equal(far.read(step=0), coarse)
        assert np.array_equal(far.read(step=0, level=9), esker_level(coarse, far, 9))


def test_pickled_and_through_xarray(server: Served, samples: Any) -> None:
    url = f"{server.url}/run.idx"
    again = pickle.loads(pickle.dumps(esker.open(url)))
    assert np.array_equal(again["temp"].read(level=10), esker_level(samples, again["temp"], 10))
    with xr.open_dataset(url, engine="esker", level=12) as coarse:
        assert np.array_equal(coarse["temp"][0], esker_level(samples, again["temp"], 12))
        assert coarse.attrs["title"] == "far"


def test_memory_and_chained_urls(directory: Path, samples: Any, tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    for path in directory.rglob("*"):
        if path.is_file() and "run" in str(path.relative_to(directory)):
            memory.pipe_file(f"/data/{path.relative_to(directory)}", path.read_bytes())
    dataset = esker.open("memory://data/run.idx")
    assert np.array_equal(dataset["temp"].read(), samples)
    assert dataset.storage().files == len(list((directory / "run").rglob("*.bin")))
    cached = esker.open(
        "simplecache::memory://data/run.idx",
        storage_options={"simplecache": {"cache_storage": str(tmp_path)}},
    )
    assert np.array_equal(cached["temp"].read(level=9), esker_level(samples, cached["temp"], 9))
    memory.rm("/data", recursive=True)


def test_storage_options_are_for_urls(directory: Path) -> None:
    with pytest.raises(ValueError, match="storage_options"):
        esker.open(directory / "run.idx", storage_options={"anon": True})


@pytest.fixture(scope="module")
def bucket(directory: Path) -> Iterator[dict[str, Any]]:
    """An S3 server with the files in the bucket "runs", and how to reach it."""
    server_module = pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    import boto3

    server = server_module.ThreadedMotoServer(port=0)
    server.start()
    try:
        _, port = server.get_host_and_port()
        options = {
            "key": "test",
            "secret": "test",
            "endpoint_url": f"http://127.0.0.1:{port}",
            "client_kwargs": {"region_name": "us-east-1"},
        }
        store = fsspec.filesystem("s3", **options)
        boto3.client(
            "s3",
            endpoint_url=options["endpoint_url"],
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        ).create_bucket(Bucket="runs")
        for path in directory.rglob("*"):
            if path.is_file():
                store.pipe_file(f"runs/{path.relative_to(directory)}", path.read_bytes())
        yield options
    finally:
        server.stop()


def test_s3(bucket: dict[str, Any], samples: Any) -> None:
    dataset = esker.open("s3://runs/run.idx", storage_options=bucket)
    field = dataset["temp"]
    cost = esker.ReadStatistics()
    level = field.max_level - 6
    assert np.array_equal(field.read(level=level, statistics=cost), esker_level(samples, field, level))
    assert cost.bytes < samples.nbytes / 16
    assert np.array_equal(field.read(), samples)
    assert dataset.storage().bytes > samples.nbytes
    assert np.array_equal(esker.open("s3://runs/five.nc", storage_options=bucket)["temp"].read(), samples)
    group = esker.open("s3://runs/levels.zarr", storage_options=bucket)["temp"]
    cost = esker.ReadStatistics()
    assert np.array_equal(group.read(stride=(4, 4, 4), statistics=cost), samples[::4, ::4, ::4])
    assert cost.bytes < samples.nbytes / 32
    assert np.array_equal(group.read(), samples)
    for path in ("runs/other.idx", "nowhere/run.idx"):
        with pytest.raises(FileNotFoundError, match=path):
            esker.open(f"s3://{path}", storage_options=bucket)


def test_s3_through_xarray(bucket: dict[str, Any], samples: Any) -> None:
    with xr.open_dataset("s3://runs/run.idx", engine="esker", storage_options=bucket) as dataset:
        assert np.array_equal(dataset["temp"][0, 3, 5:9], samples[3, 5:9])
