"""The server of Bokeh behind the gate: routes, pages, and its life in a thread or as a command."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import html
import json
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import quote, unquote_to_bytes, urlencode, urlsplit

from bokeh.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.core.templates import get_env
from bokeh.document import Document
from bokeh.resources import Resources
from bokeh.server.tornado import BokehTornado
from bokeh.server.views.static_handler import StaticHandler
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets
from tornado.web import HTTPError, RequestHandler

from esker.dataset.opening import Dataset
from esker.viewer.access.gate import SECURITY_HEADERS, Gate, gate_of
from esker.viewer.access.reading_handler import ReadingHandler, gzipped
from esker.viewer.answers import texts
from esker.viewer.answers.asking import FORMATS, box_picture, csv_lines, exported
from esker.viewer.images import zarr_route
from esker.viewer.pages.files import static_text
from esker.viewer.planes.viewer import Viewer
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.sources import source_of
from esker.viewer.reading.watching import EVERY_S, Change, watches
from esker.viewer.scenes.colors import PALETTES
from esker.viewer.scenes.views import views_of
from esker.viewer.serving.bundling import Bundle
from esker.viewer.solids import globe_page, volume_page
from esker.viewer.solids.answering import file_route
from esker.viewer.solids.globes import globes_of

_log = logging.getLogger(__name__)
_COMPONENTS = ["bokeh", "bokeh-widgets"]
"""Of BokehJS; without MathJax, texts are never read as formulas."""
_MAX_MESSAGE_BYTES = 1 << 20
"""From the page; it sends events and small values."""
_UNUSED_MS = 15_000
"""Until the session of a closed page ends."""


class _Refused(RequestHandler):
    """Answers a request that the gate refuses, with a sentence."""

    def initialize(self, reason: str) -> None:
        self.reason = reason

    def prepare(self) -> None:
        self.set_status(403)
        self.finish(f"<!DOCTYPE html><title>Refused</title><p>{html.escape(self.reason)}</p>")


class _Admitted(RequestHandler):
    """Answers the link with the token: sets the cookie, and lets the page come again without the token.

    Not a redirect: after a link on a page of another site, a redirect would come without the cookie, which is Strict.
    """

    def initialize(self, gate: Gate) -> None:
        self.gate = gate

    def get(self) -> None:
        cookie = f"{self.gate.cookie_name}={self.gate.cookie}; Path=/; HttpOnly; SameSite=Strict"
        self.set_header("Set-Cookie", cookie)
        rest = {
            name: self.get_query_argument(name) for name in self.request.query_arguments if name != "token"
        }
        page = self.request.path.rpartition("/")[2]
        address = html.escape(f"./{page}?{urlencode(rest)}" if rest else f"./{page}")
        self.write(
            f'<!DOCTYPE html><title>Esker</title><meta http-equiv="refresh" content="0;url={address}">'
        )


class _Site(BokehTornado):
    """Bokeh's routes behind the gate."""

    def __init__(self, gate: Gate, *arguments: Any, **options: Any) -> None:
        self._gate = gate
        super().__init__(*arguments, **options)

    def find_handler(self, request: HTTPServerRequest, **options: Any) -> Any:
        """Tornado calls this for every request, also for those that become websockets."""
        found = self._admission(request) or super().find_handler(request, **options)
        found.handler_class = _guarded(found.handler_class)
        return found

    def _admission(self, request: HTTPServerRequest) -> Any:
        """What answers instead of the route: a refusal, or the answer to a link with the token; None for the route."""
        headers, gate = request.headers, self._gate
        reason = gate.refusal(headers.get("Host"), headers.get("Origin"))
        if not reason and request.path.startswith(zarr_route.PREFIX):
            if gate.admits(zarr_route.token_in(request.path)):
                return None
            reason = "The path needs the token that `esker view` printed."
        tokens = request.query_arguments.get("token", []) if request.method == "GET" else []
        if not reason and tokens and gate.admits(tokens[-1]):
            return self.get_handler_delegate(request, _Admitted, {"gate": gate})
        if not reason and not gate.knows(_cookie(request, gate.cookie_name)):
            reason = "Open the link with the token that `esker view` printed."
        if not reason and b"\0" in unquote_to_bytes(request.path):
            reason = "No page has such an address."
        return self.get_handler_delegate(request, _Refused, {"reason": reason}) if reason else None

    def new_connection(self, protocol: Any, socket: Any, *rest: Any) -> Any:
        """A connection that sends all changes of a callback together."""
        connection = super().new_connection(protocol, socket, *rest)
        connection.send_patch_document = Bundle(connection, socket).send
        return connection

    def has_token(self, path: str) -> bool:
        """Whether a path is that of an image, or a link that was copied wrongly."""
        return self._gate.token in path

    def log_request(self, handler: RequestHandler) -> None:
        """Not requests of images: programs ask for many keys that are unknown."""
        if not isinstance(handler, zarr_route.ZarrHandler):
            super().log_request(handler)

    def resources(self, absolute_url: str | bool | None = None) -> Resources:
        """BokehJS from this server, by relative addresses: a proxy may add a prefix."""
        versioned = StaticHandler.append_version
        return Resources(mode="server", root_url="./", path_versioner=versioned, components=_COMPONENTS)


