"""Servers in separate processes: what they read and how much memory they take, and pages on them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from chrome import Shown

ESKER = Path(sys.executable).with_name("esker")
_WATCH = """(() => {
  const marks = window.marks = {}
  const mark = (name) => requestAnimationFrame(() => requestAnimationFrame(() => {
    marks[name] ??= (performance.timeOrigin + performance.now()) / 1000
  }))
  const text = (id) => document.getElementById(id)?.textContent ?? ""
  const look = () => {
    if (text("colors") !== "") mark("first")
    if (text("status").includes("complete")) mark("whole")
    if (marks.whole === undefined) requestAnimationFrame(look)
  }
  look()
})()"""
"""Sets when the first and the complete picture are on the screen. plain.py writes the same texts."""


@dataclass
class Process:
    """A server, which printed its link."""

    pid: int
    url: str
    began: float
    """When the command was started, in seconds as time.time() counts them."""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def at(self, port: int) -> Process:
        """The same one behind a proxy."""
        parts = urlsplit(self.url)
        return Process(self.pid, urlunsplit(parts._replace(netloc=f"127.0.0.1:{port}")), self.began)

    def link(self, query: str) -> str:
        return f"{self.url}{'&' if '?' in self.url else '?'}{query}"

    def read_bytes(self) -> int:
        """What it read from files so far; sockets do not count."""
        return self._number("io", "rchar")

    def peak_mib(self) -> float:
        return self._number("status", "VmHWM") / 1024

    def _number(self, file: str, key: str) -> int:
        lines = Path(f"/proc/{self.pid}/{file}").read_text().splitlines()
        return int(dict(line.split(":", 1) for line in lines)[key].split()[0])


@contextmanager
def running(*command: Any) -> Iterator[Process]:
    """A command that prints its link first."""
    began = time.time()
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Process(process.pid, process.stdout.readline().strip(), began)
        finally:
            process.terminate()


def viewing(*paths: Path) -> Any:
    """`esker view` of some datasets."""
    return running(ESKER, "view", "--no-browser", *paths)


def plain(columns: int, rows: int, pictures: int = 1) -> Any:
    """The least page of Bokeh with pictures of a size: plain.py."""
    return running(sys.executable, Path(__file__).with_name("plain.py"), columns, rows, pictures)


@dataclass
class Page(Shown):
    """An open page, and what it receives."""

    arrays: list[int] = field(default_factory=list)
    """The bytes of each array that came through the websocket."""
    until_whole: int | None = None
    """How many of them had come when the page first said that a complete picture is on the screen."""

    def watch(self) -> None:
        self.page.on("websocket", self._opened)

    def _opened(self, socket: Any) -> None:
        socket.on("framereceived", self._received)
        socket.on("framesent", self._sent)

    def _sent(self, frame: str | bytes) -> None:
        if self.until_whole is None and '"attr":"drawn"' in str(frame):
            self.until_whole = len(self.arrays)

    def _received(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            self.arrays.append(len(frame))


@contextmanager
def page_of(browser: Any, server: Process, query: str = "", **context: Any) -> Iterator[Page]:
    """An open page without anything in the browser's cache."""
    place = browser.new_context(**{"viewport": {"width": 1024, "height": 768}, **context})
    try:
        page = Page(place.new_page(), server)
        page.watch()
        page.page.add_init_script(_WATCH)
        page.page.goto(server.link(query))
        yield page
    finally:
        place.close()


def marks(page: Page) -> dict[str, float]:
    """When the first and the complete picture were on the screen, as time.time() counts."""
    page.wait("status", "complete")
    while "whole" not in (found := page.page.evaluate("window.marks")):
        time.sleep(0.02)
    return dict(found)
