#include "tridiagonal.h"

namespace pism {

void Tridiagonal::resize(esker::Index n) {
  for (auto* band : {&lower, &diag, &upper, &rhs}) band->resize(n);
}

void Tridiagonal::solve(esker::Index n, double* x) {
  for (esker::Index k = 1; k < n; ++k) {
    const double factor = lower[k] / diag[k - 1];
    diag[k] -= factor * upper[k - 1];
    rhs[k] -= factor * rhs[k - 1];
  }
  x[n - 1] = rhs[n - 1] / diag[n - 1];
  for (esker::Index k = n - 2; k >= 0; --k) x[k] = (rhs[k] - upper[k] * x[k + 1]) / diag[k];
}

}  // namespace pism
