#include "esker/merge.hpp"

#include "api/within_memory.h"
#include "base/macros.h"
#include "formats/idx/merge.h"
#include "formats/registry/make_writer.h"

namespace esker {

Result<MergeReport> merge(const std::string& path) {
  return within_memory([&]() -> Result<MergeReport> {
    const auto store = posix_store();
    ESKER_ASSIGN_OR_RETURN(const AppendTarget found, find_append_target(*store, path, "auto"));
    const bool may_have_bricks = found.format == "idx" || found.format == "auto";  // "auto": no dataset
    return may_have_bricks ? idx::merge_on(store, path) : MergeReport();
  });
}

}  // namespace esker
