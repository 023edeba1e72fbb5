// rebuild_idx on any store; see esker/rebuild.hpp.
#pragma once

#include <memory>

#include "esker/types/rebuild_report.hpp"
#include "store/store.h"

namespace esker {

Result<RebuildReport> rebuild_idx_on(const std::shared_ptr<Store>& store, const RebuildRequest& request);
Result<std::string> renamed_idx_on(Store& store, const std::string& path, const std::string& name);

}  // namespace esker
