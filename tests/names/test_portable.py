"""What portable.py takes for a use of Linux alone, and what not."""

from __future__ import annotations

import unittest

from portable import in_cpp, in_python

CPP = """#include <linux/fs.h>
#include <sys/stat.h>
// statfs() is not here: O_DIRECT
int a = ::posix_fallocate(descriptor, 0, bytes);
items.splice(items.end(), more);
/* O_TMPFILE
*/ int b = ::open(path, O_RDWR | O_TMPFILE);
std::ifstream file("/proc/self/stat"); std::string text("statfs");
const double processed = a /proceeds;
#ifdef __linux__
#endif
"""

PYTHON = '''"""Reads /proc and calls sched_getaffinity."""
import os, sys
cores = os.sched_getaffinity(0)
place = "/dev/shm/x"
if sys.platform == "linux":
    """/proc"""
note = "the folder /proc"
'''


class Portable(unittest.TestCase):
    def test_code_is_searched_and_comments_are_not(self) -> None:
        found = list(in_cpp(CPP))
        expected = [
            (1, "#include <linux/fs.h>"), (4, "posix_fallocate"), (7, "O_TMPFILE"), (8, "/proc"), (10, "__linux__"),
        ]  # fmt: skip
        self.assertEqual(found, expected)

    def test_texts_are_no_calls(self) -> None:
        self.assertEqual(list(in_cpp('fail("statfs failed // O_DIRECT");\n')), [])

    def test_python_is_searched_without_documentation(self) -> None:
        found = list(in_python(PYTHON))
        self.assertEqual(sorted(found), [(3, "sched_getaffinity"), (4, "/dev/shm/x"), (5, "platform")])


if __name__ == "__main__":
    unittest.main()
