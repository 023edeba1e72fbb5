// StepPlan: all that is known of steps that hold a certain set of fields, before their samples. StepPlanner
// makes it with all ranks together: which rank holds what, and what moving it takes (exchange/prepare.h), so that
// a second step plans and allocates nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/options.hpp"
#include "esker/schema.hpp"
#include "exchange/buffers.h"
#include "exchange/patch_list.h"
#include "exchange/piece_sums.h"
#include "exchange/prepare.h"
#include "format/format_writer.h"
#include "plan/file_pattern.h"
#include "plan/policy.h"
#include "write/report.h"

namespace esker {

/// The plan for the steps that hold a certain set of fields.
struct StepPlan {
  std::vector<bool> due;    ///< [position in the schema]
  std::vector<int> fields;  ///< due, positions in the schema
  std::unique_ptr<StepLayouts> layouts;
  PieceSpace space;
  std::vector<PatchBoxes> boxes;  ///< mine, when the plan was made: [position in fields]
  Prepared exchange;
  PieceSums sums;
  std::vector<PatchList> patches;  ///< mine, of the step at hand: [column]
  Index files = 0, data_bytes = 0;
  bool ready = false;
};

/// What the lists of a plan take of memory: its own, the patches, and their boxes. Local.
Index memory_of(const StepPlan& plan);

/// Lays out the fields that are due (by position in the schema), of which this rank brings `patches`. Local.
void lay_out(StepPlan& plan, const Schema& schema, std::vector<bool> due, const FormatWriter& format,
             const StepHints& hints, const std::vector<PatchList>& patches);

/// The patches of a step for each column, from those of each field of the schema: they point to its first
/// component. Local.
void take_patches(StepPlan& plan, const std::vector<PatchList>& patches);

/// Whether a thread may store. MPI-IO is for the one that MPI knows.
inline bool may_store_in_thread(const Options& options) {
  return options.store_thread.value_or(true) && options.storage == Storage::kPosix;
}

class StepPlanner {
 public:
  /// `pattern` and `buffers` outlive it.
  StepPlanner(Comm& comm, const Options& options, const FilePattern& pattern, ExchangeBuffers& buffers)
      : comm_(&comm),
        policy_(policy_for_writing(options, comm.size())),
        pattern_(&pattern),
        buffers_(&buffers) {}

  /// Plans that are made from now on fit in `bytes`, with their buffers. The same on all ranks. Local.
  void set_memory_budget(Index bytes) { policy_.memory_budget_bytes = bytes; }
  /// Completes a plan that is laid out; `context` says in errors which step it is for. Collective; errors are
  /// those of all ranks: boxes that do not cover a grid exactly once, a budget that is too small, memory.
  Status make(StepPlan& plan, const Schema& schema, const std::string& context);
  /// What the last plan uses.
  [[nodiscard]] const TransportReport& transport_report() const { return transport_report_; }

 private:
  Comm* comm_;
  ExchangePolicy policy_;
  const FilePattern* pattern_;
  ExchangeBuffers* buffers_;
  TransportReport transport_report_;
};

}  // namespace esker
