"""Machines: parameters with their sources and ranges, in TOML files."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, NoReturn

from esker.tune.parameters import BY_NAME, Definition
from esker.tune.toml_lines import line_of

Source = Literal["published", "fitted", "assumed"]
SOURCES: tuple[Source, ...] = ("published", "fitted", "assumed")
_KEYS = ("value", "range", "source", "reference")
_HEAD = ("name", "description", "parameters")


@dataclass(frozen=True)
class Parameter:
    """A value, where it is from, and the range in which it may be."""

    value: float
    low: float
    high: float
    source: Source
    reference: str


@dataclass(frozen=True)
class Machine:
    """All parameters of a machine, by the names in parameters.py."""

    name: str
    description: str
    parameters: Mapping[str, Parameter]

    def count(self, name: str) -> int:
        """The value of a parameter that is a count."""
        return int(self.parameters[name].value)


def names() -> list[str]:
    """The machines that Esker comes with."""
    return sorted(
        file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml")
    )


def read(name_or_path: str | Path) -> Machine:
    """Reads the file of a machine that Esker comes with, by its name, or any file.

    Raises FileNotFoundError, OSError, or ValueError with file and line.
    """
    text_name = str(name_or_path)
    if text_name in names():
        return parse((_folder() / f"{text_name}.toml").read_text(encoding="utf-8"), f"{text_name}.toml")
    path = Path(name_or_path)
    if not path.exists():
        raise FileNotFoundError(
            f"{text_name}: no such machine file, and no machine of that name; known are {', '.join(names())}"
        )
    try:
        return parse(path.read_text(encoding="utf-8"), text_name)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{text_name}: expected UTF-8 text, found byte {error.object[error.start]:#x}"
        ) from error


def parse(text: str, path: str) -> Machine:
    """The machine that the text of a file describes; `path` is for errors. Raises ValueError with file and line."""
    return _Parser(text, path).machine()


def to_toml(machine: Machine) -> str:
    """The text of a machine file."""
    lines = [f"name = {_quoted(machine.name)}", f"description = {_quoted(machine.description)}"]
    for name, parameter in machine.parameters.items():
        unit = BY_NAME[name].unit
        lines += [
            "",
            f"[parameters.{name}]  # {BY_NAME[name].help}{f', in {unit}' if unit else ''}",
            f"value = {_number(parameter.value)}",
            f"range = [{_number(parameter.low)}, {_number(parameter.high)}]",
            f"source = {_quoted(parameter.source)}",
            f"reference = {_quoted(parameter.reference)}",
        ]
    return "\n".join(lines) + "\n"


def _folder() -> Any:
    return resources.files("esker.tune") / "machines"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _number(value: float) -> str:
    if math.isinf(value):
        return "inf"
    return f"{int(value):_}" if value == int(value) else f"{value:.6g}"


def _with_line(path: str, text: str, error: str) -> str:
    """The message of tomllib, with the line that it names, or the last one, behind the path."""
    what, _, place = error.partition(" (at ")
    found = re.match(r"line (\d+)", place)
    return f"{path}:{found[1] if found else max(1, len(text.splitlines()))}: {what}"


class _Parser:
    def __init__(self, text: str, path: str) -> None:
        self._text = text
        self._path = path
        try:
            self._found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(_with_line(path, text, str(error))) from error

    def machine(self) -> Machine:
        for key in self._found:
            if key not in _HEAD:
                self._fail((key,), f"unknown key {key!r}; expected {', '.join(_HEAD)}")
        name, description = self._text_at("name"), self._text_at("description")
        given = self._found.get("parameters")
        if not isinstance(given, dict):
            self._fail(("parameters",), "expected a table 'parameters'")
        for key in given:
            if key not in BY_NAME:
                self._fail(("parameters", key), f"unknown parameter {key!r}")
        for key in BY_NAME:
            if key not in given:
                self._fail(("parameters",), f"missing parameter {key!r}")
        return Machine(name, description, {key: self._parameter(key, given[key]) for key in BY_NAME})

    def _text_at(self, key: str) -> str:
        if not isinstance(self._found.get(key), str):
            self._fail((key,), f"expected a text {key!r}")
        return str(self._found[key])

    def _parameter(self, name: str, given: Any) -> Parameter:
        path = ("parameters", name)
        if not isinstance(given, dict):
            self._fail(path, f"{name}: expected a table with {', '.join(_KEYS)}, found {given!r}")
        for key in given:
            if key not in _KEYS:
                self._fail((*path, key), f"{name}: unknown key {key!r}; expected {', '.join(_KEYS)}")
        for key in _KEYS:
            if key not in given:
                self._fail(path, f"{name}: missing key {key!r}")
        if given["source"] not in SOURCES:
            self._fail(
                (*path, "source"),
                f"{name}: expected a source of {', '.join(SOURCES)}, found {given['source']!r}",
            )
        if not (isinstance(given["reference"], str) and given["reference"].strip()):
            self._fail((*path, "reference"), f"{name}: expected a text that says where the value is from")
        value, low, high = self._numbers(BY_NAME[name], given)
        return Parameter(value, low, high, given["source"], given["reference"])

    def _numbers(self, known: Definition, given: dict[str, Any]) -> tuple[float, float, float]:
        path = ("parameters", known.name)
        ends = given["range"]
        if not (isinstance(ends, list) and len(ends) == 2):
            self._fail((*path, "range"), f"{known.name}: expected a range [low, high], found {ends!r}")
        for key, number in (("value", given["value"]), ("range", ends[0]), ("range", ends[1])):
            if not _is_allowed(known, number):
                self._fail((*path, key), f"{known.name}: expected {_ALLOWED[known.kind]}, found {number!r}")
        low, high = ends
        if known.name in _SHAPE_PLANS and low < high:
            self._fail(
                (*path, "range"), f"{known.name}: expected a range of one value, found [{low}, {high}]"
            )
        if not low <= given["value"] <= high:
            text = f"{known.name}: expected a value in its range [{low}, {high}], found {given['value']}"
            self._fail((*path, "value"), text)
        return given["value"], low, high

    def _fail(self, path: tuple[str, ...], text: str) -> NoReturn:
        raise ValueError(f"{self._path}:{line_of(self._text, *path)}: {text}")


_SHAPE_PLANS = ("nodes", "cores_per_node")
"""Another value needs another plan."""
_ALLOWED = {
    "count": "a whole number of at least 1",
    "rate": "a number above 0, or inf",
    "cost": "a finite number of at least 0",
    "share": "a number from 0 to 1",
}


def _is_allowed(known: Definition, number: Any) -> bool:
    if isinstance(number, bool) or not isinstance(number, int | float) or math.isnan(number):
        return False
    if known.kind == "count":
        return number >= 1 and math.isfinite(number) and number == int(number)
    if known.kind == "rate":
        return number > 0
    return number >= 0 and math.isfinite(number) and (known.kind == "cost" or number <= 1)
