"""Runs reads in a few threads, ends those that became stale, and keeps the latest pictures."""

from __future__ import annotations

import copy
import dataclasses
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from esker.viewer.reading.samples import Stale

THREADS = 2
"""Reads at once; each uses the threads of Dataset.open()."""
KEPT_BYTES = 64 << 20
"""Of pictures that are kept, next to the cache of blocks."""

_EXPECTED = (OSError, ValueError, IndexError, KeyError, RuntimeError, MemoryError)
"""Of damaged or lost files."""

Answer = Any


class Reader:
    """The reads of all pages of a server."""

    def __init__(self, threads: int = THREADS, kept_bytes: int = KEPT_BYTES) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="esker-view")
        self._kept = _Kept(kept_bytes)
        self._closed = threading.Event()
        self._is_open: Callable[[], bool] = lambda: True
        self._time: int | None = None

    def of_page(self, is_open: Callable[[], bool]) -> Reader:
        """The same threads and answers for one page, which calls renew() when it takes the datasets that changed.

        Its reads end when is_open() turned False.
        """
        page = copy.copy(self)
        page._is_open = is_open
        page.renew()
        return page

    def renew(self) -> None:
        """The page shows the files as they are now: what it reads from now on is kept."""
        self._time = self._kept.time

    def kept(self, key: Hashable) -> Answer | None:
        """An answer that is in memory, or None."""
        return self._kept.get(key, self._time_now())

    def _time_now(self) -> int:
        return self._kept.time if self._time is None else self._time

    def submit(
        self,
        key: Hashable,
        read: Callable[[Callable[[], bool]], Answer],
        is_wanted: Callable[[], bool],
        done: Callable[[Answer | None, str], object],
    ) -> None:
        """Calls read(is_wanted) in a thread, then done(answer, "") or done(None, reason). Not if it became stale.

        `done` is called in that thread. Answers from files as they were before forget() are not kept.
        """
        time = self._time_now()

        def go_on() -> bool:
            return self._is_open() and is_wanted() and not self._closed.is_set()

        def run() -> None:
            if not go_on():
                return
            found = self._kept.get(key, time)
            try:
                if found is None:
                    found = read(go_on)
                    self._kept.put(key, found, time)
            except Stale:
                return
            except Exception as error:  # also one of a mistake in the program: the page must not wait
                if not isinstance(error, _EXPECTED):
                    logging.getLogger(__name__).exception("a read of the viewer failed")
                if go_on():
                    done(None, _reason(error))
                return
            if go_on():
                done(found, "")

        if not self._closed.is_set():
            self._pool.submit(run)

    def forget(self) -> None:
        """Drops what is kept: the files changed."""
        self._kept.clear()

    def close(self) -> None:
        """Ends all reads."""
        self._closed.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _reason(error: Exception) -> str:
    return (
        str(error.args[0])
        if isinstance(error, KeyError) and error.args
        else str(error) or type(error).__name__
    )


class _Kept:
    """The answers used last, up to a number of bytes; safe to use from several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.time = 0
        """How often all were dropped."""
        self._bytes = 0
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, time: int) -> Answer | None:
        """An answer, unless all were dropped since `time`."""
        with self._lock:
            if time != self.time:
                return None
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def put(self, key: Hashable, answer: Answer, time: int) -> None:
        """Keeps an answer, unless all were dropped since `time`: it may be from files that changed."""
        with self._lock:
            if time != self.time:
                return
            self._bytes += _size(answer) - _size(self._answers.pop(key, None))
            self._answers[key] = answer
            while self._bytes > self._most:
                self._bytes -= _size(self._answers.popitem(last=False)[1])

    def clear(self) -> None:
        with self._lock:
            self._answers.clear()
            self._bytes = 0
            self.time += 1


def _size(answer: Answer | None) -> int:
    """Bytes in memory, about: of arrays and texts, also in tuples, dictionaries and data classes."""
    if answer is None:
        return 0
    if isinstance(answer, np.ndarray):
        held = answer.nbytes
    elif isinstance(answer, bytes | str):
        held = len(answer)
    elif isinstance(answer, tuple | list):
        held = sum(map(_size, answer))
    elif isinstance(answer, dict):
        held = sum(map(_size, answer.values()))
    elif dataclasses.is_dataclass(answer):
        held = sum(_size(getattr(answer, field.name)) for field in dataclasses.fields(answer))
    else:
        held = 0
    return 64 + held
