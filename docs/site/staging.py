"""Puts the pages of the site together, outside of the repository's files.

    staging.py SOURCE        copies the pages, and generates those of the reference and of the results

A README.md is the page `index` of its directory. Pages are written only when they change, so that Sphinx reads only these
again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import command_pages
import cxx_pages
import fortran_pages
import python_pages
import results_pages

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    "docs/site/pages": "",
    "docs/guide": "guide",
    "docs/formats": "formats",
    "docs/internals": "internals",
}
"""Folder of the repository, with all .md files below it -> folder of the site."""

FILES = {
    "docs/glossary.md": "glossary.md",
    "docs/figures/README.md": "internals/figures.md",
    "CONTRIBUTING.md": "internals/contributing.md",
    "CHANGES.md": "changes.md",
    "data/README.md": "miniapps/data.md",
    "bench/results/README.md": "results/tables.md",
    "bench/results/archive.md": "results/archive.md",
}
GENERATORS: list[Callable[[Path], dict[str, str]]] = [
    cxx_pages.pages,
    fortran_pages.pages,
    python_pages.pages,
    command_pages.pages,
    results_pages.pages,
]
"""Each takes the root of the repository and returns path in the site -> content."""


def sources() -> dict[str, Path]:
    """Path in the site -> the file of the repository."""
    found = {name: ROOT / file for file, name in FILES.items()}
    for folder, place in FOLDERS.items():
        for file in sorted((ROOT / folder).rglob("*.md")):
            path = file.relative_to(ROOT / folder)
            path = path.with_name("index.md") if path.name == "README.md" else path
            found[str(place / path)] = file
    for file in sorted((ROOT / "miniapps").glob("*/README.md")):
        found[f"miniapps/{file.parent.name}.md"] = file
    for picture in sorted((ROOT / "docs/figures").glob("*.png")):
        found[f"figures/{picture.name}"] = picture
    for script in sorted((ROOT / "docs/gallery").rglob("*.[pr][ys]*")):
        path = script.relative_to(ROOT / "docs/gallery")
        found[f"scripts/{path}"] = script
    return found


def stage(source: Path) -> None:
    made = {name: file.read_bytes() for name, file in sources().items()}
    for generator in GENERATORS:
        made |= {name: text.encode() for name, text in generator(ROOT).items()}
    for name, data in made.items():
        place = source / name
        if not place.exists() or place.read_bytes() != data:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    for old in left_over(source, made.keys()):
        old.unlink()
    for folder in (source / "scripts").iterdir():
        if folder.is_dir() and not (folder / "data").is_symlink():
            (folder / "data").symlink_to(ROOT / "data")


def left_over(source: Path, expected: Collection[str]) -> Iterator[Path]:
    """Pages of an earlier run that have no source any more, except those that sphinx-gallery makes."""
    for path in source.rglob("*.*"):
        name = str(path.relative_to(source))
        is_page = path.suffix in (".md", ".rst", ".py") and path.resolve().is_relative_to(source)
        if is_page and name not in expected and not name.startswith("gallery/"):
            yield path


if __name__ == "__main__":
    stage(Path(sys.argv[1]).resolve())
