"""esker.view(): the page of the viewer in a notebook."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from esker.dataset.opening import Dataset
from esker.viewer.scenes.colors import PALETTES
from esker.viewer.scenes.session import query_of, scene_of
from esker.viewer.serving.loading import server_class

_PAGE = """<iframe id="{name}" title="Esker" style="width: 100%; height: {height}px; border: 0"></iframe>
<script>(() => {{
  const local = ["localhost", "127.0.0.1"].includes(location.hostname)
  const root = /^(.*?\\/)(lab|notebooks|tree|doc|nbclassic|edit)\\b/.exec(location.pathname)
  const place = local ? `http://${{location.hostname}}:{port}/` : `${{root ? root[1] : "/"}}proxy/{port}/`
  document.getElementById("{name}").src = place + {query}
}})()</script>"""
"""On a notebook of this machine the page comes from its own port, else through jupyter-server-proxy."""


class OpenView:
    """A server that shows datasets in a notebook, until close()."""

    def __init__(self, server: Any, query: str, height: int) -> None:
        self._server = server
        self._query = query
        self._height = height

    @property
    def url(self) -> str:
        """The link with the token, for a browser."""
        return str(self._server.url(self._query))

    def close(self) -> None:
        """Ends the server."""
        self._server.stop()

    def _repr_html_(self) -> str:
        query = "?" + self.url.partition("?")[2]
        text = json.dumps(query).replace("<", "\\u003c")
        name = f"esker-view-{self._server.port}"
        return _PAGE.format(name=name, height=self._height, port=self._server.port, query=text)

    def __repr__(self) -> str:
        return f"<esker.view at port {self._server.port}>"


def view(
    *datasets: Dataset,
    height: int = 640,
    allow_hosts: Iterable[str] = (),
    allow_origins: Iterable[str] = (),
    **shown: Any,
) -> OpenView:
    """Shows datasets in a notebook, as `esker view` does in the browser.

    height:        of the page, in pixels
    allow_hosts:   exact names of the hosts of a proxy, such as jupyter-server-proxy on "hub.example.org"
    allow_origins: exact origins of other pages that may use the server
    shown:         what is shown first: field, step, component, normal, place, level, palette, log ...

    Starts a server on loopback in a thread; close() of the result ends it. Raises ImportError without Bokeh,
    ValueError if `shown` names something that does not exist.

    >>> import numpy as np
    >>> import esker
    >>> esker.write("run.idx", {"thk": np.zeros((5, 8), "f4")})
    >>> page = esker.view(esker.open("run.idx"), field="thk", palette="magma")  # doctest: +SKIP
    """
    if not datasets:
        raise ValueError("view: expected at least one dataset")
    first, _ = scene_of({}, datasets, PALETTES)
    given = query_of(first.but(**_known(first, shown)))
    _, notes = scene_of(given, datasets, PALETTES)
    if notes:
        raise ValueError(" ".join(notes).replace("The link", "view:"))
    server = server_class()(list(datasets), allow_hosts=allow_hosts, allow_origins=allow_origins)
    server.start()
    return OpenView(server, urlencode(given), height)


def _known(scene: Any, shown: dict[str, Any]) -> dict[str, Any]:
    unknown = [name for name in shown if not hasattr(scene, name)]
    if unknown:
        raise ValueError(f"view: unknown option {unknown[0]!r}; expected one of {', '.join(vars(scene))}")
    return shown
