"""Reads remote datasets by URL, through fsspec."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(::|://)")


def is_url(path: object) -> bool:
    """Whether esker.open() reads `path` through fsspec: "https://...", "s3://...",
    "simplecache::https://..."."""
    return isinstance(path, str) and _URL.match(path) is not None


_MAX_COUNTED_BYTES = 1 << 30
"""Maximum size of a file that is downloaded to determine its size, if the server does not report it."""


class Files:
    """The files of an fsspec file system, for the library's readers; safe to use from several threads."""

    def __init__(self, file_system: Any) -> None:
        self._file_system = file_system
        self._is_http = "http" in file_system.protocol

    def size(self, path: str) -> int:
        """Size of a file in bytes; raises FileNotFoundError if it does not exist."""
        try:
            found = self._file_system.info(path)
        except FileNotFoundError as error:
            if _is_missing_file(error):
                raise
            raise OSError(str(error.__cause__) or repr(error.__cause__)) from error
        if found.get("type", "file") != "file" or _is_listing(found):
            raise FileNotFoundError(f"{path}: expected a file, found a directory")
        size = found["size"]
        if size is not None:
            return int(size)
        if not self._is_http:
            return len(self._file_system.cat_file(path))
        size = self._from_server(_count, path, _MAX_COUNTED_BYTES)
        if size > _MAX_COUNTED_BYTES:
            raise OSError(
                f"{path}: the server does not report the file's size, which is more than {_MAX_COUNTED_BYTES} "
                "bytes"
            )
        return size

    def read(self, path: str, offset: int, size: int) -> bytes:
        """`size` bytes starting at `offset`; fewer if the file ends before."""
        if self._is_http:
            return self._from_server(_fetch, path, offset, size)
        found = bytes(self._file_system.cat_file(path, start=offset, end=offset + size))
        if len(found) > size:
            raise OSError(f"{path}: requested {size} bytes, received {len(found)}")
        return found

    def list(self, directory: str) -> list[str]:
        """Names in a directory."""
        if self._is_http:
            raise NotImplementedError(f"{directory}: files on a web server cannot be listed")
        try:
            found = self._file_system.ls(directory, detail=False)
        except FileNotFoundError:
            return []
        return [os.path.basename(name.rstrip("/")) for name in found]

    def _from_server(self, action: Any, *arguments: Any) -> Any:
        from fsspec.asyn import sync

        return sync(self._file_system.loop, action, self._file_system, *arguments)


async def _fetch(file_system: Any, url: str, offset: int, size: int) -> bytes:
    """Reads at most `size` bytes of the response: a server may ignore the range, or never stop sending."""
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
            if (
                len(found) > size
            ):  # a response read to its end leaves the connection open for the next request
                break
        if offset == 0 and answer.content_type == "text/html" and found.lstrip().startswith(b"<"):
            raise OSError(
                f"{url}: expected a file, found a web page; check the address, and whether the server requires a login"
            )
    return bytes(found[:size])


async def _count(file_system: Any, url: str, limit: int) -> int:
    """Size of a file in bytes; stops shortly after `limit`."""
    size = 0
    async with await _answer(file_system, url, {}) as answer:
        async for piece in answer.content.iter_any():
            size += len(piece)
            if size > limit:
                break
    return size


async def _answer(file_system: Any, url: str, headers: Mapping[str, str]) -> Any:
    """The server's response, before its content is read."""
    session = await file_system.set_session()
    options = {**file_system.kwargs, "headers": {**file_system.kwargs.get("headers", {}), **headers}}
    answer = await session.get(file_system.encode_url(url), **options)
    if answer.status == HTTPStatus.NOT_FOUND:
        answer.close()
        raise FileNotFoundError(url)
    answer.raise_for_status()
    return answer


def _is_listing(found: Mapping[str, Any]) -> bool:
    """Whether a web server answers with the list of a directory: servers send clients to its address with a slash."""
    page = str(found.get("mimetype", "")).partition(";")[0].strip() == "text/html"
    return page and urlsplit(str(found.get("url", ""))).path.endswith("/")


def _is_missing_file(error: FileNotFoundError) -> bool:
    """Whether the file does not exist. fsspec raises the same error when a server fails or cannot be
    reached."""
    cause = error.__cause__
    if cause is None or isinstance(cause, FileNotFoundError):
        return True
    answer = getattr(cause, "response", None)  # from S3: a missing bucket
    status = (
        answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        if isinstance(answer, Mapping)
        else getattr(cause, "status", None)
    )
    return status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}


def located(
    path: str | os.PathLike[str], storage_options: Mapping[str, Any] | None
) -> tuple[str, Files | None]:
    """The path within its file system, and that file system's files (None: local files)."""
    path = os.fspath(path)
    if not is_url(path):
        if storage_options:
            raise ValueError(f"{path}: storage_options require a URL, found a local path; omit them")
        return path, None
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ImportError(
            f"{path}: reading from a URL requires fsspec: pip install 'esker[remote]'"
        ) from error
    file_system, there = url_to_fs(path, **(storage_options or {}))
    return there, Files(file_system)
