#!/usr/bin/env python3
"""What only Linux has is used in one place: src/base/system_linux.cc for C++, python/esker/base/system.py for Python.

    tests/names/portable.py SOURCES

The portable core is what one process needs for writing and reading: src/, include/ and python/, without the folders for
MPI and for the programs that measure. Exit status 1 if another file of it names a function, a header or a path that other
systems lack, or asks for the system by #ifdef or sys.platform.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from function_lengths import blank

FOLDERS = ("src", "include", "python")
SUFFIXES = {".c", ".cc", ".h", ".hpp"}
WITHOUT = ("src/comm/mpi/", "src/store/mpiio/", "python/esker/bench/")
ALLOWED = {"src/base/system_linux.cc", "python/esker/base/system.py"}
MIN_FILES = 300  # fewer: the folders have moved

# A number of macOS' manual pages and of POSIX.1-2008 lacks them. dlopen() and fsync() are in both.
CPP_NAMES = """
O_DIRECT O_TMPFILE O_PATH O_NOATIME fallocate posix_fallocate posix_fadvise readahead sync_file_range fdatasync syncfs
copy_file_range sendfile statfs fstatfs memfd_create mkostemp renameat2 getrandom getentropy dl_iterate_phdr
sched_getaffinity sched_setaffinity sched_getcpu cpu_set_t CPU_SET CPU_COUNT pthread_setaffinity_np pthread_getaffinity_np
pthread_setname_np gettid syscall prctl RUSAGE_THREAD MAP_POPULATE MAP_HUGETLB MADV_HUGEPAGE mremap malloc_trim mallopt
epoll_create1 eventfd signalfd timerfd_create inotify_init1 pipe2 accept4 process_vm_readv get_nprocs sysinfo
program_invocation_name secure_getenv pthread_mutexattr_setrobust
""".split()
CPP_HEADERS = r"sys/(?:statfs|vfs|sysinfo|sendfile|epoll|eventfd|prctl|syscall|auxv|inotify)\.h|linux/.*|link\.h|malloc\.h|sched\.h|endian\.h|byteswap\.h"
SYSTEM_MACROS = r"__linux__|__linux|__gnu_linux__|__APPLE__|__MACH__|_WIN32|__unix__|__FreeBSD__"
CPP_FORBIDDEN = re.compile(
    rf"\b(?:{'|'.join(CPP_NAMES)})\b(?![ \t]*=[^=])"
    rf"|#[ \t]*include[ \t]*<(?:{CPP_HEADERS})>"
    rf"|\b(?:{SYSTEM_MACROS})\b"
)
PATHS = re.compile(r"/proc\b|/sys/|/dev/shm\b")
OWN_DIRECTORY = ("src/comm/shared_memory.cc", "/dev/shm")  # where it is missing, there is no shared memory

PYTHON_NAMES = """
sched_getaffinity sched_setaffinity posix_fallocate posix_fadvise memfd_create getrandom copy_file_range sendfile
fdatasync O_DIRECT O_TMPFILE eventfd pidfd_open prctl setns unshare
""".split()

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)


def without_comments(text: str) -> str:
    """As many lines; texts in quotes are kept."""
    return COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else blank(found), text)


def in_cpp(text: str) -> Iterator[tuple[int, str]]:
    """Line and name of what only Linux has."""
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        code = re.sub(r"\"(?:\\.|[^\"\\])*\"", '""', line)
        for found in CPP_FORBIDDEN.findall(code):
            yield number, found
        for quoted in re.findall(r"\"(?:\\.|[^\"\\])*\"", line):
            for path in PATHS.findall(quoted):
                yield number, path


def in_python(text: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(text)
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            of_sys = isinstance(node.value, ast.Name) and node.value.id == "sys" and node.attr == "platform"
            if node.attr in PYTHON_NAMES or of_sys:
                yield node.lineno, node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            is_path = node.value.startswith(("/proc", "/sys/", "/dev/shm"))
            if is_path:
                yield node.lineno, node.value


def problems_of(root: Path) -> list[str]:
    problems, seen = [], 0
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES | {".py"} or name.startswith(WITHOUT) or name in ALLOWED:
            continue
        seen += 1
        search = in_python if path.suffix == ".py" else in_cpp
        for line, what in search(path.read_text(encoding="utf-8")):
            if (name, what) != OWN_DIRECTORY:
                problems.append(f"{name}:{line}: {what}")
    if seen < MIN_FILES:
        problems.append(f"only {seen} files were found, expected at least {MIN_FILES}")
    return problems


def main() -> None:
    problems = problems_of(Path(sys.argv[1]))
    if problems:
        sys.exit("only Linux has these; src/base/system.h is the place for them:\n" + "\n".join(problems))


if __name__ == "__main__":
    main()
