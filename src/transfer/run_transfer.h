// A transfer of runs: writes many small boxes without a plan. Ranks send to aggregators, range by range of
// the file, what they bring of it; the aggregators put it together in a buffer, and store what was brought.
#pragma once

#include <span>
#include <vector>

#include "comm/comm.h"
#include "store/store.h"
#include "transfer/array_boxes.h"

namespace esker {

struct RunOptions {
  EndOfArray end_of_array;
  Index memory_bytes = 0;  ///< that it may use; equal on all ranks, as all options
  Index buffer_bytes = 0;  ///< of an aggregator; 0: chosen
  int aggregators = 0;     ///< 0: chosen, at most `most_writers`
  int most_writers = 0;    ///< 0: all ranks
};

/// Writes what all ranks bring to `file`, which is this rank's. Where boxes overlap, the highest rank wins,
/// and of one rank the last box. Returns whether values of each did not fit in the type of the file, and
/// became its fill value; also values that others overwrite. Time grows with the samples, the boxes, and the
/// boxes times the rounds that their array needs. Collective; errors are those of all ranks: storage,
/// kOutOfMemory, `local`: the status of this rank.
Result<std::vector<bool>> put_runs(Comm& comm, const Status& local, std::span<const ArrayBoxes> mine,
                                   File& file, const RunOptions& options);

}  // namespace esker
