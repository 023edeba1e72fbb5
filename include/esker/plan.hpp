// plan_step: what writing a step would move and need on N ranks - without ranks and without data.
//
//   const auto parts = esker::BrickDecomposition::near_cubic(3, {512, 512, 512}, 4096).value();
//   const auto mine = [&](int rank, const esker::Grid&) { return std::vector{parts.box(rank)}; };
//   std::cout << esker::plan_step(schema, 4096, mine).value().to_string();
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/export.h"
#include "esker/options.hpp"
#include "esker/schema.hpp"
#include "esker/status.hpp"

namespace esker {

/// Least, mean and most over the ranks.
struct ESKER_API OverRanks {
  Index min = 0, max = 0;
  double mean = 0;
};

/// What a step would move and need, and how evenly.
struct ESKER_API PlanReport {
  int ranks = 0;
  int writers = 0;  ///< ranks that write
  Index files = 0;
  Index blocks = 0;        ///< of all fields
  Index data_bytes = 0;    ///< samples
  Index stored_bytes = 0;  ///< block data in files, padding included
  Index rounds = 0;        ///< of exchange and store, on the rank that has most
  OverRanks messages;      ///< sent to other ranks
  OverRanks senders;       ///< ranks that a rank gets samples from in one round, at most
  OverRanks sent_bytes;    ///< to other ranks
  OverRanks written_bytes;
  OverRanks buffer_bytes;  ///< what the exchange takes of the memory budget
  /// A few lines of text.
  [[nodiscard]] std::string to_string() const;
};

/// The boxes of `grid`'s fields that a rank puts, in the grid's axes.
using BoxesOfRank = std::function<std::vector<Box>(int rank, const Grid& grid)>;

/// Plans the first step of a new dataset, to which all fields are put, as Writer would. Local; nothing is
/// written. Memory and time grow with the number of blocks times the number of ranks. Errors: those of
/// defining (kInvalidArgument), boxes that do not cover each grid exactly once, a memory budget too small
/// (kOutOfMemory).
ESKER_API Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const BoxesOfRank& boxes,
                             const Options& options = {});

}  // namespace esker
