"""Pages of the C++ and C reference: one per header, from the XML of Doxygen and the comment at the header's beginning."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

XML = Path("build/docs/doxygen/xml")
C_HEADERS = ("include/esker/esker.h", "include/esker/esker_mpi.h")
KINDS = {
    "function": "doxygenfunction",
    "enum": "doxygenenum",
    "typedef": "doxygentypedef",
    "variable": "doxygenvariable",
}
ENTRIES = ("include/esker", "include/esker/types")
"""Headers whose classes people call first, then the value types."""


def pages(root: Path) -> dict[str, str]:
    cxx = {name: header for name, header in headers(root).items() if name.endswith(".hpp")}
    names = of_headers(root)
    made: dict[str, str] = {}
    for name, header in cxx.items():
        if names[name]:
            made[page_of(name)] = cxx_page(name, header, names[name])
    made["reference/c.rst"] = c_page(root)
    made["reference/cxx/index.rst"] = index({name: header for name, header in cxx.items() if names[name]})
    return made


def headers(root: Path) -> dict[str, str]:
    """Name as in #include -> text."""
    found = sorted((root / "include").rglob("*.h*"))
    return {str(path.relative_to(root / "include")): path.read_text("utf-8") for path in found}


def page_of(header: str) -> str:
    return f"reference/cxx/{Path(header).stem}.rst"


def of_headers(root: Path) -> dict[str, list[str]]:
    """Header -> the directives of Breathe for what it declares, in its order."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for file in (root / XML).glob("*.xml"):
        compound = ElementTree.parse(file).find("compounddef")
        if compound is None:
            continue
        kind, name = compound.get("kind"), compound.findtext("compoundname", "")
        if kind in ("class", "struct") and name.count("::") == 1 and compound.get("prot") == "public":
            add(found, compound, f".. doxygen{kind}:: {name}\n   :members:\n   :undoc-members:\n")
        if kind == "namespace" and name == "esker":
            for member in compound.iter("memberdef"):
                add(found, member, directive_of(member))
    return {header: [text for _, text in sorted(set(entries))] for header, entries in found.items()} | {
        header: [] for header in headers(root) if header not in found
    }


def directive_of(member: ElementTree.Element) -> str:
    name = member.findtext("qualifiedname") or f"esker::{member.findtext('name')}"
    kind = member.get("kind", "")
    signature = argument_types(member) if kind == "function" else ""
    return f".. {KINDS[kind]}:: {name}{signature}\n"


def argument_types(member: ElementTree.Element) -> str:
    """The arguments, by which Breathe tells overloads apart."""
    return re.sub(r"\s*=[^,()]*(?:\([^)]*\)|\{[^}]*\})?(?=[,)])", "", member.findtext("argsstring", ""))


def add(found: dict[str, list[tuple[int, str]]], element: ElementTree.Element, directive: str) -> None:
    location = element.find("location")
    assert location is not None
    header = location.get("file", "").removeprefix("include/")
    found[header].append((int(location.get("line", "0")), directive))


def cxx_page(header: str, text: str, directives: list[str]) -> str:
    body = "\n".join(directives)
    return f'{heading(Path(header).name, "=")}\n``#include "{header}"``\n\n{opening(text)}\n\n{body}'


def heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def opening(text: str) -> str:
    """The comment at the beginning of a header."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[3:])
    return to_rst(lines)


def to_rst(lines: list[str]) -> str:
    """Lines that are indented by two or more, after an empty one, are code; others are text or lists."""
    result: list[str] = []
    in_code = in_list = False
    for line in lines:
        if line.startswith("- "):
            result += [] if in_list or not result or not result[-1] else [""]
            in_list = True
        if line.startswith("  ") and not in_list:
            if not in_code:
                result += ["", ".. code-block:: cpp", ""]
            in_code = True
            result.append(f"   {line[2:]}")
            continue
        if in_code and line.strip():
            result.append("")
        in_code = in_code and not line.strip()
        result.append(line)
    return "\n".join(result)


def c_page(root: Path) -> str:
    """All functions of C, in the sections of the header; types and constants come first."""
    texts = headers(root)
    result = [heading("C", "="), '``#include "esker/esker.h"``\n', opening(texts["esker/esker.h"]), ""]
    result += [heading("Types", "-"), *c_types(texts["esker/esker.h"])]
    result += [heading("Constants", "-"), ".. doxygenfile:: esker.h\n   :sections: enum\n"]
    for header in C_HEADERS:
        name = header.removeprefix("include/")
        if name != "esker/esker.h":
            result += [heading("With MPI", "-"), f'``#include "{name}"``\n', opening(texts[name]), ""]
        for section, functions in c_sections(texts[name]):
            result += [heading(section, "-")] if section else []
            result += [f".. doxygenfunction:: {function}\n" for function in functions]
    return "\n".join(result)


def c_types(text: str) -> list[str]:
    structs = re.findall(r"^typedef struct (\w+) \{$", text, re.M)
    others = re.findall(r"^typedef [^{]*?\(?\*?(\w+)\)?(?:\(.*\))?;$", text, re.M)
    plain = [f".. doxygentypedef:: {name}\n" for name in others]
    return plain + [f".. doxygenstruct:: {name}\n   :members:\n" for name in structs]


def c_sections(text: str) -> list[tuple[str, list[str]]]:
    """Titles of the header's sections and the functions that are declared in each."""
    parts = re.split(r"^// ---- (.*)$", text, flags=re.M)
    titles = ["", *[re.split(r"[:(]", title)[0].strip().rstrip(".") for title in parts[1::2]]]
    declared = re.compile(r"^ESKER_API[^;(]*?\b(esker_\w+)\(", re.M)
    found = [(title, declared.findall(part)) for title, part in zip(titles, parts[::2])]
    return [(title, functions) for title, functions in found if functions]


def first_sentence(text: str) -> str:
    """Of the comment at the beginning of a header."""
    paragraph = " ".join(opening(text).split("\n\n")[0].split("\n"))
    return re.split(r"(?<=\.) ", paragraph)[0]


def index(texts: dict[str, str]) -> str:
    result = [heading("C++", "=")]
    result += [
        '``#include "esker/esker.hpp"`` declares all of this except what needs MPI, in the namespace ``esker``.\n'
    ]
    for folder, title in zip(ENTRIES, ("What programs call", "Values that are passed and returned")):
        inside = {Path(name): text for name, text in texts.items() if f"include/{Path(name).parent}" == folder}
        result += [heading(title, "-"), ".. list-table::", "   :widths: 25 75", ""]
        for name, text in inside.items():
            result += [f"   * - :doc:`{name.name} <{name.stem}>`", f"     - {first_sentence(text)}"]
        result += ["", ".. toctree::", "   :hidden:", "", *[f"   {name.stem}" for name in inside], ""]
    return "\n".join(result)
