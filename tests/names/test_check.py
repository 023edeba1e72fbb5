"""check.py finds the problems that it should find."""

from __future__ import annotations

import unittest

from check import (
    c_functions,
    check_c_comments,
    check_cpp_comments,
    check_enumerations,
    check_exported,
    check_symbols,
    check_table,
    mirrored,
    read_table,
)
from headers import parse

C_HEADER = """// esker.h: a sample.
#ifndef SAMPLE_H
#define SAMPLE_H
#ifdef __cplusplus
extern "C" {
#endif
/// Numbers.
typedef int esker_status;
enum { ESKER_OK = 0 };
/// Counts (of something); braces.
typedef struct esker_part {
  int64_t lo[5];  ///< lower corner
} esker_part;

/// Makes it. Collective.
ESKER_API esker_status esker_make(const char* name,
                                  int* out);

/// Of the library. Local.
ESKER_API const char* esker_version(void);
#ifdef __cplusplus
}
#endif
#endif
"""

CPP_HEADER = """// Writer: a sample.
#pragma once
#include <vector>
namespace esker {
class Other;
class ESKER_API Writer {
 public:
  static Result<Writer> make(const std::string& name, int x = {});  ///< makes it
  Writer(Writer&&) noexcept;
  ~Writer();
  /// Local; a group.
  Status put(int field);
  Status put_twice(int field) { return put(field); }

  int members[2]{0, 1};
 private:
  void hidden();
};
/// Does it (well).
template <class T>
ESKER_API Result<T> verify(const std::function<void(double)>& progress = {});
}  // namespace esker
"""


def without(text: str, line: str) -> str:
    assert text.count(line) == 1, line
    return text.replace(line, "")


class Enumerations(unittest.TestCase):
    def test_each_has_its_constant(self) -> None:
        cpp = (
            "enum class Code : int {\n kOk = 0,\n kIoError,  ///< x\n};\nenum class SampleType {\n kInt8,\n};"
            "enum class Centering {\n kCells,\n};enum class MissingBlocks {\n /// x\n kAuto,\n kNan\n};"
        )
        c = (
            "enum {\n ESKER_OK = 0,\n ESKER_IO_ERROR = 1  ///< x\n};\nenum {\n ESKER_INT8 = 0\n};"
            "enum {\n ESKER_AT_CELLS = 0\n};enum {\n ESKER_MISSING_AUTO = 0,\n ESKER_MISSING_NAN = 1\n};"
        )
        self.assertEqual(check_enumerations(cpp, c), [])
        self.assertEqual(len(check_enumerations(cpp.replace(" kIoError,", " kIoError,\n kNew,"), c)), 1)
        self.assertEqual(len(check_enumerations(cpp, c.replace("ESKER_INT8", "ESKER_UINT8"))), 1)
        self.assertEqual(len(check_enumerations(cpp, c.replace("MISSING_NAN", "NAN"))), 1)


class Headers(unittest.TestCase):
    def test_c(self) -> None:
        self.assertEqual([f.name for f in c_functions(C_HEADER)], ["esker_make", "esker_version"])

    def test_cpp(self) -> None:
        self.assertEqual(
            mirrored(parse(CPP_HEADER)), {"Writer::make", "Writer::put", "Writer::put_twice", "verify"}
        )
        self.assertIn("Writer::hidden", {d.name for d in parse(CPP_HEADER) if not d.public})

    def test_what_is_not_understood_is_refused(self) -> None:
        with self.assertRaises((ValueError, IndexError)):
            parse("namespace esker {\nclass A {\n void f();\n")


class Comments(unittest.TestCase):
    def test_good(self) -> None:
        self.assertEqual(check_c_comments(c_functions(C_HEADER)), [])
        self.assertEqual(check_cpp_comments("h", parse(CPP_HEADER)), [])

    def test_c_function_without_comment(self) -> None:
        broken = without(C_HEADER, "/// Makes it. Collective.\n")
        self.assertEqual(check_c_comments(c_functions(broken)), ["esker_make: no comment directly above it"])

    def test_c_function_neither_collective_nor_local(self) -> None:
        broken = without(C_HEADER, " Local.")
        self.assertEqual(len(check_c_comments(c_functions(broken))), 1)

    def test_member_without_comment(self) -> None:
        broken = without(CPP_HEADER, "  ///< makes it")
        self.assertEqual(check_cpp_comments("h", parse(broken)), ["h:8: Writer::make is not documented"])

    def test_group_without_comment(self) -> None:
        broken = without(CPP_HEADER, "  /// Local; a group.\n").replace("makes it", "makes it\n")
        self.assertEqual(len(check_cpp_comments("h", parse(broken))), 2)

    def test_type_and_function_without_comment(self) -> None:
        broken = without(without(CPP_HEADER, "// Writer: a sample.\n"), "/// Does it (well).\n")
        names = [p.split()[1] for p in check_cpp_comments("h", parse(broken))]
        self.assertEqual(names, ["Writer", "verify"])


class Existence(unittest.TestCase):
    def test_function_that_is_not_exported(self) -> None:
        broken = C_HEADER.replace("ESKER_API const", "const")
        self.assertEqual(check_exported(C_HEADER, c_functions(C_HEADER)), [])
        self.assertEqual(check_exported(broken, c_functions(broken)), ["esker_version: not marked ESKER_API"])

    def test_symbols(self) -> None:
        self.assertEqual(check_symbols({"esker_a"}, {"esker_a"}), [])
        self.assertEqual(len(check_symbols({"esker_a"}, {"esker_b"})), 2)

    def test_table(self) -> None:
        table = read_table(
            "# why\nWriter::put: esker_put\nWriter::at: - internal\n-: esker_free destructors\n"
        )
        cpp, c = {"Writer::put", "Writer::at"}, {"esker_put", "esker_free"}
        self.assertEqual(check_table(table, cpp, c), [])
        self.assertEqual(
            check_table(table, cpp | {"Writer::new"}, c), ["Writer::new: no C function in the table"]
        )
        self.assertEqual(
            check_table(table, cpp - {"Writer::at"}, c), ["Writer::at: in the table, in no C++ header"]
        )
        self.assertEqual(check_table(table, cpp, c | {"esker_x"}), ["esker_x: not in the table"])
        self.assertEqual(
            check_table(table, cpp, c - {"esker_put"}), ["esker_put: in the table, in no C header"]
        )

    def test_exemption_needs_a_reason(self) -> None:
        for line in ("Writer::at: -", "Writer::at:", "Writer::at"):
            with self.assertRaises(ValueError):
                read_table(line)


if __name__ == "__main__":
    unittest.main()
