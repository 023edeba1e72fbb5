// StepPlan: all that is known of steps that hold a certain set of fields, before their samples. StepPlanner
// makes it, with all ranks together: who holds what, how the step is cut to fit the budget, the transport,
// and room for all that running it takes - so that a second step plans and allocates nothing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/options.hpp"
#include "esker/schema.hpp"
#include "esker/writer.hpp"
#include "exchange/buffers.h"
#include "exchange/directory.h"
#include "exchange/message_transport.h"
#include "exchange/patch_list.h"
#include "exchange/piece_sums.h"
#include "format/format_writer.h"
#include "plan/plan.h"
#include "write/file_pattern.h"
#include "write/report.h"

namespace esker {

/// The plan for the steps that hold a certain set of fields.
struct StepPlan {
  std::vector<bool> due;    ///< [position in the schema]
  std::vector<int> fields;  ///< due, positions in the schema
  std::unique_ptr<StepLayouts> layouts;
  PieceSpace space;
  std::vector<PatchBoxes> boxes;  ///< mine, when the plan was made: [position in fields]
  Plan plan;
  std::unique_ptr<MessageTransport> transport;
  PieceSums sums;
  std::vector<PatchList> patches;  ///< mine, of the step at hand: [column]
  int writers = 0;
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

/// kInvalidArgument if options contradict each other, or one-phase writing cannot do what `layouts` need.
Status check_phases(const Options& options, const StepLayouts& layouts);

/// Whether a thread may store. MPI-IO is for the one that MPI knows.
inline bool may_store_in_thread(const Options& options) {
  return options.store_thread.value_or(true) && options.storage == Storage::kPosix;
}

class StepPlanner {
 public:
  /// All but `options` outlive it.
  StepPlanner(Comm& comm, const Options& options, const FilePattern& pattern, ExchangeBuffers& buffers)
      : comm_(&comm),
        options_(options),
        aggregators_(options.aggregators),
        pattern_(&pattern),
        buffers_(&buffers) {}

  /// Plans that are made from now on fit in `bytes`, with their buffers. The same on all ranks. Local.
  void set_memory_budget(Index bytes) { options_.memory_budget_bytes = bytes; }
  /// Completes a plan that is laid out; `context` says in errors which step it is for. Collective; errors are
  /// those of all ranks: boxes that do not cover a grid exactly once, a budget that is too small, memory.
  Status make(StepPlan& plan, const Schema& schema, const std::string& context);
  /// What has been used, or will be.
  [[nodiscard]] TransportReport transport_report() const;

 private:
  /// The columns of a step, and what they learn their boxes from.
  struct PlannedFields {
    Directory& directory;
    std::vector<FieldPatches> patches;
  };
  Status check_spread();
  void limit_aggregators(const StepPlan& plan);
  Status fit_to_budget(StepPlan& plan, PlannedFields& fields);
  [[nodiscard]] bool shares_memory() const;
  Result<Placement> place(const StepPlan& plan, const PlannedFields& fields);
  Result<Placement> place_by_pattern(const StepPlan& plan, const PlannedFields& fields);
  Result<Placement> place_near(const StepPlan& plan, const PlannedFields& fields, int n_aggregators);
  Result<Placement> make_bricks(const StepPlan& plan, const PlannedFields& fields, int n_aggregators);
  Status cut_step(StepPlan& plan, PlannedFields& fields, std::span<const int> near,
                  const Placement& placement);
  Status choose_transport(StepPlan& plan);
  void add_window(Plan& plan) const;
  Status reserve(StepPlan& plan);

  Comm* comm_;
  Options options_;  // its own: the budget may be lowered, put_types becomes put_fence where datatypes fail,
                     // and aggregators are those of the plan at hand
  int aggregators_;  // that the user asked for
  const FilePattern* pattern_;
  ExchangeBuffers* buffers_;
  Status cannot_share_;            // why not memory with the ranks of a node: messages instead
  Status cannot_spread_;           // why not derived datatypes: packed messages instead
  bool has_checked_spread_ = false;
  bool combines_by_node_ = false;  // messages of the last plan
};

}  // namespace esker
