"""A viewer in the browser: `esker view` and esker.view().

A picture shows a plane of one field at a step: a map, or an axis-aligned plane of a field with three axes. Each layer sees
only those above it in this list:

session   Scene: what is shown, as a value. It is read from a link, written to one, and fitted to the datasets
axes      an axis of a picture: from sample indices to the drawn coordinates and back
reads     which level and box the visible part of a picture needs, and the order of the reads: coarse first
samples   reads one request: values, and why there are none (fill value, NaN, missing block, not stored at this level)
reader    runs reads in a few threads, ends those that became stale, keeps the latest pictures
colors    palettes and the range of the colors
texts     all sentences that the page shows
ranges    the range of a step, or of all steps
keys      what the keys of the keyboard change
hatching  rectangles over the samples without a value
pointing  the exact value of the sample under the pointer
asking    series, profiles, statistics, and the samples of a box as files
charts    the charts of these answers
questions what a page asks, and its answers
page      the models of Bokeh, and page.js and page.css, which connect them with the keyboard, the link and the texts
controls  the widgets next to the picture
viewer    one open page: events in, pictures and texts out
gate      who may talk to the server: token, cookie, Host and Origin
server    the server of Bokeh behind the gate
notebook  esker.view(): the page in a notebook

Only page, charts, controls, viewer and server import Bokeh. Texts of datasets reach the page as text and never as HTML.
Importing this package imports none of them.
"""

from __future__ import annotations

from typing import Any


def server_class() -> Any:
    """esker.viewer.server.ViewServer. Raises ImportError, with what to install, without Bokeh."""
    try:
        import bokeh.server  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "the viewer needs Bokeh, which is not installed: pip install 'esker[view]'"
        ) from error
    from esker.viewer.server import ViewServer

    return ViewServer
