"""Values of attributes: texts and numbers, which keep the type that a file has them in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AttributeValue: TypeAlias = str | np.generic | list[np.generic]
"""As datasets give them: a text, a NumPy scalar, or a list of NumPy scalars of one type."""

CoreValue: TypeAlias = str | tuple[str, bytes] | tuple[str, str, bytes]
"""As the extension takes and gives them."""

_INT32 = np.iinfo(np.int32)


class Text(str):
    """A text that a file holds as other bytes than UTF-8: in Latin-1, or with NULs. Writers store `bytes` again."""

    bytes: bytes

    def __new__(cls, text: str, stored: bytes | None = None) -> Text:
        made = super().__new__(cls, text)
        made.bytes = text.encode() if stored is None else stored
        return made


def attribute_of(value: CoreValue) -> AttributeValue:
    """A list of one number becomes the number, as in netCDF."""
    if isinstance(value, str):
        return value
    if len(value) == 3:
        return Text(value[1], value[2])
    numbers = numbers_of(value)
    return numbers[0] if len(numbers) == 1 else list(numbers)


def attributes_of(values: Mapping[str, CoreValue]) -> Mapping[str, AttributeValue]:
    """Attributes by name, as the extension gives them."""
    return MappingProxyType({name: attribute_of(value) for name, value in values.items()})


def numbers_of(value: tuple[str, bytes]) -> NDArray[Any]:
    """A read-only array of the type."""
    return np.frombuffer(value[1], value[0])


def core_value(owner: str, name: str, value: Any) -> CoreValue:
    """An attribute's value as the extension takes it.

    Numbers of NumPy keep their type. Plain integers are int32 where that holds them, else int64 or uint64; plain
    reals are float64; booleans are int8. Raises TypeError or ValueError, which name `owner` and attribute.
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
    array = np.asarray(value)
    if array.ndim > 1 or array.dtype.kind not in "biuf":
        raise TypeError(
            f"{owner}: attribute {name!r}: expected a text, a number or a list of numbers, found {value!r}"
        )
    if array.dtype.kind == "i" and is_untyped(value) and array.size and _fits_int32(array):
        array = array.astype(np.int32)
    return core_numbers(array)


def is_untyped(value: Any) -> bool:
    """Whether these are Python's own numbers, which have no size."""
    numbers = value if isinstance(value, list | tuple) else [value]
    return all(type(number) in (int, float, bool) for number in numbers)


def core_numbers(array: NDArray[Any]) -> tuple[str, bytes]:
    """An array as the extension takes it: booleans as int8, float16 as float32, longer reals as float64."""
    wider = {"b": np.dtype(np.int8), "f": np.dtype(np.float32 if array.dtype.itemsize <= 4 else np.float64)}
    kind = wider.get(array.dtype.kind, array.dtype.newbyteorder("="))
    return kind.name, np.ascontiguousarray(array, kind).tobytes()


def plain(value: Any) -> Any:
    """An attribute's value, or a mapping of them, as JSON takes it: numbers of Python in place of NumPy's."""
    if isinstance(value, Mapping):
        return {name: plain(own) for name, own in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def _fits_int32(array: NDArray[Any]) -> bool:
    return bool(array.min() >= _INT32.min and array.max() <= _INT32.max)
