"""The rooms (subpackages) of the package: what users see, what each room holds, and that there are no import cycles."""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import esker

PACKAGE = Path(__file__).parents[2] / "python" / "esker"
MAX_LINES = 450
ROOMS = {
    "base", "bench", "cli", "convert", "dataset", "files", "integrations", "planning", "plot", "tune", "viewer",
    "writing",
}  # fmt: skip
PUBLIC_MODULES = {"vtk", "xarray"}
"""Modules that users import by name: `import esker.xarray` adds a method to the datasets of xarray; `esker.vtk` needs VTK."""

PUBLIC_NAMES = {
    "Array", "Camera", "Chunked", "Dataset", "DatasetWarning", "Field", "FieldErrors", "Finding", "Grid", "Merged", "Part",
    "ReadStatistics", "Reader", "Rebuilt", "Scalar", "Selection", "Step", "Storage", "StoredSamples", "Text",
    "Verification", "View", "Writer", "WriterField", "WriterGrid", "adopt", "copy", "merge", "move", "open", "plan",
    "plan_mesh", "rebuild", "repair", "simulate", "verify", "view", "write",
}  # fmt: skip


def module_name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(file.read_text()) for name, file in FILES.items()}
PACKAGES = [name for name, file in FILES.items() if file.name == "__init__.py"]


def test_users_see_the_public_names_and_the_rooms() -> None:
    seen = {name for name in dir(esker) if not name.startswith("_")}
    assert seen - ROOMS - PUBLIC_MODULES == PUBLIC_NAMES
    assert {*esker.__all__} == PUBLIC_NAMES | {"__version__"}


def test_the_top_level_has_rooms_and_public_modules_only() -> None:
    """Files of other kinds are the extension modules' stubs and what the library's build adds."""
    assert {file.stem for file in PACKAGE.glob("*.py")} == PUBLIC_MODULES | {"__init__"}
    assert {file.parent.name for file in PACKAGE.glob("*/__init__.py")} == ROOMS


def imports_of(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """All imports, also in functions, because these can fail as late as a call; but not those for type checkers, which
    never run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for other in node.orelse:
                yield from imports_of(other)
        else:
            yield from imports_of(node)


def imported(tree: ast.AST) -> set[str]:
    """The modules of the package that a module names. The packages above them run as well; `test_rooms_import_nothing`
    shows that this matters to none."""
    found = set()
    for node in imports_of(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            continue
        assert node.level == 0, f"line {node.lineno}: expected the full name of a module"
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            found.add(inner if inner in FILES or inner in ("esker._core", "esker._mpi") else str(node.module))
    return found & FILES.keys()


def cycle(graph: dict[str, set[str]]) -> list[str]:
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_no_module_imports_itself_through_others() -> None:
    assert cycle({name: imported(tree) for name, tree in TREES.items()}) == []


def test_cycles_are_found() -> None:
    """At the top of a module, in a function, and as the name of a package; but not for type checkers."""
    a = ast.parse("from esker.base import boxes")
    b = ast.parse("def f():\n    import esker.base.pieces")
    c = ast.parse("if TYPE_CHECKING:\n    from esker.base.boxes import Box")
    assert (
        imported(a) == {"esker.base.boxes"} and imported(b) == {"esker.base.pieces"} and imported(c) == set()
    )
    assert imported(ast.parse("import esker")) == {"esker"}
    assert imported(ast.parse("from esker import _core, open")) == {"esker"}
    assert set(cycle({"a": {"b"}, "b": {"a"}})) == {"a", "b"}


def test_rooms_import_nothing() -> None:
    """Only the command line, which nothing imports, defines anything in a package itself."""
    full = [name for name in PACKAGES if any(imports_of(TREES[name]))]
    assert full == ["esker", "esker.cli"]
    assert not [name for name, tree in TREES.items() if name != "esker.cli" and "esker.cli" in imported(tree)]


@pytest.mark.parametrize("name", sorted({*PACKAGES} - {"esker", "esker.cli"}))
def test_a_room_lists_what_is_in_it(name: str) -> None:
    folder = FILES[name].parent
    held = {file.name for file in folder.glob("*.py")} - {"__init__.py"}
    held |= {f"{inner.name}/" for inner in folder.iterdir() if inner.is_dir() and inner.name != "__pycache__"}
    lines = (ast.get_docstring(TREES[name]) or "").split("\n")
    listed = [line.split("  ")[0].split(" ")[0] for line in lines if " " in line]
    listed = [entry for entry in listed if entry.endswith((".py", "/"))]
    assert sorted(listed) == sorted(held)


def listed(name: str, ending: str) -> list[str]:
    """What the docstring of a room lists, in order: "/" for its rooms, ".py" for its modules."""
    return re.findall(rf"^(\w+){re.escape(ending)} ", str(ast.get_docstring(TREES[name])), re.MULTILINE)


def test_rooms_of_the_viewer_see_those_above_them_in_its_list() -> None:
    rooms = listed("esker.viewer", "/")
    assert len(rooms) > 5
    for place, room in enumerate(rooms):
        modules = {name for name in FILES if name.startswith(f"esker.viewer.{room}.")}
        seen = {
            name.split(".")[2] for module in modules for name in imported(TREES[module]) if ".viewer." in name
        }
        assert seen <= {*rooms[: place + 1]}, room


@pytest.mark.parametrize("room", listed("esker.viewer", "/"))
def test_modules_of_a_room_of_the_viewer_see_those_above_them_in_its_list(room: str) -> None:
    inside = f"esker.viewer.{room}."
    modules = listed(f"esker.viewer.{room}", ".py")
    for place, module in enumerate(modules):
        seen = {
            name.removeprefix(inside) for name in imported(TREES[inside + module]) if name.startswith(inside)
        }
        assert seen <= {*modules[:place]}, module


def test_each_module_says_what_it_is_for() -> None:
    first = {name: (ast.get_docstring(tree) or "").split("\n")[0] for name, tree in TREES.items()}
    assert [name for name, line in first.items() if not line] == []


def test_no_module_is_long() -> None:
    lengths = {name: len(file.read_text().splitlines()) for name, file in FILES.items()}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}
