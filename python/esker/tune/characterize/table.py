"""Results of a sweep: a log with one line per measurement, and a table in a Parquet file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from esker.tune.extras import needed

_METADATA = b"esker"
COLUMNS_OF_TEXT = (
    "machine",
    "machine_kind",
    "esker",
    "cost_model",
    "file_system",
    "workload",
    "points",
    "group",
    "format",
    "mode",
    "setting",
    "run",
)
"""Others are numbers."""
_ABOVE_ZERO = (
    *("seconds", "quiet_seconds", "ratio", "ranks", "model_s"),
    *("fields", "aggregators", "data_bytes", "default_seconds"),
)
_ABOVE_ZERO_IF_MEASURED = ("best_seconds", "default_best_seconds", "ratio_low", "ratio_high")
REQUIRED = ("workload", "group", "format", "mode", "setting", "machine_kind", "is_default", *_ABOVE_ZERO)
_ABOUT = ("kind", "machine_kind", "esker")


@dataclass(frozen=True)
class Table:
    """Measurements, one per row, and where they are from: machine_kind, esker, kind ("measured" or "simulated")."""

    columns: dict[str, np.ndarray]
    about: dict[str, Any]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def where(self, chosen: np.ndarray) -> Table:
        """The rows that are chosen by a mask or by positions."""
        return Table({name: column[chosen] for name, column in self.columns.items()}, self.about)

    def settings(self) -> list[dict[str, str]]:
        return [json.loads(text) for text in self["setting"]]

    def fingerprint(self) -> str:
        """sha256:... of names and values of all columns."""
        digest = hashlib.sha256()
        for name in sorted(self.columns):
            values = self.columns[name]
            digest.update(f"{name}\n{json.dumps(values.tolist())}\n".encode())
        return f"sha256:{digest.hexdigest()}"


class Log:
    """A text file with one JSON object per line. What a killed sweep or a full disk left of a run is dropped: an
    unfinished line, and the last run if it has fewer lines than their "rows_of_run" says."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if path.exists():
            whole = path.read_bytes()
            complete = whole[: whole.rfind(b"\n") + 1]
            if len(complete) < len(whole):
                os.truncate(path, len(complete))

    def rows(self) -> list[dict[str, Any]]:
        """Raises ValueError with file and line for lines that no sweep wrote."""
        found = list(self._lines()) if self._path.exists() else []
        whole = _of_whole_runs(found)
        if len(whole) < len(found):
            lines = self._path.read_bytes().splitlines(keepends=True)
            os.truncate(self._path, sum(map(len, lines[: len(whole)])))
        return whole

    def _lines(self) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(self._path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                row = None
            if not (isinstance(row, dict) and isinstance(row.get("run"), str)):
                raise ValueError(
                    f"{self._path}:{number}: expected a measurement as a JSON object with 'run', found {line[:60]!r}; "
                    "remove the file to begin again"
                )
            yield row

    def append(self, rows: Sequence[dict[str, Any]]) -> None:
        """Adds the rows of a run. If the process is killed meanwhile, the next Log has all of them or none."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
            file.flush()
            os.fsync(file.fileno())


def _of_whole_runs(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the last run if it lacks rows."""
    n_last = len(list(takewhile(lambda row: row["run"] == rows[-1]["run"], reversed(rows))))
    is_whole = not rows or rows[-1].get("rows_of_run", n_last) == n_last
    return rows if is_whole else rows[:-n_last]


def of_rows(rows: Sequence[dict[str, Any]], about: dict[str, Any]) -> Table:
    """A table of rows; a number that a row lacks is NaN, a text empty."""
    names = sorted({name for row in rows for name in row})
    columns = {}
    for name in names:
        if name in COLUMNS_OF_TEXT:
            columns[name] = np.array([str(row.get(name, "")) for row in rows], dtype=object)
        else:
            columns[name] = np.array([row.get(name, np.nan) for row in rows], np.float64)
    return Table(columns, about)


def write(table: Table, path: Path) -> None:
    """Replaces the file when it is whole. Raises OSError, ModuleNotFoundError."""
    arrow, parquet = needed("pyarrow"), needed("pyarrow.parquet")
    made = arrow.table({name: column.tolist() for name, column in table.columns.items()})
    text = json.dumps(table.about).encode()
    made = made.replace_schema_metadata({_METADATA: text})
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        parquet.write_table(made, temporary, compression="zstd")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path) -> Table:
    """Reads a table of `esker tune characterize`. Raises FileNotFoundError, ValueError (not such a table)."""
    arrow, parquet = needed("pyarrow"), needed("pyarrow.parquet")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file; `esker tune characterize` writes it")
    try:
        found = parquet.read_table(path, use_threads=False)
    except (arrow.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path}: expected a Parquet file: {str(error).splitlines()[0]}") from error
    try:
        about = json.loads((found.schema.metadata or {})[_METADATA])
    except (KeyError, ValueError):
        about = None
    if not isinstance(about, dict):
        raise ValueError(f"{path}: expected a table of `esker tune characterize`; its metadata lack 'esker'")
    if missing := [name for name in REQUIRED if name not in found.column_names]:
        raise ValueError(f"{path}: missing columns {', '.join(missing)}")
    columns = {}
    for name in found.column_names:
        values = found[name].to_pylist()
        kind: Any = object if name in COLUMNS_OF_TEXT else np.float64
        try:
            columns[name] = np.array(values, dtype=kind)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: expected numbers in column {name!r}") from error
    return _checked(Table(columns, about), path)


def _checked(table: Table, path: Path) -> Table:
    if not all(isinstance(table.about.get(name), str) for name in _ABOUT):
        raise ValueError(f"{path}: expected the texts {', '.join(_ABOUT)} in its metadata")
    if not isinstance(table.about.get("store_rate") or 0, int | float):
        raise ValueError(f"{path}: expected a number store_rate in its metadata")
    for name in COLUMNS_OF_TEXT:
        if not all(isinstance(text, str) for text in table.columns.get(name, ())):
            raise ValueError(f"{path}: expected texts in column {name!r}")
    given = [name for name in _ABOVE_ZERO_IF_MEASURED if name in table.columns]
    if given and len(given) < len(_ABOVE_ZERO_IF_MEASURED):
        raise ValueError(f"{path}: expected all or none of {', '.join(_ABOVE_ZERO_IF_MEASURED)}")
    for name in (*_ABOVE_ZERO, *given):
        values = table[name]
        if not (np.isfinite(values) & (values > 0)).all():
            raise ValueError(f"{path}: expected numbers above 0 in column {name!r}")
    _check_settings(table, path)
    return table


def _check_settings(table: Table, path: Path) -> None:
    for number, text in enumerate(table["setting"]):
        try:
            setting = json.loads(text)
        except (ValueError, RecursionError):
            setting = None
        if not (isinstance(setting, dict) and all(isinstance(value, str) for value in setting.values())):
            raise ValueError(
                f"{path}: expected options as a JSON object in row {number} of 'setting', found {text!r}"
            )
