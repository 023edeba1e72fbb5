"""The least page of Bokeh that shows pictures of a size: the limit of what `esker view` can do.

    python bench/viewer/plain.py COLUMNS ROWS PICTURES     prints its link

The page is a figure with an image; `window.show(n)` shows another picture, and resolves when it is on the screen.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from bokeh.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.core.templates import get_env
from bokeh.document import Document
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure
from bokeh.resources import Resources
from bokeh.server.tornado import BokehTornado
from made import smooth
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop

_PAGE = """{% extends base %}
{% from macros import embed %}
{% block contents %}
<div style="display: flex; flex-direction: column; height: 95vh">{{ embed(roots.picture) }}</div>
<p id="colors"></p><p id="status"></p>
<script>
const painted = (view) => new Promise((done) => {
  const one = () => { view.repainted.disconnect(one); requestAnimationFrame(() => requestAnimationFrame(done)) }
  view.repainted.connect(one)
})
const begin = () => {
  const view = [...(window.Bokeh?.index ?? [])].find((one) => one.model.name === "picture")
  if (!view?.has_finished()) return setTimeout(begin, 2)
  window.show = (n) => {
    const source = view.model.renderers[0].data_source
    const drawn = new Promise((done) => {
      const changed = () => { source.properties.data.change.disconnect(changed); painted(view).then(done) }
      source.properties.data.change.connect(changed)
    })
    view.model.tags = [n]
    return drawn
  }
  document.getElementById("colors").textContent = document.getElementById("status").textContent = "complete"
}
begin()
</script>
{% endblock %}"""


class _Site(BokehTornado):
    def resources(self, absolute_url: str | bool | None = None) -> Resources:
        return Resources(mode="server", root_url="./", components=["bokeh"])


def pictures_of(columns: int, rows: int, count: int) -> list[Any]:
    y, x = np.mgrid[0:rows, 0:columns] / np.reshape([rows, columns], (2, 1, 1))
    return [smooth(x, y, n).astype("f4") for n in range(count)]


def show(document: Document, pictures: list[Any]) -> None:
    rows, columns = pictures[0].shape
    drawn = figure(name="picture", sizing_mode="stretch_both", x_range=(0, columns), y_range=(0, rows))
    place = {"x": [0], "y": [0], "dw": [columns], "dh": [rows]}
    source = ColumnDataSource({"image": [pictures[0]], **place})
    drawn.image(source=source, palette="Viridis256")

    def asked(attr: str, old: Any, new: Any) -> None:
        source.data = {"image": [pictures[new[0] % len(pictures)]], **place}

    drawn.on_change("tags", asked)
    document.add_root(drawn)
    document.template = get_env().from_string(_PAGE)


def main() -> None:
    pictures = pictures_of(*map(int, sys.argv[1:4]))
    site = _Site(
        {"/": Application(FunctionHandler(lambda document: show(document, pictures)))},
        extra_websocket_origins=["127.0.0.1:*"],
        use_index=False,
        compress_response=True,
    )
    loop = IOLoop(make_current=True)
    site.initialize(loop)
    site.start()
    http = HTTPServer(site)
    http.listen(0, "127.0.0.1")
    port = next(iter(http._sockets.values())).getsockname()[1]
    print(f"http://127.0.0.1:{port}/", flush=True)
    loop.start()


if __name__ == "__main__":
    main()
