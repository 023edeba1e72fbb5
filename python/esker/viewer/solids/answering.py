"""The files of the 3-D pages, and how samples reach them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tornado.web import HTTPError, RequestHandler

from esker.viewer.access.gate import SECURITY_HEADERS
from esker.viewer.pages.files import static_text
from esker.viewer.solids.vtkjs import library, version

STRICT_POLICY = SECURITY_HEADERS["Content-Security-Policy"].replace(" 'unsafe-inline' 'unsafe-eval'", "")
"""Of pages without Bokeh: no script but the files of this server."""
FILES = {
    "solid.css": "text/css",
    "page.css": "text/css",
    "keys.js": "text/javascript",
    "solid.js": "text/javascript",
    "following.js": "text/javascript",
    "drawing.js": "text/javascript",
    "globe.js": "text/javascript",
    "volume.js": "text/javascript",
}
"""What the 3-D pages load, with media types."""


class Page(RequestHandler):
    """A page of this package, which needs no inline scripts."""

    def initialize(self, name: str) -> None:
        self._name = name

    def get(self) -> None:
        self.set_header("Content-Security-Policy", STRICT_POLICY)
        text = static_text(self._name)
        library_tag = f'<script defer src="vtk.js?version={version()}"></script>' if version() else ""
        self.finish(text.replace("<!-- vtk.js -->", library_tag))


class File(RequestHandler):
    """One of FILES, or vtk.js, which the browser may keep: its address has its version."""

    def get(self, name: str) -> None:
        if name == "vtk.js":
            file = library()
            if file is None:
                raise HTTPError(404)
            self.set_header("Content-Type", "text/javascript")
            self.set_header("Cache-Control", "private, max-age=604800, immutable")
            self.finish(file.read_bytes())
            return
        self.set_header("Content-Type", FILES[name])
        self.finish(static_text(name))


def packed(header: dict[str, Any], *arrays: NDArray[Any]) -> bytes:
    """What a 3-D page gets: the length of a header, the header as JSON, padded to a multiple of 4 bytes, and the arrays,
    little-endian."""
    text = json.dumps(header, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    return b"".join(
        (
            len(text).to_bytes(4, "little"),
            text,
            *(one.astype(one.dtype.newbyteorder("<"), copy=False).tobytes() for one in arrays),
        )
    )


def failure(what: str, reason: str) -> bytes:
    """The answer for a read that failed."""
    return packed({"failed": f"The {what} could not be read: {reason}"}, np.zeros(0, np.uint16))


def file_route() -> tuple[str, type[RequestHandler]]:
    """The route of FILES and vtk.js; it takes exact names."""
    names = "|".join(name.replace(".", r"\.") for name in (*FILES, "vtk.js"))
    return rf"/({names})", File
