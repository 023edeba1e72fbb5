"""Decodes stored values by CF attributes: masks missing values and applies scale and offset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from esker.base.fill_values import FILL_ATTRIBUTES, fill_values

if TYPE_CHECKING:
    from esker.dataset.field import Field


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
        if fill.size:
            masked = np.ma.masked_where(np.isin(values, fill), masked, copy=False)
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
