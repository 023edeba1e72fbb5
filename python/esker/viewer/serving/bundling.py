"""Sends all changes of a callback to a page in one message; Bokeh sends one for each changed property.

Each message costs the browser a task of a millisecond or more, and a picture changes 20 to 50 properties.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any


class Bundle:
    """The changes that one connection still has to send."""

    def __init__(self, connection: Any, socket: Any) -> None:
        self._connection = connection
        self._socket = socket
        self._events: list[Any] = []

    def send(self, event: Any) -> Awaitable[None]:
        """Takes a change. Bokeh awaits the answers to all changes of a callback when it has ended, in order.

        It awaits none of them if the callback raised: then the changes are sent together with those of the next one.
        """
        if not any(earlier.combine(event) for earlier in self._events):
            self._events.append(event)
        return self._flush()

    async def _flush(self) -> None:
        """Sends what was taken; the first answer that is awaited does so for all."""
        if not self._events:
            return
        events, self._events = self._events, []
        await self._socket.send_message(self._connection.protocol.create("PATCH-DOC", events))
