// plan_step: what writing a step would move and need on N ranks - without ranks and without data.
//
//   const auto split = [](const esker::Grid&) {
//     return esker::BrickDecomposition::near_cubic(3, {512, 512, 512}, 4096);
//   };
//   std::cout << esker::plan_step(schema, 4096, split).value().to_string();
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/decomposition.hpp"
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

/// How many messages of a step have least_bytes ... 2 * least_bytes - 1 bytes.
struct ESKER_API MessageBin {
  Index least_bytes = 0;
  Index to_relays = 0;       ///< in restructured boxes and of coarse levels
  Index to_aggregators = 0;  ///< with one phase: parts of blocks that ranks write themselves
};

/// What a step would move and need, and how evenly.
struct ESKER_API PlanReport {
  int ranks = 0;
  int writers = 0;      ///< ranks that write
  int aggregators = 0;  ///< ranks that collect samples; some may have none
  Index files = 0;
  Index blocks = 0;        ///< of all fields; of other formats: pieces that windows are made of
  Index data_bytes = 0;    ///< samples
  Index stored_bytes = 0;  ///< data in files, padding included, without headers
  Index rounds = 0;        ///< of exchange and store, on the rank that has most
  OverRanks messages;      ///< sent to other ranks
  OverRanks senders;       ///< ranks that a rank gets samples from in one hop of a round, at most
  OverRanks sent_bytes;    ///< to other ranks
  OverRanks written_bytes;
  OverRanks buffer_bytes;                 ///< what the exchange takes of the memory budget, by messages
  Index burst_bytes = 0;                  ///< samples per aggregator, the mean
  std::vector<MessageBin> message_sizes;  ///< ascending, without bins at the ends that hold none

  // Restructuring, of all grids together: boxes that hold samples, samples per box volume, and ranks that
  // receive boxes.
  Index boxes = 0;
  double volume_ratio = 0;
  Index receivers = 0;

  /// The most ranks that any one hears from at a time.
  [[nodiscard]] Index max_fan_in() const { return senders.max; }
  /// What the rank that needs most takes of the memory budget.
  [[nodiscard]] Index peak_bytes_per_rank() const { return buffer_bytes.max; }
  /// A few lines of text.
  [[nodiscard]] std::string to_string() const;
};

/// The boxes of `grid`'s fields that a rank puts, in the grid's axes.
using BoxesOfRank = std::function<std::vector<Box>(int rank, const Grid& grid)>;

/// Asked some times a second, by the calling thread: where it returns false, planning ends with kCancelled.
/// What it throws passes.
using GoesOn = std::function<bool()>;

/// Plans the first step of a new dataset, to which all fields are put, as Writer would, in any format;
/// stripes are those of the options, and x is the patches' fastest axis in memory. Local; nothing is written.
/// Exact; time grows with the samples of pieces that the ranks hold, pair by pair, memory with the number of
/// ranks (with options.aggregate = false: with their runs). Errors: those of defining (kInvalidArgument),
/// boxes that do not cover each grid exactly once, a memory budget too small (kOutOfMemory).
ESKER_API Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const BoxesOfRank& boxes,
                                       const Options& options = {}, const GoesOn& goes_on = {});

/// How `grid` is split; rank r holds part r, ranks beyond the last part hold none.
using SplitOfGrid = std::function<Result<BrickDecomposition>(const Grid& grid)>;

/// The same for Cartesian splits, of which nothing is kept per rank: a million ranks take about a minute.
ESKER_API Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const SplitOfGrid& split,
                                       const Options& options = {}, const GoesOn& goes_on = {});

}  // namespace esker
