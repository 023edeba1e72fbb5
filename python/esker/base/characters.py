"""Fields of texts: samples of uint8 along a last axis, and the attribute dtype="S1", NumPy's name for such
characters. CDF and NetCDF-4 files have them as NC_CHAR, xarray and Zarr as texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from esker.base.fill_values import FILL_ATTRIBUTES

CHARACTER = np.dtype("S1")
TEXT_KINDS = "SUTO"
"""NumPy's kinds of arrays of texts, which can be objects."""

CHARACTER_ATTRIBUTES: Mapping[str, str] = {"dtype": CHARACTER.str[1:]}


def has_characters(dtype: DTypeLike, attrs: Mapping[str, Any]) -> bool:
    """Whether a field of samples of that type with these attributes has characters."""
    return np.dtype(dtype) == np.uint8 and attrs.get("dtype") == CHARACTER_ATTRIBUTES["dtype"]


def characters_of(owner: str, texts: NDArray[Any]) -> NDArray[np.bytes_]:
    """The UTF-8 characters of texts (str or bytes) along a new last axis, padded by NULs, at least one.

    Raises ValueError with `owner` for other values.
    """
    listed = np.asarray(texts).ravel().tolist()
    if wrong := [one for one in listed if not isinstance(one, str | bytes)]:
        raise ValueError(f"{owner}: expected texts, found {wrong[0]!r}; replace it by a text")
    encoded = [one.encode() if isinstance(one, str) else one for one in listed]
    length = max([1, *map(len, encoded)])
    return np.array(encoded, f"S{length}").view(CHARACTER).reshape(*np.shape(texts), length)


def texts_of_characters(characters: NDArray[Any]) -> NDArray[np.object_]:
    """The texts (str) along the last axis, without NULs at the end; Latin-1 where they are not UTF-8."""
    *shape, length = characters.shape
    texts = np.empty(shape, object)
    texts.ravel()[:] = [_decoded(one) for one in np.ascontiguousarray(characters).view(f"S{length}").ravel()]
    return texts


def character_dim(length: int, sizes: Mapping[Any, int], wanted: str = "") -> str:
    """The dimension of the characters of texts: `wanted` or "string19", with "_" at the end while one of
    `sizes` has that name and another length."""
    name = wanted or f"string{length}"
    while sizes.get(name, length) != length:
        name += "_"
    return name


def without_character_attributes(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of texts: without those that describe the characters. Fill values are texts."""
    kept = {name: value for name, value in attrs.items() if name not in ("dtype", "_Encoding")}
    for name in FILL_ATTRIBUTES:
        fill = kept.pop(name, None)
        if isinstance(fill, str | bytes) and fill:
            kept[name] = _decoded(fill) if isinstance(fill, bytes) else fill
    return kept


def _decoded(stored: bytes) -> str:
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return stored.decode("latin-1")
