"""The memory of the server after a visitor looked at much, next to that of the least server of Bokeh with as large pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import made
from served import Page, marks, page_of, plain, viewing

CACHE_MIB = 64
"""Of blocks: the default of esker.open()."""
_MAP = 4096, 3072
_KEYS = ["+", "d", "+", "s", "a", "+", "w", "-", "-", "-", "ArrowRight", "l", "p", "ArrowRight"]


def visit(page: Page, keys: list[str]) -> None:
    """Presses keys, each after the picture of the one before."""
    for key in keys:
        page.press(key)
        page.page.wait_for_timeout(100)
        page.complete()


def visited(browser: Any, paths: tuple[Path, ...], ratio: int) -> tuple[float, float]:
    """Peaks of a server beyond its cache, MiB: after many pictures, and after one at the finest level by hand."""
    with viewing(*paths) as server:
        with page_of(browser, server, "step=0", device_scale_factor=ratio) as page:
            visit(page, _KEYS)
        with page_of(browser, server, "dataset=1", device_scale_factor=ratio) as page:
            for normal in "xyz":
                page.go(f"dataset=1&normal={normal}&place=11")
                visit(page, _KEYS)
            visit(page, ["m", "m"])
        many = server.peak_mib()
        with page_of(browser, server, "step=2&level=40") as page:
            marks(page)
        return many - CACHE_MIB, server.peak_mib() - CACHE_MIB


def measured(browser: Any, folder: Path) -> dict[str, Any]:
    paths = made.flat(folder / "map.idx", *_MAP, 3), made.deep(folder / "deep.idx")
    many, finest = visited(browser, paths, 1)
    dense, _ = visited(browser, paths, 2)
    with plain(720, 520, 8) as server, page_of(browser, server) as page:
        marks(page)
        least = server.peak_mib()
    return {
        "server_memory_beyond_the_cache_mib": round(many),
        "memory_limit_mib": 250,
        "with_four_times_the_pixels_mib": round(dense),
        "with_a_picture_of_12.6_million_samples_mib": round(finest),
        "plain_bokeh_server_mib": round(least),
    }
