"""The life of the server of `esker view`: start, stop, failures, and looks at the datasets."""

from __future__ import annotations

import asyncio
import gzip
import io
import socket
import threading
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

pytest.importorskip("bokeh")
import tornado.web  # noqa: E402
from bokeh.document import Document  # noqa: E402

from esker.viewer.reading.watching import Change  # noqa: E402
from esker.viewer.serving import server as module  # noqa: E402
from esker.viewer.serving.server import ViewServer  # noqa: E402


@pytest.fixture
def datasets(tmp_path: Path) -> list[esker.Dataset]:
    for name in "ab":
        esker.write(tmp_path / f"{name}.idx", {"thk": np.ones((8, 8))})
    return [esker.open(tmp_path / f"{name}.idx") for name in "ab"]


def is_free(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) != 0


def test_what_keeps_the_thread_from_answering_is_raised(
    datasets: list[esker.Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: ViewServer) -> None:
        raise ValueError("no site")

    monkeypatch.setattr(ViewServer, "_site", fail)
    server = ViewServer(datasets)
    raised: list[str] = []

    def start() -> None:
        try:
            server.start()
        except ValueError as error:
            raised.append(str(error))

    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    thread.join(10)
    assert raised == ["no site"] and is_free(server.port)
    server.stop()


def test_a_server_that_never_ran_stops_to_listen(datasets: list[esker.Dataset]) -> None:
    server = ViewServer(datasets)
    assert not is_free(server.port)
    server.stop()
    assert is_free(server.port)


def test_a_server_stops_to_listen_after_it_ran(datasets: list[esker.Dataset]) -> None:
    server = ViewServer(datasets)
    server.start()
    assert not is_free(server.port)
    server.stop()
    assert is_free(server.port)
    server.stop()


class Look:
    """A watch that raises, or says a sentence."""

    def __init__(self, note: str = "") -> None:
        self.note = note
        self.count = 0

    def look(self) -> Change | None:
        self.count += 1
        if not self.note:
            raise ZeroDivisionError
        return Change(None, self.note)


def test_a_look_that_fails_does_not_end_the_others(
    datasets: list[esker.Dataset], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "EVERY_S", 0.01)
    server = ViewServer(datasets)
    first, second = Look(), Look("b.idx is missing")
    server._watches = {0: first, 1: second}  # type: ignore[dict-item]

    async def wait() -> None:
        for _ in range(500):
            await asyncio.sleep(0.01)
            if second.count > 2:
                return

    server.start()
    assert server._loop is not None
    asyncio.run(wait())
    server.stop()
    assert first.count > 2 and second.count > 2
    assert "a look at" in caplog.text and "ZeroDivisionError" in caplog.text


def test_a_page_that_comes_later_says_what_is_missing(datasets: list[esker.Dataset]) -> None:
    server = ViewServer(datasets)
    notes = []
    for change in (Change(None, "b.idx is missing"), Change(datasets[1], "b.idx was replaced")):
        server._changed(1, change)
        server._make(Document())
        (viewer,) = server._viewers
        notes.append(viewer.link.notes)
        server._gone(viewer)
    server.stop()
    assert "b.idx is missing" in notes[0] and "b.idx" not in notes[1]


@pytest.mark.parametrize("form", ["csv", "npy"])
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_large_answers_do_not_stop_the_server(
    datasets: list[esker.Dataset], monkeypatch: pytest.MonkeyPatch, form: str, encoding: str
) -> None:
    """Up to 2^24 samples as text take seconds to compress and to hash: not in the thread that answers all pages."""
    threads: list[str] = []

    def noted(function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            threads.append(threading.current_thread().name)
            return function(*arguments, **options)

        return call

    server = ViewServer(datasets)
    server.start()
    link = f"{server.url()}&field=thk&format={form}".replace("/?", "/data?")
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    opener.open(link).read()
    monkeypatch.setattr(tornado.web.gzip, "GzipFile", noted(tornado.web.gzip.GzipFile))
    monkeypatch.setattr(tornado.web.hashlib, "sha1", noted(tornado.web.hashlib.sha1))
    request = urllib.request.Request(link.replace(f"token={server.gate.token}&", ""))
    request.add_header("Accept-Encoding", encoding)
    with opener.open(request) as answer:
        content, found = answer.read(), answer.headers.get("Content-Encoding", "identity")
        length = answer.headers["Content-Length"]
    server.stop()
    assert int(length) == len(content) and threads == []
    assert found == (encoding if form == "csv" else "identity")
    content = gzip.decompress(content) if found == "gzip" else content
    file = io.BytesIO(content)
    samples = np.load(file) if form == "npy" else np.loadtxt(file, delimiter=",", skiprows=1)[:, 2]
    assert samples.size == 64 and (samples == 1).all()


def test_a_page_that_leaves_within_an_answer_is_no_failure(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    esker.write(tmp_path / "large.idx", {"thk": np.random.default_rng(1).random((2000, 3000))})
    server = ViewServer([esker.open(tmp_path / "large.idx")])
    server.start()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    opener.open(f"{server.url()}&field=thk").read()
    with opener.open(f"http://127.0.0.1:{server.port}/data?field=thk&format=npy") as answer:
        assert len(answer.read(1000)) == 1000
    with opener.open(f"http://127.0.0.1:{server.port}/data?field=thk&format=npy") as answer:
        assert np.load(io.BytesIO(answer.read())).shape == (2000, 3000)
    server.stop()
    assert "failed" not in caplog.text
