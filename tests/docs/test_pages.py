"""How the pages of the site are made: links of the repository's pages, comments and docstrings as reStructuredText."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))

import cxx_pages  # noqa: E402
import docstrings  # noqa: E402
import fortran_pages  # noqa: E402
import python_pages  # noqa: E402
import results_pages  # noqa: E402
import staging  # noqa: E402
from links import Links  # noqa: E402


@pytest.mark.parametrize(
    "written, expected",
    [
        ("[a](queries.md#levels)", "[a](/guide/queries.md#levels)"),
        ("[a](../internals/decisions)", "[a](/internals/decisions/index.md)"),
        ("[a](../../bench/results/README.md)", "[a](/results/tables.md)"),
        ("[a](../../examples/write.cc)", "[a](/guide/whole_programs.md#writecc)"),
        ("[a](../../LICENSE)", "a (`LICENSE`)"),
        ("![a](../figures/kill.png)", "![a](/figures/kill.png)"),
        ("[a](no/such/file.md)", "[a](no/such/file.md)"),
        ("[a](https://example.org/queries.md)", "[a](https://example.org/queries.md)"),
        ("```\n[a](queries.md)\n```", "```\n[a](queries.md)\n```"),
    ],
)
def test_links_lead_to_pages_of_the_site(written: str, expected: str) -> None:
    """A link to a missing file is left, so that Sphinx reports it."""
    assert Links().rewritten(written, ROOT / "docs/guide/reading.md") == expected


def test_names_in_docstrings_become_definitions() -> None:
    lines = ["Writes.", "", "path:  where", "       to write", "a, b:  two", "", ">>> 1 + 1", "2"]
    text = "\n".join(docstrings.to_rst(lines))
    assert "``path``\n  where\n  to write\n\n``a, b``\n  two" in text and ">>> 1 + 1\n2" in text


def test_tables_in_docstrings_stay_as_they_are() -> None:
    assert docstrings.to_rst(["what  who", "  a   b"]) == ["::", "", "  what  who", "    a   b", ""]
    assert docstrings.to_rst(["Opens a dataset: a file.", "It is read."])[0] == "Opens a dataset: a file."


def test_code_in_comments_of_headers_is_code() -> None:
    text = cxx_pages.opening(
        "// Writer: writes.\n//\n//   writer.close();\n//\n// Then:\n// - one\n//   more\n#pragma once\n// no"
    )
    assert ".. code-block:: cpp\n\n   writer.close();\n" in text
    assert text.endswith("Then:\n\n- one\n  more")


def test_functions_of_a_header_are_found_by_section() -> None:
    text = "// ---- Options: all\nESKER_API int esker_a(void);\n// ---- Views\nESKER_API const char* esker_b(int x);\n"
    assert cxx_pages.c_sections(text) == [("Options", ["esker_a"]), ("Views", ["esker_b"])]


def test_a_procedure_of_fortran_has_its_comment_and_its_arguments() -> None:
    lines = [
        "  ! A dimension.",
        "  subroutine esker_def_dim(ds, name, &",
        "      ierr)",
        "    type(esker_dataset), intent(inout) :: ds",
        "    integer, intent(out), optional :: ierr",
        "    integer :: local",
        "  end subroutine",
    ]
    text = "\n".join(fortran_pages.procedure(lines, 1))
    assert text.startswith("### esker_def_dim\n") and "\nA dimension.\n" in text
    assert ":: ierr" in text and "local" not in text


def test_a_public_name_that_no_group_lists_is_an_error() -> None:
    groups = python_pages.groups_of(
        "Esker: all.\n\nWrite:     write, Writer\nCheck:  verify (Finding)\n", ["write", "verify"]
    )
    assert groups == {"Write": ["write"], "Check": ["verify"]}


def test_only_a_whole_range_is_faster_or_slower() -> None:
    def shown(quotient: float, least: float, most: float) -> str:
        of = {"quotient": quotient, "min": least, "max": most}
        return results_pages.cell({"esker_over_peers": [{"case": "a", "peer": "b", "write": of}]}, "write", "a", "b")

    assert shown(1.5, 1.2, 1.8) == "**1.50 (1.20–1.80)**"
    assert shown(0.9, 0.8, 0.95) == "*0.90 (0.80–0.95)*"
    assert shown(1.5, 0.9, 1.4) == "1.50 (0.90–1.40)"


def test_pages_without_a_source_are_removed_and_data_are_left(tmp_path: Path) -> None:
    source, data = tmp_path / "source", tmp_path / "data"
    for file in (source / "guide/old.md", source / "guide/new.md", source / "gallery/a.rst", data / "README.md"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text")
    (source / "scripts").mkdir()
    (source / "scripts/data").symlink_to(data)
    assert list(staging.left_over(source, {"guide/new.md"})) == [source / "guide/old.md"]
