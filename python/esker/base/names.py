"""Names of other programs: Esker's names have letters, digits, '_', '.' and '-'. A field with another name in its source
gets a similar one, and the attribute `name_in_source`, which readers show and other formats write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

NAME_IN_SOURCE = "name_in_source"
_MOST_CHARACTERS = 120


def schema_names(names: Iterable[str]) -> dict[str, str]:
    """A name for each name of a source, as for variables of netCDF files: each byte of UTF-8 that is not allowed
    becomes '_', and names that are then equal get a number. Allowed names stay.

    >>> schema_names(["T+1", "T-1", "T 1", "T_1"])
    {'T+1': 'T_1_2', 'T-1': 'T-1', 'T 1': 'T_1_3', 'T_1': 'T_1'}
    """
    given = list(names)
    taken = {name for name in given if name == _allowed(name)}
    made = {}
    for name in given:
        stem = candidate = _allowed(name)
        number = 1
        while candidate != name and candidate in taken:
            number += 1
            candidate = f"{stem}_{number}"
        taken.add(candidate)
        made[name] = candidate
    return made


def _allowed(name: str) -> str:
    text = re.sub(rb"[^A-Za-z0-9_.-]|^\.", b"_", name.encode()).decode()
    return text[:_MOST_CHARACTERS] or "_"


def with_name_in_source(attrs: Mapping[str, Any], name: str, schema_name: str) -> Mapping[str, Any]:
    """The attributes of a field that is called `name` in its source, and `schema_name` in Esker."""
    return attrs if name == schema_name else {**attrs, NAME_IN_SOURCE: name}


def name_in_source(name: str, attrs: Mapping[str, Any]) -> str:
    """The name that a field had in its source."""
    found = attrs.get(NAME_IN_SOURCE)
    return found if isinstance(found, str) and found else name


def names_again(
    attrs_of: Mapping[str, Mapping[str, Any]], taken: Iterable[str], is_allowed: Callable[[str], bool]
) -> dict[str, str]:
    """The names in the source for those that have another one, unless it is not allowed, or is taken: by one of `taken`,
    or by one before it."""
    known, again = {*attrs_of, *taken}, {}
    for name, attrs in attrs_of.items():
        found = name_in_source(name, attrs)
        if found not in known and is_allowed(found):
            known.add(found)
            again[name] = found
    return again


def without_name_in_source(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a field that has the name of its source again."""
    return {key: value for key, value in attrs.items() if key != NAME_IN_SOURCE}


def renamings(made: Mapping[str, str]) -> tuple[str, ...]:
    """A warning for each name of schema_names() that is another one."""
    return tuple(f"{name!r} is renamed to {other!r}" for name, other in made.items() if name != other)
