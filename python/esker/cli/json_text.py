"""JSON output without NaN, which not every program reads."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_text(facts: Any) -> str:
    """`facts` as indented JSON; NaN and infinities, which JSON lacks, become the strings "NaN", "Infinity",
    "-Infinity".

    >>> json_text([0.5, float("nan")]).split()
    ['[', '0.5,', '"NaN"', ']']
    """
    return json.dumps(_finite(facts), indent=2, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
