"""A saved page: the models of Bokeh for its pictures, and one HTML file that needs no server and no network.

BokehJS is in the file. Texts of datasets are PlainText of Bokeh, or set as text by standalone.js.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any

from bokeh.core.templates import get_env
from bokeh.document import Document
from bokeh.embed.bundle import bundle_for_objs_and_resources
from bokeh.embed.elements import html_page_for_render_items
from bokeh.embed.util import standalone_docs_json_and_render_items
from bokeh.models import BoxSelectTool, ColumnDataSource, CustomJS, FreehandDrawTool, Plot
from bokeh.resources import Resources
from bokeh.settings import settings

from esker.dataset.opening import Dataset
from esker.viewer.answers import texts
from esker.viewer.pages.files import static_text
from esker.viewer.planes.canvas import Canvas
from esker.viewer.planes.hatching import rectangles
from esker.viewer.reading.samples import Kind
from esker.viewer.reading.sources import Source
from esker.viewer.saved.saving import MODEL_BYTES, SavedPicture, saved_page

_BASE64 = 4 / 3
_TOOLS_THAT_ASK = (BoxSelectTool, FreehandDrawTool)
"""Without a server, no one answers."""


def standalone_html(
    datasets: Sequence[Dataset],
    update: Callable[[float], object] = lambda done: None,
    warn: Callable[[str], object] = lambda text: None,
) -> str:
    """The page. Calls update() with the fraction done, and warn() with each sentence about what the page lacks.

    Raises ValueError if there is nothing to show, OSError.
    """
    page = saved_page(datasets, bytes_in_page, update)
    for text in page.warnings:
        warn(text)
    document = Document()
    figures, sources, kinds = [], [], []
    for number, saved in enumerate(page.pictures):
        canvas = _canvas(saved, f"f{number}")
        document.add_root(canvas.figure)
        figures.append(canvas.figure)
        sources.append(canvas.overview.image.data_source)
        kinds.append(ColumnDataSource({"kinds": [saved.picture.kinds] if saved.has_kinds else []}))
    args = {
        "figures": figures,
        "sources": sources,
        "kinds": kinds,
        "facts": [saved.facts for saved in page.pictures],
        "names": {str(int(kind)): name for kind, name in texts.KIND_NAMES.items()},
        "note": page.note,
    }
    start = CustomJS(args=args, code="window.eskerPage.start(figures, sources, kinds, facts, names, note)")
    document.js_on_event("document_ready", start)
    for figure in figures:
        _listen(figure)
    return _html(document, [figure.name for figure in figures])


def _html(document: Document, names: Sequence[str | None]) -> str:
    """Like Bokeh's file_html, but without MathJax, whatever the texts are."""
    resources = Resources(mode="inline", components=["bokeh"])
    docs, items = standalone_docs_json_and_render_items(document.roots, suppress_callback_warning=True)
    return html_page_for_render_items(
        bundle_for_objs_and_resources(None, resources),
        docs,
        items,
        title="Esker",
        template=get_env().from_string("{% extends base %}\n" + static_text("standalone.html")),
        template_variables={
            "page_css": static_text("standalone.css"),
            "page_js": static_text("standalone.js"),
            "names": names,
        },
    )


def _canvas(saved: SavedPicture, name: str) -> Canvas:
    canvas = Canvas()
    canvas.figure.name = name
    tools = canvas.figure.toolbar.tools
    canvas.figure.toolbar.tools = [tool for tool in tools if not isinstance(tool, _TOOLS_THAT_ASK)]
    canvas.figure.renderers = [one for one in canvas.figure.renderers if one not in _renderers(canvas.detail)]
    canvas.label(
        saved.plane.horizontal, saved.plane.vertical, texts.field_label(saved.field, saved.scene.component)
    )
    canvas.save.filename = texts.file_name(Source(saved.field, saved.scene, saved.plane))
    canvas.color(saved.scene, saved.colors)
    canvas.overview.draw(saved.picture, saved.scene.log)
    canvas.move(saved.plane.window)
    return canvas


def _renderers(layer: Any) -> list[Any]:
    return [layer.image, *layer.hatches.values()]


def _listen(figure: Plot) -> None:
    args = {"figure": figure}
    point = CustomJS(args=args, code="window.eskerPage.point(figure, cb_obj.x, cb_obj.y)")
    figure.js_on_event("mousemove", point)
    figure.js_on_event("mouseleave", CustomJS(code="window.eskerPage.leave()"))
    figure.js_on_event("reset", CustomJS(args=args, code="window.eskerPage.fit(figure)"))


def bytes_in_page(saved: SavedPicture) -> int:
    """The bytes of a picture in the page, at most: arrays are compressed by gzip, and written in base64."""
    picture = saved.picture
    hatches = [rectangles(picture.kinds == kind, picture.window) for kind in Kind if kind != Kind.VALUE]
    arrays = [picture.values, *(array for one in hatches for array in one.values())]
    arrays += [picture.kinds] if saved.has_kinds else []
    arrays = [array for array in arrays if array.size]
    uneven = [
        axis.uneven for axis in (saved.plane.horizontal, saved.plane.vertical) if axis.uneven is not None
    ]
    texts_bytes = len(json.dumps(saved.facts)) + len(json.dumps([values.tolist() for values in uneven]))
    packed = sum(len(gzip.compress(array.tobytes(), settings.compression_level())) for array in arrays)
    return int(_BASE64 * packed) + 2 * texts_bytes + MODEL_BYTES
