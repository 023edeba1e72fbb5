// Replacing a small file so that it is always either the old one or the new one.
#pragma once

#include <string>

#include "store/store.h"

namespace esker {

/// Where replace_file() writes what is to become `path`.
std::string temporary_of(const std::string& path);

/// The first half of replace_file(): writes temporary_of(path), syncs it if `durable`. On failure it is removed.
Status stage_file(Store& store, const std::string& path, const std::string& text, bool durable);
/// The second half: renames temporary_of(path) over `path`, syncs the directory if `durable`.
Status publish_file(Store& store, const std::string& path, bool durable);

/// Writes `text` to temporary_of(path), syncs it if `durable`, renames it over `path`, syncs the directory if
/// `durable`. On failure the temporary file is removed and `path` is as it was, unless the directory alone
/// could not be synced: then `path` is new but may be old again after a power failure.
Status replace_file(Store& store, const std::string& path, const std::string& text, bool durable);

/// Makes a directory and those above it; with `durable`, the names of those that were missing last.
Status make_directories(Store& store, const std::string& directory, bool durable);

}  // namespace esker
