#!/usr/bin/env python3
"""The code blocks of README.md, and of pages like it, are the examples that the tests run.

    tests/readme_examples.py EXAMPLES_DIRECTORY DOCUMENT...

A block whose line above is `<!-- examples/write.cc -->` is what that file has between the comments `[README` and
`README]`, without indentation. Each example is shown once at least, in one of the documents. Exit status 1 and what
differs if not.
"""

from __future__ import annotations

import difflib
import re
import sys
import textwrap
from pathlib import Path


def shown_part(text: str) -> str:
    """The lines of an example that the README shows."""
    found = re.search(r"^[^\n]*\[README[^\n]*\n(.*?)^[^\n]*README\]", text, re.S | re.M)
    if not found:
        raise ValueError("no [README ... README]")
    return textwrap.dedent(found.group(1))


def blocks(readme: str) -> dict[str, list[str]]:
    """Name of an example -> the code blocks that are marked to be it."""
    result: dict[str, list[str]] = {}
    for name, code in re.findall(r"^<!-- examples/(\S+) -->\n```\w+\n(.*?)^```$", readme, re.S | re.M):
        result.setdefault(name, []).append(code)
    return result


def problems(readme: str, examples: dict[str, str]) -> list[str]:
    """What differs, one text per block."""
    shown = blocks(readme)
    found = [f"examples/{name} is in no document" for name in sorted(examples.keys() - shown.keys())]
    found += [
        f"a document shows examples/{name}, which does not exist"
        for name in sorted(shown.keys() - examples.keys())
    ]
    marked = sum(map(len, shown.values()))
    if len(re.findall(r"^```(?:c|cpp|fortran|python)$", readme, re.M)) != marked:
        found.append("a document has code in C, C++, Fortran or Python that is no example")
    for name in sorted(shown.keys() & examples.keys()):
        for block in shown[name]:
            difference = difflib.unified_diff(
                block.splitlines(),
                shown_part(examples[name]).splitlines(),
                "document",
                f"examples/{name}",
                lineterm="",
            )
            found += ["\n".join(lines)] if (lines := list(difference)) else []
    return found


def check_self() -> None:
    """Checks that it finds differences."""
    example = {"a.c": "int main() {\n  /* [README */\n  f();\n    g();\n  /* README] */\n}\n"}
    good = "Text\n\n<!-- examples/a.c -->\n```c\nf();\n  g();\n```\n"
    assert not problems(good, example)
    assert problems(good.replace("g()", "h()"), example)
    assert problems(good.replace("  g();\n", ""), example)
    assert problems("nothing", example)
    assert problems(good.replace("a.c", "b.c"), example)
    assert problems(good + "\n```cpp\ng();\n```\n", example)


def main() -> int:
    check_self()
    directory, *documents = map(Path, sys.argv[1:])
    sources = [path for path in directory.iterdir() if path.suffix in {".c", ".cc", ".f90", ".py"}]
    examples = {path.name: path.read_text(encoding="utf-8") for path in sources}
    if not examples:
        raise SystemExit(f"no examples in {directory}")
    found = problems("\n".join(path.read_text(encoding="utf-8") for path in documents), examples)
    print("\n".join(found) or f"the documents show {len(examples)} examples as they are")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
