"""fortran.py finds the problems that it should find."""

from __future__ import annotations

import unittest

from fortran import (
    c_constants,
    c_prototypes,
    check_constants,
    check_functions,
    check_tested,
    fortran_constants,
)

C_HEADER = """
enum { ESKER_OK = 0, ESKER_GRID = 1 };
ESKER_API esker_status esker_def_dim(esker_dataset* ds, const char* name, int64_t size, int* dim);
ESKER_API const char* esker_version(void);
"""

MODULE = """
  integer, parameter, public :: esker_ok = 0, &
    esker_of_grid = 1
  public :: esker_def_dim, &
    esker_version
  interface
    type(c_ptr) function c_version() bind(C, name="esker_version")
      import
    end function
    integer(c_int) function c_def_dim(ds, name, size, dim) &
        bind(C, name="esker_def_dim")
      import
      type(c_ptr), value :: ds
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: size
      integer(c_int), intent(inout) :: dim
    end function
"""

TESTS = "call esker_def_dim(ds)\ncall check(esker_version() == 1)"


def problems(module: str, tests: str = TESTS) -> list[str]:
    return (
        check_functions(c_prototypes(C_HEADER), module)
        + check_constants(c_constants(C_HEADER), fortran_constants(module))
        + check_tested(module, tests)
    )


class FortranModule(unittest.TestCase):
    def broken(self, old: str, new: str) -> str:
        self.assertIn(old, MODULE)
        (problem,) = problems(MODULE.replace(old, new))
        return problem

    def test_good(self) -> None:
        self.assertEqual(problems(MODULE), [])

    def test_other_arguments(self) -> None:
        self.assertIn("C has", self.broken("integer(c_int64_t), value", "integer(c_int), value"))
        self.assertIn("C has", self.broken("integer(c_int64_t), value", "integer(c_int64_t), intent(in)"))
        self.assertIn("C has", self.broken("(ds, name, size, dim)", "(ds, name, dim, size)"))
        self.assertIn("C has", self.broken("(ds, name, size, dim)", "(ds, name, size)"))

    def test_interface_in_a_procedure(self) -> None:
        head, body = MODULE.split("    integer(c_int) function c_def_dim")
        inner = ("    integer(c_int) function c_def_dim" + body).replace("\n", "\n  ")
        folded = inner.replace("size, dim)", "&\n          & size, dim)")  # as fypp continues lines
        self.assertEqual(problems(head + "  " + folded), [])

    def test_missing_function(self) -> None:
        self.assertEqual(self.broken(", &\n    esker_version", ""), "esker_version: not public in the module")
        self.assertEqual(
            self.broken('"esker_version"', '"esker_versio"'), "esker_version: the module does not call it"
        )

    def test_other_constant(self) -> None:
        self.assertEqual(
            self.broken("esker_of_grid = 1", "esker_of_grid = 2"), "esker_of_grid: 1 in C, 2 in Fortran"
        )
        self.assertEqual(
            self.broken(", &\n    esker_of_grid = 1", ""), "esker_of_grid: 1 in C, None in Fortran"
        )

    def test_untested_function(self) -> None:
        self.assertEqual(
            problems(MODULE, "call esker_def_dim(ds)"), ["esker_version: no test in Fortran calls it"]
        )


if __name__ == "__main__":
    unittest.main()
