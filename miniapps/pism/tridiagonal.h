// Tridiagonal systems, such as the implicit heat equation of a column.
#pragma once

#include <vector>

#include "esker/types/box.hpp"

namespace pism {

/// Row k reads lower[k] x[k-1] + diag[k] x[k] + upper[k] x[k+1] = rhs[k]; lower[0] and the last upper
/// are not used. All have the same length.
struct Tridiagonal {
  std::vector<double> lower, diag, upper, rhs;

  void resize(esker::Index n);
  /// Solves the first `n` rows by Thomas' algorithm (elimination without pivoting), which is stable for
  /// diagonally dominant rows; `x` takes n values. Destroys diag and rhs. O(n).
  void solve(esker::Index n, double* x);
};

}  // namespace pism
