"""A headless Chromium on a page of `esker view`: keys, texts, and the pixels of the picture."""

from __future__ import annotations

import io
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import esker

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--disable-gpu",
]
"""Without them Chromium calls other hosts by itself."""
FRAME = """(name) => {
  const roots = [...Bokeh.index]
  const all = [...roots, ...roots.flatMap((one) => one.child_views ?? [])]
  const view = all.find((one) => one.model.name === (name ?? "view-1"))
  const {left, top} = view.canvas_view.el.getBoundingClientRect()
  const {x, y, width, height} = view.frame.bbox
  const range = (one) => [one.start, one.end]
  return [left + x, top + y, width, height, ...range(view.model.x_range), ...range(view.model.y_range)]
}"""
TIMEOUT_MS = 20_000


@contextmanager
def chromium() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright; skips the test without them, unless the tests require all packages."""
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium")
    if program is None:
        if "REQUIREMENTS" in os.environ:
            pytest.fail("chromium is not installed; run `make setup`")
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Shown:
    """An open page."""

    page: Any
    server: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def text(self, name: str) -> str:
        return str(self.page.text_content(f"#{name}"))

    def go(self, query: str, route: str = "") -> None:
        """Opens another link of the same server; the cookie is known already."""
        self.page.goto(f"http://127.0.0.1:{self.server.port}/{route}?{query}")

    def wait(self, name: str, part: str) -> str:
        """Waits until a text has a part. Pages without unsafe-eval allow evaluate(), but not wait_for_function()."""
        end = time.monotonic() + TIMEOUT_MS / 1000
        while part not in self.text(name):
            if time.monotonic() > end:
                shown = self.page.evaluate("document.body.innerText")
                raise AssertionError(f"{name}: no {part!r} in\n{shown}\n{self.errors}")
            time.sleep(0.02)
        return self.text(name)

    def complete(self) -> str:
        """Waits for the whole picture."""
        said = self.wait("status", "complete")
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        self.page.wait_for_timeout(100)
        return said

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def pixels(self, ratio: int = 1, view: int = 1) -> tuple[NDArray[np.uint8], tuple[float, ...]]:
        """The colors between the axes, rows from bottom to top, and left, right, bottom, top in coordinates."""
        from PIL import Image

        x, y, width, height, *window = self.page.evaluate(FRAME, f"view-{view}")
        image = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        part = [round(edge * ratio) for edge in (x, y, x + width, y + height)]
        return np.asarray(image.crop(part))[::-1], tuple(window)

    def colors_at(
        self, across: Sequence[float], up: Sequence[float], ratio: int = 1, view: int = 1
    ) -> NDArray[np.uint8]:
        """The colors at coordinates: one row for each of `up`."""
        image, (left, right, bottom, top) = self.pixels(ratio, view)
        rows = (np.asarray(up) - bottom) / (top - bottom) * image.shape[0]
        columns = (np.asarray(across) - left) / (right - left) * image.shape[1]
        return image[np.floor(rows).astype(int)[:, None], np.floor(columns).astype(int)]


@contextmanager
def shown(
    browser: Any, datasets: Sequence[esker.Dataset], query: str = "", *, route: str = "", **context: Any
) -> Iterator[Shown]:
    """A page that shows datasets, by a separate server; `route` is the page of another kind than planes."""
    from esker.viewer.serving.server import ViewServer

    server = ViewServer(datasets)
    server.start()
    place = browser.new_context(**{"viewport": {"width": 1024, "height": 768}, **context})
    page = place.new_page()
    one = Shown(page, server)
    page.on("request", lambda request: one.requests.append(request.url))
    page.on("websocket", lambda socket: one.requests.append(socket.url))
    page.on("pageerror", lambda error: one.errors.append(str(error)))
    page.on("console", lambda said: one.errors.append(said.text) if said.type == "error" else None)
    try:
        page.goto(server.url(query).replace("/?", f"/{route}?", 1))
        yield one
    finally:
        place.close()
        server.stop()
