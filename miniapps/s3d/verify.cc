#include "verify.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "common/together.h"
#include "common/world.h"
#include "manufactured.h"
#include "solver.h"

namespace s3d {
namespace {

constexpr double kEnd = 0.8e-3;  // s
constexpr std::array<const char*, kNumScalars> kNames{"T", "CO", "O2", "CO2"};

Values mean_error(MPI_Comm comm, const Bricks& bricks, const Solver& solver) {
  Values sum{};
  for_rows(solver.scalars(), [&](Index j, Index k) {
    for (Index i = 0; i < solver.scalars().cells(0); ++i) {
      const Values exact = manufactured_solution(
          {bricks.center(0, bricks.own.lo[0] + i), bricks.center(1, bricks.own.lo[1] + j),
           bricks.center(2, bricks.own.lo[2] + k)},
          solver.time());
      for (int s = 0; s < kNumScalars; ++s) sum[s] += std::abs(solver.scalars().row(s, j, k)[i] - exact[s]);
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), kNumScalars, MPI_DOUBLE, MPI_SUM, comm);
  const auto cells = static_cast<double>(bricks.cells[0] * bricks.cells[1] * bricks.cells[2]);
  for (double& s : sum) s /= cells;
  return sum;
}

Values observed_orders(const Values& coarse, const Values& fine) {
  Values orders;
  for (int s = 0; s < kNumScalars; ++s) orders[s] = std::log2(coarse[s] / fine[s]);
  return orders;
}

void print_line(const std::string& name, const Values& values, const char* format) {
  std::string line = fmt::format("{:<12}", name);
  for (const double v : values) line += fmt::format(fmt::runtime(format), v);
  fmt::print("{}\n", line);
}

}  // namespace

Values manufactured_error(MPI_Comm comm, int n) {
  const miniapp::World world(comm);
  Bricks bricks;
  miniapp::together(comm, [&] { bricks = make_bricks({12 * n, 9 * n, 6 * n}, world.rank, world.size); });
  Solver solver(comm, bricks, manufactured());
  solver.start();
  while (solver.time() < kEnd) solver.advance();
  return mean_error(comm, bricks, solver);
}

void verify(MPI_Comm comm, bool quiet) {
  const bool prints = miniapp::World(comm).rank == 0 && !quiet;
  std::array<Values, 3> errors;
  if (prints)
    fmt::print("mean error  {:>12}{:>12}{:>12}{:>12}\n", kNames[0], kNames[1], kNames[2], kNames[3]);
  for (int r = 0; r < 3; ++r) {
    const int n = 1 << r;
    errors[r] = manufactured_error(comm, n);
    if (prints) print_line(fmt::format("{}x{}x{}", 12 * n, 9 * n, 6 * n), errors[r], "{:>12.3e}");
  }
  if (prints) print_line("order", observed_orders(errors[0], errors[1]), "{:>12.2f}");
  const Values orders = observed_orders(errors[1], errors[2]);
  if (prints) print_line("order", orders, "{:>12.2f}");
  for (int s = 0; s < kNumScalars; ++s) {
    if (std::abs(orders[s] - kStatedOrder) <= kOrderTolerance) continue;
    throw miniapp::AgreedError(fmt::format("verification: expected order {} +- {} of {}, found {:.2f}",
                                           kStatedOrder, kOrderTolerance, kNames[s], orders[s]));
  }
}

}  // namespace s3d
