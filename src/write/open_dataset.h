// OpenDataset: a dataset that a run writes, from create or append to close: its files, its lock, its schema
// and its committed steps.
//
// Functions are collective unless they say otherwise, and have the same result on all ranks. Rank 0 does what
// is done to the dataset as a whole. What a failure leaves behind is removed before the next step, or at
// close.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/schema.hpp"
#include "write/dataset_files.h"

namespace esker {

class OpenDataset {
 public:
  /// `comm` must outlive this object. Local; then create() or append(), once.
  OpenDataset(Comm& comm, std::shared_ptr<Store> store, std::unique_ptr<FormatWriter> format, Fsync fsync);
  OpenDataset(const OpenDataset&) = delete;
  OpenDataset& operator=(const OpenDataset&) = delete;

  /// A new dataset: checks that it can be created, and takes its lock.
  Status create();
  /// An existing dataset: takes its lock, learns its schema and steps, and removes what an unfinished step
  /// left. If the halves of a dataset in two formats differ in steps later than `to_time`, these are dropped.
  Status append(const std::optional<double>& to_time);
  /// Of a new dataset, once: the schema is final. Fields that name no compression get this one.
  Status define(const Status& local, const Schema& schema, const std::string& compression);
  /// Uncommits steps with a later time than `time`, and removes their files.
  Status rewind(const Status& local, double time);
  /// Syncs the steps that a power failure may have damaged, which the caller has verified.
  Status accept_lost_steps();

  /// Whether a step with this number can begin; reserves what adding it needs. Local.
  Status check_step(Index step);
  /// A lack of space on the device is better reported before the first byte than in the middle. Rank 0;
  /// local.
  [[nodiscard]] Status check_space(Index needed_bytes) const;
  /// Before the first byte of a step: creates the files of a new dataset, once the first step is known to be
  /// good, because that removes one that it replaces; removes leftovers of steps that failed.
  Status prepare_files();
  /// A step was committed. Local.
  void add_step(double time);
  /// A step that check_step() has checked counts in times() until withdraw_step(), which ends that before it
  /// is committed or discarded. Local, allocates nothing.
  void count_in_flight(double time) { times_.push_back(time); }
  void withdraw_step() { times_.pop_back(); }
  /// Removes what is left of steps that are not committed.
  Status reclaim(bool durable);
  /// The index of the ranks other than 0 lists so many steps: rank 0 has rewound it. Local.
  void settle_indexes(Index num_steps);
  /// A step that failed may be visible. It is removed before the next one. Local.
  void keep_leftovers() { has_leftovers_ = true; }

  /// The end: removes leftovers, and gives a dataset without steps its files if the run `ends_well`.
  Status finish(bool ends_well);
  /// With fsync=close: syncs all that was written.
  Status sync();
  /// Releases the lock.
  Status release();
  /// The same without the other ranks. Local.
  void release_alone() noexcept;

  // All local.
  [[nodiscard]] DatasetFiles& files() { return files_; }
  [[nodiscard]] const DatasetFiles& files() const { return files_; }
  [[nodiscard]] const Schema& schema() const { return schema_; }
  /// Of the committed steps, and of one in flight.
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// How often steps were removed.
  [[nodiscard]] Index num_rewinds() const { return num_rewinds_; }
  /// Whether its files exist.
  [[nodiscard]] bool is_created() const { return stage_ == Stage::kCreated; }
  /// Whether what was begun in a step must be undone durably: steps before it may be durable.
  [[nodiscard]] bool undoes_durably() const { return is_found_ || files_.fsync == Fsync::kStep; }

 private:
  enum class Stage { kOpened, kDefined, kCreated };

  Comm* comm_;
  DatasetFiles files_;
  Schema schema_;
  std::vector<double> times_;
  Index num_rewinds_ = 0;
  Stage stage_ = Stage::kOpened;
  bool is_found_ = false;       // existed before the run, perhaps durable: it must not be endangered
  bool has_leftovers_ = false;  // of a step whose files could not be removed
};

}  // namespace esker
