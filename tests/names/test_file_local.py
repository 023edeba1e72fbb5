"""The definitions in anonymous namespaces that file_local.py finds, and those that it reports."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from file_local import definitions, repeated

SOURCE = """#include <vector>
namespace esker {
namespace {

using std::vector;
using Bytes = std::vector<char>;
constexpr int kTable[] = {1,
                          2};  // {
struct Row {
  int width = 0;
};
class Later;

Status declared_only(int rank);

template <class T>
Result<std::map<int, T>> read_all(const std::map<int, T>& values,
                                  int level = 0) {
  if (level > 0) {
    return values;
  }
  return {};
}
void check(herr_t status, const std::string& what) { use(status, what); }

}  // namespace

int exported() { return 1; }

namespace idx {
namespace {
bool is_open(const Row& row) { return row.width > 0; }
}  // namespace
}  // namespace idx
}  // namespace esker
"""


def lines_for(*sources: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        paths = {Path(folder) / f"source_{n}.cc" for n in range(len(sources))}
        for path, source in zip(sorted(paths), sources):
            path.write_text(f"namespace a {{\nnamespace {{\n{source}\n}}  // namespace\n}}  // namespace a\n")
        return repeated(paths)


class FileLocal(unittest.TestCase):
    def test_finds_definitions(self) -> None:
        names = [
            ("esker", "using Bytes = std::vector<char>"),
            ("esker", "kTable"),
            ("esker", "Row"),
            ("esker", "read_all(const std::map<int, T>&, number)"),
            ("esker", "check(number, const std::string&)"),
            ("esker::idx", "is_open(const Row&)"),
        ]
        self.assertEqual(list(definitions(SOURCE)), names)

    def test_reports_what_does_not_compile_together(self) -> None:
        check = "void check(int status, const std::string& what) { use(status, what); }"
        same = "void check(herr_t code, const std::string& text) { use(code, text); }"
        self.assertEqual(
            lines_for(check, same),
            [
                "check(number, const std::string&) is defined in the anonymous namespaces of source_0.cc, source_1.cc"
            ],
        )
        self.assertEqual(len(lines_for("constexpr int kMost = 1;", "constexpr int kMost = 2;")), 1)
        self.assertEqual(len(lines_for("struct Row {\n};", "enum class Row { kOne };")), 1)

    def test_allows_overloads_and_equal_aliases(self) -> None:
        self.assertEqual(
            lines_for("int sum_of(const A& a) { return 1; }", "int sum_of(const B& b) { return 2; }"), []
        )
        self.assertEqual(lines_for("using Bytes = int;", "using Bytes = int;"), [])


if __name__ == "__main__":
    unittest.main()
