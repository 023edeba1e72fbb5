"""Fill values: the attributes that hold them, and their numbers in the type of the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FILL_ATTRIBUTES = ("_FillValue", "missing_value")


def fill_values(attribute: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of a fill attribute converted to `dtype`, without those that the type cannot represent.

    Reals are rounded; integers must be exact. The result is empty if the attribute or the samples are not
    numeric.

    >>> fill_values([-9999, -1], np.dtype("i1"))
    array([-1], dtype=int8)
    >>> fill_values(float("nan"), np.dtype("i2")).size
    0
    """
    given = np.atleast_1d(np.asarray(attribute))
    if given.dtype.kind not in "iuf" or dtype.kind not in "iuf":
        return np.empty(0, dtype)
    if dtype.kind == "f":
        with np.errstate(over="ignore", under="ignore"):
            rounded = given.astype(dtype)
        return rounded[np.isclose(rounded.astype(np.float64), given, rtol=1e-6, atol=0, equal_nan=True)]
    limits = np.iinfo(dtype)
    numbers = [int(number) for number in given.tolist() if np.isfinite(number) and number == int(number)]
    return np.array([number for number in numbers if limits.min <= number <= limits.max], dtype)
