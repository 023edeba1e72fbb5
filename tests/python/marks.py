"""Cases of a test that only `make check` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def mostly_slow(cases: Iterable[Any], in_make_test: Callable[[Any], bool]) -> list[Any]:
    """Marks the others as slow. A case with several parameters is a tuple."""
    return [
        case if in_make_test(case) else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]
