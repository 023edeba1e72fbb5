"""A web server of a directory that imitates good and bad servers, and counts the bytes that it sends."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


@dataclass
class Served:
    """The counts of a server, and its behavior."""

    url: str = ""
    ranges: bool = True
    """False: it answers with the whole file, whatever is asked for."""
    breaks: str = ""
    """A status, "truncate" (says more than it sends), "drop" (ends the connection), for files with ".bin" in their name."""
    endless: bool = False
    """Sends no size, ignores ranges, and sends zeros after the file until the client closes the connection."""
    sent: list[tuple[str, int]] = field(default_factory=list)
    """Path and bytes of each answer with content."""

    @property
    def bytes(self) -> int:
        return sum(size for _, size in self.sent)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else small answers take 40 ms
    server: _Server

    def do_HEAD(self) -> None:
        self.answer(with_content=False)

    def do_GET(self) -> None:
        self.answer(with_content=True)

    def answer(self, with_content: bool) -> None:
        path = self.server.directory / unquote(self.path.lstrip("/"))
        broken = self.server.served.breaks if path.suffix == ".bin" else ""
        if broken.isdigit():
            return self.send_error(int(broken))
        if broken == "drop":
            self.close_connection = True
            return self.connection.close()
        if not path.is_file():
            return self.send_error(404)
        content = path.read_bytes()
        if self.server.served.endless:
            return self.send_without_end(path.name, content, with_content)
        content = self.send_headers(content)
        if with_content:
            if broken == "truncate":
                content = content[: len(content) // 2]
                self.close_connection = True
            self.server.served.sent.append((path.name, len(content)))
            self.wfile.write(content)

    def send_headers(self, content: bytes) -> bytes:
        """Returns the part of the content to send: the requested range, if ranges are supported."""
        ranges = self.server.served.ranges
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted and ranges:
            first, last = int(wanted[1]), min(int(wanted[2]), len(content) - 1)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
            content = content[first : last + 1]
        else:
            self.send_response(200)
        if ranges:
            self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return content

    def send_without_end(self, name: str, content: bytes, with_content: bool) -> None:
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        try:
            while with_content:
                self.wfile.write(content)
                self.server.served.sent.append((name, len(content)))
                content = bytes(1 << 16)
        except OSError:  # the client left
            pass

    def log_message(self, *arguments: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, directory: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.directory = directory
        self.served = Served(url=f"http://127.0.0.1:{self.server_address[1]}")


@contextmanager
def serve(directory: Path) -> Iterator[Served]:
    """Runs a server on this machine during the body."""
    server = _Server(directory)
    served = server.served
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
