// for_each_path: finds the stored files that match a pattern, where a header allows too many names to try
// each.
//
//   for_each_path(store, "out/", {"run/time_\2/\1\1\1\1.bin"}, [](const PathMatch& match) { ... });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/status.hpp"
#include "formats/idx/filename_template.h"
#include "store/store.h"

namespace esker::idx {

/// A wildcard in addition to kAnyHexDigit and kAnyTime: at least one character of a field's name.
inline constexpr char kAnyName = '\3';

/// A path, and the texts that its wildcards match.
struct PathMatch {
  std::string path;
  std::string hex_digits;  ///< all of them, in order
  std::string name;
  std::optional<Index> time;

  [[nodiscard]] Index block() const;  ///< the number that hex_digits spell; 0 for none, -1 if too large
};

/// Calls `visit` for the paths below `directory` (with a trailing '/' unless empty) that match one of the
/// patterns. The last part of a path is not checked for existence if it has no wildcard. Symbolic links are
/// followed. Cost: one listing per directory and pattern. kUnsupported after ten million names.
Status for_each_path(const Store& store, const std::string& directory,
                     const std::vector<std::string>& patterns,
                     const std::function<Status(const PathMatch&)>& visit);

}  // namespace esker::idx
