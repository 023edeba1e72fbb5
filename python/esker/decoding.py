"""What stored values mean, by the attributes of CF: which are missing, and how the others are scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from esker.dataset import Field


def decoded(field: Field, values: NDArray[Any]) -> np.ma.MaskedArray[Any, Any]:
    """Values as they were read, times `scale_factor` plus `add_offset`; masked where they are missing or no numbers.

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
    for name in ("_FillValue", "missing_value"):
        missing = np.asarray(field.attrs.get(name, []))
        if missing.dtype.kind in "iuf":
            with np.errstate(over="ignore", invalid="ignore"):
                as_stored = missing.astype(values.dtype)  # -1e34 is no float32, but what it becomes is
            is_there = np.isclose(as_stored.astype(np.float64), missing) | (
                missing.dtype.kind == values.dtype.kind
            )
            masked = np.ma.masked_where(np.isin(values, as_stored[is_there]), masked)
    scale, offset = field.attrs.get("scale_factor", 1), field.attrs.get("add_offset", 0)
    if (scale, offset) == (1, 0) or isinstance(scale, str) or isinstance(offset, str):
        return masked
    return masked.astype(np.float64) * scale + offset


def scalars(field: Field, values: NDArray[Any], component: int | None = None) -> np.ma.MaskedArray[Any, Any]:
    """A component of values that were read, or the length of vectors; decoded."""
    if component is not None and not 0 <= component < field.components:
        raise IndexError(f"{field.name}: no component {component}; it has {field.components}")
    if field.components == 1:
        return decoded(field, values)
    if component is not None:
        return decoded(field, values[..., component])
    vectors = decoded(field, values)
    lengths = np.linalg.norm(vectors.filled(0).astype(np.float64), axis=-1)
    return np.ma.masked_where(np.ma.getmaskarray(vectors).any(axis=-1), lengths)
