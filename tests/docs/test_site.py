"""The site of the documentation, build/docs/html: its links, what it loads, and the names that it explains.

`scripts/test.sh docs` builds it first.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import esker

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/docs/html"
sys.path.insert(0, str(ROOT / "tests/names"))

from headers import parse  # noqa: E402


class Page(HTMLParser):
    """What a page links to and loads, its anchors, and the alternative texts of its pictures."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.pictures: dict[str, str] = {}
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attributes}
        self.anchors |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if tag == "img":
            self.pictures[has["src"]] = has.get("alt", "")
        if tag in ("img", "script") and "src" in has:
            self.loaded.append(has["src"])
        if tag == "link" and has.get("rel") in ("stylesheet", "preload", "icon", "modulepreload"):
            self.loaded.append(has["href"])


@cache
def page(path: Path) -> Page:
    return Page(path)


PAGES = [path for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]


def name_of(path: Path) -> str:
    return str(path.relative_to(SITE))


def broken(path: Path) -> Iterator[str]:
    """Links and loaded files of a page that do not exist."""
    for target in [*page(path).links, *page(path).loaded]:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not file.is_file():
            yield target
        elif parts.fragment and file.suffix == ".html" and unquote(parts.fragment) not in page(file).anchors:
            yield target


def test_the_site_is_there() -> None:
    assert len(PAGES) > 100, "build it by: make docs"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_have_targets(path: Path) -> None:
    assert list(broken(path)) == []


def test_missing_targets_are_found(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        '<a href="none.html">a</a><a href="#there">b</a><a href="#not"></a><p id="there"><img src="no.png">'
    )
    assert list(broken(path)) == ["none.html", "#not", "no.png"]


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_loads_nothing_from_the_network(path: Path) -> None:
    assert [target for target in page(path).loaded if urlsplit(target).scheme or target.startswith("//")] == []


def test_style_sheets_load_nothing_from_the_network() -> None:
    sheets = sorted(SITE.rglob("*.css"))
    found = {str(s): re.findall(r"url\(['\"]?(?:https?:)?//[^)]*|@import[^;]*//[^;]*", s.read_text()) for s in sheets}
    assert {name: urls for name, urls in found.items() if urls} == {}
    assert sheets


def test_pictures_have_alternative_texts() -> None:
    """Those of the gallery's index are next to the titles of their pages, and have none."""
    empty = [
        f"{name_of(path)}: {src}"
        for path in PAGES
        for src, alt in page(path).pictures.items()
        if not alt and "/sphx_glr_" not in f"/{src}".replace("thumb", "")
    ]
    assert empty == []


SCRIPTS = sorted((ROOT / "docs/gallery").glob("*/*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_of_the_gallery_has_a_page_with_a_picture(script: Path) -> None:
    alt = re.search(r'^# sphinx_gallery_alt = "(.*)"$', script.read_text("utf-8"), re.M)
    assert alt
    shown = page(SITE / "gallery" / script.parent.name / f"{script.stem}.html").pictures
    assert alt[1] in shown.values()


def test_the_gallery_has_models_formats_and_readers() -> None:
    assert len(SCRIPTS) >= 15
    assert {script.parent.name for script in SCRIPTS} == {"models", "formats", "readers"}


def inventory() -> dict[str, set[str]]:
    """Kind as Sphinx calls it ("py:class") -> names, from objects.inv."""
    data = (SITE / "objects.inv").read_bytes().split(b"\n", 4)[4]
    names: dict[str, set[str]] = {}
    for line in zlib.decompress(data).decode().splitlines():
        found = re.match(r"(.+?) (\w+:\w+) -?\d+ ", line)
        assert found, line
        names.setdefault(found[2], set()).add(found[1])
    return names


NAMES = inventory() if (SITE / "objects.inv").exists() else {}


def explained(domain: str) -> set[str]:
    return {name for kind, names in NAMES.items() if kind.startswith(f"{domain}:") for name in names}


def test_python_names_are_explained() -> None:
    assert {f"esker.{name}" for name in esker.__all__} - explained("py") == set()


def test_types_of_python_are_not_taken_for_attributes() -> None:
    """`bytes` in the arguments of write() is not the property of Verification."""
    text = (SITE / "reference/python/write.html").read_text("utf-8")
    assert "ArrayLike" in text and "ForwardRef" not in text
    assert "bytes" in text and "check.html#esker.Verification.bytes" not in text


def public(header: Path, kind: str) -> set[str]:
    return {d.name for d in parse(header.read_text("utf-8")) if d.kind == kind and d.public}


HEADERS = sorted((ROOT / "include/esker").rglob("*.hpp"))


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.name)
def test_cxx_names_are_explained(header: Path) -> None:
    """Functions and types; operators and constructors have the names of what they belong to."""
    wanted = {f"esker::{name}" for kind in ("function", "type") for name in public(header, kind)}
    missing = {name for name in wanted if "operator" not in name and "~" not in name} - explained("cpp")
    assert missing - {name for name in missing if name.endswith("::Impl")} == set()


def test_c_names_are_explained() -> None:
    listed = set(re.findall(r"\besker_\w+\b(?!\*)", (ROOT / "tests/names/c_names.txt").read_text("utf-8")))
    declared = {
        name for header in ("esker.h", "esker_mpi.h") for name in public(ROOT / "include/esker" / header, "function")
    }
    assert listed and declared
    assert (listed | declared) - explained("c") == set()


def test_fortran_names_are_explained() -> None:
    source = (ROOT / "fortran/esker.fypp").read_text("utf-8")
    names = re.search(r'^#:set PUBLIC = "(.*?)"$', source, re.M | re.S)[1].replace("&", " ").split()
    names += re.findall(r"^  type,.* public :: esker_(\w+)$", source, re.M)
    text = (SITE / "reference/fortran.html").read_text("utf-8")
    assert [name for name in names if f'id="esker-{name.replace("_", "-")}"' not in text] == []
    assert len(names) > 100


def test_verbs_of_the_command_are_explained() -> None:
    from esker.cli import esker as command

    text = (SITE / "reference/command_line.html").read_text("utf-8")
    assert [verb for verb in command.commands if f'id="esker-{verb}"' not in text] == []
    assert len(command.commands) > 10


def test_each_document_has_a_page() -> None:
    for folder in ("guide", "formats", "internals/decisions"):
        for document in (ROOT / "docs" / folder).glob("[!R]*.md"):
            assert (SITE / folder / f"{document.stem}.html").exists(), document
