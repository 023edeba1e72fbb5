#include "tridiagonal.h"

#include <gtest/gtest.h>

namespace pism {
namespace {

/// Rows of a diagonally dominant system of size n with unequal entries; rhs is set for the solution `x`.
Tridiagonal system_with_solution(const std::vector<double>& x) {
  const auto n = static_cast<esker::Index>(x.size());
  Tridiagonal s;
  s.resize(n);
  for (esker::Index k = 0; k < n; ++k) {
    s.lower[k] = -0.3 - 0.01 * static_cast<double>(k);
    s.upper[k] = -0.7 + 0.02 * static_cast<double>(k % 5);
    s.diag[k] = 2.5 + 0.1 * static_cast<double>(k % 3);
    s.rhs[k] = s.diag[k] * x[k];
    if (k > 0) s.rhs[k] += s.lower[k] * x[k - 1];
    if (k + 1 < n) s.rhs[k] += s.upper[k] * x[k + 1];
  }
  return s;
}

TEST(Tridiagonal, FindsKnownSolutions) {
  for (const std::size_t n : {1U, 2U, 3U, 17U, 101U}) {
    std::vector<double> expected(n), x(n);
    for (std::size_t k = 0; k < n; ++k) expected[k] = 250.0 + static_cast<double>((k * 37) % 23);
    Tridiagonal s = system_with_solution(expected);
    s.solve(static_cast<esker::Index>(n), x.data());
    for (std::size_t k = 0; k < n; ++k)
      EXPECT_NEAR(x[k], expected[k], 1e-11 * 250) << "n " << n << ", row " << k;
  }
}

TEST(Tridiagonal, UsesOnlyTheRowsItIsGiven) {
  Tridiagonal s = system_with_solution({1, 2, 3});
  s.resize(9);
  std::vector<double> x(9, -1.0);
  s.solve(3, x.data());
  EXPECT_NEAR(x[2], 3, 1e-14);
  EXPECT_EQ(x[3], -1.0);
}

}  // namespace
}  // namespace pism
