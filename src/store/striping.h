// Striping: how a parallel file system lays files over its targets, where it tells.
#pragma once

#include <string>

#include "esker/box.hpp"

namespace esker {

/// Byte b of a file is on target b / size_bytes % count.
struct Striping {
  Index size_bytes = 0;  ///< 0: not known
  int count = 0;
};

/// What Lustre says of a file, or of new files in a directory; nothing known if there is neither its library
/// (loaded when this is called, so that none is needed to build or to run) nor an answer. Local.
Striping lustre_striping(const std::string& path, const char* library = "liblustreapi.so.1");

}  // namespace esker
