// WritePipeline: the collective part of writing - create or append, step, rewind, close - for any format.
//
// A step: agree (opening) -> plan, if a patch list changed -> exchange and store -> headers -> agree
// (closing) -> commit, or discard. Between the two agreements, a rank that fails (file or memory errors)
// still sends and receives its messages, so that no rank waits forever (shared rules, agreement). All other
// local work is between agreements, too, in all_do() and root_does(), which also catch exceptions.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/step_report.hpp"
#include "exchange/patch_list.h"
#include "exchange/run.h"
#include "format/format_writer.h"
#include "store/store.h"
#include "tune/parallel/step_tuner.h"
#include "write/choose_pattern.h"
#include "write/report.h"
#include "write/step_files.h"
#include "write/step_input.h"
#include "write/step_plan.h"
#include "write/step_traffic.h"
#include "write/timeline.h"
#include "write/unsynced_steps.h"

namespace esker {

class WritePipeline final : private Comm::EndListener {
 public:
  /// Seconds that a rank which ends the writer waits for ranks that may be in calls of another writer.
  static constexpr double kPatience = 60;

  /// Collective: checks that the dataset can be created and takes its lock. Rank 0's options apply to all.
  static Result<std::unique_ptr<WritePipeline>> create(std::shared_ptr<Comm> comm,
                                                       std::shared_ptr<Store> store, const std::string& path,
                                                       const Result<Options>& options);
  WritePipeline(const WritePipeline&) = delete;
  WritePipeline& operator=(const WritePipeline&) = delete;
  ~WritePipeline() { comm_->remove_end_listener(this); }

  /// Collective: opens the existing dataset at `path` for appending, and thus learns its schema, after
  /// removing what an unfinished step left. Its format is that of its files unless the options name one. If
  /// the halves of a dataset in two formats differ in steps later than `to_time`, these steps are dropped.
  static Result<std::unique_ptr<WritePipeline>> append(std::shared_ptr<Comm> comm,
                                                       std::shared_ptr<Store> store, const std::string& path,
                                                       const Result<Options>& options,
                                                       const std::optional<double>& to_time = std::nullopt);
  /// Collective, once, before the first step of a new dataset: the schema is final.
  Status define(const Status& local, const Schema& schema);
  /// Collective: moves and commits one step. All or nothing; the same result on all ranks.
  Status write_step(const StepInput& input);
  /// Collective: uncommits steps with a later time than `time`, and removes their files.
  Status rewind(const Status& local, double time);
  /// The first step that a power failure may have damaged, after append; nothing on ranks other than 0.
  [[nodiscard]] std::optional<Index> lost_from() const { return unsynced_.lost_from(); }
  /// Collective: syncs these steps, which the caller has verified, and appends after them.
  Status accept_lost_steps();
  /// Collective: makes data durable if requested, writes the report, releases the lock. Returns when all
  /// ranks have closed or abandoned. If other ranks are in other calls, these fail, and so does this one. It
  /// then waits for the other ranks like abandon(). `mismatch`: what this rank already knows about ranks in
  /// other calls.
  Status close(const Status& local, Status mismatch = {}, double patience_s = kPatience);
  /// The same for a rank that accepts other ranks in any call: it fails with `reason` only. If the other
  /// ranks are in no call after `patience_s` seconds, it leaves. The communicator is then unusable, also for
  /// the other ranks when they arrive.
  Status abandon(const Status& reason, double patience_s = kPatience);

  [[nodiscard]] const Schema& schema() const { return schema_; }
  /// FormatWriter::check_mesh().
  [[nodiscard]] Status check_mesh(const Mesh& mesh) const { return format_->check_mesh(mesh); }
  /// The committed steps.
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// Bytes of patch copies that a step may hold.
  [[nodiscard]] Index most_copied_bytes() const { return options_.memory_budget_bytes / 2; }
  /// The cost of the steps that this pipeline wrote.
  [[nodiscard]] const std::vector<StepReport>& steps() const { return steps_; }
  /// Collective.
  Result<RunReport> report();

 private:
  WritePipeline(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store,
                std::unique_ptr<FormatWriter> format, Options options, const FilePattern& pattern);
  static Result<std::unique_ptr<WritePipeline>> open(const std::shared_ptr<Comm>& comm,
                                                     const std::shared_ptr<Store>& store,
                                                     const char* operation, const std::string& path,
                                                     const Result<Options>& options);
  Status restore(const std::optional<double>& to_time);
  void comm_ends() override { release_alone(); }
  void release_alone();

