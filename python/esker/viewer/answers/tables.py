"""Comma-separated values: names that no spreadsheet takes for formulas, and numbers that are read back exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def header(names: Sequence[str]) -> str:
    """The first line: names of the columns, quoted."""
    return ",".join('"' + name.lstrip("=+-@\t").replace('"', '""') + '"' for name in names) + "\n"


def digits_of(dtype: np.dtype[Any]) -> str:
    """The format that keeps all bits of a type."""
    return "%.9g" if dtype == np.float32 else "%.17g"


def table(at_label: str, at: NDArray[np.float64], label: str, values: NDArray[Any]) -> str:
    """A line of a chart: coordinates and values."""
    digits = digits_of(values.dtype)
    rows = (f"{place!r},{digits % value}\n" for place, value in zip(at.tolist(), values.tolist()))
    return header([at_label, label]) + "".join(rows)
