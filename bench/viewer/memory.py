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


def measured(browser: Any, folder: Path) -> dict[str, Any]:
    paths = made.flat(folder / "map.idx", *_MAP, 3), made.deep(folder / "deep.idx")
    found = {}
    with viewing(*paths) as server:
        with page_of(browser, server, "step=0", device_scale_factor=2) as page:
            visit(page, _KEYS)
        with page_of(browser, server, "dataset=1", device_scale_factor=2) as page:
            for normal in "xyz":
                page.go(f"dataset=1&normal={normal}&place=11")
                visit(page, _KEYS + ["PageUp"] * 5)
            visit(page, ["m", "m"])
        found["automatic"] = server.peak_mib()
        with page_of(browser, server, "step=2&level=40") as page:
            marks(page)
        found["finest"] = server.peak_mib()
    with plain(720, 520, 8) as server, page_of(browser, server) as page:
        marks(page)
        found["plain"] = server.peak_mib()
    return {
        "server_memory_beyond_the_cache_mib": round(found["automatic"] - CACHE_MIB),
        "memory_limit_mib": 250,
        "with_a_picture_of_12.6_million_samples_mib": round(found["finest"] - CACHE_MIB),
        "plain_bokeh_server_mib": round(found["plain"]),
    }
