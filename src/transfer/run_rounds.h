// Rounds of a transfer of runs: which ranges of the file are collected at the same time, so that no rank
// needs more memory than it may use.
#pragma once

#include <cstdint>
#include <vector>

#include "transfer/array_boxes.h"

namespace esker {

/// A part of the file in cells of equal size, and what ranks send of each: bytes of messages.
struct CellLoads {
  Index begin = 0, cell_bytes = 0;
  std::vector<std::uint64_t> most;  ///< [cell] of one rank
  std::vector<double> all;          ///< [cell] of all ranks
};

struct RunLimits {
  int n_ranks = 1;
  int n_aggregators = 1;
  Index range_cells = 1;         ///< of one aggregator
  std::uint64_t send_bytes = 0;  ///< of one rank in a round
  std::uint64_t receive_bytes = 0;
};

/// Ranges of the file that are collected at the same time, range i by aggregator i, from the ranks
/// [first_rank, last_rank).
struct RunRound {
  std::vector<FileRange> ranges;
  int first_rank = 0, last_rank = 0;
};

/// Rounds in which all cells are moved, in the order of the file; of a cell that is too much for one round,
/// lower ranks first. A rank that brings too much of one cell exceeds the limits. Pure.
std::vector<RunRound> divide_rounds(const CellLoads& loads, const RunLimits& limits);

}  // namespace esker
