"""Functions of the Python code are short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINES = 60
"""From `def` to the last statement, docstring included."""


def functions(file: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("folder", ["python", "tests", "bench", "scripts", "examples"])
def test_no_function_is_long(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    lengths = {
        f"{file.relative_to(ROOT)}:{function.lineno} {function.name}": function.end_lineno
        - function.lineno
        + 1
        for file in files
        for function in functions(file)
    }
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}
    assert files
