// StepPlan: everything that can be computed before the samples of steps with a certain set of fields are
// known. StepPlanner makes it collectively: which rank holds which boxes, and how samples are moved
// (exchange/prepare.h). A second step with the same plan plans and allocates nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"
#include "exchange/buffers.h"
#include "exchange/patch_list.h"
#include "exchange/piece_records.h"
#include "exchange/prepare.h"
#include "format/format_writer.h"
#include "plan/file_pattern.h"
#include "plan/policy.h"
#include "write/boxes.h"
#include "write/cell_coding.h"
#include "write/mean_levels.h"
#include "write/part_sums.h"
#include "write/piece_compressor.h"
#include "write/raw_pieces.h"
#include "write/report.h"

namespace esker {

/// The plan for steps that hold a certain set of fields, and of sparse steps certain blocks of them.
struct StepPlan {
  std::vector<bool> due;    ///< [position in the schema]
  std::vector<int> fields;  ///< due, positions in the schema
  std::unique_ptr<StepLayouts> layouts;
  PieceSpace space;
  /// [layout][position in its list of fields]: position in the schema, -1 for fields that are not due.
  std::vector<std::vector<int>> fields_of_layouts;
  std::vector<PatchBoxes> boxes;  ///< boxes of this rank when the plan was made: [position in fields]
  Prepared exchange;
  PieceRecords records;
  PartSums part_sums;
  RawPieces raw_pieces;
  std::unique_ptr<CellCoding> cells;            ///< null: no fields have stored bits
  std::unique_ptr<MeanLevels> means;            ///< null: no coarse fields are means
  std::unique_ptr<PieceCompressor> compressor;  ///< null: no pieces are compressed
  std::vector<double> max_errors;  ///< [position in the schema], of the last step; then infinite_fields()
  std::vector<PatchList> patches;  ///< patches of this rank in the current step: [column]
  std::unique_ptr<SharedBoxes> shared;       ///< of sparse steps, whose blocks change where boxes do not
  std::vector<int> dense_axes;               ///< StepHints
  KeptFields kept;                           ///< of a sparse step
  int raised_from = 0;                       ///< StepReport
  std::vector<std::vector<std::byte>> fill;  ///< with the option `partial`: fill value of each column
  Index files = 0, data_bytes = 0;
  Index mesh_list_bytes = 0;  ///< StepInput::patches_of_meshes, while a step is written
  bool aggregates = true;     ///< ExchangePolicy::aggregate
  bool ready = false;
};

/// Memory of a plan: of its lists, the patches and their boxes, and for compressing. Local.
Index memory_of(const StepPlan& plan);

/// The fields of a plan that are due, by position in the schema, and the boxes of this rank. Local.
void take_fields(StepPlan& plan, const Schema& schema, const std::vector<bool>& due,
                 const std::vector<PatchList>& patches);

/// Lays out these fields, and of a sparse step the blocks that are kept; this rank contributes `patches`.
/// Local.
void lay_out(StepPlan& plan, const FormatWriter& format, const StepHints& hints,
             const std::vector<PatchList>& patches);

/// The patches of a step for each column, from those of each field of the schema; they point to the first
/// component of the column. Those of means, which have their own memory, are empty as long as that is
/// missing. Local.
void take_patches(StepPlan& plan, const std::vector<PatchList>& patches);

/// Whether a thread can do the storing. MPI-IO only works on the thread that MPI was initialized for.
inline bool can_store_in_thread(const Options& options) { return options.storage == Storage::kPosix; }

/// The largest errors that compression made in the step of each field, on any rank. Collective, allocates
/// nothing.
void find_max_errors(Comm& comm, StepPlan& plan);
/// [position in the schema] 1 for fields with finite samples of the last step that are read as infinity.
/// After find_max_errors().
std::span<const double> infinite_fields(const StepPlan& plan);

/// The records of the layouts that join, on rank 0: StoredStep::records. Local.
std::vector<std::span<const PieceRecord>> records_of_joined(const StepPlan& plan);

class StepPlanner {
 public:
  /// `pattern` and `buffers` must outlive this object.
  StepPlanner(Comm& comm, const Options& options, const FilePattern& pattern, ExchangeBuffers& buffers)
      : comm_(&comm), pattern_(&pattern), buffers_(&buffers) {
    policy_.memory_budget_bytes = options.memory_budget_bytes;
    follow(options, policy_for_writing(options, comm.size()));
  }

  /// Plans made from now on follow these options, except for their memory budget. `policy`: that for writing
  /// with them. The same on all ranks. Local, allocates nothing.
  void follow(const Options& options, ExchangePolicy policy);

  /// Plans made from now on, with their buffers, fit in `bytes`. The same on all ranks. Local.
  void set_memory_budget(Index bytes) { policy_.memory_budget_bytes = bytes; }
  /// Completes a plan that is laid out. `boxes`: of its fields. Collective; errors are agreed on all ranks: a
  /// budget that is too small, memory.
  Status make(StepPlan& plan, const Schema& schema, SharedBoxes& boxes);
  /// This plan is the last one.
  void use(const StepPlan& plan) { transport_report_ = {plan.exchange.used, plan.exchange.reason}; }
  /// The memory that the last plan uses.
  [[nodiscard]] const TransportReport& transport_report() const { return transport_report_; }
  /// Memory that plans use one after the other, in addition to what each has.
  [[nodiscard]] Index common_bytes() const { return level_memory_.size_bytes(); }

 private:
  void choose_threads();
  Status plan_cells(StepPlan& plan, const Schema& schema, SharedBoxes& boxes, ExchangePolicy& policy);
  Status connect_heads(StepPlan& plan, const std::vector<FieldPatches>& fields);
  void make_room_for_means(StepPlan& plan);

  Comm* comm_;
  int threads_ = 0;  ///< that compress; 0: not chosen yet
  ExchangePolicy policy_;
  bool may_write_alone_ = false;  ///< without aggregation, although the options do not say so
  const FilePattern* pattern_;
  ExchangeBuffers* buffers_;
  LevelMemory level_memory_;
  TransportReport transport_report_;
};

}  // namespace esker
