#include "esker/merge.hpp"

#include "api/within_memory.h"
#include "formats/idx/merge.h"

namespace esker {

Result<MergeReport> merge(const std::string& path) {
  return within_memory([&] { return idx::merge_on(posix_store(), path); });
}

}  // namespace esker
