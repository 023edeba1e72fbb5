"""Decodes stored values by CF attributes: masks missing values and applies scale and offset."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.dataset import Field

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


def decoded(field: Field, values: NDArray[Any]) -> np.ma.MaskedArray[Any, Any]:
    """Values times `scale_factor` plus `add_offset`; missing values, NaN and infinities are masked.

    >>> import numpy as np, esker
    >>> esker.write("t.idx", {"t": np.array([[3, 4], [-1, 5]], "i2")}, attrs={"t": {"_FillValue": -1, "scale_factor": 0.5}})
    >>> field = esker.open("t.idx")["t"]
    >>> decoded(field, field.read())
    masked_array(
      data=[[1.5, 2.0],
            [--, 2.5]],
      mask=[[False, False],
            [ True, False]],
      fill_value=1e+20)
    """
    masked = np.ma.masked_invalid(values)
    for name in FILL_ATTRIBUTES:
        fill = fill_values(field.attrs.get(name, []), values.dtype)
        masked = np.ma.masked_where(np.isin(values, fill), masked)
    scale, offset = field.attrs.get("scale_factor", 1), field.attrs.get("add_offset", 0)
    if (scale, offset) == (1, 0) or isinstance(scale, str) or isinstance(offset, str):
        return masked
    return masked.astype(np.float64) * scale + offset


def scalars(field: Field, values: NDArray[Any], component: int | None = None) -> np.ma.MaskedArray[Any, Any]:
    """One decoded value per sample: the given component, or the length of the vector."""
    if component is not None and not 0 <= component < field.components:
        raise IndexError(
            f"{field.name}: component {component} does not exist; the field has {field.components}"
        )
    if field.components == 1:
        return decoded(field, values)
    if component is not None:
        return decoded(field, values[..., component])
    vectors = decoded(field, values)
    lengths = np.linalg.norm(vectors.filled(0).astype(np.float64), axis=-1)
    return np.ma.masked_where(np.ma.getmaskarray(vectors).any(axis=-1), lengths)
