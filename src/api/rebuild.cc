#include "esker/rebuild.hpp"

#include "api/within_memory.h"
#include "read/rebuild.h"

namespace esker {

Result<RebuildReport> rebuild_idx(const RebuildRequest& request) {
  return within_memory([&] { return rebuild_idx_on(posix_store(), request); });
}

}  // namespace esker
