"""Links of the repository's pages: they name files relative to the page, the site has other places.

A link to a page of the site leads there, also if it names the directory of an index. A link to a file that is shown on the
page of whole programs leads to its heading. Other files of the repository are named, without a link.
"""

from __future__ import annotations

import re
from pathlib import Path

from staging import ROOT, sources

PROGRAMS = "/guide/whole_programs.md"
"""The page with all files of examples/, each under a heading of its name."""

_FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2 *$", re.S | re.M)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(((?!\w+:|#)[^)\s]+)\)")
HIDDEN = {
    "internals/index": ["architecture", "adding-a-format", "*", "decisions/index"],
    "internals/decisions/index": ["[0-9]*"],
}
"""Pages that list others in a table -> the pages below them in the navigation."""


class Links:
    """The pages of the site by file of the repository."""

    def __init__(self) -> None:
        self.files = sources()
        self._pages = {file.resolve(): f"/{name}" for name, file in self.files.items()}
        for name, file in self.files.items():
            if Path(name).name == "index.md" and file.is_relative_to(ROOT / "docs"):
                folder = "docs" / Path(name).parent
                self._pages.setdefault(ROOT / folder, f"/{name}")

    def rewritten(self, text: str, page: Path) -> str:
        """The text of a page with links of the site; code is left as it is."""
        parts, at = [], 0
        for fence in _FENCE.finditer(text):
            parts += [self._prose(text[at : fence.start()], page), fence.group()]
            at = fence.end()
        return "".join([*parts, self._prose(text[at:], page)])

    def _prose(self, text: str, page: Path) -> str:
        return _LINK.sub(lambda link: self._link(*link.groups(), page), text)

    def _link(self, mark: str, shown: str, target: str, page: Path) -> str:
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve()
        if file in self._pages:
            return f"{mark}[{shown}]({self._pages[file]}{'#' + heading if heading else ''})"
        if file.parent == ROOT / "examples":
            return f"[{shown}]({PROGRAMS}#{slug(file.name)})"
        return f"{shown} (`{file.relative_to(ROOT)}`)" if file.exists() else f"{mark}[{shown}]({target})"


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST form it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def setup_links(app, docname: str, source: list[str]) -> None:
    """Handler of source-read."""
    links: Links = app.config.links_of_the_repository
    page = links.files.get(f"{docname}.md")
    if page:
        source[0] = links.rewritten(source[0], page)
    if docname in HIDDEN:
        source[0] += "\n".join(["", "```{toctree}", ":hidden:", ":glob:", "", *HIDDEN[docname], "```", ""])
