// Striping: how a parallel file system distributes files over its targets, if it reports that.
#pragma once

#include <string>

#include "esker/types/box.hpp"

namespace esker {

/// Byte b of a file is on target b / size_bytes % count.
struct Striping {
  Index size_bytes = 0;  ///< 0: unknown
  int count = 0;
};

/// The stripes that Lustre reports for a file, or for new files in a directory. Unknown if Lustre's library
/// is missing or gives no answer; it is loaded by this call, so it is not needed to build or to run. Local.
Striping lustre_striping(const std::string& path, const char* library = "liblustreapi.so.1");

}  // namespace esker
