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


class Files:
    """The files of an fsspec file system, as the library asks for them; several threads at once."""

    def __init__(self, file_system: Any) -> None:
        self._file_system = file_system

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
        if size is None:  # a server that does not say
            return len(self._file_system.cat_file(path))
        return int(size)

    def read(self, path: str, offset: int, size: int) -> bytes:
        """So many bytes from `offset` on; fewer where the file ends before."""
        found = bytes(self._file_system.cat_file(path, start=offset, end=offset + size))
        if len(found) <= size:
            return found
        return found[offset : offset + size]  # the whole file: a server that knows no ranges

    def list(self, directory: str) -> list[str]:
        """Names in a directory."""
        if "http" in self._file_system.protocol:
            raise NotImplementedError(f"{directory}: what a web server has cannot be listed")
        try:
            found = self._file_system.ls(directory, detail=False)
        except FileNotFoundError:
            return []
        return [os.path.basename(name.rstrip("/")) for name in found]


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
