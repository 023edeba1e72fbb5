#!/usr/bin/env python3
"""A layer of src/ sees the headers of the layers that it lists, include/esker/types, and nothing else.

    tests/layers.py SOURCES COMPILE_COMMANDS

Compiles small sources with the command line of one source of each layer, taken from compile_commands.json. Exit
status 1 and one line per header that a layer sees and should not, or does not see and should.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SEES_FACADES = {"api", "capi"}
FACADE = '#include "esker/writer.hpp"\n'
VALUE_TYPE = '#include "esker/types/box.hpp"\n'


def layers_of(sources: Path) -> dict[str, set[str]]:
    """Layer -> the layers that its CMakeLists.txt lists."""
    found = {}
    for file in sorted((sources / "src").rglob("CMakeLists.txt")):
        call = re.search(r"esker_add_layer\((\S+)([^)]*)\)", file.read_text(encoding="utf-8"))
        if call:
            lists = re.search(r"\bLAYERS\s+(.*?)\s*(?=\bLIBRARIES\b|\bHEADERS\b|$)", call.group(2), re.S)
            found[call.group(1)] = set(lists.group(1).split()) if lists else set()
    return found


def commands_of(compile_commands: Path) -> dict[str, tuple[list[str], str]]:
    """Folder of src/ -> the command that compiles its sources, without files, and its directory."""
    found = {}
    for entry in json.loads(compile_commands.read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        output = words.index("-o")
        folder, _, _ = words[output + 1].partition("/CMakeFiles/")  # where its CMakeLists.txt is
        if folder.startswith("src/"):
            found[folder.removeprefix("src/")] = (words[:output], entry["directory"])
    return found


def compiles(command: tuple[list[str], str], text: str) -> tuple[bool, str]:
    """Whether the compiler takes this source with these flags, and what it says."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "tried.cc"
        source.write_text(text, encoding="utf-8")
        run = subprocess.run(
            [*command[0], "-fsyntax-only", str(source)],
            cwd=command[1],
            capture_output=True,
            text=True,
            check=False,
        )
        return run.returncode == 0, run.stderr


def visible_and_not(visible: list[str], hidden: list[str]) -> str:
    """A source with one #error for each header that is found and is hidden, or is not found and is visible."""
    return "".join(
        [f'#if __has_include("{header}")\n#error "sees {header}"\n#endif\n' for header in hidden]
        + [f'#if !__has_include("{header}")\n#error "does not see {header}"\n#endif\n' for header in visible]
    )


def a_header_of(sources: Path, layer: str) -> str | None:
    headers = sorted((sources / "src" / layer).glob("*.h")) or sorted((sources / "src" / layer).rglob("*.h"))
    return str(headers[0].relative_to(sources / "src")) if headers else None


def check_layer(
    sources: Path, layer: str, lists: dict[str, set[str]], command: tuple[list[str], str]
) -> list[str]:
    """The problems of one layer."""
    problems = []
    takes, says = compiles(command, VALUE_TYPE)
    if not takes:
        problems.append(f"{layer}: does not compile {VALUE_TYPE.strip()}: {says}")
    takes, says = compiles(command, FACADE)
    if takes != (layer in SEES_FACADES):
        problems.append(f"{layer}: {'compiles' if takes else 'does not compile'} {FACADE.strip()}")
    elif not takes and "esker/writer.hpp" not in says:
        problems.append(f"{layer}: {FACADE.strip()} fails for another reason: {says}")
    visible = lists[layer] | {layer}
    # A folder within a visible one is visible, too (read/parallel to those that see read).
    visible |= {other for other in lists if any(other.startswith(f"{name}/") for name in visible)}
    headers = {other: header for other in lists if (header := a_header_of(sources, other))}
    tried = visible_and_not(
        [header for other, header in headers.items() if other in visible],
        [header for other, header in headers.items() if other not in visible],
    )
    _, says = compiles(command, tried)
    wrong = set(re.findall(r'#error "((?:sees|does not see) .*?)"', says))
    problems += [f"{layer}: {problem}" for problem in sorted(wrong)]
    return problems


def main() -> int:
    sources, compile_commands = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    lists = layers_of(sources)
    commands = commands_of(compile_commands)
    unknown = sorted(lists.keys() - commands.keys())
    problems = [f"{layer}: no source in compile_commands.json" for layer in unknown]
    if len(lists) < 15:
        problems.append(f"only these layers were found: {', '.join(sorted(lists))}")
    for layer in sorted(lists.keys() & commands.keys()):
        problems += check_layer(sources, layer, lists, commands[layer])
    print("\n".join(problems) or f"{len(lists)} layers see what they list, and no other")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
