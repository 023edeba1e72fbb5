// ReadContext: parameters of a query.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

#include "esker/types/query.hpp"

namespace esker {

class BlockCache;

/// The cost of a query so far; its threads add to it. See ReadStatistics.
struct ReadCounters {
  std::atomic<Index> blocks{0}, cached_blocks{0}, missing_blocks{0}, reads{0}, bytes{0};
};

struct ReadContext {
  bool verify = false;          ///< see OpenOptions
  int threads = 1;              ///< maximum number of threads
  BlockCache* cache = nullptr;  ///< of decoded blocks, or null
  MissingBlocks missing = MissingBlocks::kAuto;
  std::function<bool(double)> progress = {};  ///< see ReadOptions
  ReadCounters* counters = nullptr;           ///< or null
  std::span<const std::byte> fill_value =
      {};        ///< of a component that is missing; empty: what the format says
  int bits = 0;  ///< to read per sample, of fields with stored bits; 0: all

  /// The context for piece `number` of `count` consecutive pieces of a query.
  [[nodiscard]] ReadContext piece(Index number, Index count) const {
    ReadContext context = *this;
    if (progress && count > 1) {
      context.progress = [whole = progress, number, count](double fraction) {
        return whole((static_cast<double>(number) + fraction) / static_cast<double>(count));
      };
    }
    return context;
  }
};

}  // namespace esker
