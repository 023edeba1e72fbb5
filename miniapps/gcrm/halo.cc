#include "halo.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace gcrm {
namespace {

int message_values(Index cells, Index width) {
  const Index n = cells * width;
  if (n > std::numeric_limits<int>::max()) throw std::length_error("halo message of more than 2^31 values");
  return static_cast<int>(n);
}

void sort_unique(auto& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

Border find_border(const Panels& panels, const Pieces& pieces, int rank) {
  Border border;
  border.own = pieces.of(rank);
  for (Index cell = border.own.first; cell < border.own.last; ++cell) {
    const Ring ring = panels.ring(cell);
    for (int m = 0; m < ring.size; ++m) {
      const Index neighbor = ring.cells[m];
      if (neighbor >= border.own.first && neighbor < border.own.last) continue;
      border.ghosts.push_back(neighbor);
      border.wanted.emplace_back(pieces.owner(neighbor), cell);
    }
  }
  sort_unique(border.ghosts);
  sort_unique(border.wanted);
  return border;
}

Halo::Halo(MPI_Comm comm, const Pieces& pieces, const Border& border) : comm_(comm) {
  for (const auto& [rank, cell] : border.wanted) {
    if (sends_.empty() || sends_.back().rank != rank) {
      sends_.push_back({rank, static_cast<Index>(sent_.size()), 0});
    }
    ++sends_.back().count;
    sent_.push_back(cell - border.own.first);
  }
  Index position = border.own.size();
  for (const Index ghost : border.ghosts) {
    const int rank = pieces.owner(ghost);
    if (receives_.empty() || receives_.back().rank != rank) receives_.push_back({rank, position, 0});
    ++receives_.back().count;
    ++position;
  }
}

void Halo::exchange(std::vector<double>& values, Index width) const {
  std::vector<MPI_Request> requests;
  requests.reserve(sends_.size() + receives_.size());
  for (const Message& m : receives_) {
    MPI_Irecv(values.data() + m.first * width, message_values(m.count, width), MPI_DOUBLE, m.rank, 0, comm_,
              &requests.emplace_back());
  }
  std::vector<double> packed(sent_.size() * width);
  for (std::size_t k = 0; k < sent_.size(); ++k) {
    std::copy_n(values.data() + sent_[k] * width, width, packed.data() + k * width);
  }
  for (const Message& m : sends_) {
    MPI_Isend(packed.data() + m.first * width, message_values(m.count, width), MPI_DOUBLE, m.rank, 0, comm_,
              &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace gcrm
