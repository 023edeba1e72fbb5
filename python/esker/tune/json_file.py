"""JSON files that others may have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_MOST_BYTES = 64 << 20


def read(path: Path, what: str) -> Any:
    """The content of a file. Raises OSError; ValueError, with the path and what was expected, if it is too large or
    not JSON. `what`: for example "JSON"."""
    if (size := path.stat().st_size) > _MOST_BYTES:
        raise ValueError(f"{path}: expected {what} of at most {_MOST_BYTES} bytes, found {size}")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: expected {what}: {error}") from error
