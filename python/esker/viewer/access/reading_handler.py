"""A request whose answer is read in a thread; the read ends when the connection does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tornado.web import RequestHandler

from esker.dataset.opening import Dataset
from esker.viewer.reading.reader import Reader


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
