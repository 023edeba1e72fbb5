"""words.py finds what it is there to find."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from words import check, entries, find, read_allowed, read_words

WORDS = read_words("# why\nbeside -> next to\nof (its|their) own -> separate\n")


def problems(text: str, allowed: str = "") -> list[str]:
    return find(WORDS, "a.md", text, read_allowed(allowed))[0]


class Words(unittest.TestCase):
    def test_none(self) -> None:
        self.assertEqual(problems("A journal next to the file. Besides, nothing.\n"), [])

    def test_each_place(self) -> None:
        self.assertEqual(
            problems("fine\nA journal Beside the file, beside it.\n"),
            ["a.md:2: 'Beside': write next to", "a.md:2: 'beside': write next to"],
        )

    def test_over_the_end_of_a_line(self) -> None:
        for text in ("a library of\nits own", "// a library of\n// its own", "  # a library of their\n  # own"):
            self.assertEqual(len(problems(text)), 1, text)

    def test_allowed_places(self) -> None:
        self.assertEqual(problems("the sea beside the ice\n", "a.md: sea beside"), [])
        self.assertEqual(len(problems("the sea beside the ice\n", "b.md: sea beside")), 1)

    def test_bad_lists(self) -> None:
        for text in ("beside", "beside ->"):
            with self.assertRaises(ValueError):
                read_words(text)
        with self.assertRaises(ValueError):
            read_allowed("a.md")

    def test_tree(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "src").mkdir()
            (root / "src" / "a.cc").write_text("// beside\n")
            (root / "b.md").write_text("beside\n")
            (root / "c.png").write_text("beside\n")
            self.assertEqual(len(check(root, WORDS, set(), [])), 2)
            self.assertEqual(check(root, WORDS, set(), ["src"]), ["b.md:1: 'beside': write next to"])
            self.assertEqual(check(root, WORDS, {("b.md", "beside")}, ["src"]), [])

    def test_entries_that_excuse_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(len(check(Path(name), WORDS, {("b.md", "beside")}, [])), 1)

    def test_comments_of_lists(self) -> None:
        self.assertEqual(entries("# why\n\n a \n"), ["a"])


if __name__ == "__main__":
    unittest.main()
