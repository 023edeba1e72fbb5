"""Options of writers and readers, as texts."""

from __future__ import annotations

import os
from collections.abc import Mapping

Option = str | int | bool | os.PathLike[str] | None


def option_texts(options: Mapping[str, Option | None]) -> dict[str, str]:
    """The options as texts, without those that are None. The library checks them, so that an error is raised
    on all ranks."""
    texts = {name: value for name, value in options.items() if value is not None}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in texts.items()
    }
