// SampleMask: which samples of a piece are held, one byte per sample, in the order of the piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "esker/types/box.hpp"
#include "grid/copy_samples.h"
#include "grid/order.h"

namespace esker {

class SampleMask {
 public:
  /// For the samples of a piece, all of them not held at first. `memory` has a byte for each and outlives
  /// this object.
  explicit SampleMask(std::span<std::byte> memory) : held_(memory) {
    std::fill(held_.begin(), held_.end(), std::byte{});
  }

  /// The samples `indices` of a part of the piece are held. `first_sample`: where the part begins in the
  /// piece.
  void hold(const Box& indices, const SampleOrder& order, Index first_sample) {
    copy_samples(1, &kHeld, SampleMap::strided(indices, {}), held_.data() + first_sample,
                 SampleMap::ordered(indices, order, 1));
  }

  /// Calls visit(begin, end) for each run of consecutive samples that are held, in order. Stops at an error.
  template <class Visit>
  auto for_each_run(const Visit& visit) const -> decltype(visit(Index{}, Index{})) {
    auto from = held_.begin();
    while ((from = std::find(from, held_.end(), kHeld)) != held_.end()) {
      const auto to = std::find(from, held_.end(), std::byte{});
      auto status = visit(static_cast<Index>(from - held_.begin()), static_cast<Index>(to - held_.begin()));
      if (!status.ok()) return status;
      from = to;
    }
    return {};
  }

 private:
  static constexpr std::byte kHeld{1};
  std::span<std::byte> held_;
};

}  // namespace esker