  /// The schema and the fields of what a step stores: those of the dataset, unless it has level fields.
  [[nodiscard]] const Schema& stored_schema(const StepInput& input) const {
    return input.schema ? *input.schema : schema_;
  }
  [[nodiscard]] std::vector<bool> fields_stored(const StepInput& input) const;
  [[nodiscard]] Status check_space(const StepPlan& plan) const;
  /// What a rank contributes to the opening of a step.
  struct Prepared {
    StepPlan* plan = nullptr;
    bool stale = true;       ///< the plan does not fit
    bool keeps = false;      ///< the step is sparse, by the rules of this rank
    std::uint64_t hash = 0;  ///< hash of the arguments
    std::string arguments;   ///< the arguments as text
  };
  Status write_flat_step(const StepInput& input);
  Status store_step(StepPlan& plan, const StepInput& input, const Stopwatch& watch, double opening_s);
  [[nodiscard]] std::string workload_of(const StepInput& input);
  Status prepare(const StepInput& input, Prepared& prepared);
  /// Which plan a step has.
  struct PlanKey {
    std::vector<bool> due;
    bool is_sparse = false;
    friend auto operator<=>(const PlanKey&, const PlanKey&) = default;
  };
  Status forget_choices();
  [[nodiscard]] bool take_plan(const StepInput& input, StepPlan*& plan);
  Status make_step_plan(const StepInput& input, StepPlan*& plan);
  Status try_step_plan(StepPlan& plan, const StepInput& input);
  Status take_setting(const StepInput& input, StepPlan*& plan, bool& is_planned);
  void exchange_plans(Setting&& next) noexcept;
  /// Calls `tell` on rank 0 if the run is tuned. Without memory the tuner does not hear it, and the run goes
  /// on. Not a std::function, which itself may need memory.
  template <class Tell>
  void tell_tuner(const Tell& tell) {
    if (!tuner_ || comm_->rank() != 0) return;
    (void)guarded("tune", [&] {
      tell();
      return Status();
    });
  }
  Status make_sparse_plan(const StepInput& input, StepPlan*& plan);
  Result<SharedBoxes> begin_plan(StepPlan& plan, const StepInput& input);
  Status begin_sparse_plan(StepPlan& plan, const StepInput& input);
  Result<KeptFields> find_regions(const StepInput& input, StepPlan*& plan);
  Status lay_out_and_plan(StepPlan& plan, const StepInput& input, SharedBoxes& boxes);
  [[nodiscard]] bool fits(const StepPlan& plan, Index step) const;
  [[nodiscard]] bool keeps(const StepInput& input) const {
    return !input.keep.empty() || options_.keep_level < 0;
  }
  Status make_room_for_copies(const StepInput& input);
  Status prepare_places(StepPlan& plan, const StepInput& input);
  Status move(StepPlan& plan, const StepInput& input, StepFiles& files);
  Status finish(const StepPlan& plan, const StepInput& input, StepFiles& files);
  [[nodiscard]] std::vector<int> led_partitions(const StepPlan& plan) const;
  Status commit_partitions(const StepPlan& plan, const StoredStep& stored, bool durable);
  Status undo_commit(const StoredStep& stored, bool began_partitions, bool durable);
  void settle_indexes(Index num_steps);
  Status commit(StepPlan& plan, const StepInput& input, StepFiles& files);
  void discard(Index step, StepFiles& files);
  Status reclaim(bool durable);
  [[nodiscard]] std::string default_report() const;
  Status remove_old_report();
  Status create_files();
  [[nodiscard]] UnsyncedSteps::PathsOf paths_of_steps() const;
  Status meet_to_close(const Status& local, Status& mismatch, double patience_s, bool waits_first);
  Status end_together(Status status);
  Status sync_all();
  void begin_counting();
  Index count_stored(const StepPlan& plan);
  Index count_on_meshes(const StepInput& input);
  void report_partitions(const StepPlan& plan, StepReport& step);
  void report_kept(const StepPlan& plan, StepReport& step);
  void report_infinite(const StepPlan& plan, Index step);
  [[nodiscard]] std::vector<std::string> infinity_warnings() const;
  void record_step(const StepPlan& plan, const StepInput& input, double seconds, double opening_s);
  void observe_step(const StepPlan& plan, const StepInput& input, TunedStep step);
  Status add_details(RunReport& report);
  Result<StorageReport> storage_report();
  Status write_report();

  std::shared_ptr<Comm> comm_;
  std::shared_ptr<Store> store_;
  std::unique_ptr<FormatWriter> format_;
  Options options_;
  FilePattern file_pattern_;
  std::string top_;  // the directory that holds the dataset
  Schema schema_;
  UnsyncedSteps unsynced_;  // rank 0
  bool defined_ = false;
  bool created_ = false;        // the files of a dataset without steps exist
  bool has_leftovers_ = false;  // of a step whose files could not be removed
  bool holds_copies_ = false;   // some rank has put copies, which share the memory budget with the buffers
  bool is_found_ = false;       // the dataset existed, perhaps durable: it must not be endangered
  double stored_over_raw_ = 0;  // of the last step with compressed pieces; 0: none yet
  bool store_waits_ = false;    // on this rank, storing was mostly waiting in the last step
  using Plans = std::map<PlanKey, StepPlan>;
  Plans plans_;
  Setting setting_;  // that tuning chose for these plans
  static constexpr std::size_t kMostEarlier = 2;
  std::vector<std::pair<Setting, Plans>> earlier_plans_;  // with settings before it, the latest at the end
  ExchangeBuffers buffers_;
  StepPlanner planner_;
  std::unique_ptr<StepTuner> tuner_;    // null: not tuned
  std::string schema_hash_;             // as text; with a tuner
  std::unique_ptr<Timeline> timeline_;  // null: not recorded
  RankCounters counters_;
  RankCounters critical_;  // the phases of the steps in which the others waited for this rank
  StepTraffic traffic_;
  /// At the begin of the step.
  struct Before {
    RankCounters counters;
    Index allocated_bytes = 0;
    double reserving_s = 0;
  } before_;
  std::vector<double> times_;
  std::vector<StepReport> steps_;
  std::map<std::size_t, Index>
      infinite_;  // field: the first step with finite values that are read as infinity
  std::map<Index, std::vector<std::string>> written_paths_;  // per step; only with Fsync::kClose
  std::set<int> led_;  // partitions that this rank has committed; likewise
};

}  // namespace esker
