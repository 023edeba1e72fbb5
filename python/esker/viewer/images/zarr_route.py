"""The route of the fields as OME-Zarr images: /zarr/TOKEN/FIELD/KEY, with several datasets /zarr/TOKEN/DATASET/FIELD/KEY.

Other programs cannot send the cookie, so the token is in the path. No key is a path of files: names are looked up in lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.viewer.access.reading_handler import ReadingHandler
from esker.viewer.images.ome_zarr import Chunk, answer, encoded
from esker.viewer.images.pyramid import Pyramid, image_fields, is_image

PREFIX = "/zarr/"
PATTERN = rf"{PREFIX}.*"
NO_CHUNK = b""
"""Of a step without samples; encoded chunks are never empty."""
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


def token_in(path: str) -> bytes:
    """The token in a path of the route."""
    return unquote_to_bytes(path.removeprefix(PREFIX).partition("/")[0])


def image_paths(datasets: Sequence[Dataset], token: str) -> list[tuple[int, str, str]]:
    """The number of the dataset, the name of the field, and the path of each image."""
    several = len(datasets) > 1
    return [
        (number, name, f"{PREFIX}{token}/{f'{number}/' if several else ''}{quote(name, safe='')}")
        for number, dataset in enumerate(datasets)
        for name in image_fields(dataset)
    ]


def image_of(path: str, datasets: Sequence[Dataset]) -> tuple[Pyramid, list[str]] | None:
    """The image that a path of the route names, and the key in it; None if there is none."""
    try:
        parts = unquote_to_bytes(path.removeprefix(PREFIX).partition("/")[2]).decode()
    except UnicodeDecodeError:
        return None
    number = 0
    if len(datasets) > 1:
        known = {str(n): n for n in range(len(datasets))}
        named, _, parts = parts.partition("/")
        if named not in known:
            return None
        number = known[named]
    fields = datasets[number].fields
    name = max((name for name in fields if parts.startswith(f"{name}/")), key=len, default=None)
    if name is None or not is_image(fields[name]):
        return None
    return _pyramid_of(fields[name]), parts[len(name) + 1 :].split("/")


@lru_cache(maxsize=16)
def _pyramid_of(field: Field) -> Pyramid:
    """Each chunk is a request; the axes and levels of its image are found once."""
    return Pyramid(field)


class ZarrHandler(ReadingHandler):
    """Answers with metadata, or with a chunk that is read now."""

    def prepare(self) -> None:
        """The gate let the request through, so its origin, if it has one, is allowed."""
        origin = self.request.headers.get("Origin")
        if origin is not None:
            self.set_header("Access-Control-Allow-Origin", origin)
            self.set_header("Vary", "Origin")

    async def get(self) -> None:
        found = image_of(self.request.path, self.datasets)
        content = None if found is None else answer(*found)
        if found is not None and isinstance(content, Chunk):
            content, reason = await self._chunk(found[0], content)
            if reason:
                self._fail(500)
                return
        if not content:
            self._fail(404)
            return
        is_json = self.request.path.endswith(".json")
        self.set_header("Content-Type", "application/json" if is_json else "application/octet-stream")
        self.finish(content if is_json else self._part(content))

    head = get

    def options(self) -> None:
        """Before requests of a page of an allowed origin."""
        self.set_header("Access-Control-Allow-Methods", "GET, HEAD")
        self.set_header("Access-Control-Allow-Headers", "Range")
        self.set_status(204)

    async def _chunk(self, pyramid: Pyramid, chunk: Chunk) -> tuple[bytes | None, str]:
        def read(is_wanted: Callable[[], bool]) -> bytes:
            samples = pyramid.read(chunk.level, chunk.index, is_wanted)
            return NO_CHUNK if samples is None else encoded(samples)

        return await self.read(("zarr", pyramid.field, chunk), read)

    def _fail(self, status: int) -> None:
        """Like an error, but with the headers that a page of an allowed origin needs."""
        self.set_status(status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish("no such key" if status == 404 else "the samples cannot be read")

    def _part(self, content: bytes) -> bytes:
        """The range that the request asks for, or all."""
        self.set_header("Accept-Ranges", "bytes")
        asked = _RANGE.fullmatch(self.request.headers.get("Range", ""))
        if asked is None or asked[1] == asked[2] == "":
            return content
        size = len(content)
        first = int(asked[1]) if asked[1] else max(0, size - int(asked[2]))
        last = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
        if first > last:
            self.set_status(416)
            self.set_header("Content-Range", f"bytes */{size}")
            return b""
        self.set_status(206)
        self.set_header("Content-Range", f"bytes {first}-{last}/{size}")
        return content[first : last + 1]
