// UnsyncedMarker: records up to which step a dataset has reached the device while a run with fsync=close
// writes.
//
// A file next to the dataset, "run.esker-unsynced". It is durable before the first unsynced step is
// committed, and is removed when closing has synced everything: a closed dataset has none. After a restart of
// the machine, readers learn from it which steps a power failure may have damaged.
#pragma once

#include <optional>
#include <string>

#include "esker/types/box.hpp"
#include "store/store.h"

namespace esker {

struct UnsyncedMarker {
  Index synced_steps = 0;  ///< later steps are only in the memory of ...
  std::string boot;        ///< ... the machine in this boot: Store::boot()
};

/// Path of the marker file of a dataset, from the dataset's path without extension.
std::string unsynced_marker_path(const std::string& stem);

/// Durable when it returns.
Status write_unsynced_marker(Store& store, const std::string& stem, const UnsyncedMarker& marker);
/// Nothing if there is no marker file. An unreadable one means that no step is synced.
Result<std::optional<UnsyncedMarker>> read_unsynced_marker(Store& store, const std::string& stem);
/// Durable when it returns; also succeeds if there is none.
Status remove_unsynced_marker(Store& store, const std::string& stem);

/// The warning for readers of a dataset with a marker file; nothing if there is none, or if the steps are in
/// this machine's memory.
std::optional<std::string> unsynced_warning(Store& store, const std::string& stem);

}  // namespace esker
