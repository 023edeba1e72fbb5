#include "esker/rebuild.hpp"

#include "api/within_memory.h"
#include "formats/idx/rebuild.h"

namespace esker {

Result<RebuildReport> rebuild_idx(const RebuildRequest& request) {
  return within_memory([&] { return rebuild_idx_on(posix_store(), request); });
}

Result<std::string> renamed_idx(const std::string& path, const std::string& name) {
  return within_memory([&] { return renamed_idx_on(*posix_store(), path, name); });
}

}  // namespace esker
