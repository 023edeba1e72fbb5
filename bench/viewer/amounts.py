"""How much is sent and read for one picture: samples per pixel, all stages against the last one, bytes from storage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import made
from chrome import FRAME
from served import Page, Process, marks, page_of, viewing

import esker

_MAP, _LONG, _SMALL = (4096, 3072), (16384, 200), (400, 300)
_DEEP = 512, 384, 96
_READ_LIMIT = 256_000
_LEAST_BYTES = 64
"""Smaller arrays are the edges of hatches and images."""


def cases(paths: dict[str, Path]) -> dict[str, tuple[Path, str, dict[str, Any]]]:
    """The dataset, the parameters and the browser of each picture."""
    several = {"device_scale_factor": 2}
    small = {"viewport": {"width": 640, "height": 480}}
    field_of = {
        name: f"field={'deep' if name == 'deep' else 'wave' if name == 'huge' else 'map'}" for name in paths
    }
    shown = {
        "map": ("map", "", {}),
        "map, a quarter": ("map", "&window=0,2048,0,1536", {}),
        "map, 700 x 500": ("map", "&window=1000,1700,1000,1500", {}),
        "map, 150 x 100": ("map", "&window=1000,1150,1000,1100", {}),
        "map, 20 x 12": ("map", "&window=1000,1020,1000,1012", {}),
        "map, ratio 2": ("map", "", several),
        "map, small page": ("map", "", small),
        "long map": ("long", "", {}),
        "small map": ("small", "", {}),
        "horizontal plane": ("deep", "&normal=z&place=37", {}),
        "horizontal plane, a part": ("deep", "&normal=z&place=37&window=100,200,100,180", {}),
        "horizontal plane, ratio 2": ("deep", "&normal=z&place=37", several),
        "plane of 1 TB": ("huge", "&normal=z&place=2058", {}),
        "vertical plane": ("deep", "&normal=y&place=101", {}),
    }
    return {name: (paths[of], field_of[of] + query, context) for name, (of, query, context) in shown.items()}


def read_for(
    browser: Any, server: Process, query: str, context: dict[str, Any]
) -> tuple[int, Page, float]:
    """What a page takes: bytes from storage, what was sent, and pixels of the plot.

    From storage: what the server read beyond what it read for the same page again, when it had the picture.
    """
    read, first, pixels = [], None, 0.0
    for turn in range(2):
        before = server.read_bytes()
        with page_of(browser, server, query, **context) as page:
            marks(page)
            page.page.wait_for_timeout(300)
            read.append(server.read_bytes() - before)
            if turn == 0:
                first = page
                _, _, width, height, *_ = page.page.evaluate(FRAME)
                pixels = width * height * page.page.evaluate("devicePixelRatio") ** 2
    assert first is not None
    return read[0] - read[1], first, pixels


def samples_of(arrays: list[int], item: int) -> list[int]:
    return [size // item for size in arrays if size > _LEAST_BYTES]


def amount(browser: Any, other: Path, path: Path, query: str, context: dict[str, Any]) -> dict[str, Any]:
    item = next(iter(esker.open(path).fields.values())).dtype.itemsize
    with viewing(other, path) as server:
        with page_of(browser, server, "dataset=0") as page:  # for what Python imports late
            marks(page)
        stored, page, pixels = read_for(browser, server, f"dataset=1&{query}", context)
    stages = samples_of(page.arrays[: page.until_whole], item)
    later = samples_of(page.arrays[page.until_whole :], item)
    return {
        "pixels": round(pixels),
        "samples_of_stages": stages,
        "samples_below_afterwards": sum(later),
        "samples_per_pixel": round(sum(stages + later) / pixels, 2),
        "stages_over_last": round(sum(stages) / stages[-1], 2),
        "read_kb": round(stored / 1e3),
        "read_limit_kb": round((2 * item * sum(stages + later) + _READ_LIMIT) / 1e3),
    }


def measured(browser: Any, folder: Path) -> dict[str, Any]:
    paths = {
        "map": made.flat(folder / "map.idx", *_MAP),
        "long": made.flat(folder / "long.idx", *_LONG),
        "small": made.flat(folder / "small.idx", *_SMALL),
        "deep": made.deep(folder / "deep.idx", _DEEP),
        "huge": made.huge(folder / "huge.idx"),
    }
    tiny = made.tiny(folder / "tiny.idx")
    found = {name: amount(browser, tiny, *case) for name, case in cases(paths).items()}
    return {"samples_per_pixel_limit": 4, "stages_over_last_limit": 1.4, **found}
