#include "root_copy.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

/// MPI 3 counts by int.
int count_of(Index n) {
  if (n > INT_MAX) throw std::runtime_error("a field has more samples than one MPI call gathers");
  return static_cast<int>(n);
}

}  // namespace

RootCopy::RootCopy(MPI_Comm comm, const Workload& workload) : comm_(comm) {
  int n_ranks = 1;
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &n_ranks);
  for (const FieldMemory& memory : workload.fields) {
    const GridExtent& grid = workload.grids[static_cast<std::size_t>(memory.grid)];
    const Box whole = Box::from_extent(grid.rank, grid.extent);
    Field field{whole, memory.components, std::vector<Box>(is_root() ? n_ranks : 0, whole), {}, {}};
    Point corners[2] = {memory.box.lo, memory.box.hi};
    std::vector<Point> all(is_root() ? 2 * static_cast<std::size_t>(n_ranks) : 0);
    MPI_Gather(corners, 2 * esker::kMaxRank, MPI_INT64_T, all.data(), 2 * esker::kMaxRank, MPI_INT64_T, 0,
               comm);
    my_counts_.push_back(count_of(memory.num_samples()));
    Index place = 0;
    for (std::size_t r = 0; r < field.boxes.size(); ++r) {
      field.boxes[r] = Box(whole.rank, all[2 * r], all[2 * r + 1]);
      const Index count = field.boxes[r].num_samples() * field.components;
      field.places.push_back(count_of(place));
      field.counts.push_back(count_of(count));
      place += count;
    }
    fields_.push_back(std::move(field));
  }
}

const double* RootCopy::gather(std::size_t f, const double* part) {
  make_room(f);
  const Field& field = fields_[f];
  MPI_Gatherv(part, my_counts_[f], MPI_DOUBLE, parts_.data(), field.counts.data(), field.places.data(),
              MPI_DOUBLE, 0, comm_);
  for_each_row(field, [&](Index in_whole, Index in_parts, Index n) {
    std::memcpy(&whole_[static_cast<std::size_t>(in_whole)], &parts_[static_cast<std::size_t>(in_parts)],
                static_cast<std::size_t>(n) * sizeof(double));
  });
  return whole_.data();
}

double* RootCopy::whole(std::size_t f) {
  make_room(f);
  return whole_.data();
}

void RootCopy::scatter(std::size_t f, double* part) {
  const Field& field = fields_[f];
  for_each_row(field, [&](Index in_whole, Index in_parts, Index n) {
    std::memcpy(&parts_[static_cast<std::size_t>(in_parts)], &whole_[static_cast<std::size_t>(in_whole)],
                static_cast<std::size_t>(n) * sizeof(double));
  });
  MPI_Scatterv(parts_.data(), field.counts.data(), field.places.data(), MPI_DOUBLE, part, my_counts_[f],
               MPI_DOUBLE, 0, comm_);
}

void RootCopy::make_room(std::size_t f) {
  if (!is_root()) return;
  const auto samples = static_cast<std::size_t>(fields_[f].grid.num_samples() * fields_[f].components);
  if (whole_.size() >= samples) return;
  whole_.resize(samples);
  parts_.resize(samples);
}

template <class Visit>
void RootCopy::for_each_row(const Field& field, const Visit& visit) {
  Index in_parts = 0;
  for (const Box& box : field.boxes) {
    const Index row = box.extent(0);
    const Index n_rows = box.empty() ? 0 : box.num_samples() / row;
    for (Index c = 0; c < field.components; ++c) {
      Point p = box.lo;
      for (Index n = 0; n < n_rows; ++n) {
        Index in_whole = c;
        for (int a = box.rank; a-- > 0;) in_whole = in_whole * field.grid.extent(a) + p[a];
        visit(in_whole, in_parts, row);
        in_parts += row;
        for (int a = 1; a < box.rank; ++a) {
          if (++p[a] < box.hi[a]) break;
          p[a] = box.lo[a];
        }
      }
    }
  }
}

}  // namespace bench
