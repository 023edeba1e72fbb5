#!/usr/bin/env python3
"""Names in the anonymous namespaces of a target differ, because its sources may be compiled together (ESKER_UNITY).

    tests/names/file_local.py COMPILE_COMMANDS

COMPILE_COMMANDS is the compile_commands.json of a build directory. Exit status 1 and one line per name that two sources
of a target define in the same namespace. Functions may share a name if their parameters differ, by more than the names of
two arithmetic types (`herr_t` is `int`); aliases, if they are the same.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

_NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{(.*)$")
_CONSTANT = re.compile(
    r"^(?:inline |static |thread_local )*(?:constexpr|constinit|const) [^(]*?\b(\w+)(?:\[[^]]*\])?\s*(?:=|\{)"
)
_FUNCTION = re.compile(
    r"^(?!using |return |namespace |#)[\w:<>,*&\[\]() ]*?[\s*&](\w+)\(((?:[^()]|\([^()]*\))*)\)", re.DOTALL
)


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """(namespace, name) of what is in anonymous namespaces of a source; a function's name has its parameters' types."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    named: list[str | None] = []
    statement = ""
    for line in text.splitlines():
        if opened := _NAMESPACE.match(line):
            if opened[2].strip() != "}":
                named.append(opened[1])
            statement = ""
        elif line.startswith("}") and not statement.strip() and named:
            named.pop()
        elif None in named:
            statement += line + "\n"
            if line.rstrip().endswith((";", "}")) and statement.count("{") == statement.count("}"):
                scope = "::".join(name for name in named if name)
                if name := _name_of(statement.lstrip("\n")):
                    yield scope, name
                statement = ""


def _name_of(statement: str) -> str | None:
    statement = re.sub(r"^template <[^\n]*>\n", "", statement)
    is_declaration = statement.split("{")[0].rstrip().endswith(";")
    if alias := re.match(r"using \w+ = [^;]*", statement):
        return alias[0]
    if found := re.match(r"(?:struct|class|enum class|enum|union) (\w+)", statement):
        return None if is_declaration else found[1]
    if constant := _CONSTANT.match(statement):
        return constant[1]
    function = _FUNCTION.match(statement)
    return None if function is None or is_declaration else f"{function[1]}({_types(function[2])})"


def _types(parameters: str) -> str:
    """The types in a list of parameters; `number` for one that may be another name of an arithmetic type."""
    types = []
    for parameter in _split(parameters):
        found = re.match(r"(.*?[\s&*>])\w+(?: = .*)?$", parameter, re.DOTALL)
        text = (found[1] if found else parameter).strip()
        types.append(
            "number" if re.fullmatch(r"(?:const )?(?:std::)?(?:int|double|bool|Index|\w+_t)", text) else text
        )
    return ", ".join(types)


def _split(parameters: str) -> list[str]:
    """The parameters in a list, where < > ( ) may hold commas, too."""
    parts, depth = [""], 0
    for character in " ".join(parameters.split()):
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def sources_of(commands: list[dict[str, str]]) -> dict[str, set[Path]]:
    """The sources of each target; those that a unity source includes, if there is one."""
    sources: dict[str, set[Path]] = defaultdict(set)
    for command in commands:
        target = re.search(r" -o (\S*CMakeFiles/[^/]+\.dir)/", command["command"])
        file = Path(command["file"])
        if target is None or file.suffix not in (".cc", ".cxx"):
            continue
        if "/Unity/" in command["file"] or file.name == "kernels.cc":
            sources[target[1]] |= {Path(path) for path in re.findall(r'#include "(.*)"', file.read_text())}
        else:
            sources[target[1]].add(file)
    return sources


def repeated(sources: set[Path]) -> list[str]:
    """One line per name that several of the sources define."""
    places: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for source in sorted(sources):
        for place in dict.fromkeys(definitions(source.read_text())):
            places[place].append(source)
    return [
        f"{name} is defined in the anonymous namespaces of {', '.join(path.name for path in paths)}"
        for (_, name), paths in sorted(places.items())
        if len(paths) > 1 and not name.startswith("using ")
    ]


def main() -> int:
    problems = 0
    for target, sources in sorted(sources_of(json.loads(Path(sys.argv[1]).read_text())).items()):
        for line in repeated(sources):
            print(f"{target.partition('CMakeFiles/')[2].removesuffix('.dir')}: {line}")
            problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
