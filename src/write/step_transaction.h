// StepTransaction: one step, from the first agreement of the ranks to its commit. It owns what must be
// undone: a transaction that is left without a commit discards the step.
//
// clang-format off
//   new --open--> open --plan--> planned --move--> moved --complete--> complete --commit--> committed
//                                                            |                       |
//                                                            +------> failed <-------+----> doubtful, see commit()
// clang-format on
//
// All transitions are collective, and have the same result on all ranks. After one that fails, the
// transaction can only be left. A step that is moved, complete or failed is then discarded, by all ranks
// together; while an exception passes, a rank only removes its own files. Between agreements a rank that
// fails still sends and receives its messages, so that no rank waits forever. With a queue, a thread stores
// the step between move() and complete(), while the program computes. Source of the order of a commit:
// docs/internals/architecture.md.
#pragma once

#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "comm/comm.h"
#include "write/buffer_store.h"
#include "write/open_dataset.h"
#include "write/run_record.h"
#include "write/step_files.h"
#include "write/step_input.h"
#include "write/step_plan.h"
#include "write/step_plans.h"
#include "write/store_queue.h"

namespace esker {

class StepTransaction {
 public:
  enum class State { kNew, kOpen, kPlanned, kMoved, kComplete, kFailed, kCommitted, kDoubtful, kLeft };

  /// All references must outlive this object. `queue`: null: move() stores. Local.
  StepTransaction(Comm& comm, OpenDataset& dataset, StepPlans& plans, RunRecord& record, StepInput input,
                  StoreQueue* queue)
      : comm_(comm),
        dataset_(dataset),
        plans_(plans),
        record_(record),
        input_(std::move(input)),
        stored_{input_.step, input_.time, {}, {}},
        queue_(queue) {}
  StepTransaction(const StepTransaction&) = delete;
  StepTransaction& operator=(const StepTransaction&) = delete;
  ~StepTransaction() {
    if (state_ == State::kMoved || state_ == State::kComplete || state_ == State::kFailed) discard();
  }

  /// The ranks agree to begin the step: no rank has an error, and all have the same step, time and
  /// `later`.
  Status open(bool later = false);
  /// The step has a plan, files and places in them.
  Status plan();
  /// The samples are stored, or queued to be stored. The memory of the patches is no longer needed. Errors
  /// are those of complete().
  void move();
  /// The samples are in the files, and the files are complete.
  Status complete();
  /// The step is visible. If a commit fails and cannot be undone, the step may be visible: then its files are
  /// kept, because a step that a reader may see must not lose its data, and the dataset has leftovers.
  Status commit();
  /// Ends a step that is not committed, without the other ranks; a later append removes its files. Local.
  void leave() noexcept;

  [[nodiscard]] State state() const { return state_; }
  /// Whether a thread stores it after move().
  [[nodiscard]] bool is_queued() const { return queue_ != nullptr; }
  /// Of a transaction that is planned.
  [[nodiscard]] const StepPlan& step_plan() const { return *plan_; }
  [[nodiscard]] const StepInput& input() const { return input_; }
  /// How long open() took.
  [[nodiscard]] double opening_s() const { return opening_s_; }

 private:
  [[nodiscard]] FormatWriter& format() const { return *dataset_.files().format; }
  [[nodiscard]] bool is_durable() const { return dataset_.files().fsync == Fsync::kStep; }
  Status prepare_places();
  void begin_compressing();
  [[nodiscard]] bool stores_ahead() const;
  [[nodiscard]] bool compresses_together() const;
  void move_now(ExchangeBuffers& buffers);
  void move_later(ExchangeBuffers& buffers);
  void count_device(const ExchangeBuffers& buffers);
  Status exchange(ExchangeBuffers& buffers, ExchangeStats& stats, const BufferStore::Queues& queues);
  void finish_queue();
  Status finish();
  void hand_over_records();
  Status gather_part_sums();
  void describe();
  [[nodiscard]] std::vector<int> led_partitions() const;
  Status commit_partitions();
  Status commit_step();
  Status undo_commit(bool began_partitions);
  void discard();

  Comm& comm_;
  OpenDataset& dataset_;
  StepPlans& plans_;
  RunRecord& record_;
  StepInput input_;
  StoredStep stored_;
  StoreQueue* queue_;
  State state_ = State::kNew;
  StepPlans::Offer offer_;
  StepPlan* plan_ = nullptr;
  std::optional<StepFiles> files_;
  ExchangeBuffers::Parts buffers_;
  std::optional<BufferStore> sink_;
  Status moved_;          // of this rank
  double encoded_s_ = 0;  // before the step
  double opening_s_ = 0;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace esker