def _cookie(request: HTTPServerRequest, name: str) -> str | None:
    found = request.cookies.get(name)
    return None if found is None else found.value


class _Data(ReadingHandler):
    """The samples of a box as a file. The parameters are those of a link, and `format`."""

    async def get(self) -> None:
        query = self.query
        form = query.pop("format", "")
        views, notes = views_of(query, self.datasets, PALETTES)
        source, _ = source_of(views, views.selected, self.datasets)
        if form not in FORMATS or notes or source is None:
            raise HTTPError(404)

        def read(is_wanted: Callable[[], bool]) -> bytes:
            picture = box_picture(source, source.scene.window or source.plane.window, is_wanted)
            if is_packed:
                return gzipped(csv_lines(source, picture, is_wanted))
            return exported(source, picture, form, is_wanted)

        is_packed = form == "csv" and self.takes_gzip
        key = ("export", form, is_packed, *(one.scene for one in source.parts))
        found, _ = await self.read(key, read)
        if found is None:
            raise HTTPError(404)
        self.set_header("Content-Type", FORMATS[form])
        name = quote(texts.file_name(source))
        self.set_header("Content-Disposition", f"attachment; filename*=UTF-8''{name}.{form}")
        if is_packed:
            self.set_header("Content-Encoding", "gzip")
        await self.send(found)


class _Changes(RequestHandler):
    """For pages without a websocket: what the looks at each dataset found."""

    def initialize(self, found: Callable[[], list[dict[str, Any]]]) -> None:
        self._found = found

    def get(self) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(self._found()))


class _Answer(RequestHandler):
    """Of every answer: the headers of the gate, and errors without traces of the program."""

    def set_default_headers(self) -> None:
        for name, value in SECURITY_HEADERS.items():
            self.set_header(name, value)

    def write_error(self, status_code: int, **_: Any) -> None:
        self.finish(
            f"<!DOCTYPE html><title>Error</title><p>{status_code}: the server has no answer to this.</p>"
        )

    def _request_summary(self) -> str:
        """For the log: the path, unless the request is refused or the path has the token; never the query."""
        site: Any = self.application
        path = self.request.path
        is_secret = isinstance(self, _Refused) or site.has_token(path)
        return f"{self.request.method} {'…' if is_secret else path} ({self.request.remote_ip})"

    def log_exception(self, kind: Any, error: Any, trace: Any) -> None:
        """Tornado would log the address."""
        if isinstance(error, HTTPError):
            super().log_exception(kind, error, trace)
        else:
            _log.error("a request failed: %s", self._request_summary(), exc_info=(kind, error, trace))


@functools.cache
def _guarded(kind: type[RequestHandler]) -> type[RequestHandler]:
    """A class of handlers, with our headers and errors."""
    return type(kind.__name__, (_Answer, kind), {})


def _websocket_origins(gate: Gate) -> set[str]:
    """What Bokeh checks again after the gate: any port, because tunnels have their own."""
    names = {f"[{name}]:*" if ":" in name else f"{name}:*" for name in gate.hosts}
    return names | {urlsplit(origin).netloc for origin in gate.origins}


def _listening(port: int, host: str) -> list[Any]:
    """Sockets at an address. Raises OSError, which names the address."""
    try:
        return bind_sockets(port, host)
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"{host}:{port}") from error


