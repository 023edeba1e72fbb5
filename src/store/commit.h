// Replaces files atomically: a file is always either the old one or the new one.
#pragma once

#include <functional>
#include <string>

#include "store/store.h"

namespace esker {

/// Writes to an open file.
using FileEdit = std::function<Status(File&)>;

/// Opens the file at `path`, which is created if missing, calls `edit`, syncs the file if `durable`, and
/// closes it. After a failure the file contains what was written until then.
Status edit_file(Store& store, const std::string& path, const FileEdit& edit, bool durable);

/// The path at which replace_file() writes the future `path`.
std::string temporary_of(const std::string& path);

/// The first half of replace_file(): writes temporary_of(path), syncs it if `durable`. Removes it on failure.
Status stage_file(Store& store, const std::string& path, const std::string& text, bool durable);
/// The same for content that `write` writes to the file, which is empty when it is called.
Status stage_file(Store& store, const std::string& path, const FileEdit& write, bool durable);
/// The second half: renames temporary_of(path) over `path`, syncs the directory if `durable`.
Status publish_file(Store& store, const std::string& path, bool durable);

/// Writes `text` to temporary_of(path), syncs it if `durable`, renames it over `path`, syncs the directory if
/// `durable`. On failure the temporary file is removed and `path` is unchanged. Exception: if only the sync
/// of the directory failed, `path` is new, but may be old again after a power failure.
Status replace_file(Store& store, const std::string& path, const std::string& text, bool durable);

/// The directory of a path; "." for a bare name.
std::string directory_of(const std::string& path);

/// Creates a directory and its missing parents; with `durable`, syncs the names of the created ones last.
Status make_directories(Store& store, const std::string& directory, bool durable);

}  // namespace esker
