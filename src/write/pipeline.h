// WritePipeline: the collective part of writing - create or append, step, flush, rewind, close - for any
// format.
//
// It delegates to objects that differ in lifetime: an OpenDataset, the StepPlans of its schema, a
// StepTransaction for each step, a StoreQueue for steps that are stored later, and a RunRecord.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "write/add_coarse_fields.h"
#include "write/device_patches.h"
#include "write/open_dataset.h"
#include "write/open_target.h"
#include "write/run_record.h"
#include "write/step_input.h"
#include "write/step_plans.h"
#include "write/step_transaction.h"
#include "write/store_queue.h"

namespace esker {

class WritePipeline final : private Comm::EndListener {
 public:
  /// Seconds that a rank which ends the writer waits for ranks that may be in calls of another writer.
  static constexpr double kPatience = 60;

  /// Collective: checks that the dataset can be created and takes its lock. Rank 0's options apply to all.
  /// `lock`, on rank 0: one that the caller holds, see make_format_writer().
  static Result<std::unique_ptr<WritePipeline>> create(std::shared_ptr<Comm> comm,
                                                       std::shared_ptr<Store> store, const std::string& path,
                                                       const Result<Options>& options,
                                                       const std::shared_ptr<WriterLock>& lock = nullptr);
  /// Collective: opens the existing dataset at `path` for appending, and thus learns its schema, after
  /// removing what an unfinished step left. Its format is that of its files unless the options name one. If
  /// the halves of a dataset in two formats differ in steps later than `to_time`, these steps are dropped.
  static Result<std::unique_ptr<WritePipeline>> append(std::shared_ptr<Comm> comm,
                                                       std::shared_ptr<Store> store, const std::string& path,
                                                       const Result<Options>& options,
                                                       const std::optional<double>& to_time = std::nullopt,
                                                       const std::shared_ptr<WriterLock>& lock = nullptr);
  WritePipeline(const WritePipeline&) = delete;
  WritePipeline& operator=(const WritePipeline&) = delete;
  ~WritePipeline();

  /// Collective, once, before the first step of a new dataset: the schema is final.
  Status define(const Status& local, const Schema& schema) {
    return dataset_.define(local, schema, plans_.options().compression);
  }
  /// Collective: moves and commits one step. All or nothing; the same result on all ranks. If it is to be
  /// stored `later`, or always with the option `async`, a thread stores it when this has returned, and the
  /// next collective call commits it; that call fails if the step does. Not with MPI-IO.
  Status write_step(StepInput input, bool later = false);
  /// Collective: a step that is stored later is committed when this returns.
  Status flush();
  /// Collective: uncommits steps with a later time than `time`, and removes their files.
  Status rewind(const Status& local, double time);
  /// The first step that a power failure may have damaged, after append; nothing on ranks other than 0.
  [[nodiscard]] std::optional<Index> lost_from() const { return dataset_.files().unsynced.lost_from(); }
  /// Collective: syncs these steps, which the caller has verified, and appends after them.
  Status accept_lost_steps() { return dataset_.accept_lost_steps(); }
  /// Collective: makes data durable if requested, writes the report, releases the lock. Returns when all
  /// ranks have closed or abandoned. If other ranks are in other calls, these fail, and so does this one. It
  /// then waits for the other ranks like abandon(). `mismatch`: what this rank already knows about ranks in
  /// other calls.
  Status close(const Status& local, Status mismatch = {}, double patience_s = kPatience);
  /// The same for a rank that accepts other ranks in any call: it fails with `reason` only. If the other
  /// ranks are in no call after `patience_s` seconds, it leaves. The communicator is then unusable, also for
  /// the other ranks when they arrive.
  Status abandon(const Status& reason, double patience_s = kPatience);

  [[nodiscard]] const Schema& schema() const { return dataset_.schema(); }
  /// FormatWriter::check_mesh().
  [[nodiscard]] Status check_mesh(const Mesh& mesh) const {
    return dataset_.files().format->check_mesh(mesh);
  }
  /// The committed steps, and the one in flight.
  [[nodiscard]] const std::vector<double>& times() const { return dataset_.times(); }
  /// Patches that are in memory of an accelerator.
  [[nodiscard]] DevicePatches& device_patches() { return device_patches_; }
  /// Bytes of patch copies that a step may hold.
  [[nodiscard]] Index most_copied_bytes() { return plans_.maker().most_copied_bytes(); }
  /// The cost of the steps that this pipeline wrote.
  [[nodiscard]] const std::vector<StepReport>& steps() const { return record_.steps(); }
  /// Collective.
  Result<RunReport> report();

 private:
  WritePipeline(std::shared_ptr<Comm> comm, WriteTarget target);
  static Result<std::unique_ptr<WritePipeline>> open(const std::shared_ptr<Comm>& comm,
                                                     const std::shared_ptr<Store>& store,
                                                     const char* operation, const std::string& path,
                                                     const Result<Options>& options,
                                                     const std::shared_ptr<WriterLock>& lock);
  Status write_flat_step(StepInput input, bool later);
  Status commit_step(double before_s);
  Status commit_step_in_flight();
  Status settle(const char* operation);
  void leave() noexcept;
  void comm_ends() override { leave(); }
  Status meet_to_close(const Status& local, Status& mismatch, double patience_s, bool waits_first);
  Status end_together(Status status);

  RunRecord record_;
  std::shared_ptr<Comm> comm_;  // whose traffic the record counts
  OpenDataset dataset_;
  StepPlans plans_;
  DevicePatches device_patches_;
  StoreQueue queue_;
  CoarseFieldAdder coarse_fields_;
  std::optional<StepTransaction> step_;  // between calls: in flight, which is the same on all ranks
  double in_flight_s_ = 0;               // what write_step() took for it
};

}  // namespace esker
