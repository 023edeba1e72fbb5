"""Docstrings of the package as reStructuredText.

They are plain text: paragraphs, examples, lists of `name: text` whose continuation lines are indented, and tables of
aligned columns. A list of names becomes a definition list, and other paragraphs with indented lines stay as they are.
"""

from __future__ import annotations

import re

_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*): +(\S.*)$")
_ITEM = re.compile(r"^[-*] ")


def to_rst(lines: list[str]) -> list[str]:
    result: list[str] = []
    for paragraph in paragraphs(lines):
        result += [*converted(paragraph), ""]
    return result


def paragraphs(lines: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line.rstrip())
        elif found[-1]:
            found.append([])
    return [paragraph for paragraph in found if paragraph]


def converted(paragraph: list[str]) -> list[str]:
    first = paragraph[0]
    indented = [line.startswith(" ") for line in paragraph]
    if first.startswith(">>>") or _ITEM.match(first) or not (any(indented) or _ENTRY.match(first)):
        return paragraph
    if first.startswith((".. ", ":")):
        return paragraph
    if _ENTRY.match(first) and all(has or _ENTRY.match(line) for has, line in zip(indented, paragraph)):
        return definitions(paragraph)
    return ["::", "", *[f"  {line}" for line in paragraph]]


def definitions(paragraph: list[str]) -> list[str]:
    result: list[str] = []
    for line in paragraph:
        entry = None if line.startswith(" ") else _ENTRY.match(line)
        if entry:
            result += ["", f"``{entry[1]}``", f"  {entry[2]}"]
        else:
            result.append(f"  {line.strip()}")
    return result


def process(app, what, name, thing, options, lines: list[str]) -> None:
    """Handler of autodoc-process-docstring."""
    lines[:] = to_rst(lines)


def process_signature(app, what, name, thing, options, signature: str | None, result: str | None):
    """Handler of autodoc-process-signature: types of autodoc_type_aliases by their names."""
    return tuple(text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in (signature, result))
