#include "sheets.h"

#include <algorithm>
#include <array>
#include <limits>

#include "common/checksum.h"
#include "mixture.h"

namespace s3d {

Sheets find_sheets(MPI_Comm comm, const Array& scalars, double threshold) {
  double coldest = std::numeric_limits<double>::infinity(), hottest = 0;
  std::array<Index, 2> count{};  // hot cells, all cells
  for_rows(scalars, [&](Index j, Index k) {
    const double* row = scalars.row(kT, j, k);
    for (Index i = 0; i < scalars.cells(0); ++i) {
      coldest = std::min(coldest, row[i]);
      hottest = std::max(hottest, row[i]);
      count[0] += row[i] >= threshold ? 1 : 0;
    }
    count[1] += scalars.cells(0);
  });
  const double own = static_cast<double>(count[0]) / static_cast<double>(count[1]);
  std::array<double, 4> largest{-coldest, hottest, -own, own};
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), 4, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, count.data(), 2, MPI_INT64_T, MPI_SUM, comm);
  return {-largest[0], largest[1], static_cast<double>(count[0]) / static_cast<double>(count[1]), -largest[2],
          largest[3]};
}

std::uint64_t checksum(MPI_Comm comm, const Bricks& bricks, const Array& scalars) {
  std::uint64_t sum = 0;
  for (Index s = 0; s < scalars.components(); ++s) {
    for_rows(scalars, [&](Index j, Index k) {
      const Index plane = s * bricks.cells[2] + bricks.own.lo[2] + k;
      const Index first =
          (plane * bricks.cells[1] + bricks.own.lo[1] + j) * bricks.cells[0] + bricks.own.lo[0];
      for (Index i = 0; i < scalars.cells(0); ++i) {
        sum += miniapp::hash_of(scalars.row(s, j, k)[i], first + i);
      }
    });
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

}  // namespace s3d
