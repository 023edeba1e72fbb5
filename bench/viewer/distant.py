"""A server 50 ms away behind a line of 10 MB/s: the first picture, next to the least page of Bokeh and the line itself."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import made
from proxy import BYTES_PER_S, ROUND_TRIP_S, far_away
from redraw import check_map
from served import Process, marks, page_of, plain, viewing

TURNS = 5
_SIDES = 2400, 1800
_LIMIT_BYTES = 3_000_000


def one(browser: Any, server: Process, query: str, is_checked: bool) -> dict[str, float]:
    with far_away(server.port) as far:
        began = time.time()
        with page_of(browser, server.at(far.port), query) as page:
            found = marks(page)
            sent = dict(far.sent)
            until_first = sum(size for when, size in far.arrived if when <= found["first"])
            if is_checked:
                check_map(page, _SIDES)
    return {
        "first": found["first"] - began,
        "whole": found["whole"] - began,
        "page_bytes": sent["http"],
        "first_bytes": until_first,
        "picture_bytes": sent["websocket"],
    }


def measured(browser: Any, folder: Path) -> dict[str, Any]:
    path = made.flat(folder / "map.idx", *_SIDES)
    query = "field=map&range=hand&low=0&high=1"
    found: dict[str, list[dict[str, float]]] = {"esker": [], "plain": []}
    with viewing(path) as server, plain(720, 520) as least:
        for _ in range(TURNS):
            found["esker"].append(one(browser, server, query, True))
            found["plain"].append(one(browser, least, "", False))
    of = {
        name: {key: statistics.median(turn[key] for turn in turns) for key in turns[0]}
        for name, turns in found.items()
    }
    ours, least_page = of["esker"], of["plain"]
    return {
        "first_picture_s": round(ours["first"], 2),
        "complete_picture_s": round(ours["whole"], 2),
        "first_picture_limit_s": 3,
        "plain_bokeh_page_s": round(least_page["first"], 2),
        "line_alone_s": round((ours["page_bytes"] + ours["picture_bytes"]) / BYTES_PER_S + ROUND_TRIP_S, 2),
        "line_with_3_MB_s": round((ours["page_bytes"] + _LIMIT_BYTES) / BYTES_PER_S + ROUND_TRIP_S, 2),
        "page_mb": round(ours["page_bytes"] / 1e6, 2),
        "first_picture_mb": round(ours["first_bytes"] / 1e6, 2),
        "first_picture_limit_mb": _LIMIT_BYTES / 1e6,
        "complete_picture_mb": round(ours["picture_bytes"] / 1e6, 2),
    }
