#include "write/unsynced_steps.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "store/unsynced.h"
#include "write/step_files.h"

namespace esker {

UnsyncedSteps::UnsyncedSteps(Store& store, std::string stem, std::string top, bool syncs_at_close)
    : store_(&store), stem_(std::move(stem)), top_(std::move(top)), syncs_at_close_(syncs_at_close) {}

Status UnsyncedSteps::remove_mark() {
  ESKER_RETURN_IF_ERROR(remove_unsynced_mark(*store_, stem_));
  marked_steps_.reset();
  has_lost_steps_ = false;
  return {};
}

Status UnsyncedSteps::created() { return remove_mark(); }

Status UnsyncedSteps::settle(Index num_steps, const PathsOf& paths_of) {
  ESKER_ASSIGN_OR_RETURN(const auto mark, read_unsynced_mark(*store_, stem_));
  synced_steps_ = num_steps;
  if (!mark) return {};
  marked_steps_ = mark->synced_steps;
  if (mark->synced_steps < num_steps) {
    has_lost_steps_ = mark->boot.empty() || mark->boot != store_->boot();
    if (has_lost_steps_) return {};
    ESKER_RETURN_IF_ERROR(sync_files(*store_, paths_of(mark->synced_steps, num_steps), top_));
  }
  return remove_mark();
}

Status UnsyncedSteps::accept(Index num_steps, const PathsOf& paths_of) {
  if (!has_lost_steps_) return {};
  ESKER_RETURN_IF_ERROR(sync_files(*store_, paths_of(*marked_steps_, num_steps), top_));
  return remove_mark();
}

Status UnsyncedSteps::check() const {
  if (!has_lost_steps_) return {};
  return error(Code::kDataLoss,
               "{}: when the machine went down only the first {} steps had reached the device: rewind to one "
               "of them, or let `esker repair` check the later ones",
               unsynced_mark_path(stem_), *marked_steps_);
}

Status UnsyncedSteps::before_commit() {
  if (!syncs_at_close_ || marked_steps_ == synced_steps_) return {};
  ESKER_RETURN_IF_ERROR(write_unsynced_mark(*store_, stem_, {synced_steps_, store_->boot()}));
  marked_steps_ = synced_steps_;
  return {};
}

Status UnsyncedSteps::rewound(Index num_steps) {
  synced_steps_ = std::min(synced_steps_, num_steps);
  return has_lost_steps_ && num_steps <= *marked_steps_ ? remove_mark() : Status();
}

Status UnsyncedSteps::closed() {
  return marked_steps_ && !has_lost_steps_ ? remove_mark() : Status();
}

}  // namespace esker
