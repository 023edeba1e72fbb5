"""The functions that function_lengths.py finds, and their lengths."""

from __future__ import annotations

import unittest

from function_lengths import Function, Parser, parse_python, percentile_90, problems_of

SOURCE = """#include <vector>
namespace esker {
namespace {

constexpr int kTable[] = {1,
                          2};  // {
enum class Kind : int { kOne, kTwo };
const auto kAnswer = [](int x) {
  return x;
};

template <class T = int>
class [[nodiscard]] Holder final : public Base {
 public:
  explicit Holder(std::vector<T> values, const Options& options = {})
      : values_{std::move(values)},
        text_("}") {
    check();
  }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  bool operator==(const Holder& other) const {
    return values_ == other.values_;
  }
  int declared(int a);

 private:
  struct Part {
    int first{0};
    int next() const { return first + 1; }
  };
  std::vector<T> values_{};
};

}  // namespace

/// Comment {
struct Part* find(const char* text,
                  char mark = '{') {
  if (text[0] == mark) {
    return R"x(}})x";
  }
  return nullptr;
}
}  // namespace esker
"""


class FunctionLengths(unittest.TestCase):
    def test_bodies_are_found_with_their_lines(self) -> None:
        found = {f.name: (f.lines, f.place) for f in Parser(SOURCE, "a.cc").functions}
        self.assertEqual(
            found,
            {
                "Holder": (5, "a.cc:15"),
                "empty": (1, "a.cc:20"),
                "operator==": (3, "a.cc:21"),
                "next": (1, "a.cc:29"),
                "find": (7, "a.cc:37"),
            },
        )

    def test_a_brace_without_its_partner_is_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "a.cc: a brace is never closed"):
            Parser("void f() {", "a.cc")

    def test_docstrings_of_python_do_not_count(self) -> None:
        source = 'def f(\n    a,\n):\n    """Two\n    lines."""\n\n    def g():\n        return a\n    return g\n'
        self.assertEqual(parse_python(source, "a.py"), [Function(7, "a.py:1", "f"), Function(2, "a.py:7", "g")])

    def test_long_functions_are_problems(self) -> None:
        short = [Function(5, "a.cc:1", "f")] * 2000
        self.assertEqual(problems_of(short), [])
        self.assertEqual(
            problems_of([Function(61, "a.cc:9", "g"), *short]),
            ["a.cc:9: g has 61 lines; at most 60 are allowed"],
        )
        many = [*short, *[Function(30, "a.cc:2", "h")] * 500]
        self.assertEqual(percentile_90(many), 30)
        self.assertEqual(
            problems_of(many), ["the 90th percentile is 30 lines; expected fewer than 20"]
        )
        self.assertEqual(problems_of(short[:3]), ["only 3 functions were found"])


if __name__ == "__main__":
    unittest.main()
