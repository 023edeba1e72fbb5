// for_each_path: which files of a form are on storage, where a header allows more names than one could try.
//
//   for_each_path(store, "out/", {"run/time_\2/\1\1\1\1.bin"}, [](const PathMatch& match) { ... });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/status.hpp"
#include "formats/idx/filename_template.h"
#include "store/store.h"

namespace esker::idx {

/// A wildcard beside kAnyHexDigit and kAnyTime: one character or more of a field's name.
inline constexpr char kAnyName = '\3';

/// A path, and what its wildcards stand for.
struct PathMatch {
  std::string path;
  std::string hex_digits;  ///< all of them, in order
  std::string name;
  std::optional<Index> time;

  [[nodiscard]] Index block() const;  ///< the number that hex_digits spell; 0 for none, -1 if it does not fit
};

/// Calls `visit` for the paths below `directory` (with '/' behind it unless empty) that have one of these
/// forms. The last part of a path is not looked for if it has no wildcard. Symbolic links are followed. Cost:
/// one listing per directory and pattern; kUnsupported after ten million names.
Status for_each_path(const Store& store, const std::string& directory,
                     const std::vector<std::string>& patterns,
                     const std::function<Status(const PathMatch&)>& visit);

}  // namespace esker::idx
