"""The declarations of C and C++ headers, as far as a test of names and comments needs them.

This is no C++ parser: it knows the headers of include/esker, and refuses what it does not understand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Declaration:
    """A type, a function, or anything else (`kind` "other") at namespace or class scope."""

    kind: str
    name: str  # with its classes in front: "Writer::put"
    line: int
    public: bool
    documented: bool
    comment: str = ""  # the comment directly above


@dataclass
class Scope:
    kind: str  # "namespace", "type"
    name: str
    public: bool
    last_end: int = -1  # line of the declaration before, and whether a comment covers it
    last_documented: bool = False


@dataclass
class Source:
    """A header without its comments, which are kept by line; line breaks stay."""

    code: str
    comments: dict[int, str] = field(default_factory=dict)
    blank: set[int] = field(default_factory=set)  # lines with no code


def split_comments(text: str) -> Source:
    """Takes // and /* */ comments and preprocessor lines out."""
    source = Source("")
    kept = []
    pattern = re.compile(
        r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M
    )
    position = 0
    for found in pattern.finditer(text):
        kept.append(text[position : found.start()])
        position = found.end()
        if found.group().startswith('"'):
            kept.append('""')
            continue
        first = text.count("\n", 0, found.start())
        lines = found.group().split("\n")
        if found.group().startswith("/"):
            for number, line in enumerate(lines):
                source.comments[first + number] = source.comments.get(first + number, "") + line
        kept.append("\n" * (len(lines) - 1))
    kept.append(text[position:])
    source.code = "".join(kept)
    source.blank = {n for n, line in enumerate(source.code.split("\n")) if not line.strip()}
    return source


def comment_above(source: Source, line: int) -> str:
    """The comment that ends directly above `line`, on separate lines."""
    lines = []
    while line > 0 and line - 1 in source.comments and line - 1 in source.blank:
        line -= 1
        lines.insert(0, source.comments[line])
    return "\n".join(lines)


def function_name(text: str) -> str | None:
    """The name before the parameter list, if `text` declares a function."""
    found = re.match(r"[^()=]*?([~\w]+|operator[^\w\s(]+)\s*\(", text)
    if not found or re.match(r"\s*(using|friend|static_assert|typedef|extern\s*\"\")\b", text):
        return None
    return found.group(1)


def type_name(text: str) -> str | None:
    """The name of the class, struct or enum that `text` begins to define."""
    found = re.match(
        r"(?:template\s*<[^>]*>\s*|typedef\s+)?(?:class|struct|enum(?:\s+class)?)\s+"
        r"(?:ESKER_API\s+|\[\[\w+\]\]\s*)*(\w+)\s*(?:final\s*)?(?::[^:].*)?$",
        text,
        re.S,
    )
    return found.group(1) if found else None


class Parser:
    """Walks over the code of one header; `declarations` is the result."""

    def __init__(self, text: str) -> None:
        self.source = split_comments(text)
        opening = comment_above(self.source, min(set(range(10**4)) - set(self.source.comments)))
        self.described = set(re.findall(r"^// ([\w, ]+):", opening, re.M))
        self.scopes = [Scope("namespace", "", True)]
        self.declarations: list[Declaration] = []
        self._walk()
        if len(self.scopes) != 1:
            raise ValueError("braces do not match")

    def _walk(self) -> None:
        code, position, start = self.source.code, 0, 0
        while position < len(code):
            end = self._end_of_chunk(start)
            text = code[start:end].strip()
            mark = code[end] if end < len(code) else ""
            label = re.match(r"(public|private|protected)\s*$", text)
            if mark == ":" and label:
                self.scopes[-1].public = label.group(1) == "public"
            elif mark == "{":
                end = self._open(text, start, end)
            elif mark == "}":
                self.scopes.pop()
            elif text and mark == ";":
                self._declare(text, start, end)
            position = start = end + 1

    def _end_of_chunk(self, start: int) -> int:
        """The position at which the declaration from `start` on ends, opens or closes braces, outside of parentheses."""
        code, depth = self.source.code, 0
        for position in range(start, len(code)):
            mark = code[position]
            depth += (mark == "(") - (mark == ")")
            if depth == 0 and mark in ";{}":
                return position
            if (
                depth == 0
                and mark == ":"
                and re.match(r"\s*(public|private|protected)\s*$", code[start:position])
            ):
                return position
        return len(code)

    def _open(self, text: str, start: int, end: int) -> int:
        """Goes into namespaces and types; over bodies and initialisers. The position that was reached."""
        namespace = re.match(r"(?:inline\s+)?namespace\s+([\w:]*)$|extern\s+\"\"$", text)
        name = type_name(text)
        if namespace:
            self.scopes.append(Scope("namespace", "", True))
            return end
        closing = self._matching_brace(end)
        if name and not re.match(r"enum", text):
            self._add("type", name, start, end, text)
            public = self.scopes[-1].public
            self.scopes.append(Scope("type", name, public and not re.search(r"\bclass\b", text)))
            return end
        if name:
            self._add("type", name, start, end, text)
            return closing
        if function_name(text) and not re.search(r"=\s*$", text):
            self._add("function", str(function_name(text)), start, closing, text)
            return closing
        semicolon = self._end_of_chunk(closing + 1)  # `Point lo{0, 0};` or `x = Index{64} << 20;`
        self._add("other", text, start, semicolon, text)
        return semicolon if self.source.code[semicolon] == ";" else closing

    def _matching_brace(self, position: int) -> int:
        depth = 0
        for end in range(position, len(self.source.code)):
            depth += (self.source.code[end] == "{") - (self.source.code[end] == "}")
            if depth == 0:
                return end
        raise ValueError("a brace is never closed")

    def _declare(self, text: str, start: int, end: int) -> None:
        name = function_name(text)
        if re.match(r"(template\s*<[^>]*>\s*)?(class|struct)\s+(ESKER_API\s+)?\w+$", text):
            return  # declared, not defined
        self._add("function" if name else "other", name or text, start, end, text)

    def _add(self, kind: str, name: str, start: int, end: int, text: str) -> None:
        code = self.source.code
        start += len(code[start:end]) - len(code[start:end].lstrip())
        first, last = code.count("\n", 0, start), code.count("\n", 0, end)
        scope = self.scopes[-1]
        above = comment_above(self.source, first)
        documented = bool(above) or any(n in self.source.comments for n in range(first, last + 1))
        documented = documented or (scope.last_documented and scope.last_end == first - 1)
        documented = documented or (kind == "type" and name in self.described)
        scope.last_documented, scope.last_end = documented, last
        classes = [s.name for s in self.scopes if s.kind == "type"]
        public = all(s.public for s in self.scopes) and not text.startswith("friend")
        implicit = re.search(r"=\s*(default|delete)$", text) or name in classes or name[0] == "~"
        if kind == "function" and (implicit or "operator" in text or len(classes) and name == classes[-1]):
            kind = "other"  # described with their class
        self.declarations.append(
            Declaration(kind, "::".join([*classes, name]), first + 1, public, documented, above)
        )


def parse(text: str) -> list[Declaration]:
    """The declarations of a header in their order."""
    return Parser(text).declarations
