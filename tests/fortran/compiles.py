#!/usr/bin/env python3
"""The arrays that the compiler accepts and rejects as arguments of the module's generic procedures.

    tests/fortran/compiles.py COMPILER MODULES_DIRECTORY

A procedure that keeps the address of its array must not get a temporary of the compiler: an expression compiles
without a warning if the argument is intent(in), and its memory is freed before it is read. Exit status 1 and the
differences otherwise.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

KEPT = {
    "esker_put": "call esker_put(ds, 1, one, {})",
    "esker_put_level": "call esker_put_level(ds, 1, 0, one, {})",
    "esker_request": "call esker_request(ds, 1, 1, one, {})",
    "esker_request_level": "call esker_request_level(ds, 1, 1, {}, 0)",
}
"""Procedure -> a call; the array is used after it."""

KEEP_LEVELS = "call esker_keep_levels(ds, esker_of_grid, 1, one, {})"
"""This, too, uses the array later; it is no generic procedure and takes integer(int8) only."""

READ_AT_ONCE = {
    "esker_put_buffered": "call esker_put_buffered(ds, 1, one, {})",
    "esker_put_buffered_level": "call esker_put_buffered_level(ds, 1, 0, one, {})",
}
"""The same of what copies its array."""

VARIABLES = ["a", "a(1:n:2, :)", "a(n:1:-1, 2:3)", "p", "cells%t", "cells(1:n:2, :)%t", "d", "q%a", "r"]
VECTOR_SUBSCRIPT = "a(:, [1, 3])"  # in parentheses for what copies: it crashes gfortran 12
EXPRESSIONS = ["real(b, real32)", "a * 2", "(a)", "-a", VECTOR_SUBSCRIPT, "(a(:, [1, 3]))", "f()", "e", "1.0"]
EXPRESSIONS += ["reshape(a, [n, n])"]
"""Arrays of kinds that all procedures accept."""

REJECTED = "There is no specific subroutine for the generic"
NOT_A_VARIABLE = ("in variable definition context", "Type mismatch", "with vector subscript", "has INTENT(IN)")
"""What the compiler says of an expression as the argument of a generic procedure, or of another one."""

PROGRAM = """
subroutine snippet(ds, a, e, r)
  use, intrinsic :: iso_fortran_env
  use esker
  implicit none
  integer, parameter :: n = 4
  integer(int64), parameter :: one(2) = 1
  type :: cell
    integer :: id
    real(real32) :: t
    real(real64) :: u
  end type
  type :: model
    real(real32), allocatable :: a(:, :)
  end type
  type(esker_dataset), intent(inout) :: ds
  real(real32), intent(inout), target, asynchronous :: a(n, n)
  real(real32), intent(in) :: e(:, :)
  real(real32), intent(inout) :: r(:, :)
  real(real64) :: b(n, n)
  real(real32), pointer :: p(:, :)
  real(real32), allocatable :: d(:, :)
  type(cell), target :: cells(n, n)
  type(model) :: q
  p => cells%t
  allocate(d(n, n), q%a(n, n))
  b = 0
  {call}
contains
  function f()
    real(real32) :: f(n, n)
    f = 0
  end function
end subroutine
"""


def errors_of(compiler: str, modules: Path, program: str) -> str:
    """The compiler's errors for a program; empty if it is accepted."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "snippet.f90"
        source.write_text(program, encoding="utf-8")
        command = [compiler, "-std=f2018", "-fsyntax-only", f"-I{modules.resolve()}", str(source)]
        in_english = {**os.environ, "LC_ALL": "C"}
        run = subprocess.run(
            command, cwd=directory, env=in_english, capture_output=True, text=True, check=False
        )
        errors = [line for line in run.stderr.splitlines() if "Error" in line]
        return (errors or [run.stderr])[0] if run.returncode else ""


def problems(compiler: str, modules: Path) -> list[str]:
    found = []
    for name, call in {**KEPT, **READ_AT_ONCE}.items():
        for array in [*VARIABLES, *EXPRESSIONS]:
            if name in READ_AT_ONCE and array == VECTOR_SUBSCRIPT:
                continue
            text = errors_of(compiler, modules, PROGRAM.replace("{call}", call.format(array)))
            if name in KEPT and array in EXPRESSIONS:
                if f"{REJECTED} '{name}'" not in text:
                    found.append(f"{name} of {array}: expected '{REJECTED}', found: {text or 'it compiles'}")
            elif text:
                found.append(f"{name} of {array}: {text}")
    return found + problems_of_levels(compiler, modules)


def problems_of_levels(compiler: str, modules: Path) -> list[str]:
    """The same for esker_keep_levels."""
    found = []
    for array in [*VARIABLES, *EXPRESSIONS]:
        program = PROGRAM.replace("{call}", KEEP_LEVELS.format(array))
        program = program.replace("real(b, real32)", "int(b, int8)").replace("real(real32)", "integer(int8)")
        text = errors_of(compiler, modules, program)
        if array in EXPRESSIONS and not any(reason in text for reason in NOT_A_VARIABLE):
            found.append(f"esker_keep_levels of {array}: expected an error, found: {text or 'it compiles'}")
        elif array in VARIABLES and text:
            found.append(f"esker_keep_levels of {array}: {text}")
    return found


def main() -> int:
    compiler, modules = sys.argv[1], Path(sys.argv[2])
    found = problems(compiler, modules)
    print("\n".join(found) or "the compiler takes variables, and rejects expressions where their memory is kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
