"""Volumes: first picture, moving and memory.

Headless Chromium draws on the processor (`renderer` says with what); a graphics card moves volumes faster.
"""

from __future__ import annotations

import io
import resource
import statistics
from pathlib import Path
from typing import Any

import numpy as np
from chrome import Shown, shown
from numpy.typing import NDArray

import esker

SIDE = 128
TURNS = 5
MOVE_MS = 4000
WATCH = """(() => {
  const now = (name) => requestAnimationFrame(() => requestAnimationFrame(() => { window[name] ||= performance.now() }))
  const look = () => {
    if (document.body?.dataset.drawn && !window.first) now("first")
    if (document.getElementById("status")?.textContent.includes("complete") && !window.whole) now("whole")
    requestAnimationFrame(look)
  }
  look()
})()"""
MOVE = """(ms) => new Promise((done) => {
  const {interactor, camera} = volumePage.state.window
  let frames = 0
  const began = performance.now(), subscription = interactor.onAnimation(() => { frames += 1; camera.azimuth(3) })
  interactor.requestAnimation("bench")
  setTimeout(() => {
    subscription.unsubscribe()
    interactor.cancelAnimation("bench")
    done(frames / (performance.now() - began) * 1000)
  }, ms)
})"""
RENDERER = """() => {
  const context = document.createElement("canvas").getContext("webgl2")
  return context.getParameter(context.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL)
}"""


def ball(folder: Path) -> esker.Dataset:
    """A field with structure in all places."""
    z, y, x = np.mgrid[0:SIDE, 0:SIDE, 0:SIDE] / (SIDE - 1) - 0.5
    array = 1 - 2 * np.sqrt(x**2 + y**2 + z**2) + 0.2 * np.sin(40 * x) * np.cos(30 * y) * np.sin(35 * z)
    esker.write(folder / "ball.idx", {"ball": array.astype("f4")})
    return esker.open(folder / "ball.idx")


def first_pictures(page: Shown, query: str) -> tuple[float, float]:
    """Milliseconds from the request of the page to the first picture and to the whole one, on the page's own clock."""
    page.go(query, "volume")
    while not page.page.evaluate("window.whole ?? 0"):
        page.page.wait_for_timeout(50)
    first, whole = page.page.evaluate("[window.first, window.whole]")
    return float(first), float(whole)


def picture(page: Shown) -> NDArray[np.int64]:
    from PIL import Image

    image = Image.open(io.BytesIO(page.page.locator("#view").screenshot())).convert("RGB")
    return np.asarray(image).astype(int)


def moving(page: Shown) -> float:
    """Frames per second of a turning volume. Raises ValueError if it lacks samples, is not drawn, or does not turn."""
    size = f"{SIDE} × {SIDE} × {SIDE} samples"
    if size not in page.text("status"):
        raise ValueError(f"expected {size}, found {page.text('status')!r}")
    before = picture(page)
    rows, columns, _ = before.shape
    if (before[rows // 2, columns // 2] >= 250).all():
        raise ValueError("nothing is drawn in the middle of the volume")
    rate = float(page.page.evaluate(MOVE, MOVE_MS))
    if (np.abs(picture(page) - before).max(axis=-1) > 24).mean() < 0.01:
        raise ValueError("the picture is the same after it moved")
    return rate


def measured(browser: Any, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with shown(browser, [ball(folder)], "field=ball", route="volume") as page:
        page.complete()
        found["renderer"] = page.page.evaluate(RENDERER)
        page.page.add_init_script(WATCH)
        for mode in ("maximum", "composite", "surface"):
            times = [first_pictures(page, f"field=ball&mode={mode}") for _ in range(TURNS)]
            found[mode] = {
                "first_picture_ms": round(statistics.median(first for first, _ in times)),
                "whole_picture_ms": round(statistics.median(whole for _, whole in times)),
                "moving_frames_per_s": round(moving(page), 1),
            }
    found["first_picture_limit_ms"], found["moving_limit_frames_per_s"] = 1500, 10
    found["peak_memory_of_this_process_mib"] = round(
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    )
    return found
