#!/usr/bin/env python3
"""Functions are short: 90 % of them have fewer than 20 lines, and none has more than 60, in C and C++, and in Python.

    tests/names/function_lengths.py SOURCES

A function of C or C++ is a body in braces at namespace or class level. Its length is counted from the first line of
its declaration to its closing brace. That of a Python function is counted without its docstring. Prints the longest
five of each. Exit status 1 if a function is too long, or too many are long.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("src", "include", "bench", "miniapps", "tests/support")
SUFFIXES = {".c", ".cc", ".h", ".hpp"}
PYTHON_FOLDERS = ("python", "bench", "scripts", "docs", "examples", "tests")
MAX_LINES = 60
NINE_IN_TEN_BELOW = 20
MIN_FUNCTIONS = 1000  # fewer: the parser no longer understands the sources

IGNORED = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r"|R\"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)\""
    r"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.S | re.M,
)
SCOPE = re.compile(
    r"(?:inline\s+)?namespace\b|extern\s*$"
    r"|(?:(?:typedef|static|const)\s+)*(?:class|struct|union)\b(?!.*\)(?:\s|const\b|noexcept\b)*$)",
    re.S,
)


@dataclass(frozen=True)
class Function:
    """Where it is, and its length."""

    lines: int
    place: str
    name: str


def blank(found: re.Match[str]) -> str:
    """As many lines, without anything in them."""
    return re.sub(r"[^\n]", " ", found.group())


class Parser:
    """Walks over the braces of one file; `functions` is the result."""

    def __init__(self, text: str, file: str) -> None:
        self.code = IGNORED.sub(blank, text)
        self.file = file
        self.functions: list[Function] = []
        position = start = parentheses = 0
        while position < len(self.code):
            mark = self.code[position]
            parentheses += (mark == "(") - (mark == ")")
            if mark == "{" and not parentheses:
                position, start = self._open(start, position)
            elif mark in ";}" and not parentheses:
                start = position + 1
            position += 1

    def _open(self, start: int, brace: int) -> tuple[int, int]:
        """Enters a scope or steps over a body. Returns where to go on, and the next declaration's start."""
        while label := re.match(r"\s*(?:public|protected|private)\s*:(?!:)", self.code[start:brace]):
            start += label.end()
        start += len(self.code[start:brace]) - len(self.code[start:brace].lstrip())
        head = self.code[start:brace]
        plain = re.sub(r"^(?:template\s*<.*?>\s+(?=\w))+", "", head, flags=re.S)
        if SCOPE.match(plain):
            return brace, brace + 1
        end = self._matching_brace(brace)
        if not is_function(plain):
            return end, start  # an initialiser, or an enumeration
        follows = self.code[end + 1 :].lstrip()[:1]
        if follows in (",", "{"):
            return end, start  # of a member, before the constructor's body
        first, last = (self.code.count("\n", 0, place) + 1 for place in (start, end))
        self.functions.append(Function(last - first + 1, f"{self.file}:{first}", name_in(plain)))
        return end, end + 1

    def _matching_brace(self, brace: int) -> int:
        depth = 0
        for end in range(brace, len(self.code)):
            depth += (self.code[end] == "{") - (self.code[end] == "}")
            if depth == 0:
                return end
        raise ValueError(f"{self.file}: a brace is never closed")


def is_function(head: str) -> bool:
    """Whether a body follows: there are parameters, and no `=` outside of them."""
    if re.match(r"\s*enum\b", head):
        return False
    depth, outside = 0, ""
    for mark in re.sub(r"\boperator\s*[^\w\s(]+", "operator", head):
        depth += (mark == "(") - (mark == ")")
        outside += mark if not depth else ""
    return ")" in outside and "=" not in outside


def name_in(head: str) -> str:
    """The name before the parameters."""
    found = re.search(r"([~\w:]+|operator[^\w\s(]+)\s*\(", head)
    return found.group(1) if found else "?"


def parse_braces(text: str, file: str) -> list[Function]:
    """The functions of a source in C or C++."""
    return Parser(text, file).functions


def parse_python(text: str, file: str) -> list[Function]:
    """The functions of a Python source, inner ones too."""
    found = []
    for node in ast.walk(ast.parse(text, file)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0]
            docstring = first.end_lineno - first.lineno + 1 if ast.get_docstring(node, clean=False) is not None else 0
            lines = node.end_lineno - node.lineno + 1 - docstring
            found.append(Function(lines, f"{file}:{node.lineno}", node.name))
    return found


def functions_in(
    sources: Path, folders: tuple[str, ...], suffixes: set[str], parse: Callable[[str, str], list[Function]]
) -> list[Function]:
    """All functions of the folders, the longest first."""
    found: list[Function] = []
    for folder in folders:
        files = sorted(file for file in (sources / folder).rglob("*") if file.suffix in suffixes)
        if not files:
            raise ValueError(f"{folder}: no sources")
        for file in files:
            found += parse(file.read_text(encoding="utf-8"), str(file.relative_to(sources)))
    return sorted(found, key=lambda function: (-function.lines, function.place))


def problems_of(functions: list[Function]) -> list[str]:
    """What is too long."""
    if len(functions) < MIN_FUNCTIONS:
        return [f"only {len(functions)} functions were found"]
    problems = [
        f"{function.place}: {function.name} has {function.lines} lines; at most {MAX_LINES} are allowed"
        for function in functions
        if function.lines > MAX_LINES
    ]
    p90 = percentile_90(functions)
    if p90 >= NINE_IN_TEN_BELOW:
        problems.append(f"the 90th percentile is {p90} lines; expected fewer than {NINE_IN_TEN_BELOW}")
    return problems


def percentile_90(functions: list[Function]) -> int:
    """Nine in ten functions are at most this long."""
    return sorted(function.lines for function in functions)[len(functions) * 9 // 10]


def main() -> int:
    sources, problems = Path(sys.argv[1]), []
    for language, functions in (
        ("C and C++", functions_in(sources, FOLDERS, SUFFIXES, parse_braces)),
        ("Python", functions_in(sources, PYTHON_FOLDERS, {".py"}, parse_python)),
    ):
        print(f"{language}: {len(functions)} functions, 90th percentile {percentile_90(functions)} lines; the longest:")
        for function in functions[:5]:
            print(f"{function.lines:4d} lines: {function.name} ({function.place})")
        problems += problems_of(functions)
    print("\n".join(problems) or "all functions are short")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
