"""How long a zoom or pan takes until what is in the page is drawn again, next to a page that only copies pixels in a frame."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import made
import numpy as np
from chrome import Shown
from pixels import check, wrong
from served import page_of, viewing

TURNS = 60
_SIDES = 1600, 1200
_MEASURE = """async (turns) => {
  const view = [...Bokeh.index].flatMap((one) => [one, ...(one.child_views ?? [])]).find((one) => one.model.name === "view-1")
  const {x_range, y_range} = view.model, box = view.canvas_view.el.getBoundingClientRect()
  const copied = document.body.appendChild(document.createElement("canvas"))
  Object.assign(copied, {width: view.frame.bbox.width, height: view.frame.bbox.height})
  copied.style = `position: fixed; left: 0; top: 0; z-index: -1; width: ${copied.width}px; height: ${copied.height}px`
  const pixels = new ImageData(copied.width, copied.height)
  const channel = new MessageChannel()
  const afterFrame = () => new Promise((done) => { channel.port1.onmessage = done; channel.port2.postMessage(0) })
  const quiet = () => new Promise((done) => {
    const look = () => document.getElementById("status").textContent.includes("complete") ? setTimeout(done, 150) : setTimeout(look, 20)
    setTimeout(look, 60)
  })
  const repainted = () => new Promise((done) => {
    const one = () => { view.repainted.disconnect(one); afterFrame().then(done) }
    view.repainted.connect(one)
  })
  const copy = () => new Promise((done) => requestAnimationFrame(() => {
    pixels.data.fill(128)
    copied.getContext("2d").putImageData(pixels, 0, 0)
    afterFrame().then(done)
  }))
  const pan = (share) => {
    const across = share * (x_range.end - x_range.start), up = share * (y_range.end - y_range.start)
    x_range.setv({start: x_range.start + across, end: x_range.end + across})
    y_range.setv({start: y_range.start + up, end: y_range.end + up})
  }
  const zoom = (by) => view.canvas_view.events_el.dispatchEvent(new WheelEvent("wheel", {
    deltaY: by, clientX: box.left + 300, clientY: box.top + 200, bubbles: true, cancelable: true}))
  const moves = [() => zoom(-100), () => pan(0.05), () => pan(-0.05), () => zoom(100)]
  const drawn = [], frames = []
  for (let turn = 0; turn < turns; turn++) {
    await quiet()
    let began = performance.now()
    const done = repainted()
    moves[turn % moves.length]()
    await done
    drawn.push(performance.now() - began)
    await quiet()
    began = performance.now()
    await copy()
    frames.push(performance.now() - began)
  }
  await quiet()
  copied.remove()
  return [drawn, frames]
}"""


def p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


def check_map(page: Shown, sides: tuple[int, int], step: int = 0) -> None:
    """Compares points of what is visible of a map of made.flat()."""
    left, right, bottom, top = page.pixels()[1]
    x = np.linspace(max(left, 0), min(right, sides[0] - 1), 62)[1:-1]
    y = np.linspace(max(bottom, 0), min(top, sides[1] - 1), 42)[1:-1]
    check(wrong(page, x, y, made.smooth(x / sides[0], y[:, None] / sides[1], step), 0, 1))


def measured(browser: Any, folder: Path) -> dict[str, Any]:
    path = made.flat(folder / "map.idx", *_SIDES)
    with viewing(path) as server, page_of(browser, server, "field=map&range=hand&low=0&high=1") as page:
        page.complete()
        drawn, frames = page.page.evaluate(_MEASURE, TURNS)
        check_map(page, _SIDES)
    return {
        "redraw_p95_ms": round(p95(drawn), 1),
        "redraw_limit_ms": 30,
        "redraw_median_ms": round(statistics.median(drawn), 1),
        "frame_with_a_copy_p95_ms": round(p95(frames), 1),
        "frame_with_a_copy_median_ms": round(statistics.median(frames), 1),
    }
