#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "base/system.h"

namespace esker {

int open_unlinked_file(const std::string& directory) {
  std::string path = (std::filesystem::path(directory) / "esker.XXXXXX").string();
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) return descriptor;
  ::unlink(path.c_str());
  (void)::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

}  // namespace esker
