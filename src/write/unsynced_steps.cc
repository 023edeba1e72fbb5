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

Status UnsyncedSteps::remove_marker() {
  ESKER_RETURN_IF_ERROR(remove_unsynced_marker(*store_, stem_));
  marked_steps_.reset();
  has_lost_steps_ = false;
  return {};
}

Status UnsyncedSteps::created() { return remove_marker(); }

Status UnsyncedSteps::settle(Index num_steps, const PathsOf& paths_of) {
  ESKER_ASSIGN_OR_RETURN(const auto marker, read_unsynced_marker(*store_, stem_));
  synced_steps_ = num_steps;
  if (!marker) return {};
  marked_steps_ = marker->synced_steps;
  if (marker->synced_steps < num_steps) {
    has_lost_steps_ = marker->boot.empty() || marker->boot != store_->boot();
    if (has_lost_steps_) return {};
    ESKER_RETURN_IF_ERROR(sync_files(*store_, paths_of(marker->synced_steps, num_steps), top_));
  }
  return remove_marker();
}

Status UnsyncedSteps::accept(Index num_steps, const PathsOf& paths_of) {
  if (!has_lost_steps_) return {};
  ESKER_RETURN_IF_ERROR(sync_files(*store_, paths_of(*marked_steps_, num_steps), top_));
  return remove_marker();
}

Status UnsyncedSteps::check() const {
  if (!has_lost_steps_) return {};
  return error(Code::kDataLoss,
               "{}: only the first {} steps had reached the device when the machine went down; rewind to one "
               "of them, or let `esker repair` check the later ones",
               unsynced_marker_path(stem_), *marked_steps_);
}

Status UnsyncedSteps::before_commit() {
  if (!syncs_at_close_ || marked_steps_ == synced_steps_) return {};
  ESKER_RETURN_IF_ERROR(write_unsynced_marker(*store_, stem_, {synced_steps_, store_->boot()}));
  marked_steps_ = synced_steps_;
  return {};
}

Status UnsyncedSteps::rewound(Index num_steps) {
  synced_steps_ = std::min(synced_steps_, num_steps);
  return has_lost_steps_ && num_steps <= *marked_steps_ ? remove_marker() : Status();
}

Status UnsyncedSteps::closed() { return marked_steps_ && !has_lost_steps_ ? remove_marker() : Status(); }

}  // namespace esker
