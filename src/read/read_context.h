// ReadContext: how a query is carried out.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

#include "esker/dataset.hpp"

namespace esker {

class BlockCache;

/// What a query cost so far; its threads add to it. See ReadStatistics.
struct ReadCounters {
  std::atomic<Index> blocks{0}, cached_blocks{0}, missing_blocks{0}, reads{0}, bytes{0};
};

struct ReadContext {
  bool verify = false;          ///< as in OpenOptions
  int threads = 1;              ///< at most so many at once
  BlockCache* cache = nullptr;  ///< of decoded blocks, or null
  MissingBlocks missing = MissingBlocks::kAuto;
  std::function<bool(double)> progress = {};  ///< as in ReadOptions
  ReadCounters* counters = nullptr;           ///< or null
  std::span<const std::byte> fill_value =
      {};  ///< of a component that is missing; empty: what the format says

  /// That of piece `number` of `count` pieces of a query, one after the other.
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
