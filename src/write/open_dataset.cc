#include "write/open_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/counting.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "base/make_room.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/call_watch.h"
#include "comm/gather.h"
#include "model/mesh_arrays.h"
#include "store/commit.h"
#include "write/describe.h"
#include "write/step_files.h"

namespace esker {

OpenDataset::OpenDataset(Comm& comm, std::shared_ptr<Store> store, std::unique_ptr<FormatWriter> format,
                         Fsync fsync)
    : comm_(&comm), files_(std::move(store), std::move(format), fsync) {}

void OpenDataset::release_alone() noexcept {
  if (comm_->rank() == 0) (void)guarded("release", [this] { return files_.format->release(); });
}

Status OpenDataset::create() {
  return root_does(*comm_, "create", [&] {
    Status free = files_.format->check_target();
    return free.ok() ? remove_old_report(files_) : free;
  });
}

Status OpenDataset::append(const std::optional<double>& to_time) {
  FormatWriter& format = *files_.format;
  std::string existing;
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "append", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(existing, format.read_existing());
    return {};
  }));
  ESKER_ASSIGN_OR_RETURN(existing, share_text(*comm_, std::move(existing), 0));
  const auto take_up = [&]() -> Status {
    ESKER_RETURN_IF_ERROR(format.restore(existing));
    if (format.stores_flat()) ESKER_RETURN_IF_ERROR(check_mesh_arrays(format.schema()));
    ESKER_RETURN_IF_ERROR(format.check_steps(to_time));
    schema_ = format.schema();
    times_ = format.times();
    return {};
  };
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "append", take_up));
  is_found_ = true;
  format.protect_committed();
  ESKER_RETURN_IF_ERROR(root_does(
      *comm_, "append", [&] { return files_.unsynced.settle(std::ssize(times_), paths_of_steps(files_)); }));
  ESKER_RETURN_IF_ERROR(reclaim(true));
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "append", [&] { return remove_old_report(files_); }));
  stage_ = Stage::kCreated;
  return {};
}

Status OpenDataset::accept_lost_steps() {
  return root_does(*comm_, "accept",
                   [&] { return files_.unsynced.accept(std::ssize(times_), paths_of_steps(files_)); });
}

Status OpenDataset::define(const Status& local, const Schema& schema, const std::string& compression) {
  const CallWatch::Call call(*comm_, "define");
  std::string text;
  const Status mine = guarded("define", [&] {
    text = describe_definitions(schema);
    return local;
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{mine, "first end_step", hash_text(0, text), text, false}));
  Status status = all_do(*comm_, "define", [&] {
    schema_ = schema;
    ESKER_RETURN_IF_ERROR(schema_.set_default_compression(compression));
    if (files_.format->stores_flat()) ESKER_RETURN_IF_ERROR(check_mesh_arrays(schema_));
    return files_.format->define(schema_);
  });
  if (status.ok() && stage_ == Stage::kOpened) stage_ = Stage::kDefined;
  return status;
}

// If this fails, the steps that are still visible are undone before the next step or at close.
Status OpenDataset::rewind(const Status& local, double time) {
  const CallWatch::Call call(*comm_, "rewind");
  std::string arguments;
  const Status mine = guarded("rewind", [&] {
    arguments = fmt::format("time {:.17g}", time);
    return local;
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{mine, "rewind", hash_text(0, arguments), arguments, false}));
  if (!is_created()) return {};  // the files there are those that the first step replaces, or none
  const auto kept = std::upper_bound(times_.begin(), times_.end(), time) - times_.begin();
  const bool durable = is_found_ || files_.fsync != Fsync::kNone;
  Status status = root_does(*comm_, "rewind", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(files_.format->rewind(kept, durable));
    return files_.unsynced.rewound(kept);
  });
  has_leftovers_ = !status.ok();
  if (status.ok()) status = reclaim(durable);
  times_.resize(static_cast<std::size_t>(kept));
  ++num_rewinds_;
  settle_indexes(kept);
  files_.to_sync.forget_from(kept);
  return status;
}

Status OpenDataset::check_step(Index step) {
  if (step != std::ssize(times_)) {
    const Index next = std::ssize(times_);
    return error(Code::kWrongOrder, "step {} was begun before step {} failed: begin step {} again",
                 counted(step), counted(next), counted(next));
  }
  if (is_created() && comm_->rank() == 0) {
    ESKER_RETURN_IF_ERROR(files_.format->check_ours());
    ESKER_RETURN_IF_ERROR(files_.format->check_step_place(step));
  }
  ESKER_RETURN_IF_ERROR(files_.unsynced.check());
  make_room(times_);
  return {};
}

Status OpenDataset::check_space(Index needed_bytes) const {
  if (!is_created() && files_.format->replaces_existing()) return {};  // what it removes becomes free
  const auto free = files_.store->free_bytes(files_.top);
  if (!free.ok() || *free >= needed_bytes) return {};
  return error(Code::kIoError, "{}: No space left on device: the step needs {} bytes, {} are free",
               files_.top, needed_bytes, *free);
}

Status OpenDataset::prepare_files() {
  if (!is_created()) {
    ESKER_RETURN_IF_ERROR(root_does(*comm_, "create", [&] {
      Status created = files_.format->create(files_.fsync == Fsync::kStep);
      return created.ok() ? files_.unsynced.created() : created;
    }));
    stage_ = Stage::kCreated;
  }
  return has_leftovers_ ? reclaim(undoes_durably()) : Status();
}

void OpenDataset::add_step(double time) {
  times_.push_back(time);
  if (files_.format->num_own_indexes() > 0) files_.format->settle_indexes(std::ssize(times_));
}

// Leftovers of a failure here are removed before the next step: no step is written over leftovers.
Status OpenDataset::reclaim(bool durable) {
  Status status = root_does(*comm_, "reclaim", [&] { return files_.format->reclaim(durable); });
  has_leftovers_ = !status.ok();
  settle_indexes(std::ssize(times_));
  return status;
}

void OpenDataset::settle_indexes(Index num_steps) {
  if (comm_->rank() != 0 && files_.format->num_own_indexes() > 0) files_.format->settle_indexes(num_steps);
}

Status OpenDataset::finish(bool ends_well) {
  Status status;
  if (has_leftovers_) status = reclaim(is_found_ || files_.fsync != Fsync::kNone);
  // If there was no dataset, ranks that end normally create one without steps; it never replaces another one.
  if (stage_ == Stage::kDefined && ends_well) {
    const Status created = root_does(*comm_, "create", [&] {
      FormatWriter& format = *files_.format;
      return format.replaces_existing() ? Status() : format.create(files_.fsync != Fsync::kNone);
    });
    if (status.ok()) status = created;
  }
  return status;
}

// Block files on the ranks that wrote them, then the files that name them.
Status OpenDataset::sync() {
  if (files_.fsync != Fsync::kClose || !is_created()) return {};
  ESKER_RETURN_IF_ERROR(all_do(
      *comm_, "close", [&] { return files_.to_sync.sync(*files_.store, *files_.format, files_.top); }));
  return root_does(*comm_, "close", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(sync_files(*files_.store, files_.format->metadata_paths(), files_.top));
    return files_.unsynced.closed();
  });
}

Status OpenDataset::release() {
  return root_does(*comm_, "close", [&] { return files_.format->release(); });
}

}  // namespace esker
