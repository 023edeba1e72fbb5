// Knowledge: what earlier runs settled on, in a small file in the user's cache directory.
//
// Runs that end at the same time each replace the whole file by a rename: one of them is remembered, and the
// file is never torn. It is not needed: a run without it, or with a damaged one, searches again.
#pragma once

#include <optional>
#include <string>

#include "esker/types/status.hpp"
#include "store/store.h"
#include "tune/setting.h"

namespace esker {

/// esker/tuning.json in $XDG_CACHE_HOME, else in $HOME/.cache; empty if neither is an absolute path.
std::string knowledge_path();

/// The name of this machine without digits, which number the nodes of a cluster.
std::string machine_name();

/// The setting that is remembered for `key`; nothing: none. kDataLoss for a file that is not ours, or
/// damaged.
Result<std::optional<Setting>> recall(Store& store, const std::string& path, const std::string& key);

/// Remembers the setting; the oldest of many are forgotten. A damaged file is replaced. kUnsupported: a newer
/// version wrote the file, which is kept.
Status remember(Store& store, const std::string& path, const std::string& key, const Setting& setting);

}  // namespace esker
