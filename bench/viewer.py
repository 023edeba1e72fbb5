"""The speed of `esker view` in headless Chromium: first picture, zoom, next step, play, and the page's bytes.

    python bench/viewer.py DATASET [FIELD]     prints one JSON object; needs playwright and chromium, as the tests do

Each time is next to its limit: 1024 x 768, warm, everything on this machine.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "python"))

from browser import FRAME, Shown, chromium, shown

import esker

TURNS = 15


def p95(times: list[float]) -> float:
    return round(sorted(times)[int(0.95 * (len(times) - 1))], 1)


def first_picture(browser: Any, dataset: esker.Dataset, query: str) -> float:
    """Milliseconds from the request of the page to the complete picture, on the page's own clock."""
    with shown(browser, [dataset], query) as page:
        page.page.wait_for_function(
            "document.getElementById('status')?.textContent.includes('complete')", polling=10
        )
        return float(page.page.evaluate("performance.now()"))


def until_drawn(page: Shown, action: str) -> float:
    """Milliseconds from a key to a new complete picture on the screen."""
    script = f"""() => new Promise((done) => {{
      const link = Bokeh.documents[0].roots().length && window.esker.link
      const began = performance.now()
      const wait = () => {{ link.properties.drawn.change.disconnect(wait); done(performance.now() - began) }}
      link.properties.drawn.change.connect(wait)
      link.key = `${{Math.random()}} {action}`
    }})"""
    return float(page.page.evaluate(script))


def moves(page: Shown, keys: list[str]) -> list[float]:
    times = []
    for turn in range(TURNS):
        times.append(until_drawn(page, keys[turn % len(keys)]))
        page.page.wait_for_timeout(150)
    return times


def steps_per_second(page: Shown, seconds: float = 4.0) -> float:
    """Pictures on the screen while playing."""
    script = """([ms]) => new Promise((done) => {
      let count = 0
      const link = window.esker.link, one = () => { count += 1 }
      link.properties.drawn.change.connect(one)
      link.key = `${Math.random()}  `
      setTimeout(() => { link.properties.drawn.change.disconnect(one); link.key = `${Math.random()}  `; done(count) }, ms)
    })"""
    return round(float(page.page.evaluate(script, [1000 * seconds])) / seconds, 1)


def main() -> None:
    dataset = esker.open(sys.argv[1])
    field = sys.argv[2] if len(sys.argv) > 2 else next(iter(dataset))
    query = f"field={field}"
    with chromium() as browser:
        first = [first_picture(browser, dataset, query) for _ in range(5)]
        with shown(browser, [dataset], query) as page:
            page.complete()
            page.page.evaluate(FRAME)
            zoom = moves(page, ["+", "+", "d", "a", "-", "-"])
            step = moves(page, ["ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight"])
            played = steps_per_second(page)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {
        "first_picture_ms": round(statistics.median(first)),
        "first_picture_limit_ms": 2500,
        "pan_zoom_p95_ms": p95(zoom),
        "step_p95_ms": p95(step),
        "picture_limit_ms": 200,
        "steps_per_s": played,
        "steps_per_s_limit": 8,
        "peak_memory_mib": round(peak),
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
