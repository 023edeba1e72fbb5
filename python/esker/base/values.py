"""Values of attributes: texts and numbers, which keep the type they have in the file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AttributeValue: TypeAlias = str | list[str] | np.generic | list[np.generic]
"""An attribute's value in a dataset: a text, a list of texts, a NumPy scalar, or a list of NumPy scalars of
one type."""

CoreValue: TypeAlias = str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]
"""The representation of a value in the extension module."""

_INT32 = np.iinfo(np.int32)


class Text(str):
    """A text whose bytes in the file are not plain UTF-8 (Latin-1, or with NULs). Writers store `bytes`
    unchanged."""

    bytes: bytes

    def __new__(cls, text: str, stored: bytes | None = None) -> Text:
        made = super().__new__(cls, text)
        made.bytes = text.encode() if stored is None else stored
        return made


def attribute_of(value: CoreValue) -> AttributeValue:
    """Converts a value from the extension. A list of one number becomes the number, as in netCDF."""
    if isinstance(value, str | list):
        return value
    if len(value) == 3:
        return Text(value[1], value[2])
    numbers = numbers_of(value)
    return numbers[0] if len(numbers) == 1 else list(numbers)


def attributes_of(values: Mapping[str, CoreValue]) -> Mapping[str, AttributeValue]:
    """Converts attributes from the extension, by name."""
    return MappingProxyType({name: attribute_of(value) for name, value in values.items()})


def numbers_of(value: tuple[str, bytes]) -> NDArray[Any]:
    """Converts numbers from the extension to a read-only array."""
    return np.frombuffer(value[1], value[0])


def core_value(owner: str, name: str, value: Any) -> CoreValue:
    """Converts an attribute's value for the extension.

    NumPy numbers keep their type. Python integers become int32 if they fit, else int64 or uint64; Python
    floats become float64; booleans become int8. A list of one text is stored as that text. Raises TypeError
    or ValueError with `owner` and the attribute's name.
    """
    if isinstance(value, Text):
        return "text", str(value), value.bytes
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"{owner}: attribute {name!r}: {value!r} is not UTF-8 text") from error
    if (texts := texts_of(value)) is not None:
        return texts
    array = np.asarray(value)
    if array.ndim > 1 or array.dtype.kind not in "biuf":
        raise TypeError(
            f"{owner}: attribute {name!r}: expected a text, a number or a list of either, found {value!r}"
        )
    if array.dtype.kind == "i" and is_untyped(value) and array.size and _fits_int32(array):
        array = array.astype(np.int32)
    return core_numbers(array)


def texts_of(value: Any) -> list[str] | None:
    """The texts of a list, tuple or array of one or more; None for other values."""
    listed = value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else value
    if isinstance(listed, list | tuple) and listed and all(isinstance(one, str) for one in listed):
        return [str(one) for one in listed]
    return None


def is_untyped(value: Any) -> bool:
    """Whether the value consists of Python numbers, which have no sized type."""
    numbers = value if isinstance(value, list | tuple) else [value]
    return all(type(number) in (int, float, bool) for number in numbers)


def core_numbers(array: NDArray[Any]) -> tuple[str, bytes]:
    """Converts an array for the extension: booleans to int8, float16 to float32, longer reals to float64."""
    wider = {"b": np.dtype(np.int8), "f": np.dtype(np.float32 if array.dtype.itemsize <= 4 else np.float64)}
    kind = wider.get(array.dtype.kind, array.dtype.newbyteorder("="))
    return kind.name, np.ascontiguousarray(array, kind).tobytes()


def plain(value: Any) -> Any:
    """Converts an attribute's value, or a mapping of values, to Python numbers for JSON."""
    if isinstance(value, Mapping):
        return {name: plain(own) for name, own in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def _fits_int32(array: NDArray[Any]) -> bool:
    return bool(array.min() >= _INT32.min and array.max() <= _INT32.max)
