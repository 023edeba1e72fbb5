// UnsyncedMark: up to which step a dataset has reached the device, while a run with fsync=close writes on.
//
// A file next to the dataset, "run.esker-unsynced". It is durable before the first step that is not, and removed
// when closing has synced all: a dataset that was closed has none. Readers whose machine has been restarted since
// learn from it which steps a power failure may have damaged.
#pragma once

#include <optional>
#include <string>

#include "esker/box.hpp"
#include "store/store.h"

namespace esker {

struct UnsyncedMark {
  Index synced_steps = 0;  ///< steps from here on are only in the memory of ...
  std::string boot;        ///< ... the machine that was started so: Store::boot()
};

/// Path of the mark of a dataset, by its path without extension.
std::string unsynced_mark_path(const std::string& stem);

/// Durable when it returns.
Status write_unsynced_mark(Store& store, const std::string& stem, const UnsyncedMark& mark);
/// Nothing: there is none. One that cannot be read says that no step is synced.
Result<std::optional<UnsyncedMark>> read_unsynced_mark(Store& store, const std::string& stem);
/// Durable when it returns; success also when there is none.
Status remove_unsynced_mark(Store& store, const std::string& stem);

/// What is to be said of a mark to who reads the dataset; nothing: none, or the steps are in this machine's memory.
std::optional<std::string> unsynced_warning(Store& store, const std::string& stem);

}  // namespace esker