class ViewServer:
    """Shows datasets to those who have the token."""

    def __init__(
        self,
        datasets: Sequence[Dataset],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        allow_hosts: Iterable[str] = (),
        allow_origins: Iterable[str] = (),
    ) -> None:
        """Listens from now on; run() or start() answers. Raises OSError if the port is in use, ValueError."""
        self.gate = gate_of(host, allow_hosts, allow_origins)
        self.reader = Reader()
        self._chunk_reader = Reader()
        """Of other programs, so that pages do not wait for them."""
        self._datasets = list(datasets)
        self._host = host
        self._sockets = _listening(port, host)
        self.port: int = self._sockets[0].getsockname()[1]
        self.gate.port = self.port
        self._loop: IOLoop | None = None
        self._thread: threading.Thread | None = None
        self._answers = threading.Event()
        self._viewers: set[Viewer] = set()
        self._watches = watches(self._datasets)
        self._notes: dict[int, str] = {}
        """What a new page must know of datasets that are missing, cannot be opened, or are not watched."""
        self._found: list[dict[str, Any]] = [{"opened": 0, "changes": 0, "said": ""} for _ in self._datasets]
        """Of each: how often it was opened again, how often a look found something, and the last sentence."""
        logging.getLogger("bokeh").setLevel(logging.ERROR)

    @property
    def _origin(self) -> str:
        name = "127.0.0.1" if self._host in ("", "0.0.0.0", "::") else self._host
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}"

    def url(self, query: str = "") -> str:
        """The link with the token."""
        return f"{self._origin}/?token={self.gate.token}{'&' + query if query else ''}"

    def zarr_urls(self) -> list[tuple[int, str, str]]:
        """The number of the dataset, the field, and the address of each OME-Zarr image."""
        images = zarr_route.image_paths(self._datasets, self.gate.token)
        return [(number, name, self._origin + path) for number, name, path in images]

    def run(self) -> None:
        """Answers until stop() or an interrupt."""
        with contextlib.ExitStack() as ending:
            ending.callback(self._close_sockets)
            self._loop = IOLoop(make_current=True)
            ending.callback(self._loop.close)
            ending.callback(self._close_readers)
            site = self._site()
            site.initialize(self._loop)
            site.start()
            ending.callback(site.stop)
            http = HTTPServer(site, max_body_size=_MAX_MESSAGE_BYTES)
            http.add_sockets(self._sockets)
            ending.callback(http.stop)
            self._loop.add_callback(self._answers.set)
            self._loop.call_later(EVERY_S, self._look)
            self._loop.start()

    def start(self) -> None:
        """Answers in a thread until stop(). Raises what keeps it from answering."""
        failures: list[BaseException] = []

        def answer() -> None:
            try:
                self.run()
            except BaseException as error:
                if self._answers.is_set():
                    raise
                failures.append(error)
            finally:
                self._answers.set()

        self._thread = threading.Thread(target=answer, name="esker-view", daemon=True)
        self._thread.start()
        self._answers.wait()
        if failures:
            self._thread.join()
            raise failures[0]

    def stop(self) -> None:
        """Ends run() or the thread; without them, stops to listen."""
        if self._loop is not None:
            self._loop.add_callback(self._loop.stop)
        if self._thread is not None:
            self._thread.join()
        elif self._loop is None:
            self._close_readers()
            self._close_sockets()

    def _close_readers(self) -> None:
        self.reader.close()
        self._chunk_reader.close()

    def _close_sockets(self) -> None:
        for socket in self._sockets:
            socket.close()

    async def _look(self) -> None:
        """Shows what changed in the datasets since the last look, again and again."""
        loop = asyncio.get_running_loop()
        for number, watch in self._watches.items():
            try:
                change = await loop.run_in_executor(None, watch.look)
                if change is not None:
                    self._changed(number, change)
            except Exception:  # also one of a mistake in the program: the looks go on
                _log.exception("a look at %s failed", self._datasets[number].path)
        IOLoop.current().call_later(EVERY_S, self._look)

    def _changed(self, number: int, change: Change) -> None:
        before = self._datasets[number]
        self._notes[number] = "" if change.dataset is not None else change.note
        found = self._found[number]
        self._found[number] = {
            "opened": found["opened"] + (change.dataset is not None),
            "changes": found["changes"] + 1,
            "said": change.note,
        }
        if change.dataset is not None:
            self._datasets[number] = change.dataset
            self.reader.forget()
        for viewer in list(self._viewers):
            viewer.later(functools.partial(viewer.dataset_changed, number, before, change.note))

    def _changes(self) -> list[dict[str, Any]]:
        return [{**found, "note": self._notes.get(number, "")} for number, found in enumerate(self._found)]

    def _site(self) -> _Site:
        application = Application(FunctionHandler(self._make))
        return _Site(
            self.gate,
            {"/": application},
            extra_websocket_origins=sorted(_websocket_origins(self.gate)),
            extra_patterns=[
                (r"/data", _Data, {"datasets": self._datasets, "reader": self.reader}),
                (r"/changes", _Changes, {"found": self._changes}),
                (
                    zarr_route.PATTERN,
                    zarr_route.ZarrHandler,
                    {"datasets": self._datasets, "reader": self._chunk_reader},
                ),
                file_route(),
                *volume_page.routes(self._datasets, self.reader),
                *globe_page.routes(self._datasets, self.reader),
            ],
            use_index=False,
            sign_sessions=True,
            secret_key=self.gate.cookie.encode(),
            include_cookies=[],
            include_headers=[],
            websocket_max_message_size_bytes=_MAX_MESSAGE_BYTES,
            unused_session_lifetime_milliseconds=_UNUSED_MS,
            compress_response=True,
        )

    def _make(self, document: Document) -> None:
        context = document.session_context
        arguments = context.request.arguments if context and context.request else {}
        query = {name: values[-1].decode("utf-8", "replace") for name, values in arguments.items() if values}
        viewer = Viewer(document, self._datasets, self.reader, query)
        document.title = "Esker"
        document.template = get_env().from_string("{% extends base %}\n" + static_text("page.html"))
        document.template_variables.update(
            page_css=static_text("page.css"),
            keys_js=static_text("keys.js"),
            page_js=static_text("page.js"),
            keys=texts.KEYS,
            formats=FORMATS,
        )
        document.template_variables["has_globe"] = any(globes_of(dataset) for dataset in self._datasets)
        self._viewers.add(viewer)
        for number, note in self._notes.items():
            viewer.dataset_changed(number, self._datasets[number], note)
        document.on_session_destroyed(lambda _: self._gone(viewer))

    def _gone(self, viewer: Viewer) -> None:
        self._viewers.discard(viewer)
        viewer.close()
