// Timeline: what ranks did when, in the last steps of a run (option report_timeline).
//
// A rank records in two rows: its own work, and what is done for storing, which a thread may do meanwhile.
// What that thread clears in buffers is in neither. Clocks of nodes differ, so times in a step count from the
// moment in which the ranks agreed to begin it.
#pragma once

#include <vector>

#include "base/spans.h"
#include "comm/comm.h"
#include "format/json_writer.h"
#include "write/report.h"

namespace esker {

class Timeline {
 public:
  /// If there are more ranks, so many of them record, at equal distances.
  static constexpr int kMostRanks = 64;
  /// Of all ranks together: 24 bytes each in memory, at most 32 as JSON, so at most 1 MiB.
  static constexpr std::size_t kMostSpans = std::size_t{1} << 15;

  /// Throws std::bad_alloc.
  Timeline(int rank, int n_ranks);

  /// What is added to these counters becomes part of the timeline, which must outlive them.
  void record(RankCounters& counters);
  /// The ranks have agreed to begin a step, just now. A step before it that was not kept is forgotten.
  void begin_step(Index step);
  /// The step is committed.
  void keep_step();

  /// Collective; the same on all ranks. Errors are those of all ranks: kOutOfMemory.
  Result<TimelineReport> gather(Comm& comm) const;

 private:
  int stride_;  // every so many ranks records
  bool records_;
  Spans::Clock::time_point origin_;
  Spans work_, store_;
};

/// The latest steps of each rank, with their spans in microseconds since the step began: "kind begin length
/// kind begin length ...". Oldest first. A step whose first spans were lost in a row names that row in "cut".
void write_timeline(JsonWriter& json, const TimelineReport& timeline);

}  // namespace esker
