"""Attributes of a table as numbers for a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from esker.tune.characterize.attributes import LITERATURE, PLAN, option_attributes
from esker.tune.characterize.table import Table

SETS: dict[str, tuple[str, ...]] = {
    "literature": ("literature",),
    "with plan statistics": ("literature", "plan"),
    "with options": ("literature", "plan", "options"),
    "with cost model": ("literature", "plan", "options", "model"),
}
"""Sets of attributes, each with more than the one before."""
PURE = "with options"
"""All that is known without the cost model."""


def seconds_of(table: Table) -> np.ndarray:
    """What is predicted: seconds of the fastest step."""
    return table["quiet_seconds"]


def matrix(table: Table, which: str = PURE) -> tuple[np.ndarray, list[str]]:
    """A row per row of the table and a column per attribute, with the names of the columns; of several machines also
    which one. Amounts are logarithms to the base of 2 of 1 + the amount, because times are products of powers of
    them."""
    kinds = SETS[which]
    names: list[str] = []
    columns: list[np.ndarray] = []
    for kind, of_kind in (("literature", LITERATURE), ("plan", PLAN)):
        if kind in kinds:
            names += of_kind
            columns += [np.log2(1 + _finite(table, name)) for name in of_kind]
    if len(machines := sorted(set(table["machine_kind"]))) > 1:
        names += [f"machine={machine}" for machine in machines]
        columns += [(table["machine_kind"] == machine).astype(np.float64) for machine in machines]
    if "options" in kinds:
        found = options(table)
        names += found
        columns += found.values()
    if "model" in kinds:
        names.append("model_s")
        columns.append(np.log2(table["model_s"]))
    return np.stack(columns, axis=1), names


def _finite(table: Table, name: str) -> np.ndarray:
    values = table.columns.get(name)
    if values is None or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"the table lacks values of the attribute {name!r}; measure it again")
    return values


def options(table: Table) -> dict[str, np.ndarray]:
    """A column for each option that is set, and for the format. Sizes and counts are logarithms."""
    rows: list[dict[str, Any]] = []
    for setting, ranks, aggregators in zip(table.settings(), table["ranks"], table["aggregators"]):
        known = option_attributes(_without_packed(setting), int(ranks), float(aggregators))
        rows.append({name: value if "=" in name else np.log2(1 + value) for name, value in known.items()})
    for row, format in zip(rows, table["format"]):
        row[f"format={format}"] = 1.0
    return dict(zip(names := sorted({name for row in rows for name in row}), _columns(rows, names)))


def _without_packed(setting: dict[str, str]) -> dict[str, str]:
    return {option: value for option, value in setting.items() if option not in ("files", "write_bytes")}


def _columns(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[np.ndarray]:
    return [np.array([row.get(name, 0.0) for row in rows]) for name in names]
