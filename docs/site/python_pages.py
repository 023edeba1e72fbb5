"""Pages of the Python reference: one per group of the package's docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

MODULES = {"esker.xarray": "With xarray"}
"""Modules that users import by name -> title of the page."""

_GROUP = re.compile(r"^([A-Z]\w+): +(.+)$", re.M)


def pages(root: Path) -> dict[str, str]:
    tree = ast.parse((root / "python/esker/__init__.py").read_text("utf-8"))
    public = names_of_all(tree)
    groups = groups_of(ast.get_docstring(tree) or "", public)
    left = sorted(set(public) - {name for names in groups.values() for name in names} - {"__version__"})
    assert not left, f"the docstring of the package lists no {', '.join(left)}"
    made: dict[str, str] = {
        f"reference/python/{title.lower()}.rst": page(title, names) for title, names in groups.items()
    }
    for module, title in MODULES.items():
        made[f"reference/python/{module.removeprefix('esker.')}.rst"] = module_page(module, title)
    made["reference/python/index.rst"] = index(list(groups))
    return made


def names_of_all(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise ValueError("the package has no __all__")


def groups_of(docstring: str, public: list[str]) -> dict[str, list[str]]:
    """Title -> names, in the order of the docstring."""
    summary = docstring.partition(">>>")[0].partition("\n")[2]
    return {
        title: [name for name in re.findall(r"\w+", text) if name in public] for title, text in _GROUP.findall(summary)
    }


def page(title: str, names: list[str]) -> str:
    lines = [title, "=" * len(title), ""]
    for name in names:
        kind = "class" if name[0].isupper() else "function"
        lines += [f".. auto{kind}:: esker.{name}", *(["   :members:"] if kind == "class" else []), ""]
    return "\n".join(lines)


def module_page(module: str, title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n.. automodule:: {module}\n   :members:\n"


def index(titles: list[str]) -> str:
    lines = ["Python", "======", "", ".. automodule:: esker", "   :no-members:", ""]
    lines += [".. autodata:: esker.__version__", "   :no-value:", "", ".. toctree::", "   :maxdepth: 2", ""]
    names = [*map(str.lower, titles), *[module.removeprefix("esker.") for module in MODULES]]
    return "\n".join([*lines, *[f"   {name}" for name in names], ""])
