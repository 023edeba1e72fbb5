"""A server far away: passes connections on, later by half a round trip each way, and no faster than a rate."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

ROUND_TRIP_S = 0.05
BYTES_PER_S = 10_000_000
_CHUNK = 1 << 14


@dataclass
class Far:
    """The proxy. Its line downwards is shared by all connections; TCP's slow start is not imitated."""

    target: int
    port: int = 0
    sent: dict[str, int] = field(default_factory=lambda: {"http": 0, "websocket": 0})
    """Bytes that went to the browser."""
    arrived: list[tuple[float, int]] = field(default_factory=list)
    """When parts of what went through websockets left for the browser, as time.time() counts, and their bytes."""
    connections: int = 0
    _free: float = 0.0
    """When the line is free again."""

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Two round trips pass before the first answer: that of the connection, and that of the request."""
        self.connections += 1
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.sleep(ROUND_TRIP_S)
        kind = ["http"]
        with suppress(ConnectionError):
            await asyncio.gather(self._up(reader, far_writer, kind), self._down(far_reader, writer, kind))

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind: list[str]) -> None:
        async for due, data in _arriving(reader):
            if b"\r\nupgrade: websocket\r\n" in data.lower():
                kind[0] = "websocket"
            await _send(writer, data, due + ROUND_TRIP_S / 2)
        writer.close()

    async def _down(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind: list[str]
    ) -> None:
        async for due, data in _arriving(reader):
            self._free = max(self._free, due) + len(data) / BYTES_PER_S
            self.sent[kind[0]] += len(data)
            await _send(writer, data, self._free + ROUND_TRIP_S / 2)
            if kind[0] == "websocket":
                self.arrived.append((time.time(), len(data)))
        writer.close()


async def _arriving(reader: asyncio.StreamReader) -> AsyncIterator[tuple[float, bytes]]:
    """What a socket receives, with the time when it did; receives on while the one before is passed on."""
    queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(256)

    async def receive() -> None:
        data = b"-"
        while data:
            try:
                data = await reader.read(_CHUNK)
            except ConnectionError:
                data = b""
            await queue.put((asyncio.get_running_loop().time(), data))

    task = asyncio.create_task(receive())
    try:
        while (found := await queue.get())[1]:
            yield found
    finally:
        task.cancel()


async def _send(writer: asyncio.StreamWriter, data: bytes, due: float) -> None:
    wait = due - asyncio.get_running_loop().time()
    if wait > 0:
        await asyncio.sleep(wait)
    writer.write(data)
    await writer.drain()


@contextmanager
def far_away(target: int) -> Iterator[Far]:
    """A port that leads to another one. It has a thread with another loop, because Playwright's runs in this one."""
    far, loop = Far(target), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def wait_for(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    server = wait_for(asyncio.start_server(far.connected, "127.0.0.1", 0))
    far.port = server.sockets[0].getsockname()[1]
    try:
        yield far
    finally:
        server.close()
        wait_for(_ended())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _ended() -> None:
    """Ends all tasks but this one."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
