"""Datasets that are not files of this machine: whatever fsspec opens, by its URL."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(::|://)")


def is_url(path: object) -> bool:
    """Whether esker.open() gives it to fsspec: "https://...", "s3://...", "simplecache::https://..."."""
    return isinstance(path, str) and _URL.match(path) is not None


_MOST_UNSAID = 1 << 30
"""Bytes that are counted of a file whose server does not say how many it has."""


class Files:
    """The files of an fsspec file system, as the library asks for them; several threads at once."""

    def __init__(self, file_system: Any) -> None:
        self._file_system = file_system
        self._is_http = "http" in file_system.protocol

    def size(self, path: str) -> int:
        """Bytes of a file; FileNotFoundError if there is none."""
        try:
            found = self._file_system.info(path)
        except FileNotFoundError as error:
            if _says_absent(error):
                raise
            raise OSError(f"{error.__cause__!r}") from error
        if found.get("type", "file") != "file":
            raise FileNotFoundError(f"{path} is no file")
        size = found["size"]
        if size is not None:
            return int(size)
        if not self._is_http:
            return len(self._file_system.cat_file(path))
        size = self._from_server(_count, path, _MOST_UNSAID)
        if size > _MOST_UNSAID:
            raise OSError(f"{path}: the server does not say its size, which is more than {_MOST_UNSAID} bytes")
        return size

    def read(self, path: str, offset: int, size: int) -> bytes:
        """So many bytes from `offset` on; fewer where the file ends before."""
        if self._is_http:
            return self._from_server(_fetch, path, offset, size)
        found = bytes(self._file_system.cat_file(path, start=offset, end=offset + size))
        if len(found) > size:
            raise OSError(f"{path}: {size} bytes were asked for, {len(found)} came")
        return found

    def list(self, directory: str) -> list[str]:
        """Names in a directory."""
        if self._is_http:
            raise NotImplementedError(f"{directory}: what a web server has cannot be listed")
        try:
            found = self._file_system.ls(directory, detail=False)
        except FileNotFoundError:
            return []
        return [os.path.basename(name.rstrip("/")) for name in found]


    def _from_server(self, action: Any, *arguments: Any) -> Any:
        from fsspec.asyn import sync

        return sync(self._file_system.loop, action, self._file_system, *arguments)


async def _fetch(file_system: Any, url: str, offset: int, size: int) -> bytes:
    """No more is taken than is asked for, whatever the server sends: it may know no ranges, or never end."""
    if size == 0:
        return b""
    wanted = {"Range": f"bytes={offset}-{offset + size - 1}"}
    found = bytearray()
    async with await _answer(file_system, url, wanted) as answer:
        to_skip = 0 if answer.status == HTTPStatus.PARTIAL_CONTENT else offset
        async for piece in answer.content.iter_any():
            wanted_of_piece = piece[to_skip:]
            to_skip = max(0, to_skip - len(piece))
            found += wanted_of_piece[: size + 1 - len(found)]
            if len(found) > size:  # an answer that ends by itself leaves the connection for the next request
                break
    return bytes(found[:size])


async def _count(file_system: Any, url: str, most: int) -> int:
    """Bytes of a file; of one that has more than `most`, a few more than that."""
    size = 0
    async with await _answer(file_system, url, {}) as answer:
        async for piece in answer.content.iter_any():
            size += len(piece)
            if size > most:
                break
    return size


async def _answer(file_system: Any, url: str, headers: Mapping[str, str]) -> Any:
    """What the server answers, with none of its content yet."""
    session = await file_system.set_session()
    options = {**file_system.kwargs, "headers": {**file_system.kwargs.get("headers", {}), **headers}}
    answer = await session.get(file_system.encode_url(url), **options)
    if answer.status == HTTPStatus.NOT_FOUND:
        answer.close()
        raise FileNotFoundError(url)
    answer.raise_for_status()
    return answer


def _says_absent(error: FileNotFoundError) -> bool:
    """fsspec calls a server that fails, or that there is not, a file that is not found."""
    cause = error.__cause__
    if cause is None or isinstance(cause, FileNotFoundError):
        return True
    answer = getattr(cause, "response", None)  # of S3: a bucket that is not there
    status = (
        answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        if isinstance(answer, Mapping)
        else getattr(cause, "status", None)
    )
    return status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}


def located(
    path: str | os.PathLike[str], storage_options: Mapping[str, Any] | None
) -> tuple[str, Files | None]:
    """A path, and the files that it leads to; None: those of this machine."""
    path = os.fspath(path)
    if not is_url(path):
        if storage_options:
            raise ValueError(f"{path}: storage_options are for URLs")
        return path, None
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ImportError(f"{path}: reading from a URL needs fsspec: pip install 'esker[remote]'") from error
    file_system, there = url_to_fs(path, **(storage_options or {}))
    return there, Files(file_system)
