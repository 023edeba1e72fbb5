"""`esker view` of a dataset of 1 TB in files with holes: from the command to the first pixels, and what is read for them."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import made
import numpy as np
from pixels import check, wrong
from served import Process, marks, page_of, plain, viewing

PIXELS = 720, 520
"""About those of the plot in a window of 1024 x 768."""
TURNS = 5
_QUERY = f"field=wave&normal=z&place={made.HUGE['z'] // 2 + 10}&range=hand&low=-1&high=12"


def one(browser: Any, server: Process, query: str, dims: dict[str, int] | None = None) -> dict[str, float]:
    """Seconds from the command to pixels, and what the process read; with `dims`, the picture is checked."""
    with page_of(browser, server, query) as page:
        found = marks(page)
        read = server.read_bytes()
        if dims is not None:
            check_wave(page, dims)
    return {"first_s": found["first"] - server.began, "whole_s": found["whole"] - server.began, "read": read}


def check_wave(page: Any, dims: dict[str, int]) -> None:
    """Compares points in each band of the plane in the middle: in several rows, because hatches cover some."""
    x = np.linspace(0.03, 0.97, 60) * dims["x"]
    bands = np.arange(made.BANDS)
    values = made.wave(x, bands[:, None], made.BANDS // 2, dims["x"])
    rows = [(bands + share) * dims["y"] / made.BANDS for share in (0.3, 0.38, 0.5, 0.58)]
    check(np.min([wrong(page, x, row, values, -1, 12) for row in rows], axis=0))


def median(found: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(turn[name] for turn in found) for name in found[0]}


def measured(browser: Any, folder: Path) -> dict[str, Any]:
    """In turns: the dataset of 1 TB, one of 512 kB, and the least page of Bokeh."""
    huge, tiny = made.huge(folder / "huge.idx"), made.tiny(folder / "tiny.idx")
    found: dict[str, list[dict[str, float]]] = {"huge": [], "tiny": [], "plain": []}
    for _ in range(TURNS):
        with viewing(huge) as server:
            found["huge"].append(one(browser, server, _QUERY, made.HUGE))
        with viewing(tiny) as server:
            found["tiny"].append(
                one(browser, server, "field=wave&normal=z&place=16&range=hand&low=-1&high=12")
            )
        with plain(*PIXELS) as server:
            found["plain"].append(one(browser, server, ""))
    of = {name: median(turns) for name, turns in found.items()}
    return {
        "dataset_bytes": 4 * int(np.prod(list(made.HUGE.values()))),
        "command_to_first_pixels_s": round(of["huge"]["first_s"], 2),
        "command_to_complete_picture_s": round(of["huge"]["whole_s"], 2),
        "first_pixels_limit_s": 2.5,
        "same_command_on_512_kB_s": round(of["tiny"]["first_s"], 2),
        "plain_bokeh_page_s": round(of["plain"]["first_s"], 2),
        "read_mb": round((of["huge"]["read"] - of["tiny"]["read"]) / 1e6, 2),
        "read_limit_mb": 16,
        "read_by_the_program_itself_mb": round(of["tiny"]["read"] / 1e6, 2),
    }
