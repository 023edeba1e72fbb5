#include "esker/rebuild.hpp"

#include "api/within_memory.h"
#include "base/macros.h"
#include "format/schema_json.h"
#include "formats/idx/rebuild.h"
#include "formats/registry/suffix.h"
#include "formats/vtkhdf/series.h"
#include "store/store.h"

namespace esker {

Result<RebuildReport> rebuild_idx(const RebuildRequest& request) {
  return within_memory([&] { return rebuild_idx_on(posix_store(), request); });
}

Result<std::string> renamed_idx(const std::string& path, const std::string& name) {
  return within_memory([&] { return renamed_idx_on(*posix_store(), path, name); });
}

Result<std::string> renamed_series(const std::string& path, const std::string& name) {
  return within_memory([&]() -> Result<std::string> {
    ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*posix_store(), path, kMaxSidecarBytes));
    const auto series = vtkhdf::parse_series(text, stem_of(path));
    if (!series.ok()) return series.status().with_context(path);
    return vtkhdf::print_series(*series, name);
  });
}

}  // namespace esker
