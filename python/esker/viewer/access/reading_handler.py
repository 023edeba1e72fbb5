"""A request whose answer is read in a thread; the read ends when the connection does."""

from __future__ import annotations

import asyncio
import contextlib
import zlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.web import RequestHandler

from esker.dataset.opening import Dataset
from esker.viewer.reading.reader import Reader

_PIECE_BYTES = 1 << 20
"""Of an answer, that are sent at once."""


def gzipped(pieces: Iterable[bytes]) -> bytes:
    """Pieces of a text as one file, compressed by gzip as fast as possible."""
    packing = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join((*map(packing.compress, pieces), packing.flush()))


class ReadingHandler(RequestHandler):
    """Answers from samples of the datasets, which a thread of the reader reads."""

    def initialize(self, datasets: Sequence[Dataset], reader: Reader) -> None:
        self.datasets, self.reader = datasets, reader
        self._answer: asyncio.Future[Any] | None = None
        self._gone = False

    @property
    def query(self) -> dict[str, str]:
        """The last value of each parameter."""
        return {name: self.get_query_argument(name) for name in self.request.query_arguments}

    @property
    def takes_gzip(self) -> bool:
        """Whether the answer may be compressed."""
        return "gzip" in self.request.headers.get("Accept-Encoding", "")

    def compute_etag(self) -> None:
        """None: answers are not kept by browsers, and Tornado would hash all of them before it sends the first byte."""

    async def send(self, content: bytes) -> None:
        """Ends the answer with what may be large: in pieces, between which others are answered."""
        self.set_header("Content-Length", len(content))
        with contextlib.suppress(StreamClosedError):  # the page does not want it any more
            for first in range(0, len(content), _PIECE_BYTES):
                self.write(content[first : first + _PIECE_BYTES])
                await self.flush()
            await self.finish()

    def on_connection_close(self) -> None:
        self._gone = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_result((None, "the connection is closed"))

    async def read(self, key: Hashable, read: Callable[[Callable[[], bool]], Any]) -> tuple[Any | None, str]:
        """The answer of read(is_wanted), or None and the reason."""
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answer = waiting

        def done(found: Any | None, reason: str) -> None:
            waiting.get_loop().call_soon_threadsafe(
                lambda: waiting.done() or waiting.set_result((found, reason))
            )

        self.reader.submit(key, read, lambda: not self._gone, done)
        return await waiting
