"""Maps of 512 x 512 samples: the next picture after a zoom, a pan or a step, and play, next to the least page of Bokeh."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import made
from chrome import Shown
from redraw import check_map, p95
from served import marks, page_of, plain, viewing

TURNS = 30
PLAY_MS = 6000
_SIDES = 512, 512
_STEPS = 8
_PRESS = """(action) => new Promise((done) => {
  const link = window.esker.link, began = performance.now()
  const drawn = () => { link.properties.drawn.change.disconnect(drawn); done(performance.now() - began) }
  link.properties.drawn.change.connect(drawn)
  link.key = `${Math.random()} ${action}`
})"""
_PLAY = """(ms) => new Promise((done) => {
  let count = 0
  const link = window.esker.link, one = () => { count += 1 }
  link.properties.drawn.change.connect(one)
  link.key = `${Math.random()}  `
  setTimeout(() => { link.properties.drawn.change.disconnect(one); link.key = `${Math.random()}  `; done(count) }, ms)
})"""
_SHOW = """async (n) => { const began = performance.now(); await window.show(n); return performance.now() - began }"""
_SHOW_ALL = """async (ms) => {
  let count = 0
  for (const end = performance.now() + ms; performance.now() < end; count++) await window.show(100 + count)
  return count
}"""


def moves(page: Shown, keys: list[str]) -> list[float]:
    """Milliseconds from each key to the complete picture on the screen."""
    times = []
    for turn in range(TURNS):
        times.append(float(page.page.evaluate(_PRESS, keys[turn % len(keys)])))
        page.page.wait_for_timeout(150)
    return times


def shown_step(page: Shown) -> int:
    return int(page.text("status").partition("step ")[2].partition(" of")[0]) - 1


def measured(browser: Any, folder: Path) -> dict[str, Any]:
    path = made.flat(folder / "map.idx", *_SIDES, _STEPS)
    with (
        viewing(path) as server,
        page_of(browser, server, "field=map&step=0&range=hand&low=0&high=1") as page,
    ):
        marks(page)
        first = page.page.evaluate("1000 * window.marks.whole - performance.timeOrigin")
        zoom = moves(page, ["+", "+", "d", "a", "-", "-"])
        check_map(page, _SIDES)
        step = moves(page, ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"])
        played = page.page.evaluate(_PLAY, PLAY_MS)
        page.complete()
        check_map(page, _SIDES, shown_step(page))
    with plain(*_SIDES, _STEPS) as server, page_of(browser, server) as page:
        marks(page)
        first_plain = page.page.evaluate("1000 * window.marks.whole - performance.timeOrigin")
        least = [float(page.page.evaluate(_SHOW, 1 + turn)) for turn in range(TURNS)]
        most = page.page.evaluate(_SHOW_ALL, PLAY_MS)
    return {
        "page_to_complete_picture_ms": round(first),
        "plain_bokeh_page_ms": round(first_plain),
        "pan_zoom_p95_ms": round(p95(zoom)),
        "pan_zoom_median_ms": round(statistics.median(zoom)),
        "step_p95_ms": round(p95(step)),
        "step_median_ms": round(statistics.median(step)),
        "picture_limit_ms": 200,
        "plain_bokeh_picture_p95_ms": round(p95(least)),
        "plain_bokeh_picture_median_ms": round(statistics.median(least)),
        "steps_per_s": round(1000 * played / PLAY_MS, 1),
        "steps_per_s_limit": 8,
        "plain_bokeh_pictures_per_s": round(1000 * most / PLAY_MS, 1),
    }
